package joints

import (
	"math"

	"github.com/rung-mbd/rung/spatial"
)

// Posture is a composite joint at the coordinates Q, which need not be the coordinates of its bodies. Frame: axes of P.
type Posture struct {
	Q     [MaxAxes]float64 // rad and m
	n     int
	E     spatial.Mat3            // axes of S
	R     spatial.Vec3            // from the origin of P to the origin of S, m
	S     [MaxAxes]spatial.Motion // rates of S about its origin for unit rates of the coordinates, theory.md (C2)
	at    [MaxAxes]spatial.Vec3   // points on the axes, m
	h     [MaxAxes]float64        // pitches, m/rad
	turns [MaxAxes]bool           // whether motion k rotates: revolute or helical
}

// Place computes p from p.Q, theory.md (C1), (C2).
//
// Cost: O(1), no allocation.
func (p *Posture) Place(a *Axes) {
	var t spatial.Vec3
	p.n = a.n
	E, r := &p.E, &p.R
	*E, *r = spatial.Identity3(), spatial.Vec3{}
	for k := range a.n {
		x, S, q := &a.list[k], &p.S[k], p.Q[k]
		u, at := (*spatial.Vec3)(S[:3]), &p.at[k]
		E.MulVecTo(u, &x.Axis)
		p.h[k], p.turns[k] = x.Pitch, x.Kind != Prismatic
		if x.Kind == Prismatic {
			spatial.AddScaledTo(r, r, q, u)
			S[3], S[4], S[5] = u[0], u[1], u[2]
			*u = spatial.Vec3{}
			continue
		}
		E.MulVecTo(at, &x.Point)
		for i := range at {
			at[i] += r[i]
		}
		turnAbout(E, u, q)
		E.MulVecTo(&t, &x.Point)
		for i := range r {
			r[i] = at[i] - t[i] + x.Pitch*q*u[i]
		}
	}
	// Velocity of the origin of S for a unit rate of each axis: u×(r − at) + pitch·u.
	for k := range a.n {
		if !p.turns[k] {
			continue
		}
		S := &p.S[k]
		d := spatial.Vec3{r[0] - p.at[k][0], r[1] - p.at[k][1], r[2] - p.at[k][2]}
		spatial.CrossTo(&t, (*spatial.Vec3)(S[:3]), &d)
		for i := range t {
			S[3+i] = t[i] + p.h[k]*S[i]
		}
	}
}

// turnAbout rotates the columns of E by the angle q (rad) about the unit vector u.
func turnAbout(E *spatial.Mat3, u *spatial.Vec3, q float64) {
	s, c := math.Sincos(q)
	for j := range 3 {
		x, y, z := E[j], E[3+j], E[6+j]
		d := (1 - c) * (u[0]*x + u[1]*y + u[2]*z)
		E[j] = c*x + s*(u[1]*z-u[2]*y) + d*u[0]
		E[3+j] = c*y + s*(u[2]*x-u[0]*z) + d*u[1]
		E[6+j] = c*z + s*(u[0]*y-u[1]*x) + d*u[2]
	}
}

// RatesTo stores in Sd the derivatives of the columns of S, seen from
// P, as the coordinates move with the rates qd, theory.md (C3).
//
// Cost: O(1), no allocation. p has been placed.
func (p *Posture) RatesTo(Sd *[MaxAxes]spatial.Motion, qd *[MaxAxes]float64) {
	var v spatial.Vec3 // velocity of the origin of S
	for k := range p.n {
		spatial.AddScaledTo(&v, &v, qd[k], (*spatial.Vec3)(p.S[k][3:]))
	}
	// The link that carries axis k has the angular velocity w, and c is the velocity of its point at P's origin.
	var w, c, t, d spatial.Vec3
	for k := range p.n {
		S, out := &p.S[k], &Sd[k]
		*out = spatial.Motion{}
		if !p.turns[k] {
			spatial.CrossTo((*spatial.Vec3)(out[3:]), &w, (*spatial.Vec3)(S[3:]))
			spatial.AddScaledTo(&c, &c, qd[k], (*spatial.Vec3)(S[3:]))
			continue
		}
		u, ud, at := (*spatial.Vec3)(S[:3]), (*spatial.Vec3)(out[:3]), &p.at[k]
		spatial.CrossTo(ud, &w, u)
		for i := range d {
			d[i] = p.R[i] - at[i]
		}
		spatial.CrossTo(&t, ud, &d)
		spatial.CrossTo(&d, &w, at)
		for i := range d {
			out[3+i] = t[i] + p.h[k]*ud[i]
			d[i] = v[i] - (c[i] + d[i])
		}
		spatial.CrossTo(&t, u, &d)
		for i := range t {
			out[3+i] += t[i]
		}
		// The link that carries the next axis also turns about the point at.
		spatial.CrossTo(&t, at, u)
		for i := range c {
			c[i] += qd[k] * (t[i] + p.h[k]*u[i])
			w[i] += qd[k] * u[i]
		}
	}
}

// pose is the actual pose of S in P: axes E and origin r, m.
type pose struct {
	E spatial.Mat3
	r spatial.Vec3
}

