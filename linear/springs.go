package linear

import (
	"slices"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// fillBushing adds bushing i to K and C by its exact derivatives. It returns an error with the name of the element.
func (s *System) fillBushing(i int) error {
	var b mechanism.BushingState
	if err := s.mech.BushingAt(&b, i, s.y.Kin, s.st); err != nil {
		return fault.Errorf("linear: %w", err)
	}
	before := s.filled()
	bodies, w, pose, velocity := b.Derivatives()
	s.addWrenches(bodies, w, pose, velocity)
	if !s.finite(before, bodies...) {
		_, _, _, element := s.mech.Bushing(i)
		return fault.Errorf("linear: %w", s.mech.AtForce(element, ErrNotFinite))
	}
	return nil
}

// multiRow is a row over any number of bodies.
type multiRow struct {
	bodies  []int32   // increasing, none the world
	v, rate []float64 // as in row, six entries for each body
}

// along returns the product of x with a, which is v or rate of r.
func (r *multiRow) along(a, x []float64) (sum float64) {
	for i, b := range r.bodies {
		for k, t := range a[6*i : 6*i+6] {
			sum += t * x[6*int(b)+k]
		}
	}
	return sum
}

// addTo adds t·v to dst, six numbers a body.
func (r *multiRow) addTo(dst []float64, t float64) {
	for i, b := range r.bodies {
		for k, v := range r.v[6*i : 6*i+6] {
			dst[6*int(b)+k] += t * v
		}
	}
}

// fillCable adds cable i to K and C: its stiffness and damping as a row over all its bodies, the gradient of its length,
// and each of its straight parts as a link with constant tension. It returns an error with the name of the element.
func (s *System) fillCable(i int) error {
	c, err := s.mech.CableAt(i, s.y.Kin, s.st)
	if err != nil {
		return fault.Errorf("linear: %w", err)
	}
	bodies, element := s.mech.Cable(i)
	r := &multiRow{bodies: bodies, v: make([]float64, 6*len(bodies)), rate: make([]float64, 6*len(bodies))}
	s.mech.CableGradientTo(r.v, i, s.y.Kin, s.st)
	before := s.filled()
	s.mech.CableLines(i, s.y.Kin, s.st, func(from, to *mechanism.CablePoint) {
		l := link{body: [2]int32{from.Body, to.Body}, arm: [2]spatial.Vec3{from.Arm, to.Arm}, line: from.Line, tension: c.Tension}
		if from.Body == to.Body {
			return
		}
		s.fillLink(&l)
		n := l.line.Scale(1 / l.line.Norm())
		for _, b := range l.body {
			s.addLoadSize(b, spatial.Vec3{}, n.Scale(c.Tension))
		}
		if c.Damping == 0 || s.rest {
			return
		}
		var rate [12]float64
		s.linkRate(&rate, &l, n, l.line.Norm())
		for e, b := range l.body {
			if at, found := slices.BinarySearch(bodies, b); found { // the world is not found
				for k := range 6 {
					r.rate[6*at+k] += rate[6*e+k]
				}
			}
		}
	})
	for _, b := range bodies {
		s.addRounding(b, 0, c.Stiffness*(c.Length+s.mech.Forces[element].RestLength))
	}
	if c.Stiffness != 0 || c.Damping != 0 {
		s.rows = append(s.rows, r.row(c.Stiffness, c.Damping))
	}
	if !s.finite(before, bodies...) {
		return fault.Errorf("linear: %w", s.mech.AtForce(element, ErrNotFinite))
	}
	return nil
}

// row returns the row of a spring k, N/m, and damper d, N s/m, along r. For up to two bodies it has no far.
func (r *multiRow) row(k, d float64) row {
	out := row{body: [2]int32{mechanism.World, mechanism.World}, k: k, d: d}
	if len(r.bodies) > 2 {
		out.far = r
		return out
	}
	for i, b := range r.bodies {
		out.body[i] = b
		copy(out.v[6*i:6*i+6], r.v[6*i:])
		copy(out.rate[6*i:6*i+6], r.rate[6*i:])
	}
	return out
}
