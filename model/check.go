package model

import (
	"context"
	"io/fs"
	"unicode/utf8"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/halt"
)

// Check applies every rule of the format to m and does not modify it. Models
// that Read returned pass.
//
// A zero Orientation counts as the identity. Fields that have no meaning for a
// type (Pitch of a revolute joint, B of a wrench) must be zero.
//
// Cost: O(bodies + joints + forces).
// It returns *Problems, with the paths of the format and, in place of a file,
// the model's name. It panics if m is nil.
func Check(m *Model) error {
	_, err := check(context.Background(), m, false)
	return err
}

// Links holds the indices of the bodies that joints and force elements name, and of the joints that couplings name; the world is −1.
type Links struct {
	Joints [][2]int32 // predecessor and successor
	// Couplings has the joints that each coupling names: first in its terms, then in its polynomial or law.
	Couplings [][]int32
	Forces    [][2]int32 // the bodies of A and B; wrench: the body and −1; contact: body and terrain; actuator: joint and −1; cable: −1 and −1
	Cables    [][]int32  // for each cable, in the order of the force elements, the bodies of its points
}

// Link checks m as Check does and finds the bodies that its joints and forces
// name.
//
// Cost, errors and panics are as for Check.
func Link(m *Model) (*Links, error) { return check(context.Background(), m, true) }

// LinkContext is Link with a context: if ctx ends, it returns an error that wraps the cause.
func LinkContext(ctx context.Context, m *Model) (*Links, error) { return check(ctx, m, true) }

// check applies every rule to m. It returns the links if link is set, else nil; and *Problems, or an error that wraps the cause of ctx
// if ctx ends.
func check(ctx context.Context, m *Model, link bool) (*Links, error) {
	if m == nil {
		panic("model: no model")
	}
	flag, end := halt.FlagOf(ctx)
	defer end()
	c := checker{faults: new(document.Faults), m: m, flag: flag}
	if link {
		c.links = &Links{Joints: make([][2]int32, len(m.Joints)), Forces: make([][2]int32, len(m.Forces))}
		if len(m.Couplings) > 0 {
			c.links.Couplings = make([][]int32, len(m.Couplings))
		}
	}
	c.run()
	if flag.Up() {
		return nil, fault.Errorf("model: %w", context.Cause(ctx))
	}
	if err := problems(nameOf(m), c.faults); err != nil {
		return nil, err
	}
	return c.links, nil
}

// Canonicalize puts m, which passes Check, in the form that Read returns:
// orientations normalized and never zero, lists of zeros and empty slices nil.
// Write and Read then reproduce it exactly.
func (m *Model) Canonicalize() {
	for i := range m.Bodies {
		m.Bodies[i].Pose.canonicalize()
	}
	for i := range m.Joints {
		m.Joints[i].canonicalize()
	}
	if len(m.Bodies) == 0 {
		m.Bodies = nil
	}
	if len(m.Joints) == 0 {
		m.Joints = nil
	}
	if len(m.Couplings) == 0 {
		m.Couplings = nil
	}
	for i := range m.Terrains {
		m.Terrains[i].canonicalize()
	}
	if len(m.Terrains) == 0 {
		m.Terrains = nil
	}
	for i := range m.Forces {
		if c := m.Forces[i].Contact; c != nil {
			fillLaw(&c.Law)
		}
		m.Forces[i].canonicalizeBushing()
	}
	if len(m.Forces) == 0 {
		m.Forces = nil
	}
	m.canonicalizeCarried()
}

// canonicalize replaces zeros by the defaults of the format: the normal of a level plane, the scale 1 and the usual side of the first
// row.
func (t *Terrain) canonicalize() {
	switch t.Type {
	case PlaneTerrain:
		t.Normal = t.up()
	case CSVTerrain, PNGTerrain:
		if t.Type == CSVTerrain && t.Scale == 0 {
			t.Scale = 1
		}
		if t.FirstRow == ground.Usual {
			t.FirstRow = t.usualRow()
		}
	}
}

// canonicalize normalizes the orientation; zero becomes the identity.
func (p *Pose) canonicalize() {
	if p.Orientation == [4]float64{} {
		p.Orientation[0] = 1
	}
	document.Normalize(&p.Orientation)
}

