package motion

import (
	"math"

	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

const (
	// wolfeDecrease and wolfeCurvature are the constants of the strong Wolfe conditions, sufficient decrease and curvature (Nocedal &
	// Wright 2006, 3.7). wolfePoints is the largest number of points of a line search.
	wolfeDecrease  = 1e-4
	wolfeCurvature = 0.9
	wolfePoints    = 20
	// unbalanced is the largest residual, in units of the weight, with which a step is taken although it is above the tolerance.
	unbalanced = 1e-2
	// leastPivot is the least pivot of H, relative to the entry on its diagonal. Smaller ones are raised to it.
	leastPivot = 1e-14
)

// balance finds the forces z with z = f(z), docs/ground.md (G44), by Gauss–Newton steps with a line search. It returns errBalance if the
// residual stays too large.
func (b *Balance) balance() error {
	w := &b.work
	b.ratesAt(b.z)
	b.residual(b.z)
	phi := half(w.res[:b.m])
	tol := b.opts.Tolerance * b.weight
	b.stats.Steps++
	k := 0
	for ; k < b.opts.Iterations && phi > 0.5*tol*tol; k++ {
		b.stats.Iterations++
		b.jacobian()
		if !b.descent() {
			break
		}
		next, ok := b.search(phi)
		if !ok || !(next < phi) {
			break
		}
		phi = next
	}
	rest := math.Sqrt(2*phi) / b.weight
	if !balances(rest, b.opts.Tolerance) {
		return fault.Errorf("%w within %d iterations (residual %.3g of the weight)", errBalance, k, rest)
	}
	b.stats.Worst = max(b.stats.Worst, rest)
	return nil
}

// balances reports whether a residual, in units of the weight, is small enough for a step.
func balances(rest, tolerance float64) bool { return rest <= max(unbalanced, tolerance) }

// half returns ½‖x‖².
func half(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v * v
	}
	return sum / 2
}

// ratesAt stores in b.rate the rates of the rows at the end of the step with the forces z.
func (b *Balance) ratesAt(z []float64) {
	for i := range b.m {
		sum := 0.0
		for k, s := range b.s[i*b.m0() : i*b.m0()+b.m] {
			sum += s * z[k]
		}
		b.rate[i] = b.free[i] + b.h*sum
	}
}

// residual stores in w.res z − f with the forces f by their laws at the rates b.rate, and in w.slope the derivatives of f by the rates.
func (b *Balance) residual(z []float64) {
	w, n := &b.work, b.m0()
	for i := range b.wheels.used {
		b.pointForce(&b.wheels.points[i])
	}
	first := b.wheels.count
	for i, d := range b.acting {
		k := first + i
		w.block[k], w.stop[k] = k, k+1
		w.force[k], w.slope[k*n+k] = b.driveForce(d, b.rate[k])
	}
	for i := range b.m {
		w.res[i] = z[i] - w.force[i]
	}
}

// pointMotion returns the motion of a point at the end of the step: its rates b.rate, and the depth to which they lead.
func (b *Balance) pointMotion(p *wheelPoint) contact.PointMotion {
	m := p.motion
	for k, by := range p.by {
		r := b.rate[p.first+k]
		switch by {
		case contact.ByN:
			m.N = r
			m.Depth -= b.h * r
		case contact.ByX:
			m.X = r
		case contact.ByY:
			m.Y = r
		case contact.ByRoll:
			m.Roll = r
		case contact.BySpin:
			m.Spin = r
		case contact.ByTurn:
			m.Turn = r
		}
	}
	return m
}

// pointForce stores the forces of the rows of a point, by its law for its motion at the end of the step, and the derivatives of these
// forces by the rates.
func (b *Balance) pointForce(p *wheelPoint) {
	w, n := &b.work, b.m0()
	m := b.pointMotion(p)
	var f contact.Force
	var d contact.Derivatives
	p.contact.Law.ForceTo(&f, &d, &m, p.contact.Shape.Radius, p.share, nil)
	forces := [...]float64{contact.OfN: f.N, contact.OfX: f.X, contact.OfY: f.Y, contact.OfAxle: f.Axle, contact.OfTurn: f.Turn}
	last := p.first + len(p.by)
	for k, of := range p.of {
		i := p.first + k
		w.block[i], w.stop[i] = p.first, last
		w.force[i] = 0
		if of >= 0 {
			w.force[i] = forces[of] / b.unit[i]
		}
		for l, by := range p.by {
			s := 0.0
			if of >= 0 {
				if s = d[of][by]; by == contact.ByN {
					s -= b.h * d[of][contact.ByDepth]
				}
			}
			w.slope[i*n+p.first+l] = s / b.unit[i]
		}
	}
}

// jacobian stores J = 1 − h·F′·S, the derivative of the residual by z.
func (b *Balance) jacobian() {
	w, n := &b.work, b.m0()
	for i := range b.m {
		J := w.J[i*n : i*n+b.m]
		clear(J)
		for k := w.block[i]; k < w.stop[i]; k++ {
			f := b.h * w.slope[i*n+k]
			if f == 0 {
				continue
			}
			for j, s := range b.s[k*n : k*n+b.m] {
				J[j] -= f * s
			}
		}
		J[i]++
	}
}

