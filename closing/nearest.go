package closing

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

const (
	approachSteps  = 100 // largest number of steps
	approachHalves = 6   // largest number of lengths tried for a step, each half the one before
	// approachTol is the displacement along allowed motions, relative to the distance from the start, both in the metric of the inertias, at
	// which the approach ends.
	approachTol = 1e-9
	// approachBlur is the displacement along allowed motions, relative to the size of bodies and coordinates (span), up to which it may be
	// rounding.
	approachBlur = 1e-13
	// approachDrop is the least relative drop of the distance by a step.
	approachDrop = 1e-14
	// approachFine is the displacement along allowed motions, relative to the distance, up to which the distance need not drop: a step
	// lowers it by half the square of this, which may be less than rounding. It may then grow by up to the displacement.
	approachFine = 1e-3
	// approachIdle is the number of steps without a new least displacement along allowed motions, in the range of rounding, that ends the
	// approach. Larger displacements may grow for some steps: the method of Barzilai & Borwein is not monotone.
	approachIdle = 4
	// approachMost is the largest length of a step relative to the displacement along allowed motions, and its inverse the least.
	approachMost = 4.0
)

// approached is the memory of approach; nil without Options.Nearest.
type approached struct {
	best    *mechanism.State // the closed state before a step
	along   []float64        // the step, six numbers a body
	tangent []float64        // the same in mass-weighted coordinates
	open    []float64        // scratch: residuals of the rows
}

// approach moves c.at, closed and with the errors fit, along the motions that the joints allow,
// to a stationary point of the distance from c.from in the metric of the inertias, theory.md
// (41). With g the gradient of half its square, a step goes along the solution x of
//
//	⎡ M  Jᵀ ⎤ ⎡  x ⎤   ⎡ −g ⎤
//	⎣ J  0  ⎦ ⎣ −λ ⎦ = ⎣  0 ⎦.
//
// To first order x is the displacement back to the start, projected on the allowed motions. After it the joints are
// closed again. The curvature of the joints times the distance makes x too long or too short, by a factor that
// the change of x in the last step shows (Barzilai & Borwein 1988).
//
// It stores the last length of x in Closing.Along, and in Closing.Nearest whether that is within the tolerance or rounding. It returns the
// sums of the errors of c.at, and the cause if the context ends.
func (c *Closer) approach(fit misfit) (misfit, error) {
	c.measureMoves()
	length, progress := 1.0, c.newProgress()
	for step := 0; ; step++ {
		if ended := c.halt.Err(); ended != nil {
			return fit, ended
		}
		before := c.closing.Distance
		if err := c.linearize(c.at); err != nil {
			return fit, err
		}
		clear(c.sys.Right)
		c.backwardTo(c.sys.Right)
		c.closing.Along, c.closing.Nearest = before, false
		if !c.solveTangent() {
			break // c.at is closed, though not the nearest pose
		}
		x := c.x[:len(c.along)]
		size := math.Sqrt(algebra.Dot(x, x))
		c.closing.Along, c.closing.Nearest = size, size <= max(approachTol*before, progress.blur)
		if progress.ends(size, before) || step == approachSteps {
			break
		}
		if step > 0 {
			length = c.stepFactor(x, length)
		}
		copy(c.tangent, x)
		c.sys.AccelerationsTo(c.x, c.x)
		copy(c.along, c.x)
		c.copyState(c.best, c.at)
		after, taken, ok := c.stepBack(mostAfter(size, before), length)
		if !ok {
			break
		}
		fit, length = after, taken
	}
	return fit, nil
}

// progress follows the part of the displacement along allowed motions, √kg m, over the steps of an approach.
type progress struct {
	least float64 // the least part so far
	blur  float64 // parts up to this may be rounding
	idle  int     // number of steps with a part up to blur that was no new least
}

// newProgress returns the progress of an approach to c.at that has not begun.
func (c *Closer) newProgress() progress {
	return progress{least: math.Inf(1), blur: approachBlur * c.span()}
}

// ends takes the part after a step, with the distance from the start, and reports whether the approach ends: the part is small enough, or
// rounding keeps it from decreasing.
func (p *progress) ends(part, distance float64) bool {
	if part <= approachTol*distance {
		return true
	}
	if part <= p.blur && part >= p.least {
		p.idle++
	}
	p.least = min(p.least, part)
	return p.idle == approachIdle
}

