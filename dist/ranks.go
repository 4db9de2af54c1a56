package dist

import (
	"math"

	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
)

// A Solver is the sim.Dynamics of its piece, and as sim.Ranks combines numbers of all ranks for steps with error control.
var (
	_ sim.Dynamics           = (*Solver)(nil)
	_ sim.StabilizedDynamics = (*Solver)(nil)
	_ sim.Gauge              = (*Solver)(nil)
	_ sim.Ranks              = (*Solver)(nil)
)

// Nearness implements sim.Gauge, as kkt.Solver.Nearness does. It returns the root of the least pivot relative to its
// scale, over all rows that are not redundant, and the number of redundant rows; both are the same on all ranks. near is
// infinite if it is not known: if the last Solve has kept all rows, or with a Root that does not know its pivots
// (Root.PivotsTo), such as MUMPS.
func (s *Solver) Nearness() (near float64, redundant int) {
	if s.least == 0 || s.way > kkt.DropWeakest {
		return math.Inf(1), 0
	}
	return math.Sqrt(s.least), s.weak
}

// JointCounts reports whether joint j counts on this rank. A joint between two ranks counts on the lower one.
func (p *Plan) JointCounts(j int) bool { return p.lowest(&p.mech.Joints[j]) == p.comm.Rank() }

// JointCounts implements sim.Ranks (Plan.JointCounts).
func (s *Solver) JointCounts(j int) bool { return s.plan.JointCounts(j) }

// lowest returns the lower of the ranks of a joint's bodies.
func (p *Plan) lowest(jt *mechanism.Joint) int {
	switch {
	case jt.Pred < 0:
		return p.rankOf(jt.Succ)
	case jt.Succ < 0:
		return p.rankOf(jt.Pred)
	}
	return min(p.rankOf(jt.Pred), p.rankOf(jt.Succ))
}

// TypicalLength implements sim.Ranks: it is the typical length of the whole mechanism, m.
func (s *Solver) TypicalLength() float64 { return s.plan.typical }

// Largest implements sim.Ranks: it makes each number of v the largest of all ranks. All ranks call it together.
//
// Cost: two messages a rank; allocates only if v is longer than in earlier calls.
func (s *Solver) Largest(v []float64) {
	s.fold(v, func(a, b float64) float64 { return max(a, b) }) // a NaN stays
}

// Sum makes each number of v the sum over all ranks, added up in the order of the ranks. All ranks call it together.
//
// Cost: as Largest.
func (s *Solver) Sum(v []float64) {
	s.fold(v, func(a, b float64) float64 { return a + b })
}

// fold combines each number of v over all ranks by the function with, in the order of the ranks. All ranks get the result.
func (s *Solver) fold(v []float64, with func(a, b float64) float64) {
	c := s.comm
	if c.Rank() > 0 {
		c.Send(0, v)
		c.Recv(0, v)
		return
	}
	if cap(s.folded) < len(v) {
		s.folded = make([]float64, len(v))
	}
	w := s.folded[:len(v)]
	for r := 1; r < c.Size(); r++ {
		c.Recv(r, w)
		for i, x := range w {
			v[i] = with(v[i], x)
		}
	}
	for r := 1; r < c.Size(); r++ {
		c.Send(r, v)
	}
}

// Agree implements sim.Ranks by the function Agree.
func (s *Solver) Agree(err error) error { return Agree(s.comm, err) }

// measure computes p.typical, mechanism.Mechanism.TypicalLength of the whole mechanism. All ranks call it together.
func (p *Plan) measure() {
	squares := make([]float64, p.mech.NumBodies())
	p.mech.SquareLengthsTo(squares)
	sum := 0.0
	for _, l2 := range squares[:p.piece.Own] { // the piece has all joints of its own bodies
		sum += l2
	}
	lists := gatherLists(p.comm, []float64{sum, float64(p.piece.Own)})
	typical := []float64{1}
	if p.comm.Rank() == 0 {
		all, n := 0.0, 0.0
		for _, l := range lists {
			all, n = all+l[0], n+l[1]
		}
		if n > 0 {
			typical[0] = math.Sqrt(all / n)
		}
	}
	p.typical = same(p.comm, typical)[0]
}
