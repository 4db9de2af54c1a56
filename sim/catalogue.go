package sim

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// Reactions computes wrenches, multipliers and accelerations from a solution of the dynamics at a state.
type Reactions interface {
	// ConstraintWrenches stores in dst, for each of the joints, the wrench T·λ on the
	// successor about the origin of its frame S, world axes, at st.
	//
	// Shapes: dst has one entry for each joint of the list.
	ConstraintWrenches(dst []spatial.Force, st *mechanism.State, joints []int) error
	// CouplingMultipliers stores in dst, for each of the couplings, its multiplier λ at st, in the unit of its terms.
	//
	// Shapes: dst has one entry for each coupling of the list.
	CouplingMultipliers(dst []float64, st *mechanism.State, couplings []int) error
	// Accelerations stores in a, for each body, ω̇ and the acceleration of the centre of mass at st, world axes.
	//
	// Shapes: a has six entries for each body.
	Accelerations(a []float64, st *mechanism.State) error
}

// Column describes a column of a trajectory.
type Column struct {
	Name string
	Unit string // such as "m/s"; empty for pure numbers
}

// Catalogue lists all columns that a trajectory of a mechanism may have (docs/cli.md). Their kinds, in this order, are:
// time, energies and drift; poses, velocities and accelerations of bodies; coordinates, rates and second rates of
// freedoms; forces of prescribed motions; angles of freedoms in (−π, π]; points of markers; contacts; constraint wrenches; multipliers of
// couplings; and
// forces of force elements with their coordinates. It is immutable.
type Catalogue struct {
	mech     *mechanism.Mechanism
	markers  []Marker
	elements []int32
}

// Marker is a point of a body, or of the world, with a name, such as a frame of a model.
type Marker struct {
	Name  string
	Body  int          // its number or mechanism.World
	Point spatial.Vec3 // body frame, m
}

// kind is the kind of a block of columns.
type kind uint8

const (
	runKind kind = iota
	bodyKind
	accelerationKind
	freedomKind // q, qd, qdd of each freedom of a joint, the forces of prescribed freedoms, then angles in (−π, π]
	markerKind
	contactKind
	wrenchKind
	couplingKind
	elementKind
	torqueKind
	resistorKind
	numKinds
)

// block is a group of columns that are computed together: the columns of one kind for one body, joint or the like.
type block struct {
	kind kind
	i    int // number of the body, joint or the like
}

// NewCatalogue returns the catalogue of m with the markers, which may be nil.
//
// Cost: O(force elements + markers). It panics if m is nil, or if m does not have the body of a marker.
func NewCatalogue(m *mechanism.Mechanism, markers []Marker) *Catalogue {
	mustHaveMechanism(m)
	for i := range markers {
		if b := markers[i].Body; b != mechanism.World && (b < 0 || b >= m.NumBodies()) {
			panic("sim: body out of range")
		}
	}
	return &Catalogue{mech: m, elements: m.Elements(), markers: slices.Clone(markers)}
}

// number returns the number of blocks of a kind.
func (c *Catalogue) number(k kind) int {
	switch k {
	case bodyKind, accelerationKind:
		return c.mech.NumBodies()
	case freedomKind, wrenchKind:
		return c.mech.NumJoints()
	case markerKind:
		return len(c.markers)
	case contactKind:
		return c.mech.NumContacts()
	case couplingKind:
		return c.mech.NumCouplings()
	case elementKind:
		return len(c.elements)
	case torqueKind:
		return c.mech.NumActuators()
	case resistorKind:
		return c.mech.NumResistors()
	}
	return 1
}

// head returns the prefix of the names of the columns of a block, with its point; it is empty for columns without a prefix.
func (c *Catalogue) head(b block) string {
	switch b.kind {
	case bodyKind, accelerationKind:
		return c.mech.BodyName(b.i) + "."
	case wrenchKind:
		return c.mech.JointName(b.i) + "."
	case markerKind:
		return "marker." + c.markers[b.i].Name + "."
	case contactKind:
		_, _, element := c.mech.Contact(b.i)
		return "contact." + c.mech.ForceName(element) + "."
	case couplingKind:
		return c.mech.CouplingName(b.i) + "."
	case elementKind:
		return c.mech.ForceName(int(c.elements[b.i])) + "."
	case torqueKind:
		_, element := c.mech.Actuator(b.i)
		return c.mech.ForceName(element) + "."
	case resistorKind:
		f, _ := c.mech.Resistor(b.i)
		return fmt.Sprintf("%s.%d.", c.mech.JointName(f.Joint), f.Freedom)
	}
	return ""
}