// set stores in x the pose of f.
func (x *pose) set(f *Frames) {
	f.EP.TMulTo(&x.E, &f.ES)
	f.EP.TMulVecTo(&x.r, &f.R)
}

// errorTo stores in e the displacement that takes S from its pose at p to the pose x: rotation vector, rad, and translation,
// m, theory.md (C4). It returns the sum of the squares of its components.
func (p *Posture) errorTo(e *spatial.Motion, x *pose) float64 {
	var M spatial.Mat3
	for i := range 3 { // x.E·p.Eᵀ
		for j := range 3 {
			M[3*i+j] = x.E[3*i]*p.E[3*j] + x.E[3*i+1]*p.E[3*j+1] + x.E[3*i+2]*p.E[3*j+2]
		}
	}
	v := spatial.LogMat(M)
	sum := 0.0
	for i := range 3 {
		e[i], e[3+i] = v[i], x.r[i]-p.R[i]
		sum += e[i]*e[i] + e[3+i]*e[3+i]
	}
	return sum
}

const (
	// poseSteps bounds the steps of one search.
	poseSteps = 300
	// poseOpen and poseTries bound the steps for a joint that is far from closed: of the search near its coordinates, and of
	// each search from the angles of poseStarts. No coordinates give such a pose, so they need not be exact.
	poseOpen, poseTries = 30, 10
	// poseRound is the rounding of a pose, relative to 1 rad and to the lengths in the pose. A smaller error counts as none.
	poseRound = 4e-16
	// poseStill is the change of coordinates, relative to 1 + their size, that ends a search.
	poseStill = 2e-15
	// A search whose error is above poseFits ends if poseStall steps reduce |e|² by less than the fraction poseGain.
	poseStall, poseGain = 10, 1e-14
	// leastSquare is the least square of the part of a column of S at right angles to the columns before it, relative to the
	// square of the column.
	leastSquare = 1e-14
	// poseFits is the error of a pose, m and rad, up to which coordinates count as found. A joint with a larger error is far
	// from closed, and other coordinates may be nearer.
	poseFits = 1e-3
	// Two sets of coordinates count as different where their sums of squares, or the |e|² of their poses, differ by more than
	// poseAlike. Steps that are smaller may be rounding.
	poseAlike = 1e-9
)

// search moves p.Q to nearby coordinates at which the pose is x, or is nearest to x, by
// the method of Levenberg and Marquardt. Each step δ solves (SᵀS + μ·diag(SᵀS))·δ = Sᵀe, with
// the error e of the pose. The search ends where Sᵀe = 0, or after the given number of
// steps. It returns |e|².
func (p *Posture) search(a *Axes, x *pose, steps int) float64 {
	var e spatial.Motion
	var next Posture
	p.Place(a)
	left := p.errorTo(&e, x)
	floor := poseRound * (1 + max(math.Abs(x.r[0]), math.Abs(x.r[1]), math.Abs(x.r[2])))
	floor *= floor
	mu, last, before := 0.0, math.Inf(1), math.Inf(1)
	for n := range steps {
		if left <= floor {
			break
		}
		if n%poseStall == 0 {
			if left > poseFits*poseFits && left >= before*(1-poseGain) {
				break
			}
			before = left
		}
		var step [MaxAxes]float64
		if !p.stepTo(&step, &e, mu) {
			mu = max(10*mu, poseDamp)
			continue
		}
		size, q := 0.0, 0.0
		for k := range p.n {
			size, q = max(size, math.Abs(step[k])), max(q, math.Abs(p.Q[k]))
			next.Q[k] = p.Q[k] + step[k]
		}
		if size <= poseStill*(1+q) || size < poseAlike && size >= 0.9*last {
			break // converged to rounding
		}
		var f spatial.Motion
		next.Place(a)
		if now := next.errorTo(&f, x); now <= left || size < poseAlike {
			*p, e, left, last = next, f, now, size
			if mu *= 0.1; mu < poseDamp {
				mu = 0
			}
		} else {
			mu = max(10*mu, poseDamp)
		}
	}
	return left
}

// poseDamp is the least μ that is not zero.
const poseDamp = 1e-6

// stepTo stores the step δ of search for the error e and the damping mu, by a Cholesky factor of SᵀS + μ·diag(SᵀS). It returns
// false, and step is undefined, if a pivot is not positive by the margin leastSquare.
func (p *Posture) stepTo(step *[MaxAxes]float64, e *spatial.Motion, mu float64) bool {
	var A [MaxAxes][MaxAxes]float64
	n := p.n
	for i := range n {
		for j := range i + 1 {
			A[i][j] = dot6((*[6]float64)(&p.S[i]), (*[6]float64)(&p.S[j]))
		}
		step[i] = dot6((*[6]float64)(&p.S[i]), (*[6]float64)(e))
	}
	for i := range n {
		d := A[i][i]
		A[i][i] += mu * d
		for j := range i + 1 {
			for k := range j {
				A[i][j] -= A[i][k] * A[j][k]
			}
			if j < i {
				A[i][j] /= A[j][j]
			}
		}
		if !(A[i][i] > leastSquare*d) {
			return false
		}
		A[i][i] = math.Sqrt(A[i][i])
		for k := range i {
			step[i] -= A[i][k] * step[k]
		}
		step[i] /= A[i][i]
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			step[i] -= A[k][i] * step[k]
		}
		step[i] /= A[i][i]
	}
	return true
}

