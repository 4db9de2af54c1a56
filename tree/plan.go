package tree

import (
	"errors"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// Reasons for which NewPlan refuses Options.
var (
	// ErrTreeJoint is returned for a joint of Options.TreeJoints whose type cannot be in the tree, or that closes a loop with others of
	// them.
	ErrTreeJoint = errors.New("tree: joint cannot be in the tree")
	// ErrFloating is returned for a body of Options.Floating that is connected to the world by tree joints, or to another body of them.
	ErrFloating = errors.New("tree: body cannot carry a floating base")
)

// World is the number of the fixed root, where a link may also be the world.
const World = -1

// Options choose the spanning tree. The zero value is the default.
type Options struct {
	TreeJoints []int // joints that must be in the tree
	Floating   []int // bodies that carry the floating base of the part that they are in; other parts have it at their first body
}

// Link is a body in its place in the tree, with the joint to its parent.
type Link struct {
	Body     int32       // number in the mechanism
	Parent   int32       // link, or World
	Joint    int32       // number in the mechanism, or −1 for a floating base
	End      int32       // the subtree is the links from this one to End−1
	Kind     joints.Kind // of the joint; Free for a floating base
	Reversed bool        // the parent is the joint's successor
	Q, NumQ  int32       // first entry in q, number of entries
	Dof      int32       // first entry in q̇
	NumDof   int32       // number of entries
}

// Loop is a joint that is not in the tree and has constraint rows.
type Loop struct {
	Joint      int32 // number in the mechanism
	Pred, Succ int32 // predecessor and successor as in the model: links, or World
	Common     int32 // nearest common ancestor of the two, or World
	Row        int32 // first of the joint's rows among the rows of all loops
	Rows       int32 // number of rows, prescribed freedoms included
}

// Prescribed is a freedom of a tree joint with a prescribed motion: a constraint q̇[Dof] = σ on the tree (RBDA eq. 8.10). Its sign is the
// same whether or not the link is reversed.
type Prescribed struct {
	Joint, Freedom int32 // as in the mechanism
	Dof            int32 // entry of q̇
}

// Plan is the spanning tree of a mechanism with its joint variables. It is
// immutable and may be shared between goroutines; the slices are to be read
// only.
type Plan struct {
	Links      []Link
	LinkOf     []int32 // by body: its link
	Loops      []Loop  // in the order of joint numbers
	LoopRows   int     // number of rows of all loops; nᶜ has prescribed freedoms of the tree and couplings too
	Prescribed []Prescribed

	// By entry of q̇: DofParent is the nearest entry towards the root, or −1 (the expanded parent array of RBDA §6.5); DofDepth is the
	// number of entries towards the root. Entries that have it towards the root follow it, up to DofEnd−1.
	DofParent, DofDepth, DofEnd []int32

	mech   *mechanism.Mechanism
	chain  []int32 // by link: first link of its chain, see findChains
	nq, nv int
	consts []linkConst // by link
	rotors []float64   // by entry of q̇: its armature; nil if there is none
	held   []heldLink  // directions of links without inertia
	rowPtr []int       // by row of a BranchMatrix: its start

	posture  []int32 // by link: number of its composite joint, −1 if its joint is another one; nil if there are none
	postures int     // number of composite tree joints
	own      bool    // q determines all of State.Angles
}

// linkConst has the constants of a link and its joint that the kernels read.
type linkConst struct {
	body, parentBody, pred int32        // bodies, or World; pred is the body that has P
	dof                    int32        // first entry of q̇
	form                   form         // decides about the kernel
	tip, opens             bool         // no link has it as parent; it is the last link of its parent, which an inward pass meets first
	alpha, beta            float64      // of a joint with one freedom: rotation about and translation along P's z, by a unit of the coordinate
	sign                   float64      // −1 if reversed, else 1
	mass                   float64      // of the link, kg
	axis                   spatial.Vec3 // of a joint with one freedom: P's z in the frame of pred
	rp                     spatial.Vec3 // parent's centre of mass → joint, parent's axes; 0 for the world
	rc                     spatial.Vec3 // joint → centre of mass, link's axes
	qP, qS                 spatial.Quat // axes of P and S in their bodies
	originP, originS       spatial.Vec3 // of P and S in their bodies
	simple                 simpleConst  // of a joint with one freedom
}

// simpleConst has the constants of placeSimple for a joint with one freedom.
type simpleConst struct {
	axis      spatial.Vec3 // P's z, of opposite sign if reversed, parent's axes
	near, far spatial.Vec3 // origins of the joint's frames in the parent and in the link, m
	rot0      spatial.Quat // link → parent at θ = 0
	rot1      spatial.Quat // the same at θ = π
}

// form is the kind of joint that a kernel is for.
type form uint8

const (
	turning  form = iota // revolute
	screwing             // prismatic, helical: one freedom with a slide
	several              // any other number of freedoms
	floating             // floating base
)

// NewPlan chooses the spanning tree of m, and numbers links and joint variables.
//
// Cost: near-linear in bodies and joints.
// It returns ErrTreeJoint, ErrFloating or mechanism.ErrOwnRow, with the name. It panics if a number
// in o is out of range.
func NewPlan(m *mechanism.Mechanism, o Options) (*Plan, error) {
	if m == nil {
		panic("tree: no mechanism")
	}
	for _, j := range o.TreeJoints {
		if j < 0 || j >= m.NumJoints() {
			panic("tree: joint out of range")
		}
	}
	for _, b := range o.Floating {
		if b < 0 || b >= m.NumBodies() {
			panic("tree: body out of range")
		}
	}
	if err := m.OnlyModelRows(); err != nil {
		return nil, fault.Errorf("tree: %w", err)
	}
	inTree, err := chooseJoints(m, o.TreeJoints)
	if err != nil {
		return nil, err
	}
	p := &Plan{mech: m}
	if err := p.number(inTree, o.Floating); err != nil {
		return nil, err
	}
	p.assignVariables()
	p.numberPostures()
	p.findLoops(inTree)
	p.rotors, p.held = p.armature(), p.newHeld()
	return p, nil
}

// With returns p for the mechanism with the inputs in, which workspaces and solvers of the new plan read whenever they compute. The new
// plan and in belong to one goroutine at a time.
//
// Cost: O(1). It panics if in is nil or of another mechanism, or has bodies of its own (mechanism.Inputs.Vary): the
// plan has those of the model.
func (p *Plan) With(in *mechanism.Inputs) *Plan {
	if in == nil || !in.Are(p.mech) {
		panic("tree: foreign inputs")
	}
	if in.Varies() {
		panic("tree: inputs with bodies of their own")
	}
	other := *p
	other.mech = in.Mechanism()
	return &other
}

// Mechanism returns the mechanism of the plan.
func (p *Plan) Mechanism() *mechanism.Mechanism { return p.mech }

// NumLinks returns the number of links, which is the number of bodies.
func (p *Plan) NumLinks() int { return len(p.Links) }

// NumQ returns the length of q.
func (p *Plan) NumQ() int { return p.nq }

// NumDof returns the length of q̇, q̈ and τ.
func (p *Plan) NumDof() int { return p.nv }

// mustHaveLink panics unless i is a link or World.
func (p *Plan) mustHaveLink(i int) {
	if i < World || i >= len(p.Links) {
		panic("tree: link out of range")
	}
}

// CommonAncestor returns the nearest link that has both a and b in its subtree,
// which may be one of them, or World.
//
// Cost: O(log links), no allocation. It panics if a or b is neither a link nor World.
func (p *Plan) CommonAncestor(a, b int) int {
	p.mustHaveLink(a)
	p.mustHaveLink(b)
	// If the two are on different chains, the chain that begins later in preorder does not have their common ancestor.
	for a != World && b != World {
		switch x, y := p.chain[a], p.chain[b]; {
		case x == y:
			return min(a, b)
		case x > y:
			a = int(p.Links[x].Parent)
		default:
			b = int(p.Links[y].Parent)
		}
	}
	return World
}

// assignVariables gives every link its entries of q and q̇ and its constants, and every entry of q̇ its place in a BranchMatrix.
func (p *Plan) assignVariables() {
	p.consts = make([]linkConst, len(p.Links))
	for i := range p.Links {
		l := &p.Links[i]
		l.Q, l.Dof = int32(p.nq), int32(p.nv)
		l.NumDof = int32(l.Kind.Dof())
		l.NumQ = l.NumDof
		if hasBall(l.Kind) {
			l.NumQ++
		}
		p.nq += int(l.NumQ)
		p.nv += int(l.NumDof)
		p.consts[i] = p.newConst(l)
		p.prescribe(l)
	}
	met := make([]bool, len(p.Links))
	for i := len(p.Links) - 1; i >= 0; i-- {
		c := &p.consts[i]
		c.tip = !met[i]
		if up := p.Links[i].Parent; up != World {
			c.opens, met[up] = !met[up], true
		}
	}
	p.DofParent, p.DofDepth = make([]int32, p.nv), make([]int32, p.nv)
	p.DofEnd, p.rowPtr = make([]int32, p.nv), make([]int, p.nv+1)
	last := make([]int32, len(p.Links)) // entry of q̇ nearest to the tip of each link
	for i := range p.Links {
		l := &p.Links[i]
		k := int32(-1)
		if l.Parent != World {
			k = last[l.Parent]
		}
		for d := l.Dof; d < l.Dof+l.NumDof; d++ {
			p.DofParent[d] = k
			if k >= 0 {
				p.DofDepth[d] = p.DofDepth[k] + 1
			}
			p.DofEnd[d] = int32(p.nv)
			if int(l.End) < len(p.Links) {
				p.DofEnd[d] = p.Links[l.End].Dof
			}
			p.rowPtr[d+1] = p.rowPtr[d] + int(p.DofDepth[d]) + 1
			k = d
		}
		last[i] = k
	}
}

// hasBall reports whether a type of joint has a quaternion among its coordinates.
func hasBall(k joints.Kind) bool {
	return k == joints.Spherical || k == joints.SphereInCylinder || k == joints.Free
}

// prescribe appends the prescribed freedoms of l to p.Prescribed.
func (p *Plan) prescribe(l *Link) {
	if l.Joint < 0 {
		return
	}
	spec := &p.mech.Joints[l.Joint].Spec
	for k := range spec.Kind.Freedoms() {
		if spec.Prescribed(k) {
			p.Prescribed = append(p.Prescribed, Prescribed{l.Joint, int32(k), l.Dof + int32(k)})
		}
	}
}

// newConst returns the constants of l.
func (p *Plan) newConst(l *Link) linkConst {
	m := p.mech
	body := &m.Bodies[l.Body]
	c := linkConst{
		body: l.Body, parentBody: mechanism.World, pred: mechanism.World, dof: l.Dof,
		form: several, sign: 1, mass: body.Mass,
	}
	if l.Parent != World {
		c.parentBody = p.Links[l.Parent].Body
	}
	if l.Joint < 0 {
		c.form, c.rc = floating, body.Com
		c.qP, c.qS = spatial.IdentityQuat(), spatial.IdentityQuat()
		return c
	}
	j := &m.Joints[l.Joint]
	c.pred = j.Pred
	switch l.Kind {
	case joints.Revolute:
		c.form, c.alpha = turning, 1
	case joints.Prismatic:
		c.form, c.beta = screwing, 1
	case joints.Helical:
		c.form, c.alpha, c.beta = screwing, 1, j.Pitch
	}
	c.axis = j.P.E.Col(2)
	c.qP, c.qS = spatial.FromMat(j.P.E), spatial.FromMat(j.S.E)
	c.originP, c.originS = j.P.Origin, j.S.Origin
	near, far := j.P.Origin, j.S.Origin
	if l.Reversed {
		c.sign, near, far = -1, far, near
	}
	c.rc = body.Com.Sub(far)
	c.setSimple(near, far, l.Reversed)
	if c.parentBody >= 0 {
		c.rp = near.Sub(m.Bodies[c.parentBody].Com)
	}
	return c
}

// setSimple sets c.simple. With the rotation (cos ½θ, 0, 0, sin ½θ) from S to P, the rotation of the link relative to its parent is
// rot0·cos ½θ + rot1·sin ½θ.
func (c *linkConst) setSimple(near, far spatial.Vec3, reversed bool) {
	h := &c.simple
	h.near, h.far = near, far
	half := spatial.Quat{0, 0, 0, 1}
	if reversed {
		h.axis = c.qS.Rotate(spatial.Vec3{2: -1})
		h.rot0, h.rot1 = c.qS.Mul(c.qP.Conj()), c.qS.Mul(half.Conj()).Mul(c.qP.Conj())
		return
	}
	h.axis = c.qP.Rotate(spatial.Vec3{2: 1})
	h.rot0, h.rot1 = c.qP.Mul(c.qS.Conj()), c.qP.Mul(half).Mul(c.qS.Conj())
}
