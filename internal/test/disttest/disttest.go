package disttest

import (
	"fmt"
	"math"
	"slices"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/dist"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// Tol is the largest difference of the accelerations of a distributed solve and of a solve in one process, relative to the largest
// acceleration.
const Tol = 1e-13

// Case is a mechanism of bench.Generate.
type Case struct {
	Family string
	Size   int
	Refine bool // for dist.Options.Refine
}

// Cases returns mechanisms with every kind of graph, with and without redundant rows. Nets of ball joints are
// ill-conditioned. If large is set, it returns larger mechanisms.
func Cases(large bool) []Case {
	if large {
		return []Case{
			{Family: "ladder", Size: 100_000}, {Family: "grid", Size: 100}, {Family: "grid", Size: 300}, {Family: "ball-net", Size: 24}, {Family: "ball-net", Size: 30},
			{Family: "nfourbar", Size: 500}, {Family: "nfourbar", Size: 500, Refine: true}, {Family: "revolute-net", Size: 20}, {Family: "random", Size: 300},
		}
	}
	return []Case{
		{Family: "chain", Size: 60}, {Family: "ladder", Size: 200}, {Family: "grid", Size: 8}, {Family: "nfourbar", Size: 40}, {Family: "ball-net", Size: 8}, {Family: "revolute-net", Size: 5},
		{Family: "tree", Size: 50}, {Family: "random", Size: 40}, {Family: "stewart", Size: 1}, {Family: "scissor", Size: 12}, {Family: "gear-train", Size: 20}, {Family: "belt", Size: 12},
		{Family: "ball-net", Size: 30},
	}
}

// Alone is the solution of one process.
type Alone struct {
	A         []float64 // accelerations, six numbers a body
	Size      float64   // largest magnitude in A
	Redundant int       // number of redundant rows
}

// Solve solves m in one process. It takes the number of redundant rows from a report or, for more than 1e4
// bodies, from the pivots, as the distributed solver does.
func Solve(m *model.Model) (Alone, error) {
	mech, err := mechanism.New(m)
	if err != nil {
		return Alone{}, err
	}
	s := kkt.NewPlan(mech, kkt.Options{}).NewSolver()
	if err := s.Solve(mech.Initial()); err != nil {
		return Alone{}, err
	}
	out := Alone{A: make([]float64, 6*mech.NumBodies())}
	s.AccelerationsTo(out.A)
	for _, x := range out.A {
		out.Size = max(out.Size, math.Abs(x))
	}
	if mech.NumBodies() > 10_000 {
		_, out.Redundant = s.Nearness()
		return out, nil
	}
	r, err := s.Report()
	if err != nil {
		return Alone{}, err
	}
	out.Redundant = r.Redundant
	return out, nil
}

// Compare returns the accelerations of a rank's own bodies, the largest difference from want relative to want.Size, and the body with
// this difference.
func (want *Alone) Compare(p *dist.Plan, s *dist.Solver) (a []float64, off float64, body int64) {
	own := p.Piece().Body[:p.Piece().Own]
	a = make([]float64, 6*len(own))
	s.AccelerationsTo(a)
	for i, b := range own {
		for k := range 6 {
			if d := math.Abs(a[6*i+k]-want.A[6*int(b)+k]) / want.Size; !(d <= off) && off == off { // a NaN stays
				off, body = d, int64(b)
			}
		}
	}
	return a, off, body
}

// SolverOf returns the plan and the solver of a rank's piece.
func SolverOf(c dist.Comm, piece *dist.Piece) (*dist.Plan, *dist.Solver, error) {
	p, err := dist.NewPlanOf(c, piece, dist.Options{})
	if err != nil {
		return nil, nil, err
	}
	s, err := p.NewSolver()
	return p, s, err
}

// Check solves c twice on the ranks of comm. It compares the accelerations of each rank's own bodies and the number of
// redundant rows with the solution of one process. If exact is set, it compares the bits of the second solution with the first. It
// returns the largest difference on this rank, relative to the largest acceleration.
func Check(comm dist.Comm, c Case, o dist.Options, exact bool) (off float64, err error) {
	m, err := bench.Generate(c.Family, c.Size, 1)
	if err != nil {
		return 0, err
	}
	want, err := Solve(m)
	if err = dist.Agree(comm, err); err != nil {
		return 0, err
	}
	o.Refine = c.Refine
	p, err := dist.NewPlan(comm, m, o)
	if err != nil {
		return 0, err
	}
	s, err := p.NewSolver()
	if err != nil {
		return 0, err
	}
	st := p.Mechanism().Initial()
	var first []float64
	for range 2 {
		if err := s.Solve(st); err != nil {
			return 0, err
		}
		a, d, body := want.Compare(p, s)
		if off = max(off, d); !(d <= Tol) {
			err = fmt.Errorf("%s %d: body %d is off by %.2g of %.2g", c.Family, c.Size, body, d, Tol)
		}
		if first != nil && exact && !slices.Equal(first, a) && err == nil {
			err = fmt.Errorf("%s %d: accelerations have other bits the second time", c.Family, c.Size)
		}
		if n := s.Redundant(); n != want.Redundant && err == nil {
			err = fmt.Errorf("%s %d: %d rows are redundant, %d in one process", c.Family, c.Size, n, want.Redundant)
		}
		if err = dist.Agree(comm, err); err != nil {
			return off, err
		}
		first = a
	}
	rows, err := s.RedundantRows()
	if err != nil {
		return off, err
	}
	sum := Sum(comm, float64(len(rows)))
	if int(sum) != want.Redundant {
		err = fmt.Errorf("%s %d: %d redundant rows have names, %d are redundant", c.Family, c.Size, int(sum), want.Redundant)
	}
	if err = dist.Agree(comm, err); err != nil {
		return off, err
	}
	return off, s.Close()
}

// Sum returns, on every rank, the sum of the numbers x of all ranks.
func Sum(c dist.Comm, x float64) float64 {
	v := []float64{x}
	if c.Rank() > 0 {
		c.Send(0, v)
		c.Recv(0, v)
		return v[0]
	}
	sum := x
	for r := 1; r < c.Size(); r++ {
		c.Recv(r, v)
		sum += v[0]
	}
	v[0] = sum
	for r := 1; r < c.Size(); r++ {
		c.Send(r, v)
	}
	return sum
}
