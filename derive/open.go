package derive

import "github.com/rung-mbd/rung/mechanism"

// branches returns the joints of a mechanism in which each body is connected to the world, or to a body nearer to it, by one joint, from
// the world outwards. It returns nil for other mechanisms, and if a joint is not carried or has a freedom without a coordinate.
//
// Cost: O(bodies + joints); allocates.
func (d *Derivatives) branches() []branch {
	n := len(d.bodies)
	if d.mech.NumJoints() != n || d.mech.NumCouplings() > 0 || len(d.carried.list) != n {
		return nil
	}
	for i := range d.carried.list {
		c := &d.carried.list[i]
		kind := d.mech.Joints[c.number].Kind
		for f := range kind.Freedoms() {
			if c.bentAt >= 0 || !kind.Scalar(f) {
				return nil
			}
		}
	}
	in, hung := d.mech.Incidence(), make([]bool, n)
	list := make([]branch, 0, n)
	// hang adds the joints of a body to bodies that have not been reached.
	hang := func(inner int32) {
		for _, j := range in.Joints(inner) {
			if outer := d.mech.Joints[j].Other(inner); outer != mechanism.World && !hung[outer] {
				hung[outer] = true
				list = append(list, branch{d.carriedOf(int(j)), inner, outer})
			}
		}
	}
	hang(mechanism.World)
	for i := 0; i < len(list); i++ {
		hang(list[i].outer)
	}
	if len(list) != n {
		return nil
	}
	return list
}

// openCoordinates returns the freedoms of list as coordinates of an open mechanism; nil for other mechanisms. The list has to contain all
// of its freedoms; a nil list stands for all of them in the order of candidates.
func (d *Derivatives) openCoordinates(list []mechanism.Freedom) *coordinates {
	all := d.candidates()
	if list == nil {
		list = all
	}
	if len(list) != len(all) {
		return nil
	}
	y := &coordinates{freedoms: list, open: d.branches(), at: make([]int, len(list))}
	place := make(map[int32]int, len(y.open))
	for i := range y.open {
		place[y.open[i].joint.number] = i
	}
	given := make(map[mechanism.Freedom]bool, len(list))
	for k, f := range list {
		d.mustHave(f)
		given[f] = true
		y.at[k] = place[int32(f.Joint)]
	}
	for _, f := range all {
		if !given[f] {
			return nil
		}
	}
	if y.open == nil {
		return nil
	}
	return y
}

// The argument held of walk.
const (
	unitChange = false // of coordinate k, or of its rate
	heldRate   = true
)

// walk stores in u the motion of the bodies of an open mechanism for a unit change of coordinate k, with the others held, at the level of
// positions or of velocities (at). With held the rate of coordinate k does not change either: velocities change only because poses do.
func (d *Derivatives) walk(u *direction, y *coordinates, k int, at order, held bool) {
	u.shifts = false
	clear(d.moved)
	first := y.at[k]
	for i := first; i < len(y.open); i++ {
		b := &y.open[i]
		if i > first && (b.inner < 0 || d.moved[b.inner] == 0) {
			continue
		}
		d.moved[b.outer] = 1
		var turn, step vec
		if i == first && !held {
			turn, step = b.joint.freedomLine(y.freedoms[k].Freedom)
		}
		d.hang(u, b, at, turn, step)
	}
}

// hang stores in u the motion of the outer body of a branch, which has none at this level yet, so that S moves by turn and step relative to
// P.
func (d *Derivatives) hang(u *direction, b *branch, at order, turn, step vec) {
	var m carriedMove
	c := b.joint
	d.move(&m, c, u, nil, at)
	turn, step = turn.sub(m.turn[at]), step.sub(m.step[at])
	arm := c.s
	if b.outer == c.pred {
		turn, step, arm = turn.scale(-1), step.scale(-1), c.b
	}
	step = step.sub(turn.cross(arm))
	to := &u.bodies[b.outer]
	if at == orderPosition {
		to.Rotation, to.Position = turn.vec3(), step.vec3()
		return
	}
	to.Angular, to.Linear = turn.vec3(), step.vec3()
}
