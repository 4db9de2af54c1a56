package dist_test

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/dist"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// alone is what one process finds.
type alone struct {
	a         []float64
	size      float64
	redundant int
}

func solveAlone(t testing.TB, m *model.Model) alone {
	t.Helper()
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	p := kkt.NewPlan(mech, kkt.Options{})
	s := p.NewSolver()
	require.NoError(t, s.Solve(p.Initial()))
	out := alone{a: make([]float64, 6*mech.NumBodies())}
	s.AccelerationsTo(out.a)
	for _, x := range out.a {
		out.size = max(out.size, math.Abs(x))
	}
	r, err := s.Report()
	require.NoError(t, err)
	out.redundant = r.Redundant
	return out
}

// inPieces solves m on n ranks.
func inPieces(t testing.TB, m *model.Model, n int, o dist.Options) (a []float64, weak, rows int) {
	t.Helper()
	a = make([]float64, 6*len(m.Bodies))
	named := make([]int, n)
	err := dist.Run(n, func(c dist.Comm) error {
		p, err := dist.NewPlan(c, m, o)
		if err != nil {
			return err
		}
		s, err := p.NewSolver()
		if err != nil {
			return err
		}
		defer s.Close()
		if err := s.Solve(p.Mechanism().Initial()); err != nil {
			return err
		}
		own := make([]float64, 6*p.Piece().Own)
		s.AccelerationsTo(own)
		for i := range p.Piece().Own {
			copy(a[6*p.Piece().Body[i]:], own[6*i:6*i+6])
		}
		list, err := s.RedundantRows()
		if err != nil {
			return err
		}
		named[c.Rank()] = len(list)
		if c.Rank() == 0 {
			weak = s.Redundant()
		}
		return nil
	})
	require.NoError(t, err)
	for _, k := range named {
		rows += k
	}
	return a, weak, rows
}

// Accelerations are those of one process, and so are redundant rows, for every family and number of ranks.
func TestFamilies(t *testing.T) {
	for _, c := range []struct {
		family string
		n      int
		tol    float64
	}{
		{"chain", 60, 1e-12}, {"ladder", 200, 1e-13}, {"grid", 8, 1e-13}, {"nfourbar", 40, 1e-13}, {"ball-net", 8, 1e-11}, {"revolute-net", 5, 1e-13},
		{"tree", 50, 1e-13}, {"random", 40, 1e-11}, {"stewart", 1, 1e-13}, {"scissor", 12, 1e-11}, {"gear-train", 20, 1e-13}, {"belt", 12, 1e-13},
	} {
		m, err := bench.Generate(c.family, c.n, 1)
		require.NoError(t, err, c.family)
		want := solveAlone(t, m)
		for _, n := range []int{1, 2, 3, 4, 7} {
			t.Run(fmt.Sprintf("%s/%d", c.family, n), func(t *testing.T) {
				a, weak, rows := inPieces(t, m, n, dist.Options{})
				off := 0.0
				for i, x := range a {
					off = max(off, math.Abs(x-want.a[i]))
				}
				t.Logf("off by %.1e, %d redundant", off/want.size, weak)
				assert.LessOrEqual(t, off, c.tol*want.size)
				assert.Equal(t, want.redundant, weak)
				assert.Equal(t, weak, rows)
				again, _, _ := inPieces(t, m, n, dist.Options{Threads: 2})
				assert.Equal(t, a, again, "bits")
			})
		}
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

// A state that is not finite on one rank ends Solve on all, with the body's name where it is; afterwards they solve again.
func TestErrorOfOneRank(t *testing.T) {
	m, err := bench.Generate("ladder", 40, 1)
	require.NoError(t, err)
	require.NoError(t, dist.Run(3, func(c dist.Comm) error {
		s, st, err := solver(c, m)
		if err != nil {
			return err
		}
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
			st.Bodies[0].Omega[1] = 0
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

// Joints that contradict each other are an error with the name of one, as in one process.
func TestInconsistent(t *testing.T) {
	m := &model.Model{Name: "twice driven"}
	for i := range 6 {
		b := model.Body{Name: fmt.Sprint("b", i), Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}}
		b.Pose.Orientation[0] = 1
		b.Pose.Position[0] = float64(i)
		m.Bodies = append(m.Bodies, b)
		for k, rate := range []float64{1, 2} {
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
				j.Motion = []*model.Motion{joints.NewPolynomial([]float64{0, 0, rate})}
			}
			m.Joints = append(m.Joints, j)
		}
	}
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

func mallocs() uint64 {
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.Mallocs
}

// A Solve allocates nothing, and sends no more than what is stated: a ladder below 1 kB a rank, the block of a net below 450 bytes a square of its side.
func TestCosts(t *testing.T) {
	for _, c := range []struct {
		family string
		n, p   int
		bytes  int64
	}{{"ladder", 400, 4, 1000}, {"grid", 20, 4, 450 * 10 * 10}} {
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
				assert.Less(t, n, uint64(100), "allocations of all ranks in 100 evaluations of %s", c.family)
			}
			if comm.Rank() > 0 {
				t.Logf("%s: %d bytes", c.family, s.Sent())
				assert.LessOrEqual(t, s.Sent(), c.bytes)
			}
			return nil
		}))
	}
}
