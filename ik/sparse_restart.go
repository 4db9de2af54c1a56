package ik

import (
	"math"

	"github.com/rung-mbd/rung/internal/pages"
	"github.com/rung-mbd/rung/mechanism"
)

// newPlace allocates a place.
func (s *sparseMethod) newPlace() *sparsePlace {
	return &sparsePlace{
		bodies: pages.Make[mechanism.BodyState](len(s.st.Bodies)), q: make([]float64, len(s.q)),
		status: make([]Status, len(s.ends)), contrary: make([]bool, len(s.contrary)), turned: make([]float64, len(s.turned)),
	}
}

// remember stores the pose at hand in p.
func (s *sparseMethod) remember(p *sparsePlace) {
	copy(p.bodies, s.st.Bodies)
	p.angles = append(p.angles[:0], s.st.Angles...)
	copy(p.q, s.q)
	copy(p.turned, s.turned)
	copy(p.status, s.ends)
	copy(p.contrary, s.contrary)
	p.blocked = s.blocked
}

// returnTo goes to a place.
func (s *sparseMethod) returnTo(p *sparsePlace) {
	copy(s.st.Bodies, p.bodies)
	s.setAngles(p.angles)
	copy(s.q, p.q)
	copy(s.turned, p.turned)
	copy(s.ends, p.status)
	copy(s.contrary, p.contrary)
	s.blocked = p.blocked
	for i := range s.sys.bounds {
		s.sys.bounds[i].side = 0
	}
	s.stand()
}

// left returns the merit of a level, zero where its targets are reached.
func (s *sparseMethod) left(l int) float64 {
	if l < s.p.levels && s.ends[l] == Reached {
		return 0
	}
	return s.meritOf(l, s.e)
}

// starts returns the largest number of further starts.
func (s *sparseMethod) starts(*Options) int {
	if s.home == nil {
		return 0
	}
	return s.o.Restarts
}

// around knows no other way.
func (s *sparseMethod) around() bool { return false }

func (s *sparseMethod) keep() {
	if s.best != nil {
		s.remember(s.best)
	}
}

// finish goes to the best pose if there may have been several.
func (s *sparseMethod) finish(again bool) bool {
	if again {
		s.returnTo(s.best)
	}
	return false
}

// collect is not called: the method has no option all.
func (s *sparseMethod) collect(list [][]float64) [][]float64 { return list }

const (
	// scatterTurn is the standard deviation of the random rotation of a body before it is projected on the joints, rad.
	scatterTurn = math.Pi / 2
	// scatterHalves is the number of halvings of a random motion after which loops may not be closed.
	scatterHalves = 4
)

// scatter moves from the start of the call to a random pose. Freedoms with limits get random coordinates between them. The
// rest gets a random motion of all bodies, projected on the motions that the joints allow. It reports whether the joints
// can be closed there.
func (s *sparseMethod) scatter() bool {
	s.returnTo(s.home)
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
