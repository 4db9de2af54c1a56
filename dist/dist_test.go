//rung:race
package dist_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/dist"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/disttest"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// Accelerations are those of one process, and so are redundant rows, for every family and number of ranks, with the
// same bits each time and for any number of threads. RUNG_LARGE=1 takes larger sizes.
func TestFamilies(t *testing.T) {
	cases := disttest.Cases(os.Getenv("RUNG_LARGE") != "")
	if testing.Short() {
		cases = check.Some(cases[1:], 2) // a ladder and others, most of them with redundant rows
	}
	for _, c := range cases {
		for _, n := range check.Few([]int{1, 2, 3, 4, 7}, []int{3}) {
			t.Run(fmt.Sprintf("%s-%d/%d", c.Family, c.Size, n), func(t *testing.T) {
				off := make([]float64, n)
				require.NoError(t, dist.Run(n, func(comm dist.Comm) (err error) {
					off[comm.Rank()], err = disttest.Check(comm, c, dist.Options{Threads: 1 + n%2}, true)
					return err
				}))
				t.Logf("off by %.1e", slices.Max(off))
			})
		}
	}
}

// moreCorrections bounds those of a net with nearly dependent rows over the corrections of one process. Both hang on the rounding of the
// processor's kernels: 8 to 13 on 1 to 7 ranks. Corrections that are added as they are, without θ, are 24 to 29.
const moreCorrections = 1.5

// Corrections with twice the digits take as few steps as in one process.
func TestCorrections(t *testing.T) {
	m, err := bench.Generate("ball-net", 30, 1)
	require.NoError(t, err)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	alone := kkt.NewPlan(mech, kkt.Options{}).NewSolver()
	require.NoError(t, alone.Solve(mech.Initial()))
	most := int(moreCorrections * float64(alone.Refinement().Steps))
	for _, n := range check.Few([]int{1, 2, 3, 4, 7}, []int{3}) {
		require.NoError(t, dist.Run(n, func(c dist.Comm) error {
			p, err := dist.NewPlan(c, m, dist.Options{})
			if err != nil {
				return err
			}
			s, err := p.NewSolver()
			if err != nil {
				return err
			}
			for range 2 { // nothing is left of the steps of the first solution
				if err := s.Solve(p.Mechanism().Initial()); err != nil {
					return err
				}
				assert.LessOrEqual(t, s.Steps(), most, "%d ranks", n)
				assert.Greater(t, s.Steps(), 3, "%d ranks", n)
			}
			return s.Close()
		}))
	}
}

// The error of one rank is that of all, and names the rank on the others; who panics ends all.
func TestErrors(t *testing.T) {
	bad := errors.New("bad luck")
	errs := make([]error, 3)
	require.NoError(t, dist.Run(3, func(c dist.Comm) error {
		var own error
		if c.Rank() == 1 {
			own = bad
		}
		errs[c.Rank()] = dist.Agree(c, own)
		return dist.Agree(c, nil)
	}))
	assert.Equal(t, bad, errs[1])
	for _, r := range []int{0, 2} {
		var e *dist.RankError
		require.ErrorAs(t, errs[r], &e)
		assert.Equal(t, dist.RankError{Rank: 1, Text: "bad luck"}, *e)
		assert.Equal(t, "dist: rank 1: bad luck", e.Error())
	}
	err := dist.Run(3, func(c dist.Comm) error {
		if c.Rank() == 2 {
			panic("oh")
		}
		c.Recv((c.Rank()+1)%3, make([]float64, 1)) // never comes
		return nil
	})
	require.ErrorContains(t, err, "rank 2: panic: oh")
	assert.Panics(t, func() { _ = dist.Run(0, nil) })
}

// A state that is not finite on one rank ends Solve on all, with the body's name where it is; afterwards they solve
// again.
func TestErrorOfOneRank(t *testing.T) {
	m, err := bench.Generate("ladder", 40, 1)
	require.NoError(t, err)
	require.NoError(t, dist.Run(3, func(c dist.Comm) error {
		s, st, err := solver(c, m)
		if err != nil {
			return err
		}
		was := st.Bodies[0].Omega[1]
		if c.Rank() == 2 {
			st.Bodies[0].Omega[1] = math.NaN()
		}
		err = s.Solve(st)
		if c.Rank() == 2 {
			assert.ErrorIs(t, err, mechanism.ErrNotFinite)
		} else {
			var e *dist.RankError
			assert.ErrorAs(t, err, &e)
			assert.Equal(t, 2, e.Rank)
		}
		assert.Panics(t, func() { s.Redundant() })
		if c.Rank() == 2 {
			st.Bodies[0].Omega[1] = was
		}
		return s.Solve(st)
	}))
}

