package assembly

import (
	"math"

	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/spatial"
)

// move returns the displacement by a at its Value, or Turn for a ball.
func (a *Axis) move() Pose {
	turn, shift := spatial.IdentityQuat(), spatial.Vec3{}
	switch a.Kind {
	case Revolute:
		turn = spatial.FromAxisAngle(a.Axis, a.Value)
	case Prismatic:
		shift = a.Axis.Scale(a.Value)
	case Helical:
		turn, shift = spatial.FromAxisAngle(a.Axis, a.Value), a.Axis.Scale(a.Pitch*a.Value)
	case Ball:
		if a.Turn != (spatial.Quat{}) {
			turn = a.Turn
		}
	}
	return Pose{R: a.Point.Sub(turn.Rotate(a.Point)).Add(shift), Q: turn}
}

// Zero moves frame P of j, whose motions are along and about one line through the origin of P, so that the coordinates
// become zero where the pose of S in P is x. Values, rests, motions and limits are shifted accordingly. It returns the decrease of each
// coordinate.
func (j *Joint) Zero(x Pose) []float64 {
	by := j.coordinates(x)
	for k := range j.Axes {
		a, q := &j.Axes[k], by[k]
		at := *a
		at.Value = q
		j.P = j.P.Mul(at.move())
		a.Value -= q
		a.Rest -= q
		if m := a.Motion; m != nil {
			if m.Kind == joints.Harmonic {
				m.Offset -= q
			} else {
				m.Coefficients[0] -= q
			}
		}
		if a.Limit != nil {
			a.Limit.Lower, a.Limit.Upper = a.Limit.Lower-q, a.Limit.Upper-q
		}
	}
	return by
}

// coordinates returns the coordinates of j, whose motions must be as for Zero, where the pose of S in P is x. Angles are chosen
// within π of Value.
func (j *Joint) coordinates(x Pose) []float64 {
	list := make([]float64, len(j.Axes))
	for k := range j.Axes {
		a := &j.Axes[k]
		list[k] = a.Axis.Dot(x.R)
		if a.Kind != Prismatic {
			c := x.quat()
			q := math.Remainder(2*math.Atan2(spatial.Vec3{c[1], c[2], c[3]}.Dot(a.Axis), c[0]), 2*math.Pi)
			list[k] = q + 2*math.Pi*math.Round((a.Value-q)/(2*math.Pi))
		}
	}
	return list
}

// twist is an angular velocity and the velocity of the body's point at p, world axes.
type twist struct{ w, v, p spatial.Vec3 }

// to returns t with the velocity at another point.
func (t twist) to(p spatial.Vec3) twist {
	return twist{t.w, t.v.Add(t.w.Cross(p.Sub(t.p))), p}
}

// trees returns for each link the joint that determines its pose: the first joint to it with Loop unset, or −1. A cycle of such joints is
// broken at one link.
func (a *Assembly) trees() []int {
	tree := make([]int, len(a.Links))
	for i := range tree {
		tree[i] = World
	}
	for k := range a.Joints {
		j := &a.Joints[k]
		switch {
		case j.Loop || j.Successor == World || j.Typed || a.Links[j.Successor].Ground:
		case tree[j.Successor] >= 0:
		default:
			tree[j.Successor] = k
		}
	}
	mark := make([]int, len(a.Links)) // 1 + the start of the walk that has visited the link
	for i := range tree {
		for l := i; l != World && mark[l] == 0; {
			mark[l] = i + 1
			k := tree[l]
			if k < 0 {
				break
			}
			up := a.Joints[k].Predecessor
			if up != World && mark[up] == i+1 { // round in a circle
				tree[l] = World
				break
			}
			l = up
		}
	}
	return tree
}

// Depths returns for each link the number of joints between it and the root of its tree.
func (a *Assembly) Depths() []int {
	tree := a.trees()
	depth := make([]int, len(a.Links))
	for i := range depth {
		depth[i] = -1
	}
	var chain []int
	for i := range depth {
		l := i
		for chain = chain[:0]; l != World && depth[l] < 0 && tree[l] >= 0; l = a.Joints[tree[l]].Predecessor {
			chain = append(chain, l)
		}
		d := 0
		if l != World {
			depth[l] = max(depth[l], 0)
			d = depth[l]
		}
		for k := len(chain) - 1; k >= 0; k-- {
			d++
			depth[chain[k]] = d
		}
	}
	return depth
}

// placed returns poses and velocities of all links with the state of the joints, from the roots of the trees outward.
func (a *Assembly) placed(tree []int) ([]Pose, []twist) {
	return a.placedBy(tree, (*Axis).advance)
}

// atZero returns the poses of all links with all coordinates zero.
func (a *Assembly) atZero(tree []int) []Pose {
	poses, _ := a.placedBy(tree, func(_ *Axis, x Pose, t twist) (Pose, twist) { return x, t })
	return poses
}

// advance returns the pose and the velocity behind axis a, from both before it.
func (a *Axis) advance(x Pose, t twist) (Pose, twist) {
	return x.Mul(a.move()), a.drive(x, t)
}

// placedBy is placed with the pose and the velocity behind each axis by advance.
func (a *Assembly) placedBy(tree []int, advance func(m *Axis, x Pose, t twist) (Pose, twist)) ([]Pose, []twist) {
	n := len(a.Links)
	poses, rates, done := make([]Pose, n), make([]twist, n), make([]bool, n)
	var chain []int
	for i := range n {
		chain = chain[:0]
		for l := i; l != World && !done[l]; {
			chain = append(chain, l)
			if tree[l] < 0 {
				break
			}
			l = a.Joints[tree[l]].Predecessor
		}
		for k := len(chain) - 1; k >= 0; k-- {
			l := chain[k]
			done[l] = true
			if tree[l] < 0 {
				poses[l] = a.Links[l].Pose
				poses[l].Q = poses[l].quat()
				rates[l] = twist{a.Links[l].Angular, a.Links[l].Linear, poses[l].R}
				continue
			}
			j := &a.Joints[tree[l]]
			x, t := Identity(), twist{}
			if j.Predecessor != World {
				x, t = poses[j.Predecessor], rates[j.Predecessor]
			}
			x = x.Mul(j.P)
			for m := range j.Axes {
				x, t = advance(&j.Axes[m], x, t)
			}
			poses[l] = x.Mul(j.S.Inverse())
			rates[l] = t.to(poses[l].R)
		}
	}
	return poses, rates
}

// drive adds the rate of a to velocity t; x is the pose in the world of the frame before the motion.
func (a *Axis) drive(x Pose, t twist) twist {
	dir := x.Dir(a.Axis)
	if a.Kind == Ball {
		dir = x.Mul(a.move()).Dir(a.Spin)
	} else if a.Rate == 0 {
		return t
	} else {
		dir = dir.Scale(a.Rate)
	}
	switch a.Kind {
	case Prismatic:
		t.v = t.v.Add(dir)
	default:
		t.w = t.w.Add(dir)
		t.v = t.v.Add(dir.Cross(t.p.Sub(x.Point(a.Point))))
		if a.Kind == Helical {
			t.v = t.v.Add(dir.Scale(a.Pitch))
		}
	}
	return t
}
