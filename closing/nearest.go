package closing

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

const (
	approachSteps  = 100
	approachHalves = 6
	// approachTol ends the approach. It is a part of the displacement along allowed motions,
	// relative to the whole displacement in the metric of the inertias.
	approachTol = 1e-9
	// approachBlur is a displacement that is rounding, relative to bodies and coordinates in the metric of the inertias.
	approachBlur = 1e-13
	// approachDrop is the least part of the distance that a step has to save.
	approachDrop = 1e-14
	// approachFine is the part along allowed motions below which the distance tells little: a step saves half the square
	// of this part, which may be less than rounding. There the distance may grow by as much as the part is.
	approachFine = 1e-3
	// approachIdle is the number of steps in rounding that do not lessen the part. Elsewhere such steps are part of the method.
	approachIdle = 4
	// A step is at most approachMost times as long as the displacement along allowed motions, and at least as long as its
	// inverse.
	approachMost = 4.0
)

// approached is the memory of approach; nil unless that is used.
type approached struct {
	best    *mechanism.State
	along   []float64
	tangent []float64 // that step in mass-weighted coordinates
	open    []float64 // errors of the rows after a step along allowed motions
}

// approach moves c.at, closed and with the errors fit, along the motions that the joints allow,
// to a stationary point of the distance from c.from in the metric of the inertias, theory.md
// (41). With g the gradient of half its square, a step goes along the solution x of
//
//	⎡ M  Jᵀ ⎤ ⎡  x ⎤   ⎡ −g ⎤
//	⎣ J  0  ⎦ ⎣ −λ ⎦ = ⎣  0 ⎦.
//
// To first order x is the part of the way back along allowed motions. After it the joints are
// closed again. The curvature of the joints times the distance makes x too long or too short: the
// last step and what it changed in x say by how much (Barzilai & Borwein 1988).
//
// It leaves in Closing.Along how long x was, and in Closing.Nearest whether that is the tolerance or rounding.
func (c *Closer) approach(fit misfit) (misfit, error) {
	c.measureMoves()
	length, made := 1.0, c.newProgress()
	for step := 0; ; step++ {
		if ended := c.halt.Err(); ended != nil {
			return fit, ended
		}
		before := c.closing.Distance
		if err := c.linearize(c.at); err != nil {
			return fit, err
		}
		clear(c.sys.Right)
		c.backTo(c.sys.Right)
		c.closing.Along, c.closing.Nearest = before, false
		if !c.solveTangent() {
			break // the pose at hand is closed, though not the nearest
		}
		x := c.x[:len(c.along)]
		size := math.Sqrt(algebra.Dot(x, x))
		c.closing.Along, c.closing.Nearest = size, size <= max(approachTol*before, made.blur)
		if made.ends(size, before) || step == approachSteps {
			break
		}
		if step > 0 {
			length = c.stretch(x, length)
		}
		copy(c.tangent, x)
		c.sys.AccelerationsTo(c.x, c.x)
		copy(c.along, c.x)
		c.carry(c.best, c.at)
		after, taken, ok := c.closerTo(mostAfter(size, before), length)
		if !ok {
			break
		}
		fit, length = after, taken
	}
	return fit, nil
}

// progress is what steps have made of the part along allowed motions.
type progress struct {
	least float64 // the least part so far
	blur  float64 // a part that is rounding
	idle  int     // steps in rounding that have not made it less
}

// newProgress returns the progress of an approach to c.at that has not begun.
func (c *Closer) newProgress() progress {
	return progress{least: math.Inf(1), blur: approachBlur * c.span()}
}

// ends reports whether a part of a distance is small enough, or rounding.
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

// fine reports whether a part of a distance is so small that the distance tells little.
func fine(part, distance float64) bool { return part <= approachFine*distance }

// mostAfter returns the bound that the distance has to be below after a step.
func mostAfter(part, distance float64) float64 {
	if fine(part, distance) {
		return distance + part
	}
	return (1 - approachDrop) * distance
}

// span returns the size of the bodies of c.at and of their coordinates in the metric of the inertias, √kg m.
func (c *Closer) span() float64 {
	sum := 0.0
	for i := range c.at.Bodies {
		l, p := c.length[i], &c.at.Bodies[i].Position
		sum += c.mech.Bodies[i].Mass * (l*l + p.Dot(*p))
	}
	return math.Sqrt(sum)
}

// stretch returns how much longer than x the step along x is to be, after a step that was length times c.tangent.
func (c *Closer) stretch(x []float64, length float64) float64 {
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

// solveTangent solves the system of approach and reports whether it has been factored. A row
// with a small pivot may have been taken for a redundant one, as with bodies that turn nearly
// for free. The solution then need not keep that row, and a smaller limit is tried.
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
			if ref.Worst.Ratio <= tol || c.whole.NextWay() != w { // else the same way with all rows
				return ref.Doubt <= kkt.DoubtTol, nil
			}
		}
	})
	return solved
}

// closerTo takes h times the step c.along from c.best and closes the joints. It halves the step until
// the distance from c.from is less than most, and returns the h that was taken. It returns false if the
// distance stays above; c.at is c.best then.
func (c *Closer) closerTo(most, h float64) (fit misfit, taken float64, ok bool) {
	if c.coupled() {
		h = min(h, closeTurn/c.turn())
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
	c.carry(c.at, c.best)
	c.chord = false
	return fit, h, false
}

// backTo stores in b, six numbers a body, the weighted right side −C⁻¹·g of the
// gradient g of theory.md (41), zero for held bodies. With the travel s of the centre of mass and
// the rotation vector φ in body axes it is
//
//	−L⁻¹·Q·I·φ, −√m·Eᵀ·s.
//
// Q is dexp⁻ᵀ: the transpose of the map from angular velocities in body axes to the rate of φ.
// spatial.DexpInvTo for φ is this transpose.
func (c *Closer) backTo(b []float64) {
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