// columns calls f for each column of a block, part by part, until f returns false.
func (c *Catalogue) columns(b block, f func(part int, col Column) bool) {
	head := c.head(b)
	list := func(names, units []string) {
		for k := range names {
			if !f(k, Column{head + names[k], units[k]}) {
				return
			}
		}
	}
	switch b.kind {
	case runKind:
		list(runColumns[:], runUnits[:])
	case bodyKind:
		list(bodyColumns[:], bodyUnits[:])
	case accelerationKind:
		list(accelerationNames[:], accelerationUnits[:])
	case freedomKind:
		c.freedoms(b.i, f)
	case markerKind:
		list(markerColumns[:], markerUnits[:])
	case contactKind:
		list(contactColumns[:], contactUnits[:])
	case wrenchKind:
		if c.mech.Joints[b.i].Rows > 0 {
			list(wrenchColumns[:], wrenchUnits[:])
		}
	case couplingKind:
		list([]string{"multiplier"}, []string{""})
	case elementKind:
		if c.mech.Forces[c.elements[b.i]].IsBushing() {
			list(bushingColumns[:], bushingUnits[:])
		} else {
			list(springColumns[:], springUnits[:])
		}
	case torqueKind:
		at, _ := c.mech.Actuator(b.i)
		list([]string{"torque"}, []string{c.forceUnit(at)})
	case resistorKind:
		at, stops := c.mech.Resistor(b.i)
		what := "friction"
		if stops {
			what = "stop"
		}
		list([]string{what}, []string{c.forceUnit(at)})
	}
}

func (c *Catalogue) forceUnit(f mechanism.Freedom) string {
	if c.mech.Joints[f.Joint].Kind.Rotational(f.Freedom) {
		return "N m"
	}
	return "N"
}

// Parts of a joint: six coordinates from 0 on, then six rates, six second rates, six forces of prescribed motions and six angles in
// (−π, π]. A joint has the parts for its freedoms alone.
const (
	ratePart, secondPart, drivePart, wrappedPart = 6, 12, 18, 24
	mostParts                                    = 30
)

// freedoms is columns for joint j. The names of a joint with several freedoms have their numbers.
func (c *Catalogue) freedoms(j int, f func(part int, col Column) bool) {
	jt, name := &c.mech.Joints[j], c.mech.JointName(j)
	n := jt.Kind.Freedoms()
	for part := range mostParts {
		i := part % 6
		if i >= n || part < ratePart && !jt.Kind.Scalar(i) || part >= drivePart && part < wrappedPart && !jt.Prescribed(i) ||
			part >= wrappedPart && !(jt.Kind.Scalar(i) && jt.Kind.Rotational(i)) {
			continue
		}
		unit := "m"
		if jt.Kind.Rotational(i) {
			unit = "rad"
		}
		number := ""
		if n > 1 {
			number = strconv.Itoa(i)
		}
		col := Column{"joint." + name + ".q" + number, unit}
		switch {
		case part >= wrappedPart:
			col = Column{"joint." + name + ".wrapped" + number, unit}
		case part >= drivePart:
			if number != "" {
				number = "." + number
			}
			col = Column{"drive." + name + number, c.forceUnit(mechanism.Freedom{Joint: j, Freedom: i})}
		case part >= secondPart:
			col = Column{"joint." + name + ".qdd" + number, unit + "/s²"}
		case part >= ratePart:
			col = Column{"joint." + name + ".qd" + number, unit + "/s"}
		}
		if !f(part, col) {
			return
		}
	}
}

// Freedom returns the columns of the coordinate of a scalar freedom, its rate and its second rate.
//
// Cost: O(1); allocates the names. It panics if f is out of range or has no coordinate.
func (c *Catalogue) Freedom(f mechanism.Freedom) [3]Column {
	if uint(f.Joint) >= uint(c.mech.NumJoints()) || !c.mech.Joints[f.Joint].Kind.Scalar(f.Freedom) {
		panic("sim: freedom out of range, or without coordinate")
	}
	var list [3]Column
	c.freedoms(f.Joint, func(part int, col Column) bool {
		if part < drivePart && part%ratePart == f.Freedom {
			list[part/ratePart] = col
		}
		return true
	})
	return list
}

