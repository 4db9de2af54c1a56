package joints

import (
	"errors"

	"github.com/rung-mbd/rung/spatial"
)

// ErrWheel is the reason for which Check refuses a rolling joint.
var ErrWheel = errors.New("joints: not the wheel of a rolling joint")

// flat is the sine of the angle between axle and normal up to which the wheel lies flat. An error ε of an axis turns the heading by
// ε/sine, so that beyond it rows have lost 1e-9 of their size at the most.
const flat = 1e-6

// wheel is a wheel on its plane, theory.md (W1): unit vectors in world axes.
type wheel struct {
	n, a   spatial.Vec3 // normal of the plane, axle
	t, l   spatial.Vec3 // heading and across, in the plane; of a sphere x and y of P
	u      spatial.Vec3 // across the axle, uphill; zero of a sphere
	c, s   float64      // n = c·a + s·u
	rim    float64      // radius of the middle of the tyre, m
	p      spatial.Vec3 // from the centre to the lowest point, m
	sphere bool

	// Of a ball in a bowl or on a dome, else zero.
	side, far  float64      // −1 in a bowl, 1 on a dome; from the middle of the sphere to that of the ball, m
	x, y, pole spatial.Vec3 // axes of P that t and l follow from; z of P or −z

	stand stood // of a wheel on a surface
}

// stood is what place finds of a wheel on a surface.
type stood struct {
	gap   float64    // m
	curve [3]float64 // as of stance
	A     [4]float64
}

// lay stores the axes of P and the axle, and what follows from the radii: w is a ball on the plane, or a wheel before it has a heading.
func (w *wheel) lay(s *Spec, f *Frames) {
	axis(&w.n, &f.EP, 2)
	axis(&w.t, &f.EP, 0)
	axis(&w.l, &f.EP, 1)
	axis(&w.a, &f.ES, 2)
	w.rim, w.sphere = s.Radius-s.Tyre, s.Tyre == s.Radius
	w.p = w.n.Scale(-s.Tyre)
}

// axis stores axis j of E in v.
func axis(v *spatial.Vec3, E *spatial.Mat3, j int) { v[0], v[1], v[2] = E[j], E[3+j], E[6+j] }