// fine reports whether the part of a distance along allowed motions is so small that rounding may hide the drop of the distance.
func fine(part, distance float64) bool { return part <= approachFine*distance }

// mostAfter returns the bound below which the distance has to be after a step, by the part along allowed motions and the distance before.
func mostAfter(part, distance float64) float64 {
	if fine(part, distance) {
		return distance + part
	}
	return (1 - approachDrop) * distance
}

// span returns the size of the bodies and of their coordinates in c.at, √Σm·(ℓ² + p²), √kg m, to which rounding is relative.
func (c *Closer) span() float64 {
	sum := 0.0
	for i := range c.at.Bodies {
		l, p := c.length[i], &c.at.Bodies[i].Position
		sum += c.mech.Bodies[i].Mass * (l*l + p.Dot(*p))
	}
	return math.Sqrt(sum)
}

// stepFactor returns the factor on x for the next step, after a step of length times c.tangent: by Barzilai and Borwein, within
// approachMost, or 1 if the last step has not shortened x along it.
func (c *Closer) stepFactor(x []float64, length float64) float64 {
	whole, change := 0.0, 0.0
	for i, t := range c.tangent {
		whole += t * t
		change += t * (t - x[i])
	}
	if !(change > 0) {
		return 1
	}
	return min(max(length*whole/change, 1./approachMost), approachMost)
}

// solveTangent stores in c.x the solution of the system of approach. It returns false if no factorization succeeds. A factorization may
// drop an independent row with a small pivot as redundant, as with bodies of very small inertia. The solution may then violate
// that row, and the next way, with a smaller limit for pivots, is tried.
func (c *Closer) solveTangent() bool {
	solved := false
	_ = kkt.Try(kkt.DropWeak, kkt.DropWeakest, nil, func(w kkt.Way) (done bool, err error) {
		for {
			if err = c.whole.Factorize(w); err != nil {
				return true, err
			}
			solved = true
			ref := c.whole.Refine(c.x, c.open, 0)
			_, _, tol := w.Settings()
			if ref.Worst.Ratio <= tol || c.whole.NextWay() != w { // otherwise the next round factors in the same way, with all rows
				return ref.Doubt <= kkt.DoubtTol, nil
			}
		}
	})
	return solved
}

// stepBack moves c.at from c.best by h times the step c.along and closes the joints. It halves h until
// the distance from c.from is less than most, and returns the sums of the errors and the h taken. It returns false, with c.at as c.best, if
// it finds no such h.
func (c *Closer) stepBack(most, h float64) (fit misfit, taken float64, ok bool) {
	if c.followsAngles() {
		h = min(h, closeTurn/c.largestRotation())
	}
	for range approachHalves {
		c.displace(c.at, c.best, h, c.along)
		fit, err := c.misfitAt(c.at)
		if err == nil {
			fit, err = c.close(fit)
		}
		if err == nil {
			if c.measureMoves(); c.closing.Distance < most {
				return fit, h, true
			}
		}
		h /= 2
	}
	c.copyState(c.at, c.best)
	c.chord = false
	return fit, h, false
}

// backwardTo stores in b, six numbers a body, the right side −C⁻¹·g in mass-weighted coordinates, with the
// gradient g of half the squared distance, theory.md (41); zero for held bodies. With the displacement s of the centre of mass and
// the rotation vector φ in body axes, from c.from to c.at, it is
//
//	−L⁻¹·Q·I·φ, −√m·Eᵀ·s.
//
// Q is dexp⁻ᵀ: the transpose of the map from angular velocities in body axes to the rate of φ, which spatial.DexpInvTo
// applies when it is given φ.
func (c *Closer) backwardTo(b []float64) {
	for i := range c.at.Bodies {
		if c.held != nil && c.held[i] {
			continue
		}
		body := &c.mech.Bodies[i]
		w := body.Weight()
		s, phi := c.mech.Displacement(i, c.from, c.at)
		E := &c.sys.Kin.Bodies[i].E
		s, phi = E.TMulVec(s), E.TMulVec(phi)
		n := body.Inertia.MulVec(phi)
		spatial.DexpInvTo(&n, &phi, &n)
		w.Inertia.MulVecTo(&n, &n)
		root := body.Mass * w.Mass
		for k := range 3 {
			b[6*i+k], b[6*i+3+k] = -n[k], -root*s[k]
		}
	}
}
