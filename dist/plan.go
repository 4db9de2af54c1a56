package dist

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sparse"
)

// ErrUnsupported is wrapped by the error of a mechanism that one process can solve and pieces cannot.
var ErrUnsupported = errors.New("dist: not solved in pieces")

// Options choose how a mechanism is solved in pieces. The zero value is the default.
type Options struct {
	Epsilon float64   // as kkt.Options.Epsilon
	Threads int       // goroutines of each rank; 0 stands for 1
	Root    RootMaker // of the system of the held rows; nil stands for NewSparseRoot

	// Refine makes each solution take one correction at least, even if the estimated error of the first solution is at
	// rounding level. It costs a solve and two messages an evaluation.
	Refine bool
}

// Plan has all data of a piece that do not depend on its state.
type Plan struct {
	comm    *meter
	piece   *Piece
	mech    *mechanism.Mechanism
	layout  *assemble.Layout
	factors *factor.Symbolic // of the piece
	held    Held
	scalars []int32    // by held row, in the order of the share: row of the piece's system
	owned   []bool     // by held node, in the order of the share: this rank keeps its right side
	zero    [][2]int64 // ranges in Matrix.Val of blocks that other ranks contribute
	links   []link     // by increasing rank
	typical float64    // length of the whole (mechanism.Mechanism.TypicalLength), m
	epsilon float64
	threads int
	refine  bool
	root    RootMaker
	notes   []string
}

// link lists the bodies that this rank shares with another one.
type link struct {
	rank      int
	send      []int32   // own bodies that are in the halo of the other rank
	receive   []int32   // bodies of the halo that are own bodies of the other rank
	out, back []float64 // memory for messages, six numbers a body
}

// NewPlan cuts m into a piece for each rank and analyses the piece of this one. All ranks call it together with the
// same model and options; threads may differ.
//
// Cost: as a compiled mechanism and a partition of the whole on each rank; NewPlanOf is for models that no rank
// can hold. It returns the error of any rank on all of them (RankError), and a DifferError if the ranks have
// different models or options. It panics if m is nil or an option is out of range.
func NewPlan(c Comm, m *model.Model, o Options) (*Plan, error) {
	if m == nil {
		panic("dist: nil model")
	}
	o.complete()
	mech, err := mechanism.New(m)
	if err = Agree(c, err); err != nil {
		return nil, err
	}
	if err = AgreeOn(c, factsOf(mech)...); err != nil {
		return nil, err
	}
	p, err := Cut(m, Partition(mech, c.Size()), c.Rank())
	if err = Agree(c, err); err != nil {
		return nil, err
	}
	return NewPlanOf(c, p, o)
}

// complete replaces zero options by defaults. It panics if an option is out of range.
func (o *Options) complete() {
	if o.Epsilon == 0 {
		o.Epsilon = kkt.DefaultEpsilon
	}
	if !(o.Epsilon > 0 && o.Epsilon < 1e-2) || o.Threads < 0 || o.Threads > kkt.MaxThreads {
		panic("dist: option out of range")
	}
	if o.Root == nil {
		o.Root = NewSparseRoot
	}
}

// NewPlanOf analyses the piece of this rank. All ranks call it together, each with its own piece.
//
// Cost: near-linear in the bodies and joints of the piece, and on rank 0 in the rows between pieces. It returns the
// error of any rank on all of them (RankError), ErrUnsupported with the reason among them, and a DifferError if the ranks
// have different options or gravities, begin at different times, or are not alike in a joint between them or its bodies.
// It panics if the piece is nil or an option is out of range.
func NewPlanOf(c Comm, piece *Piece, o Options) (*Plan, error) {
	o.complete()
	if piece == nil || piece.Model == nil {
		panic("dist: nil piece")
	}
	p := &Plan{comm: &meter{Comm: c}, piece: piece, epsilon: o.Epsilon, threads: max(o.Threads, 1), root: o.Root, refine: o.Refine}
	if err := Agree(c, p.compile()); err != nil {
		return nil, err
	}
	m := piece.Model
	if err := AgreeOn(c, append(o.facts(), Fact{"gravity", fmt.Sprint(m.Gravity)}, Fact{"the time, s,", fmt.Sprint(m.Time)})...); err != nil {
		return nil, err
	}
	nodes, err := p.hold()
	if err != nil {
		return nil, err
	}
	without := *piece
	without.Model = nil // the plan does not keep the model, which is large
	p.piece = &without
	p.analyse(nodes)
	if err := p.findLinks(); err != nil {
		return nil, err
	}
	p.measure()
	return p, nil
}