func dot6(a, b *[6]float64) float64 {
	return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] + a[3]*b[3] + a[4]*b[4] + a[5]*b[5]
}

// find stores in p the coordinates of the pose x.
//
// near holds the coordinates that a state carries, or is nil. With near, a search from near gives the coordinates. If near is
// nil, or the error of the pose stays above poseFits, findAll gives them, where its error is smaller. So the coordinates
// are a function of x and near alone.
func (p *Posture) find(a *Axes, x *pose, near []float64) {
	if near != nil {
		for k := range a.n {
			p.Q[k] = near[k]
			if a.list[k].Kind == Revolute {
				p.Q[k] = math.Remainder(near[k], 2*math.Pi) // a small angle has an accurate sine
			}
		}
		if left := p.search(a, x, poseOpen); left > poseFits*poseFits {
			own := *p
			if best := p.findAll(a, x, poseTries); best >= left-poseAlike {
				*p = own
			}
			left = p.search(a, x, poseOpen)
			if left <= poseFits*poseFits {
				p.search(a, x, poseSteps)
			}
		} else {
			p.search(a, x, poseSteps)
		}
		for k := range a.n {
			if a.list[k].Kind == Revolute {
				p.Q[k] = math.Remainder(p.Q[k], 2*math.Pi)
			}
		}
		return
	}
	p.findAll(a, x, poseSteps)
}

// findAll stores in p the coordinates of the pose x, or of the nearest pose, found by searches of the given number of steps from
// angles a third of a turn apart. Of several it takes the coordinates with the smallest sum of squares, angles of revolute
// axes in (−π, π]. It returns |e|².
func (p *Posture) findAll(a *Axes, x *pose, steps int) float64 {
	turning := 0
	for k := range a.n {
		if a.list[k].Kind != Prismatic {
			turning++
		}
	}
	starts := 1
	for range turning {
		starts *= len(poseStarts)
	}
	best, least := math.Inf(1), math.Inf(1)
	for i := range starts {
		var c Posture
		for k, rest := 0, i; k < a.n; k++ {
			if a.list[k].Kind != Prismatic {
				c.Q[k] = poseStarts[rest%len(poseStarts)]
				rest /= len(poseStarts)
			}
		}
		left := c.search(a, x, steps)
		for range poseScrews {
			if left <= poseFits*poseFits || !c.screw(a, x) {
				break
			}
			left = c.search(a, x, steps)
		}
		size := 0.0
		for k := range a.n {
			if a.list[k].Kind == Revolute {
				c.Q[k] = math.Remainder(c.Q[k], 2*math.Pi)
				if c.Q[k] <= -math.Pi {
					c.Q[k] = math.Pi
				}
			}
			size += c.Q[k] * c.Q[k]
		}
		if left < best-poseAlike || left <= best+poseAlike && size < least-poseAlike {
			best, least, *p = left, size, c
		}
		if i == 0 && left <= poseFits*poseFits && a.unique() {
			break
		}
	}
	return best
}

// poseScrews bounds the number of calls of screw for one start.
const poseScrews = 4

// screw adds to each helical coordinate the number of whole turns that best removes the remaining translation along its axis.
// It reports whether a coordinate has changed.
func (p *Posture) screw(a *Axes, x *pose) (changed bool) {
	var e spatial.Motion
	p.errorTo(&e, x)
	for k := range a.n {
		if a.list[k].Kind != Helical {
			continue
		}
		u := (*spatial.Vec3)(p.S[k][:3])
		turns := math.Round(spatial.Dot(u, (*spatial.Vec3)(e[3:])) / (2 * math.Pi * p.h[k]))
		if turns != 0 && math.Abs(turns) < 1e15 {
			p.Q[k] += 2 * math.Pi * turns
			changed = true
		}
	}
	return changed
}

// poseStarts are the angles from which searches start; zero is first.
var poseStarts = [3]float64{0, 2 * math.Pi / 3, -2 * math.Pi / 3}

// unique reports whether the kinds and directions of the axes show that a pose has at most one set of coordinates: at most one
// axis rotates, or two that are not parallel do, as the rotation then determines both angles.
func (a *Axes) unique() bool {
	var turns [MaxAxes]int
	n := 0
	for k := range a.n {
		switch a.list[k].Kind {
		case Helical:
			return a.n == 1
		case Revolute:
			turns[n] = k
			n++
		}
	}
	switch n {
	case 0, 1:
		return true
	case 2:
		var t spatial.Vec3
		spatial.CrossTo(&t, &a.list[turns[0]].Axis, &a.list[turns[1]].Axis)
		return t.Norm() > 1e-6 // the sine of the angle between the axes
	}
	return false
}
