package mechanism

import "github.com/rung-mbd/rung/spatial"

// Freedom names one freedom of one joint, both by number.
type Freedom struct {
	Joint   int
	Freedom int
}

// Along is the direction of a coordinate between two bodies: a freedom of a joint, or the distance between two
// points. A generalized force of 1 is the wrench Unit on the second body and its opposite on the first, at one point.
type Along struct {
	Body [2]int32        // predecessor and successor, or A and B; World for none
	Arm  [2]spatial.Vec3 // from their centres of mass to the point, world axes, m; zero for the world
	Unit spatial.Force   // about the point, world axes; zero where the coordinate has no direction
}

// On returns the wrench of a generalized force of 1 on Body[e], e = 0 or 1, about its centre of mass, world axes. By the
// principle of virtual power it is also the derivative of the coordinate by the motion of that body: a small rotation, and a
// displacement of the centre of mass.
func (a *Along) On(e int) spatial.Force {
	return a.Unit.Shift(a.Arm[e].Neg()).Scale(float64(2*e - 1))
}

// RowTo stores in v the wrenches of On for both bodies: the derivative of the coordinate by their motions.
func (a *Along) RowTo(v *[12]float64) {
	for e := range 2 {
		w := a.On(e)
		copy(v[6*e:], w[:])
	}
}
