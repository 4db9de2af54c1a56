package linear

import (
	"slices"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/springs"
)

// fillBushing adds bushing i as the stiffness and damping of a pair, from the exact derivatives of its wrenches,
// docs/springs.md (E6), (E7). The angular velocities ω change by φ̇ + φ×ω along a displacement, as everywhere (S1).
func (s *System) fillBushing(i int) error {
	var b mechanism.BushingState
	if err := s.mech.BushingAt(&b, i, s.y.Kin, s.st); err != nil {
		return fault.Errorf("linear: %w", err)
	}
	body, K, D, element := s.mech.Bushing(i)
	p := pair{body: body, joint: -1, C: new([144]float64)}
	stress := b.Stress
	for k := range stress {
		stress[k] = -stress[k] // which does the work
	}
	var w [2]spatial.Force
	b.WrenchTo(&w[0], &w[1], &stress)
	for e, n := range body {
		s.note(n, w[e].Moment().Add(b.Arm[e].Cross(w[e].Linear())), w[e].Linear())
	}
	for c := range 12 {
		e := c / 6
		if body[e] < 0 {
			continue
		}
		var turn, travel spatial.Vec3
		if c%6 < 3 {
			turn[c%3] = 1
		} else {
			travel[c%3] = 1
		}
		s.bendBushing(&p, c, &b, K, D, &stress, &w, turn, travel)
	}
	if !algebra.AllFinite(p.K[:]...) || !algebra.AllFinite(p.C[:]...) {
		return fault.Errorf("linear: %w", s.mech.AtForce(element, ErrNotFinite))
	}
	s.pairs = append(s.pairs, p)
	return nil
}

// bendBushing stores column c of a pair: the changes of the forces for a displacement of one end, and for a velocity.
func (s *System) bendBushing(p *pair, c int, b *mechanism.BushingState, K, D *springs.Matrix, stress *[6]float64, w *[2]spatial.Force, turn, travel spatial.Vec3) {
	e := c / 6
	arm, sign := b.Arm[e], float64(2*e-1)
	move := springs.Twist{Line: travel.Add(turn.Cross(arm)).Scale(sign)}
	if e == 0 {
		move.A = turn
	} else {
		move.B = turn
	}
	bent := b.Bend(&move)
	dx := bent.X()
	var rate, ds, damping, none [6]float64
	var change [2]spatial.Force
	if !s.rest {
		var u [6]float64
		s.velocity(u[:], p.body[e])
		omega := spatial.Vec3(u[:3])
		line := turn.Cross(omega.Cross(arm)).Scale(sign)
		bent.RateTo(&rate, &b.Twist, &line)
		spin := springs.Twist{}
		if e == 0 {
			spin.A = turn.Cross(omega)
		} else {
			spin.B = turn.Cross(omega)
		}
		var more [6]float64
		b.RateTo(&more, &spin)
		for k := range rate {
			rate[k] += more[k]
		}
	}
	K.MulTo(&ds, &dx)
	D.MulTo(&damping, &rate)
	for k := range ds {
		ds[k] = -ds[k] - damping[k]
	}
	bent.WrenchTo(&change[0], &change[1], stress, &ds)
	for n := range 2 {
		moment := change[n].Moment().Add(b.Arm[n].Cross(change[n].Linear()))
		if n == e {
			moment = moment.Add(turn.Cross(arm).Cross(w[n].Linear()))
		}
		storeColumn(&p.K, n, c, moment, change[n].Linear())
	}
	b.RateTo(&rate, &move)
	D.MulTo(&damping, &rate)
	for k := range none {
		damping[k] = -damping[k]
	}
	b.WrenchTo(&change[0], &change[1], &damping)
	for n := range 2 {
		storeColumn(p.C, n, c, change[n].Moment().Add(b.Arm[n].Cross(change[n].Linear())), change[n].Linear())
	}
}

// storeColumn stores the change of the force on end n as column c of a stiffness.
func storeColumn(A *[144]float64, n, c int, moment, force spatial.Vec3) {
	for k := range 3 {
		A[12*(6*n+k)+c], A[12*(6*n+3+k)+c] = -moment[k], -force[k]
	}
}

// reach is what a row over more than two bodies has in place of its body, v and rate.
type reach struct {
	bodies  []int32 // increasing
	v, rate []float64
}

// along returns the product of the row a, as v or rate of r, with x.
func (r *reach) along(a, x []float64) (sum float64) {
	for i, b := range r.bodies {
		for k, t := range a[6*i : 6*i+6] {
			sum += t * x[6*int(b)+k]
		}
	}
	return sum
}

// addTo adds t·v to dst.
func (r *reach) addTo(dst []float64, t float64) {
	for i, b := range r.bodies {
		for k, v := range r.v[6*i : 6*i+6] {
			dst[6*int(b)+k] += t * v
		}
	}
}

// fillCable adds cable i: a row over all its bodies along which its length
// changes, and each of its straight parts as a link with a given tension.
func (s *System) fillCable(i int) error {
	c, err := s.mech.CableAt(i, s.y.Kin, s.st)
	if err != nil {
		return fault.Errorf("linear: %w", err)
	}
	bodies, element := s.mech.Cable(i)
	r := &reach{bodies: bodies, v: make([]float64, 6*len(bodies)), rate: make([]float64, 6*len(bodies))}
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
			s.note(b, spatial.Vec3{}, n.Scale(c.Tension))
		}
		if c.Damping == 0 || s.rest {
			return
		}
		var rate [12]float64
		s.linkRate(&rate, &l, n, l.line.Norm())
		for e, b := range l.body {
			if at, found := slices.BinarySearch(bodies, b); found { // else the world
				for k := range 6 {
					r.rate[6*at+k] += rate[6*e+k]
				}
			}
		}
	})
	for _, b := range bodies {
		s.noteRounding(b, 0, c.Stiffness*(c.Length+s.mech.Forces[element].RestLength))
	}
	if c.Stiffness != 0 || c.Damping != 0 {
		s.rows = append(s.rows, r.row(c.Stiffness, c.Damping))
	}
	if !s.finite(before, bodies...) {
		return fault.Errorf("linear: %w", s.mech.AtForce(element, ErrNotFinite))
	}
	return nil
}

// row returns the row of a spring and damper along r.
func (r *reach) row(k, d float64) row {
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