// compile builds mechanism and layout of the piece. It returns ErrUnsupported with the reason for a mechanism that is not solved in pieces.
func (p *Plan) compile() (err error) {
	if err = p.piece.check(p.comm.Rank(), p.comm.Size()); err != nil {
		return err
	}
	if p.mech, err = mechanism.New(p.piece.Model); err != nil {
		return err
	}
	m := p.mech
	switch {
	case m.NumBearings() > 0:
		return fmt.Errorf("%w: friction that grows with the reaction of a joint, as each reaction depends on all others", ErrUnsupported)
	case m.WantsRuts():
		return fmt.Errorf("%w: wheels that leave ruts, as the ground is of all ranks", ErrUnsupported)
	}
	if err := m.Holonomic(); err != nil {
		return fmt.Errorf("%w: %w", ErrUnsupported, err)
	}
	if s := m.Singular(); len(s) > 0 {
		return fmt.Errorf("%w: %w", ErrUnsupported, m.AtBody(int(s[0].Body), errors.New("a body without inertia in some direction")))
	}
	geared := false
	for _, j := range m.Geared() {
		jt := &m.Joints[j]
		if jt.NumGeared() == 0 {
			continue
		}
		geared = true
		if p.between(jt) {
			return fmt.Errorf("%w: %w", ErrUnsupported, m.AtJoint(int(j), -1, errors.New("a joint with armature between two ranks")))
		}
	}
	if p.layout = assemble.NewLayout(m); geared {
		p.layout = assemble.NewGeared(m)
	}
	if ill := kkt.IllScaledIn(p.layout); ill != nil {
		where := "joint "
		if ill.Joint >= 0 {
			where += fault.Name(m.JointName(ill.Joint))
		} else {
			where = "body " + fault.Name(m.BodyName(ill.Body))
		}
		p.notes = append(p.notes, where+": "+ill.Text+"; in one process a small mechanism would be solved with twice the digits")
	}
	return nil
}

// between reports whether a joint connects bodies of two ranks.
func (p *Plan) between(jt *mechanism.Joint) bool {
	return jt.Pred >= 0 && jt.Succ >= 0 && (int(jt.Pred) >= p.piece.Own || int(jt.Succ) >= p.piece.Own)
}

// rankOf returns the rank of a body.
func (p *Plan) rankOf(body int32) int {
	if int(body) < p.piece.Own {
		return p.comm.Rank()
	}
	return int(p.piece.Rank[int(body)-p.piece.Own])
}