// canonicalize sets lists without effect to nil and normalizes orientations.
func (j *Joint) canonicalize() {
	j.PredecessorFrame.canonicalize()
	j.SuccessorFrame.canonicalize()
	for _, list := range []*[]float64{&j.Force, &j.Stiffness, &j.Damping, &j.Rest, &j.Armature} {
		if allZero(*list) {
			*list = nil
		}
	}
	if allZero(j.Turns) {
		j.Turns = nil
	}
	if !someOf(j.Motion) {
		j.Motion = nil
	}
	if len(j.Axes) == 0 {
		j.Axes = nil
	}
	j.Limits = canonicalLimits(j.Limits)
	if !rubs(j.Friction) {
		j.Friction = nil
	}
	for _, list := range [2]*[]*SpringLaw{&j.Springs, &j.Dampers} {
		if !someOf(*list) {
			*list = nil
		}
	}
}

// checker applies the rules to a model, from Go or from the reader.
type checker struct {
	faults   *document.Faults
	m        *Model
	flaws    map[document.Place]document.Flaws // fields with problems that the reader has reported; their rules are skipped
	ctx      context.Context                   // ends the reading of files and the making of surfaces; nil where there is neither
	files    fs.FS                             // with the files of terrains and curves; nil: they are not loaded
	flag     *halt.Flag                        // up when the caller's context has ended
	bodies   *nameTable                        // set when all bodies have been read
	joints   *nameTable
	terrains *nameTable
	roughs   []string        // for each terrain why no wheel can roll on it, "" if one can; nil until a wheel needs it
	hints    fault.Hints     // suggestions for unknown names
	read     map[string]bool // cleaned names of the files of terrains and curves that have been read
	again    float64         // bytes of heights and points from files that are read more than once, without the first time
	intern   bool            // references are made to share the strings of the bodies' names
	noRefs   bool            // see decoder
	near     int             // index of the body of the last reference, where the next search begins
	// smooth has the functions of couplings and of curves, with their settings, that have been checked and are good.
	smooth map[string]bool
	named  []named // freedoms of the current coupling
	ties   []tie   // linear couplings so far of one freedom or two, for checkCycles
	links  *Links  // indices of the bodies; nil if they are not wanted
	sec    int     // section and index of the element that is checked
	index  int
}

// run applies all rules to m. It ends early, without a mark, when the flag is up.
func (c *checker) run() {
	c.checkDocument()
	if c.bodies == nil {
		c.indexBodies()
	}
	for i := range c.m.Bodies {
		if c.flag.Every(i) {
			return
		}
		c.checkBody(&c.m.Bodies[i], c.at(secBodies, i))
	}
	c.joints = c.unique(secJoints, len(c.m.Joints), func(i int) string { return c.m.Joints[i].Name })
	for i := range c.m.Joints {
		if c.flag.Every(i) {
			return
		}
		c.checkJoint(&c.m.Joints[i], c.at(secJoints, i))
	}
	c.unique(secCouplings, len(c.m.Couplings), func(i int) string { return c.m.Couplings[i].Name })
	for i := range c.m.Couplings {
		if c.flag.Every(i) {
			return
		}
		c.checkCoupling(&c.m.Couplings[i], c.at(secCouplings, i))
	}
	c.checkCycles()
	c.indexTerrains()
	for i := range c.m.Terrains {
		c.checkTerrain(i, c.at(secTerrains, i))
	}
	for i := range c.m.Joints {
		if c.m.Joints[i].Terrain != "" {
			c.checkGround(&c.m.Joints[i], c.at(secJoints, i))
		}
	}
	c.priceTerrains(c.m.usedTerrains())
	c.unique(secForces, len(c.m.Forces), func(i int) string { return c.m.Forces[i].Name })
	for i := range c.m.Forces {
		if c.flag.Every(i) {
			return
		}
		c.checkForce(&c.m.Forces[i], c.at(secForces, i))
	}
	c.checkCarried()
}

// indexTerrains makes the table of the names of terrains and reports duplicates.
func (c *checker) indexTerrains() {
	c.terrains = c.unique(secTerrains, len(c.m.Terrains), func(i int) string { return c.m.Terrains[i].Name })
}

// at makes element i of sec the current one and returns its flaws.
func (c *checker) at(sec int, i int) document.Flaws {
	c.sec, c.index = sec, i
	return c.flaws[document.Place{Section: sec, Index: i}]
}

