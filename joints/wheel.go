package joints

import (
	"errors"

	"github.com/rung-mbd/rung/spatial"
)

// ErrWheel is wrapped by the error of Check for an invalid rolling joint.
var ErrWheel = errors.New("joints: not the wheel of a rolling joint")

// flat is the sine of the angle between axle and normal up to which the wheel counts as lying flat. An error ε of an axis turns the
// heading by ε/sine: above flat the error of the rows is 1e-9 of their size at most.
const flat = 1e-6

// wheel is a wheel on its plane, theory.md (W1): unit vectors in world axes.
type wheel struct {
	n, a   spatial.Vec3 // normal of the plane, axle
	t, l   spatial.Vec3 // heading and n×t, in the plane; for a sphere x and y of P
	u      spatial.Vec3 // t×a, at right angles to the axle, upwards; zero for a sphere
	c, s   float64      // n = c·a + s·u
	rim    float64      // radius of the middle of the tyre, m
	p      spatial.Vec3 // from the centre to the lowest point, m
	sphere bool

	// A ball in a bowl or on a dome, else zero.
	side, far  float64      // −1 in a bowl, 1 on a dome; distance between the centres of sphere and ball, m
	x, y, pole spatial.Vec3 // x and y of P, from which t and l are made, and z or −z of P; on a surface z

	stand stood // a wheel on a surface, else zero
}

// stood holds the numbers of the stance at the foot of a wheel on a surface.
type stood struct {
	gap   float64    // height above the foot, m
	curve [3]float64 // as in stance
	A     [4]float64 // as in stance
}

// setAxes makes w a ball on the plane of P, with its radii and its axle. For other wheels place then computes t, l, u and p.
func (w *wheel) setAxes(s *Spec, f *Frames) {
	axis(&w.n, &f.EP, 2)
	axis(&w.t, &f.EP, 0)
	axis(&w.l, &f.EP, 1)
	axis(&w.a, &f.ES, 2)
	w.rim, w.sphere = s.Radius-s.Tyre, s.Tyre == s.Radius
	w.p = w.n.Scale(-s.Tyre)
}

// axis stores axis j of E in v.
func axis(v *spatial.Vec3, E *spatial.Mat3, j int) { v[0], v[1], v[2] = E[j], E[3+j], E[6+j] }