func solver(c dist.Comm, m *model.Model) (*dist.Solver, *mechanism.State, error) {
	p, err := dist.NewPlan(c, m, dist.Options{})
	if err != nil {
		return nil, nil, err
	}
	s, err := p.NewSolver()
	return s, p.Mechanism().Initial(), err
}

// twiceDriven is a row of sliding bodies whose fourth slider is there twice, with accelerations of 2 and 2·rate.
func twiceDriven(rate float64) *model.Model {
	m := &model.Model{Name: "twice driven"}
	for i := range 6 {
		b := model.Body{Name: fmt.Sprint("b", i), Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}}
		b.Pose.Orientation[0] = 1
		b.Pose.Position[0] = float64(i)
		m.Bodies = append(m.Bodies, b)
		for k, c := range []float64{1, rate} {
			if k == 1 && i != 3 {
				continue
			}
			j := model.Joint{Name: fmt.Sprintf("j%d.%d", i, k), Type: model.Prismatic, Predecessor: model.World, Successor: b.Name}
			if i > 0 {
				j.Predecessor = fmt.Sprint("b", i-1)
			}
			j.PredecessorFrame.Orientation[0], j.SuccessorFrame.Orientation[0] = 1, 1
			if i > 0 {
				j.PredecessorFrame.Position[0] = 1
			}
			if i == 3 {
				j.Motion = []*model.Motion{joints.NewPolynomial([]float64{0, 0, c})}
			}
			m.Joints = append(m.Joints, j)
		}
	}
	return m
}

// Joints that contradict each other are an error with the name of one, as in one process.
func TestInconsistent(t *testing.T) {
	m := twiceDriven(2)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	alone := kkt.NewPlan(mech, kkt.Options{}).NewSolver().Solve(mech.Initial())
	require.ErrorIs(t, alone, kkt.ErrInconsistent)
	for n := 1; n <= 4; n++ {
		found := 0
		require.NoError(t, dist.Run(n, func(c dist.Comm) error {
			s, st, err := solver(c, m)
			if err != nil {
				return err
			}
			err = s.Solve(st)
			assert.Error(t, err)
			if errors.Is(err, kkt.ErrInconsistent) {
				found++ // one rank at most says so itself
				t.Log(n, err)
			}
			return nil
		}))
		assert.Equal(t, 1, found)
	}
}

// Constraints that contradict each other a little are a result, which says how much and where: a row inside a piece by its name.
func TestInconsistencyIsNamed(t *testing.T) {
	for rate, named := range map[float64]bool{1: false, 1 + 1e-12: false, 1 + 1e-9: true} {
		m := twiceDriven(rate)
		for n := 1; n <= 3; n++ {
			require.NoError(t, dist.Run(n, func(c dist.Comm) error {
				s, st, err := solver(c, m)
				if err != nil {
					return err
				}
				if err := s.Solve(st); err != nil {
					return err
				}
				q := s.Quality()
				if !named {
					assert.Less(t, q.Inconsistency, 5e-13)
					assert.Empty(t, q.Worst)
					return nil
				}
				assert.Greater(t, q.Inconsistency, 1e-11)
				if n == 1 {
					assert.Equal(t, "j3.0", q.Worst) // both rows are off by as much
				}
				return nil
			}))
		}
	}
}

// Joints between pieces that contradict each other are an error or a number as in one process, though no piece has a name for
// it.
func TestInconsistencyBetweenPieces(t *testing.T) {
	for _, by := range []float64{1, 1e-3, 1e-5, 1e-9} {
		m := twiceDriven(1 + by)
		mech, err := mechanism.New(m)
		require.NoError(t, err)
		alone := kkt.NewPlan(mech, kkt.Options{}).NewSolver()
		want := alone.Solve(mech.Initial())
		require.NoError(t, dist.Run(2, func(c dist.Comm) error {
			piece, err := dist.Cut(m, []int32{0, 0, 0, 1, 1, 1}, c.Rank())
			if err != nil {
				return err
			}
			p, s, err := disttest.SolverOf(c, piece)
			if err != nil {
				return err
			}
			err = s.Solve(p.Mechanism().Initial())
			assert.Equal(t, errors.Is(want, kkt.ErrInconsistent), err != nil, "by %g: %v", by, err)
			if c.Rank() == 0 && err != nil {
				assert.ErrorIs(t, err, kkt.ErrInconsistent)
			}
			if err != nil {
				return nil
			}
			q := s.Quality()
			// The residual is beside what bodies of one rank make of the row, and not beside its right side.
			assert.InDelta(t, 1, math.Log10(q.Inconsistency/alone.Inconsistency()), 1, "by %g", by)
			assert.Empty(t, q.Worst)
			return nil
		}))
	}
}

