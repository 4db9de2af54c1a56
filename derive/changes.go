package derive

import (
	"github.com/rung-mbd/rung/derive/internal/chain"
	"github.com/rung-mbd/rung/spatial"
)

// allComponents has all bits of JointChange.Undetermined.
const allComponents = 1<<6 - 1

// BodyChange is the change of a body along a direction, world axes.
type BodyChange struct {
	ComAcceleration, AngularAcceleration spatial.Vec3
	// Rotation, Position, Angular and Linear are the direction that was taken, after following, as in BodyDirection.
	Rotation, Position, Angular, Linear spatial.Vec3
}

// JointChange is the change of a joint along a direction.
type JointChange struct {
	Wrench spatial.Force // total wrench on the successor about the origin of S, world axes
	// Undetermined has a bit for each component of Wrench that has no derivative, as kkt.Report.Undetermined: forces x, y, z, then moments.
	Undetermined uint8
	Q, Qd, Qdd   [6]float64 // by freedom; the rotations of a ball have no Q
}

// changes are the results along one direction.
type changes struct {
	x         []float64 // changes of accelerations, then of multipliers with their signs changed
	taken     direction // the direction, after following
	joints    []JointChange
	blank     bool    // joints are as BodiesOnly leaves them: zeros, without derivatives
	corrected float64 // largest change of the direction by following
	accuracy  float64 // predicted relative error of the accelerations in x
	ready     bool
}

// Changes are derivatives along n directions.
type Changes struct {
	d    *Derivatives
	list []changes
}

// NewChanges allocates the results of ForwardTo for n directions. Call Parameter for all parameters before.
func (d *Derivatives) NewChanges(n int) *Changes {
	out := &Changes{d: d, list: make([]changes, n)}
	for k := range out.list {
		out.list[k] = changes{x: make([]float64, len(d.x)), taken: d.newDirection(), joints: make([]JointChange, d.mech.NumJoints())}
	}
	return out
}

// Len returns the number of directions.
func (c *Changes) Len() int { return len(c.list) }

func (c *Changes) of(k int) *changes {
	if !c.list[k].ready {
		panic("derive: no results")
	}
	return &c.list[k]
}

// Body returns the change of body i along direction k. It panics without results, as the other methods do.
func (c *Changes) Body(k, i int) BodyChange {
	s := c.of(k)
	u, x := &s.taken.bodies[i], s.x[6*i:]
	return BodyChange{
		ComAcceleration: spatial.Vec3(x[3:6]), AngularAcceleration: spatial.Vec3(x[:3]),
		Rotation: u.Rotation, Position: u.Position, Angular: u.Angular, Linear: u.Linear,
	}
}

// Joint returns the change of joint j along direction k.
func (c *Changes) Joint(k, j int) JointChange { return c.of(k).joints[j] }

// Corrected returns the largest change of a number of direction k by following.
func (c *Changes) Corrected(k int) float64 { return c.of(k).corrected }

// Accuracy returns the largest predicted relative error of the accelerations' derivatives.
func (c *Changes) Accuracy() (worst float64) {
	for k := range c.list {
		worst = max(worst, c.of(k).accuracy)
	}
	return worst
}

// change returns the tangent of a wrench.
func (b *builder) change(moment, force chain.Vec) (w spatial.Force) {
	if moment >= 0 {
		m := b.c.Tangent(moment)
		copy(w[:3], m[:])
	}
	if force >= 0 {
		f := b.c.Tangent(force)
		copy(w[3:], f[:])
	}
	return w
}

// hideWrenches marks all components of all wrenches as without derivative.
func (out *changes) hideWrenches() {
	for j := range out.joints {
		out.joints[j].Wrench, out.joints[j].Undetermined = spatial.Force{}, allComponents
	}
}
