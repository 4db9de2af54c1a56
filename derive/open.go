package derive

import "github.com/rung-mbd/rung/mechanism"

// branches returns the joints of a mechanism whose bodies all hang on the world by one joint each, from the world outwards. It
// returns nil for others, and where a joint is not carried or has a freedom without a coordinate.
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
	hang := func(inner int32) {
		for _, j := range in.Joints(inner) {
			if outer := d.mech.Joints[j].Other(inner); outer != mechanism.World && !hung[outer] {
				hung[outer] = true
				list = append(list, branch{d.isCarried(int(j)), inner, outer})
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

// openCoordinates returns the freedoms of the list as coordinates of an open mechanism, nil for other mechanisms. They have to be all
// that it has; without a list they are, in the order of candidates.
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

// walk moves the bodies of an open mechanism along u as a coordinate that changes by 1 takes them, the others held: at the level of
// positions, or at that of velocities. With held the rate of the coordinate does not change either: velocities change as poses do.
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

// hang moves the outer body of a branch, which u does not move at the level yet, so that S moves by turn and step as P sees it.
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