// What is not solved in pieces is refused by name on all ranks.
func TestUnsupported(t *testing.T) {
	m, err := bench.Generate("ladder", 20, 1)
	require.NoError(t, err)
	f := model.Friction{Coefficient: 0.1, Radius: 0.01}
	m.Joints[3].Friction = []model.Friction{f, f, f}
	err = dist.Run(2, func(c dist.Comm) error {
		_, err := dist.NewPlan(c, m, dist.Options{})
		return err
	})
	require.ErrorContains(t, err, "friction that grows with the reaction")
}

// With Refine each solution takes a correction, and is the same to rounding.
func TestRefine(t *testing.T) {
	for _, refine := range []bool{false, true} {
		require.NoError(t, dist.Run(3, func(c dist.Comm) error {
			off, err := disttest.Check(c, disttest.Case{Family: "nfourbar", Size: 20, Refine: refine}, dist.Options{}, true)
			if err != nil {
				return err
			}
			assert.LessOrEqual(t, off, 1e-14)
			m, err := bench.Generate("nfourbar", 20, 1)
			if err != nil {
				return err
			}
			p, err := dist.NewPlan(c, m, dist.Options{Refine: refine})
			if err != nil {
				return err
			}
			s, err := p.NewSolver()
			if err != nil {
				return err
			}
			if err := s.Solve(p.Mechanism().Initial()); err != nil {
				return err
			}
			assert.Equal(t, refine, s.Steps() > 0)
			return nil
		}))
	}
}

func mallocs() uint64 {
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.Mallocs
}

// A Solve allocates nothing, and sends no more than what is stated: a ladder below 1 kB a rank, the block of a net
// below 450 bytes a square of its side.
func TestCosts(t *testing.T) {
	check.Long(t)
	for _, c := range []struct {
		family string
		n, p   int
		bytes  int64
	}{{"ladder", 400, 4, 1000}, {"grid", 20, 4, 450 * 10 * 10}, {"grid", 60, 16, 450 * 15 * 15}} {
		m, err := bench.Generate(c.family, c.n, 1)
		require.NoError(t, err)
		require.NoError(t, dist.Run(c.p, func(comm dist.Comm) error {
			s, st, err := solver(comm, m)
			if err != nil {
				return err
			}
			a := make([]float64, 6*len(st.Bodies))
			for range 5 {
				if err := s.Accelerations(a, st); err != nil {
					return err
				}
			}
			require.NoError(t, dist.Agree(comm, nil))
			before := mallocs()
			for range 100 {
				if err := s.Accelerations(a, st); err != nil {
					return err
				}
			}
			if n := mallocs() - before; comm.Rank() == 0 {
				assert.Less(t, n, uint64(25*c.p), "allocations of all ranks in 100 evaluations of %s", c.family) // of buffers on their way
			}
			if comm.Rank() > 0 {
				t.Logf("%s: %d bytes", c.family, s.Sent())
				assert.LessOrEqual(t, s.Sent(), c.bytes)
			}
			return nil
		}))
	}
}

// A ladder of which each rank generates its own part has the accelerations of the whole.
func TestRanges(t *testing.T) {
	const n = 120
	m, err := bench.Generate("ladder", n, 1)
	require.NoError(t, err)
	want, err := disttest.Solve(m)
	require.NoError(t, err)
	for _, ranks := range []int{1, 2, 5} {
		require.NoError(t, dist.Run(ranks, func(c dist.Comm) error {
			part, err := bench.LadderPart(n, 1, c.Rank(), c.Size())
			if err = dist.Agree(c, err); err != nil {
				return err
			}
			piece := dist.Piece(*part)
			p, s, err := disttest.SolverOf(c, &piece)
			if err != nil {
				return err
			}
			a := make([]float64, 6*p.Mechanism().NumBodies())
			if err := s.Accelerations(a, p.Mechanism().Initial()); err != nil {
				return err
			}
			for i, b := range p.Piece().Body { // those of the halo, too
				check.CloseVec(t, a[6*i:6*i+6], want.A[6*b:6*b+6], 1e-13, want.Size, "body %d on rank %d of %d", b, c.Rank(), ranks)
			}
			return nil
		}))
	}
}