// report records a broken rule at path tail of the current element.
func (c *checker) report(tail, value, rule string) {
	path := "$" + tail
	if c.sec == secSource {
		path = "$.source" + tail
	} else if c.sec != secDocument {
		path = elementPath(c.sec, c.index) + tail
	}
	c.faults.Add(document.Place{Section: c.sec, Index: c.index}, path, value, rule)
}

// checkDocument checks name, gravity and time, and reports joints without bodies.
func (c *checker) checkDocument() {
	c.at(secDocument, 0)
	if !utf8.ValidString(c.m.Name) {
		c.report(".name", fault.Name(c.m.Name), "is not valid UTF-8")
	}
	c.finite(".gravity", c.m.Gravity[:])
	c.number(".time", c.m.Time)
	if len(c.m.Bodies) == 0 && len(c.m.Joints) > 0 && !c.noRefs {
		c.report(".bodies", "[]", "is empty although there are joints")
	}
}

// indexBodies makes the table of body names and reports duplicates.
func (c *checker) indexBodies() {
	c.bodies = c.unique(secBodies, len(c.m.Bodies), func(i int) string { return c.m.Bodies[i].Name })
}

// unique reports the duplicates among the n names at(i) of section sec and returns the table of the names.
func (c *checker) unique(sec int, n int, at func(i int) string) *nameTable {
	t := newNameTable(n, at)
	for i := range n {
		if c.flag.Every(i) {
			break
		}
		if at(i) == "" {
			continue // reported as missing or empty
		}
		if first, dup := t.insert(i); dup {
			c.at(sec, i)
			c.report(".name", fault.Name(at(i)), "duplicate name, first at "+elementPath(sec, first))
		}
	}
	return t
}

// checkName checks the name of the current element.
func (c *checker) checkName(name string) {
	switch {
	case name == "":
		c.report(".name", `""`, "is empty")
	case name == World && c.sec == secBodies:
		c.report(".name", fault.Name(name), "is reserved for the fixed frame")
	case !utf8.ValidString(name):
		c.report(".name", fault.Name(name), "is not valid UTF-8")
	}
}

// checkBody checks a body: a positive mass, a physical inertia and a finite state.
func (c *checker) checkBody(b *Body, f document.Flaws) {
	if !f.Has(bodyName) {
		c.checkName(b.Name)
	}
	if !f.Has(bodyMass) && c.number(".mass", b.Mass) && !(b.Mass > 0) {
		c.report(".mass", document.Number(b.Mass), ruleNotPositive)
	}
	c.finite(".com", b.Com[:])
	if !f.Has(bodyInertia) {
		c.checkInertia(&b.Inertia)
	}
	if !f.Has(bodyPose) {
		c.checkPose(&b.Pose, ".pose.position", ".pose.orientation")
	}
	c.finite(".velocity.linear", b.Velocity.Linear[:])
	c.finite(".velocity.angular", b.Velocity.Angular[:])
}

// checkInertia reports an entry of I that is not finite, or else the rule of inertias that I breaks.
func (c *checker) checkInertia(I *Inertia) {
	list := I.list()
	for k, x := range list {
		if !algebra.Finite(x) {
			c.report(".inertia."+inertiaFields[k], document.Number(x), document.RuleNotFinite)
			return
		}
	}
	if rule := I.broken(); rule != "" {
		c.report(".inertia", document.Numbers(list[:]), rule)
	}
}

// checkPose checks a pose; position and orientation are the paths of its two parts.
func (c *checker) checkPose(p *Pose, position, orientation string) {
	c.finite(position, p.Position[:])
	q := &p.Orientation
	if *q == [4]float64{} {
		return
	}
	if c.finite(orientation, q[:]) && !document.NearUnit(q) {
		c.report(orientation, document.Numbers(q[:]), document.RuleQuaternion)
	}
}

// finite reports the first entry of x that is not finite. It returns whether all entries are finite.
func (c *checker) finite(tail string, x []float64) bool {
	for k, v := range x {
		if !algebra.Finite(v) {
			c.report(document.Entry(tail, k), document.Number(v), document.RuleNotFinite)
			return false
		}
	}
	return true
}

// number reports x if it is not finite. It returns whether x is finite.
func (c *checker) number(tail string, x float64) bool {
	if !algebra.Finite(x) {
		c.report(tail, document.Number(x), document.RuleNotFinite)
		return false
	}
	return true
}
