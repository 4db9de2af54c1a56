package mechanism

import (
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/springs"
)

// BushingMove is a small motion of one end of a bushing, world axes.
type BushingMove struct {
	End          int          // 0 is A, 1 is B
	Turn, Travel spatial.Vec3 // rotation of its frame, rad, and displacement of the frame's origin, m
	Rate         spatial.Vec3 // change of the velocity of the origin, m/s; angular velocities do not change
}

// twist returns Turn and Travel as a motion of both ends.
func (x *BushingMove) twist() (w springs.Twist) {
	if x.End == 0 {
		w.A = x.Turn
	} else {
		w.B = x.Turn
	}
	w.Line = x.Travel.Scale(float64(2*x.End - 1))
	return w
}

// BendTo stores in change, to first order, the changes of the wrenches on A and B that the small motion x causes, by the derivatives of
// docs/springs.md (E6) and (E7). Each wrench is about the origin of its frame, world axes.
//
// Cost: O(1), no allocation.
func (b *BushingState) BendTo(change *[2]spatial.Force, x *BushingMove) {
	move, line := x.twist(), x.Rate.Scale(float64(2*x.End-1)) // line: change of the rate of b.Line
	variation := b.Variation(&move)
	dx := variation.X()
	var dRate, force, dForce, damping [6]float64
	variation.RateTo(&dRate, &b.Twist, &line)
	b.of.K.MulTo(&dForce, &dx)
	b.of.D.MulTo(&damping, &dRate)
	for i := range dForce { // the generalized force is −Stress
		force[i], dForce[i] = -b.Stress[i], -dForce[i]-damping[i]
	}
	variation.WrenchTo(&change[0], &change[1], &force, &dForce)
}

// dampTo is BendTo for a change of the velocities alone: Turn, rad/s, and Travel, m/s, of x are the change.
func (b *BushingState) dampTo(change *[2]spatial.Force, x *BushingMove) {
	w := x.twist()
	var rate, damping [6]float64
	b.RateTo(&rate, &w)
	b.of.D.MulTo(&damping, &rate)
	for i := range damping {
		damping[i] = -damping[i]
	}
	b.WrenchTo(&change[0], &change[1], &damping)
}

// Derivatives returns the bodies on which the bushing acts, its wrenches on them, and the derivatives of the wrenches as in
// DifferentiableForce: six rows and six columns for each body, about the centres of mass, world axes.
//
// Cost: O(1); allocates.
func (b *BushingState) Derivatives() (bodies []int32, w []spatial.Force, pose, velocity []float64) {
	var ends []int
	for e, body := range b.of.body {
		if body >= 0 {
			bodies, ends = append(bodies, body), append(ends, e)
		}
	}
	var on, change [2]spatial.Force
	b.WrenchesTo(&on[0], &on[1])
	n := 6 * len(ends)
	pose, velocity = make([]float64, n*n), make([]float64, n*n)
	store := func(to []float64, column int) {
		for i, e := range ends {
			for r, x := range change[e].Shift(b.Arm[e].Neg()) { // about the centre of mass
				to[(6*i+r)*n+column] = x
			}
		}
	}
	for i, e := range ends {
		w = append(w, on[e].Shift(b.Arm[e].Neg()))
		omega := [2]spatial.Vec3{b.Twist.A, b.Twist.B}[e]
		for c := range 6 {
			x := BushingMove{End: e}
			var moved spatial.Vec3 // change of the arm
			if c < 3 {
				x.Turn[c] = 1
				moved = x.Turn.Cross(b.Arm[e])
				x.Travel, x.Rate = moved, omega.Cross(moved)
			} else {
				x.Travel[c-3] = 1
			}
			b.BendTo(&change, &x)
			change[e] = change[e].Add(spatial.NewForce(moved.Cross(on[e].Linear()), spatial.Vec3{}))
			store(pose, 6*i+c)
			b.dampTo(&change, &x)
			store(velocity, 6*i+c)
		}
	}
	return bodies, w, pose, velocity
}