// Each calls f for all columns but time, until f returns false.
//
// Cost: O(columns); allocates a name for each.
func (c *Catalogue) Each(f func(col Column) bool) {
	more := true
	c.each(func(_ block, _ int, col Column) bool { more = f(col); return more })
}

// each calls f for all columns but time with their block and part, until f returns false.
func (c *Catalogue) each(f func(b block, part int, col Column) bool) {
	more := true
	for k := range numKinds {
		for i := range c.number(k) {
			b := block{k, i}
			c.columns(b, func(part int, col Column) bool { more = f(b, part, col); return more })
			if !more {
				return
			}
		}
	}
}

// unknownColumn is the error for a pattern that matches no column.
type unknownColumn struct {
	Pattern string
	Near    []string // similar names, the nearest first
}

// Error implements error.
func (e *unknownColumn) Error() string {
	text := "sim: no column " + fault.Name(e.Pattern)
	for i, n := range e.Near {
		text += [...]string{"; there is ", ", ", ", "}[min(i, 2)] + fault.Name(n)
	}
	return text
}

// repeatedColumn is the error for patterns that select two columns of the same name.
type repeatedColumn struct{ Name string }

// Error implements error.
func (e *repeatedColumn) Error() string {
	return "sim: two columns have the name " + fault.Name(e.Name)
}

// Subjects returns the bodies and the joints with a column that matches one of the patterns (Select), by increasing number.
//
// Cost: O(columns × patterns).
func (c *Catalogue) Subjects(patterns []string) (bodies, joints []int) {
	c.each(func(b block, _ int, col Column) bool {
		var list *[]int
		switch b.kind {
		case bodyKind, accelerationKind:
			list = &bodies
		case freedomKind, wrenchKind:
			list = &joints
		default:
			return true
		}
		if fits(col.Name, patterns...) {
			*list = append(*list, b.i)
		}
		return true
	})
	for _, list := range [...]*[]int{&bodies, &joints} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return bodies, joints
}

// covered reports whether a pattern, which has selected no column, matches columns that the patterns before it have selected.
func (c *Catalogue) covered(p string, before []string) (yes bool) {
	if len(before) == 0 {
		return false
	}
	c.Each(func(col Column) bool {
		yes = fits(col.Name, p)
		return !yes
	})
	return yes
}

// Has reports whether a column matches the pattern.
//
// Cost: O(columns); allocates.
func (c *Catalogue) Has(pattern string) bool { return c.covered(pattern, []string{pattern}) }

// NeedsReactions reports whether a column that matches one of the patterns (Select) needs a solution of the dynamics: accelerations,
// second rates, wrenches of joints, forces of motions, or multipliers of couplings.
//
// Cost: O(columns × patterns); allocates.
func (c *Catalogue) NeedsReactions(patterns []string) (yes bool) {
	c.each(func(b block, part int, col Column) bool {
		if !needsReactions(b.kind, part) {
			return true
		}
		yes = fits(col.Name, patterns...)
		return !yes
	})
	return yes
}

func needsReactions(k kind, part int) bool {
	return k == accelerationKind || k == wrenchKind || k == couplingKind || k == freedomKind && part >= secondPart && part < wrappedPart
}

// fits reports whether a column's name matches one of the patterns, or is equal to one, as names may contain * and ? themselves.
func fits(name string, patterns ...string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return p == name || Like(name, p) })
}

// Like reports whether a name matches a pattern, in which * stands for any text and ? for any character.
func Like(name, pattern string) bool {
	n, p := []rune(name), []rune(pattern)
	i, k := 0, 0
	star, from := -1, 0 // position of the last * in the pattern, and end in the name of the text that it matches
	for i < len(n) {
		switch {
		case k < len(p) && p[k] == '*':
			star, from = k, i
			k++
		case k < len(p) && (p[k] == '?' || p[k] == n[i]):
			i, k = i+1, k+1
		case star >= 0:
			from++
			i, k = from, star+1
		default:
			return false
		}
	}
	for k < len(p) && p[k] == '*' {
		k++
	}
	return k == len(p)
}

// near returns at most three names of columns that are similar to a pattern, the nearest first.
func (c *Catalogue) near(pattern string) []string {
	return fault.NearPattern(pattern, 3, func(look func(name string) bool) {
		c.Each(func(col Column) bool { return look(col.Name) })
	})
}