// hold finds the held rows together with the other ranks, and fills p.held, p.scalars and p.owned. It returns the held nodes of this rank
// in the order of its share.
func (p *Plan) hold() ([]int32, error) {
	m := p.mech
	var list []float64 // number of the joint in the whole, rows, fingerprint
	node := make(map[int64]int32)
	var wrong error
	for j := range m.Joints {
		jt := &m.Joints[j]
		v := p.layout.JointNode(j)
		if v < 0 || !p.between(jt) {
			continue
		}
		id := p.piece.Joint[j]
		if _, ok := node[id]; ok {
			wrong = fmt.Errorf("dist: two joints have the number %d", id)
		}
		node[id] = int32(v)
		whole := p.piece.Model
		mark, err := digestOf(&whole.Joints[j], &whole.Bodies[jt.Pred], &whole.Bodies[jt.Succ])
		if err != nil {
			wrong = err
		}
		list = append(list, float64(id), float64(p.layout.Pattern.Size[v]), mark)
	}
	if err := Agree(p.comm, wrong); err != nil {
		return nil, err
	}
	lists := gatherLists(p.comm, list)
	var replies [][]float64
	var err error
	if p.comm.Rank() == 0 {
		replies, err = p.held.join(lists)
	}
	if err := Agree(p.comm, err); err != nil {
		return nil, err
	}
	reply := scatterLists(p.comm, replies) // rows of the root, then number of the joint and first row, joint by joint
	p.held.Size = int(reply[0])
	var nodes []int32
	for reply = reply[1:]; len(reply) > 0; reply = reply[2:] {
		v := node[int64(reply[0])]
		nodes = append(nodes, v)
		for k := range int32(p.layout.Pattern.Size[v]) {
			p.held.Rows = append(p.held.Rows, int32(reply[1])+k)
			p.scalars = append(p.scalars, p.layout.Pattern.Off[v]+k)
		}
		jt := &m.Joints[p.layout.NodeJoint(int(v))]
		p.owned = append(p.owned, min(p.rankOf(jt.Pred), p.rankOf(jt.Succ)) == p.comm.Rank())
	}
	return nodes, nil
}

// analyse finds an elimination order of the piece with its held nodes last, and analyses it. It lists the blocks that are zero (listZero).
func (p *Plan) analyse(held []int32) {
	p.listZero(held)
	pat := p.layout.Pattern
	c := &chooser{pat: pat, held: held, is: make([]bool, pat.Len())}
	for _, v := range held {
		c.is[v] = true
	}
	c.run()
	p.factors = factor.AnalyzeHeld(pat, c.best, len(held))
}

// listZero lists in p.zero the blocks between held nodes and bodies that belong to other ranks, as ranges of values.
func (p *Plan) listZero(held []int32) {
	pat := p.layout.Pattern
	for _, v := range held {
		for k := pat.Ptr[v]; k < pat.Ptr[v+1]; k++ {
			if b := pat.Ind[k]; int(b) >= p.piece.Own && int(b) < p.mech.NumBodies() {
				p.zero = append(p.zero, [2]int64{pat.Pos[k], pat.Pos[k+1]})
			}
		}
	}
}

// findLinks fills p.links: it tells the other ranks which of their bodies are in this rank's halo, and learns which own bodies are in
// theirs. It returns an error on all ranks if a rank does not have a body that another rank takes for its own.
func (p *Plan) findLinks() error {
	var list []float64 // owner and number of each body of the halo
	for i, r := range p.piece.Rank {
		list = append(list, float64(r), float64(p.piece.Body[p.piece.Own+i]))
	}
	lists := gatherLists(p.comm, list)
	var replies [][]float64
	if p.comm.Rank() == 0 {
		replies = make([][]float64, p.comm.Size())
		for r, l := range lists {
			for ; len(l) > 0; l = l[2:] {
				replies[int(l[0])] = append(replies[int(l[0])], float64(r), l[1]) // ordered by rank, then as in the halo of that rank
			}
		}
	}
	reply := scatterLists(p.comm, replies)
	at := make(map[int64]int32, p.piece.Own)
	for i, id := range p.piece.Body[:p.piece.Own] {
		at[id] = int32(i)
	}
	byRank := make(map[int]*link)
	get := func(r int) *link {
		if byRank[r] == nil {
			byRank[r] = &link{rank: r}
		}
		return byRank[r]
	}
	var missing error
	for ; len(reply) > 0; reply = reply[2:] {
		i, ok := at[int64(reply[1])]
		if !ok && missing == nil {
			missing = fmt.Errorf("dist: rank %d takes body number %d for one of rank %d", int(reply[0]), int64(reply[1]), p.comm.Rank())
		}
		l := get(int(reply[0]))
		l.send = append(l.send, i)
	}
	for i, r := range p.piece.Rank {
		l := get(int(r))
		l.receive = append(l.receive, int32(p.piece.Own+i))
	}
	for _, l := range byRank {
		l.out, l.back = make([]float64, 6*len(l.send)), make([]float64, 6*len(l.receive))
		p.links = append(p.links, *l)
	}
	slices.SortFunc(p.links, func(a, b link) int { return cmp.Compare(a.rank, b.rank) })
	return Agree(p.comm, missing)
}

