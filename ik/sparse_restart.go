package ik

import (
	"math"

	"github.com/rung-mbd/rung/internal/pages"
	"github.com/rung-mbd/rung/mechanism"
)

// sparsePlace is a pose of the sparse method with what is known of it.
type sparsePlace struct {
	bodies   []mechanism.BodyState
	angles   []float64 // of the state, where couplings count turns
	q, merit []float64 // coordinates; merits by level, zero for reached ones
	turned   []float64
	status   []Status
	contrary []bool
	blocked  error
}

// newPlace allocates a place.
func (s *sparseSolver) newPlace() *sparsePlace {
	return &sparsePlace{
		bodies: pages.Make[mechanism.BodyState](len(s.st.Bodies)), q: make([]float64, len(s.q)), merit: make([]float64, s.levels()),
		status: make([]Status, len(s.status)), contrary: make([]bool, len(s.contrary)), turned: make([]float64, len(s.turned)),
	}
}

// keep stores the pose at hand in p.
func (s *sparseSolver) keep(p *sparsePlace) {
	copy(p.bodies, s.st.Bodies)
	p.angles = append(p.angles[:0], s.st.Angles...)
	copy(p.q, s.q)
	copy(p.turned, s.turned)
	copy(p.status, s.status)
	copy(p.contrary, s.contrary)
	p.blocked = s.blocked
	for l := range p.merit {
		p.merit[l] = s.meritLeft(l)
	}
}

// returnTo goes to a place.
func (s *sparseSolver) returnTo(p *sparsePlace) {
	copy(s.st.Bodies, p.bodies)
	s.setAngles(p.angles)
	copy(s.q, p.q)
	copy(s.turned, p.turned)
	copy(s.status, p.status)
	copy(s.contrary, p.contrary)
	s.blocked = p.blocked
	for i := range s.sys.bounds {
		s.sys.bounds[i].side = 0
	}
	s.stand()
}

// note stores the pose at hand if its hard rows hold.
func (s *sparseSolver) note() {
	if s.tight != nil && s.ajar <= closedTol {
		copy(s.tight, s.st.Bodies)
		s.tightAngles = append(s.tightAngles[:0], s.st.Angles...)
		copy(s.tightQ, s.q)
		copy(s.tightTurned, s.turned)
	}
}

// meritLeft returns the merit of a level, zero where its targets are reached.
func (s *sparseSolver) meritLeft(l int) float64 {
	if l < s.p.levels && s.status[l] == Reached {
		return 0
	}
	return s.meritOf(l, s.e)
}

// reached reports whether all levels are.
func (s *sparseSolver) reached() bool {
	for l := range s.levels() {
		if s.status[l] != Reached {
			return false
		}
	}
	return true
}

// ahead reports whether the pose at hand is better than the best: the first level that differs decides.
func (s *sparseSolver) ahead() bool {
	for l, best := range s.best.merit {
		if m := s.meritLeft(l); m != best {
			return m < best
		}
	}
	return false
}

// search makes further starts at random until one reaches all targets, and ends at the best.
func (s *sparseSolver) search() {
	s.keep(s.best)
	for s.restarts < s.o.Restarts && !s.reached() && !s.over() {
		s.restarts++
		s.returnTo(s.start)
		if !s.scatter() {
			continue
		}
		if s.descend(); s.ahead() {
			s.keep(s.best)
		}
	}
	s.returnTo(s.best)
}

const (
	// scatterTurn is the standard deviation of the random rotation of a body before it is projected on the joints, rad.
	scatterTurn = math.Pi / 2
	// scatterHalves is the number of halvings of a random motion after which loops may not be closed.
	scatterHalves = 4
)

// scatter moves from the start of the call to a random pose. Freedoms with limits get random coordinates between them. The
// rest gets a random motion of all bodies, projected on the motions that the joints allow. It reports whether the joints
// can be closed there.
func (s *sparseSolver) scatter() bool {
	if s.sys.linearize(s.st) != nil {
		return false
	}
	s.setRows(-1, 0)
	for k := range s.sys.rows {
		r := &s.sys.rows[k]
		if r.bound < 0 {
			continue
		}
		b := &s.sys.bounds[r.bound]
		if !b.limited {
			s.sys.set(r, absent, 0)
			continue
		}
		s.sys.set(r, hard, 0)
		i := b.driven
		s.sys.right(r)[0] = b.weight * (s.p.between(i, s.low[i], s.high[i], s.q[i], s.dice) - s.q[i])
	}
	for i := range s.st.Bodies {
		for k := range 3 {
			s.sys.B[6*i+k] = scatterTurn * s.sys.reach * s.dice.NormFloat64()
		}
	}
	if s.sys.factorize() != nil {
		return false
	}
	s.sys.solve(0)
	h := 1.0
	for range scatterHalves {
		if ok, err := s.move(h, -1); ok && err == nil {
			s.accept()
			return s.enter() == nil && s.inside(s.q)
		}
		h /= 2
	}
	return false
}