// descent stores in b.work.p the solution of H·p = −Jᵀr with H = JᵀJ, by a Cholesky factorization whose pivots are at least leastPivot
// times the diagonal entries of H. It reports whether p is finite.
func (b *Balance) descent() bool {
	w, n, m := &b.work, b.m0(), b.m
	for i := range m {
		clear(w.H[i*n : i*n+i+1])
		w.g[i] = 0
	}
	for k := range m {
		J, r := w.J[k*n:k*n+m], w.res[k]
		for i, a := range J {
			if a == 0 {
				continue
			}
			w.g[i] += a * r
			H := w.H[i*n : i*n+i+1]
			for j := range H {
				H[j] += a * J[j]
			}
		}
	}
	for i := range m {
		Li := w.H[i*n : i*n+i+1]
		diagonal := Li[i]
		for j := range i {
			Lj := w.H[j*n : j*n+j+1]
			sum := Li[j]
			for k := range j {
				sum -= Li[k] * Lj[k]
			}
			Li[j] = sum / Lj[j]
			Li[i] -= Li[j] * Li[j]
		}
		Li[i] = math.Sqrt(max(Li[i], leastPivot*diagonal))
	}
	p := w.p[:m]
	for i := range p {
		sum := -w.g[i]
		for k, l := range w.H[i*n : i*n+i] {
			sum -= l * p[k]
		}
		p[i] = sum / w.H[i*n+i]
	}
	for i := m - 1; i >= 0; i-- {
		p[i] /= w.H[i*n+i]
		for k, l := range w.H[i*n : i*n+i] {
			p[k] -= l * p[i]
		}
	}
	total := 0.0
	for _, x := range p {
		total += x * 0 // NaN unless x is finite
	}
	return total == 0
}

// moveAlong moves to z0 + α·p and returns φ = ½‖z − f‖² and its derivative by α there.
func (b *Balance) moveAlong(alpha float64) (phi, slope float64) {
	w, n := &b.work, b.m0()
	for i := range b.m {
		b.z[i] = w.z0[i] + alpha*w.p[i]
		b.rate[i] = w.rate0[i] + alpha*w.sp[i]
	}
	b.residual(b.z)
	for i := range b.m {
		r := w.res[i]
		phi += r * r / 2
		d := w.p[i]
		for k := w.block[i]; k < w.stop[i]; k++ {
			d -= w.slope[i*n+k] * w.sp[k]
		}
		slope += r * d
	}
	return phi, slope
}

// search looks along p for a point that meets the strong Wolfe conditions (Nocedal & Wright 2006, algorithms 3.5 and 3.6). It stays there,
// or at the best point that it has tried. It returns φ there, and whether the search has found a better point than its start.
func (b *Balance) search(phi0 float64) (phi float64, ok bool) {
	w := &b.work
	copy(w.z0[:b.m], b.z)
	copy(w.rate0[:b.m], b.rate)
	slope0 := 0.0
	for i := range b.m {
		sum := 0.0
		for k, s := range b.s[i*b.m0() : i*b.m0()+b.m] {
			sum += s * w.p[k]
		}
		w.sp[i] = b.h * sum
		slope0 += w.g[i] * w.p[i]
	}
	if !(slope0 < 0) {
		return phi0, false
	}
	best, bestPhi := 0.0, phi0
	l := line{phi0: phi0, slope0: slope0, philo: phi0, dlo: slope0, alpha: 1}
	for range wolfePoints {
		p, d := b.moveAlong(l.alpha)
		if p < bestPhi {
			best, bestPhi = l.alpha, p
		}
		if l.meets(p, d) {
			return p, true
		}
	}
	p, _ := b.moveAlong(best)
	return p, best > 0
}

// line is the state of a line search for a point that meets the strong Wolfe conditions.
type line struct {
	phi0, slope0   float64 // φ and its derivative at the start
	lo, philo, dlo float64 // best point so far with a sufficient decrease, φ and its derivative there
	hi, phihi      float64 // the other end of an interval that has a point with the conditions, and φ there
	bracketed      bool    // there is such an interval
	alpha          float64 // the next point to try
}

// meets takes φ and its derivative at the point alpha, p and d. It reports whether the point meets the conditions. If not, it sets alpha to
// the next point.
func (l *line) meets(p, d float64) bool {
	switch {
	case !(p <= l.phi0+wolfeDecrease*l.alpha*l.slope0) || p >= l.philo:
		l.hi, l.phihi, l.bracketed = l.alpha, p, true
	case math.Abs(d) <= -wolfeCurvature*l.slope0:
		return true
	case d*(l.alpha-l.lo) >= 0:
		l.hi, l.phihi, l.bracketed = l.lo, l.philo, true
		l.lo, l.philo, l.dlo = l.alpha, p, d
	default:
		l.lo, l.philo, l.dlo = l.alpha, p, d
	}
	if l.bracketed {
		l.alpha = between(l.lo, l.hi, l.philo, l.dlo, l.phihi)
	} else {
		l.alpha *= 2
	}
	return false
}

// between returns a point between lo and hi: the minimum of the parabola through φ(lo), φ′(lo) and φ(hi), or the middle if that minimum is
// outside or close to an end.
func between(lo, hi, philo, dlo, phihi float64) float64 {
	x := hi - lo
	alpha := lo + x/2
	if c := phihi - philo - dlo*x; c > 0 {
		if q := lo - dlo*x*x/(2*c); (q-lo)/x > 0.1 && (q-lo)/x < 0.9 {
			alpha = q
		}
	}
	return alpha
}

// driveForce returns the force of a drive at its rate at the end of the step, and the derivative of the force by this rate.
func (b *Balance) driveForce(d *balancedDrive, rate float64) (force, slope float64) {
	q := d.q + b.h*rate
	p := mechanism.Push{Force: -d.stiffness*(q-d.rest) - d.damping*rate, Stiffness: d.stiffness, Damping: d.damping}
	if d.actuator >= 0 {
		p = b.mech.PushAt(d.actuator, q, rate, d.t)
	}
	return p.Force, -p.Damping - b.h*p.Stiffness
}