// Mechanism returns the mechanism of the piece, halo and all.
func (p *Plan) Mechanism() *mechanism.Mechanism { return p.mech }

// Piece returns the piece without its model, which a plan does not keep.
func (p *Plan) Piece() *Piece { return p.piece }

// Counts returns size and work of the factorization of the piece.
func (p *Plan) Counts() factor.Counts { return p.factors.Counts }

// HeldRows returns the number of rows that this rank holds, and the number of rows that all ranks hold together, each row counted once.
func (p *Plan) HeldRows() (own, all int) { return len(p.held.Rows), p.held.Size }

// Notes returns remarks, a line each, on parts of this piece that one process would solve more accurately.
func (p *Plan) Notes() []string { return slices.Clone(p.notes) }

// chooser finds an elimination order of a piece.
type chooser struct {
	pat    *sparse.Pattern
	held   []int32
	is     []bool        // by node: held
	best   []int32       // cheapest order so far
	counts factor.Counts // of best
}

// wide is the number of rows of the largest front from which on nested dissection is tried.
const wide = 64

// run tries three kinds of orders: orders of the whole pattern, from which the held nodes are moved to the end; orders of the pattern
// without held nodes; and order.Toward, which ends near the held joints.
func (c *chooser) run() {
	whole := func(o order.Ordering) []int32 { return order.Of(c.pat, o) }
	list := []order.Ordering{order.LeafFirst}
	if !order.Forest(c.pat) {
		list = append(list, order.Banded, order.MinDegree)
	}
	inner, nodes := c.inner()
	interior := func(o order.Ordering) []int32 {
		seq := order.Of(inner, o)
		for i, v := range seq {
			seq[i] = nodes[v]
		}
		return seq
	}
	for _, o := range list {
		c.try(whole(o))
		if len(c.held) > 0 {
			c.try(interior(o))
		}
	}
	if len(c.held) > 0 {
		c.try(order.Toward(c.pat, c.held))
	}
	if len(list) > 1 && c.counts.MaxFront >= wide {
		c.try(whole(order.NestedDissection))
		if len(c.held) > 0 {
			c.try(interior(order.NestedDissection))
		}
	}
}

// try keeps an order, with the held nodes moved to its end, if it has the least work so far.
func (c *chooser) try(seq []int32) {
	perm := make([]int32, 0, c.pat.Len())
	for _, v := range seq {
		if !c.is[v] {
			perm = append(perm, v)
		}
	}
	perm = append(perm, c.held...)
	if n := factor.CountHeld(c.pat, perm, len(c.held)); c.best == nil || n.Flops < c.counts.Flops {
		c.best, c.counts = perm, n
	}
}

// inner returns the pattern without the held nodes, and for each of its nodes the node of the whole pattern.
func (c *chooser) inner() (*sparse.Pattern, []int32) {
	if len(c.held) == 0 {
		return nil, nil
	}
	p := c.pat
	var nodes, ind []int32
	var size, sign []int8
	ptr := []int32{0}
	for v := range p.Len() {
		if c.is[v] {
			continue
		}
		nodes, size, sign = append(nodes, int32(v)), append(size, p.Size[v]), append(sign, p.Sign[v])
		ind = append(ind, p.Ind[p.Ptr[v]:p.Ptr[v+1]]...) // nodes of sign +1, which come first and stay
		ptr = append(ptr, int32(len(ind)))
	}
	return sparse.NewPattern(size, sign, ptr, ind), nodes
}
