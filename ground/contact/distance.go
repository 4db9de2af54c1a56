package contact

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/spatial"
)

// errFoot reports that the search for the nearest point of the ground has not converged.
var errFoot = errors.New("ground/contact: no point of the ground is nearest")

// foot is the point p of the ground nearest to a point q, and the signed distance there, docs/ground.md (G11) to (G13).
type foot struct {
	x, y     float64      // components of p − q, m
	distance float64      // n·(q − p), negative where q is below the ground
	n        spatial.Vec3 // unit normal at p
	bend     spatial.Mat3 // ∂n/∂q, symmetric, 1/m
	j        [3]float64   // entries xx, xy and yy of the matrix J of Newton's method
}

const (
	footSteps = 200   // largest number of steps of Newton's method; over a kerb, where J is nearly zero, it takes a hundred
	footNear  = 3e-9  // length of the last step, relative to the distance: its square is below rounding
	footTiny  = 1e-2  // m, least distance to which steps are compared
	footFail  = 1e-3  // length of a step, relative to the distance, above which the search has failed after footSteps
	footSlack = 1e-14 // rounding of the squared distance, relative
)

// footTo stores in f the foot of q on s. It starts at p − q = (f.x, f.y) and minimizes ½‖q − p‖² by Newton's method,
// docs/ground.md (G11). Where the matrix is not positive definite, a multiple of the unit matrix is added (descent). A step
// that does not reduce the distance, or leaves the ground, is shortened. The last step uses the second-order Taylor
// polynomial of the surface.
//
// It returns errFoot if the search does not converge, and the errors of the surface.
func footTo(f *foot, s *ground.Surface, q *spatial.Vec3) error {
	if s.Flat() {
		return f.plane(s, q)
	}
	g, err := s.At(q[0]+f.x, q[1]+f.y)
	if err != nil {
		return err
	}
	j := &f.j
	for k := 0; ; k++ {
		h := g.Z - q[2] // height of p over q
		gx, gy := f.x+h*g.X, f.y+h*g.Y
		*j = [3]float64{1 + g.X*g.X + h*g.XX, g.X*g.Y + h*g.XY, 1 + g.Y*g.Y + h*g.YY}
		dx, dy := descent(j, gx, gy)
		size := f.x*f.x + f.y*f.y + h*h + footTiny*footTiny
		step := dx*dx + dy*dy
		if step <= footNear*footNear*size {
			f.along(&g, dx, dy)
			break
		}
		if k == footSteps {
			if step > footFail*footFail*size {
				return errFoot
			}
			break // the steps alternate across a kink
		}
		moved, err := f.shorten(s, q, &g, dx, dy)
		if err != nil {
			return err
		}
		if !moved {
			break // at a kink, or converged to rounding
		}
	}
	f.n = g.Normal()
	f.distance = (q[2]-g.Z)*f.n[2] - f.x*f.n[0] - f.y*f.n[1]
	f.setBend(&g)
	return nil
}

// follow updates the foot as q moves by d, to first order in d (distance to second order): docs/ground.md (G13) and p = q − s·n,
// with s the distance.
func (f *foot) follow(d *spatial.Vec3) {
	along := f.n.Dot(*d)
	var turn spatial.Vec3
	f.bend.MulVecTo(&turn, d)
	// d(p − q) = −(n·d) n − s dn
	f.x += -along*f.n[0] - f.distance*turn[0]
	f.y += -along*f.n[1] - f.distance*turn[1]
	f.distance += along + d.Dot(turn)/2
	f.n = f.n.Add(turn)
}

// plane stores the foot on a plane, in closed form.
func (f *foot) plane(s *ground.Surface, q *spatial.Vec3) error {
	g, err := s.At(q[0], q[1])
	if err != nil {
		return err
	}
	f.n = g.Normal()
	f.distance = (q[2] - g.Z) * f.n[2]
	f.x, f.y = -f.distance*f.n[0], -f.distance*f.n[1]
	f.bend = spatial.Mat3{}
	return nil
}

// along moves the foot by a small step, and updates the ground g by its Taylor polynomial of second order.
func (f *foot) along(g *ground.Patch, dx, dy float64) {
	f.x += dx
	f.y += dy
	g.Z += g.X*dx + g.Y*dy
	g.X += g.XX*dx + g.XY*dy
	g.Y += g.XY*dx + g.YY*dy
}

// descent returns the step −J⁻¹·g for J = (j_xx, j_xy, j_yy). Where J is not positive definite, a multiple of the unit matrix is added.
func descent(j *[3]float64, gx, gy float64) (dx, dy float64) {
	const least = 0.1 // least eigenvalue of J that is left as it is; on level ground J has 1
	xx, xy, yy := j[0], j[1], j[2]
	if low := (xx+yy)/2 - math.Hypot((xx-yy)/2, xy); low < least {
		add := math.Abs(low) + least - low // the lower eigenvalue becomes |low| + least
		xx += add
		yy += add
	}
	d := 1 / (xx*yy - xy*xy)
	return -(yy*gx - xy*gy) * d, -(xx*gy - xy*gx) * d
}

// shorten moves the foot by the first of the step (dx, dy), its half, its quarter, … that stays on the ground and does not increase
// the distance, and stores the ground there in g. It returns false if there is none, with the error of the surface at the last one.
func (f *foot) shorten(s *ground.Surface, q *spatial.Vec3, g *ground.Patch, dx, dy float64) (moved bool, err error) {
	const most = 40 // number of halvings, after which the step is below rounding
	h := g.Z - q[2]
	here := f.x*f.x + f.y*f.y + h*h
	noise := math.Abs(q[0]) + math.Abs(q[1]) + math.Abs(q[2])
	here += footSlack * (here + noise*(math.Abs(f.x)+math.Abs(f.y)+math.Abs(h)))
	for range most {
		x, y := f.x+dx, f.y+dy
		next, off := s.At(q[0]+x, q[1]+y)
		if off == nil {
			h := next.Z - q[2]
			if x*x+y*y+h*h <= here {
				f.x, f.y, *g = x, y, next
				return true, nil
			}
		}
		err = off
		dx, dy = dx/2, dy/2
	}
	return false, err
}

// setBend stores ∂n/∂q = −n_z Tᵀ W F J⁻¹ T, docs/ground.md (G13).
func (f *foot) setBend(g *ground.Patch) {
	j, nz := &f.j, f.n[2]
	d := -nz / (j[0]*j[2] - j[1]*j[1])
	// A = W F, W = 1 − n_z² ∇f ∇fᵀ
	wxx, wxy, wyy := 1-nz*nz*g.X*g.X, -nz*nz*g.X*g.Y, 1-nz*nz*g.Y*g.Y
	axx, axy := wxx*g.XX+wxy*g.XY, wxx*g.XY+wxy*g.YY
	ayx, ayy := wxy*g.XX+wyy*g.XY, wxy*g.XY+wyy*g.YY
	// M = −n_z A J⁻¹, symmetric
	mxx := d * (axx*j[2] - axy*j[1])
	mxy := d * (axy*j[0] - axx*j[1] + ayx*j[2] - ayy*j[1]) / 2
	myy := d * (ayy*j[0] - ayx*j[1])
	// Tᵀ M T, T = (1 | ∇f)
	x, y := mxx*g.X+mxy*g.Y, mxy*g.X+myy*g.Y
	f.bend = spatial.Mat3{mxx, mxy, x, mxy, myy, y, x, y, x*g.X + y*g.Y}
}
