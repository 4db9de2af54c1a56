package batch_test

import (
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/batch"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/dd"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// agreeTol is the largest difference between a batch and the solver in the solver's own measure (factor.Refinement):
// the norm of a body's part in mass-weighted coordinates, relative to the largest of the state, or to what it would
// be but for cancellation.
const agreeTol = 1e-12

// number of states of each model: RUNG_BATCH_STATES, or few.
func number(t testing.TB) int {
	if text := os.Getenv("RUNG_BATCH_STATES"); text != "" {
		n, err := strconv.Atoi(text)
		require.NoError(t, err)
		return n
	}
	if testing.Short() {
		return 40
	}
	return 200
}

// agreement is what agree has found.
type agreement struct {
	worst     float64 // largest difference
	at        int     // state of it
	single    int     // states solved one by one
	failed    int     // states that both refuse, in the same words
	redundant int     // states with redundant rows, as many by both
}

// agree solves states both ways. It requires the same errors, the same numbers of redundant rows and the same
// accelerations.
func agree(t *testing.T, p *kkt.Plan, list []*mechanism.State, o batch.Options) (out agreement) {
	b, err := batch.New(p, o)
	require.NoError(t, err)
	s, r := b.NewStates(len(list)), b.NewResults(len(list))
	for i, st := range list {
		s.Set(i, st)
	}
	b.Solve(s, r)
	out.single = len(r.OneByOne())
	solver, c := p.NewSolver(), newComparison(p)
	for i, st := range list {
		err := solver.Solve(st)
		require.Equal(t, err == nil, r.Error(i) == nil, "state %d: %v, %v", i, err, r.Error(i))
		if err != nil {
			require.Equal(t, err.Error(), r.Error(i).Error())
			out.failed++
			continue
		}
		_, redundant := solver.Nearness()
		require.Equal(t, redundant, r.Redundant(i), "state %d", i)
		if redundant > 0 {
			out.redundant++
		}
		r.To(c.got, i)
		d := c.difference(t, solver, st)
		require.LessOrEqual(t, d, agreeTol, "state %d", i)
		if d >= out.worst {
			out.worst, out.at = d, i
		}
	}
	return out
}

// comparison holds accelerations against those of a solver.
type comparison struct {
	y         *assemble.Weighted
	got, want []float64
}

func newComparison(p *kkt.Plan) *comparison {
	n := 6 * p.Mechanism().NumBodies()
	return &comparison{p.Layout().NewWeighted(), make([]float64, n), make([]float64, n)}
}

// difference returns the largest difference of c.got from the accelerations of a solver at st, in its measure.
func (c *comparison) difference(t testing.TB, solver *kkt.Solver, st *mechanism.State) (most float64) {
	solver.AccelerationsTo(c.want)
	require.NoError(t, c.y.FillTo(st))
	c.y.WeighTo(c.got, c.got)
	c.y.WeighTo(c.want, c.want)
	return farthest(c.got, c.want) / solver.Refinement().Size
}

// farthest returns the largest norm of a body's part of a − b.
func farthest(a, b []float64) (most float64) {
	for i := 0; i < len(a); i += 6 {
		d := 0.0
		for k := i; k < i+6; k++ {
			d += (a[k] - b[k]) * (a[k] - b[k])
		}
		most = math.Max(most, math.Sqrt(d))
	}
	return most
}

// TestAgreesWithSolver: a batch gives the solver's accelerations, redundant rows and errors at random closed states
// of all reference models.
func TestAgreesWithSolver(t *testing.T) {
	plans := references(t)
	for i, name := range check.Some(slices.Sorted(maps.Keys(plans)), 5) {
		t.Run(name, func(t *testing.T) {
			p := plans[name]
			n := max(8, number(t)/max(1, p.Mechanism().NumBodies()/10))
			list := someStates(t, p, n, uint64(i), 0.8)
			x := agree(t, p, list, batch.Options{})
			b, err := batch.New(p, batch.Options{})
			require.NoError(t, err)
			t.Logf("| %s | %d | %.1e | %d | %d | %d | %v %s", name, n, x.worst, x.redundant, x.failed, x.single, b.Scalar(), b.OneByOne())
		})
	}
}

// TestRedundantInLanes: mechanisms as engineers draw them, with pins of two hinges, plates and planar loops, stay in lanes, whatever
// pivots rounding leaves of their redundant rows. Closed states satisfy spare rows far better than they have to.
func TestRedundantInLanes(t *testing.T) {
	const rounding = 2e-13 // of spare rows, relative to their terms; they may be off by 1e-12
	for family, n := range map[string]int{"scissor": 10, "hoberman": 20, "hoberman-sphere": 1, "miura": 3, "excavator": 4, "delta": 5, "jansen": 6, "biped": 1} {
		t.Run(family, func(t *testing.T) {
			p := member(t, family, n)
			list := append(someStates(t, p, check.Few(63, 15), 1, 1e-3), p.Initial())
			x := agree(t, p, list, batch.Options{})
			solver := p.NewSolver()
			for i, st := range list {
				require.NoError(t, solver.Solve(st))
				require.Equal(t, kkt.DropWeak, solver.Route().Way, "state %d", i)
				require.LessOrEqual(t, solver.Inconsistency(), rounding, "state %d", i)
			}
			require.Zero(t, x.single)
			require.Equal(t, len(list), x.redundant)
		})
	}
}

// member returns the plan of a member of a family.
func member(t testing.TB, family string, n int) *kkt.Plan {
	t.Helper()
	p, err := rung.NewPlan(generate(t, family, n), kkt.Options{})
	require.NoError(t, err)
	return p
}

// TestNearlyParallel: two rods that end at one point, at an angle at which the pivot of the second passes for that of a
// redundant row, to rounding and beyond it. Lanes and solver count the same rows, and find the same accelerations.
func TestNearlyParallel(t *testing.T) {
	d, err := bodies.New(2, spatial.Vec3{0.01, 0.02, 0.03}, spatial.Sym3{0.1, 0.12, 0.15})
	require.NoError(t, err)
	lanes, alone, weak := 0, 0, 0
	for _, angle := range []float64{1e-2, 1e-3, 1e-4, 5e-5, 3.5e-5, 3.2e-5, 3e-5, 1e-5, 1e-6, 3e-7, 1e-7, 1e-8, 0} {
		b := rung.NewBuilder("rods")
		body := b.Body("body", d, rung.At(1, 0, 0))
		s, c := math.Sincos(angle)
		b.Distance("one", rung.World, body, spatial.Vec3{}, spatial.Vec3{1, 0, 0})
		b.Distance("other", rung.World, body, spatial.Vec3{1 - c, s, 0}, spatial.Vec3{1, 0, 0})
		m, err := b.Model()
		require.NoError(t, err)
		p, err := rung.NewPlan(m, kkt.Options{})
		require.NoError(t, err)
		st := p.Initial()
		st.Bodies[0].Omega = spatial.Vec3{0.3, 0, 0}
		x := agree(t, p, []*mechanism.State{st}, batch.Options{})
		alone += x.single
		lanes += 1 - x.single
		weak += x.redundant
	}
	require.Positive(t, lanes)
	require.Positive(t, alone)
	require.Positive(t, weak)
}

// TestNearTheTruth: batch and solver are both near the solution with twice the digits, in the states in which they
// differ most. So neither stops at a first solution that is worse than it looks.
func TestNearTheTruth(t *testing.T) {
	const exactTol = 5e-13 // half of agreeTol
	for _, name := range []string{"random-10", "random-10-far", "driven-mixed", "type-cylindrical"} {
		p := golden(t, name)
		n := 60
		if !testing.Short() {
			n = 1000
		}
		list := someStates(t, p, n, 17, 0.8)
		x := agree(t, p, list, batch.Options{})
		_, _, r := solved(t, p, list[x.at:x.at+1], batch.Options{})
		solver, c := p.NewSolver(), newComparison(p)
		require.NoError(t, solver.Solve(list[x.at]))
		r.To(c.got, 0)
		c.difference(t, solver, list[x.at])
		truth := precisely(t, p, list[x.at])
		size := solver.Refinement().Size
		of, ofSolver := farthest(c.got, truth)/size, farthest(c.want, truth)/size
		t.Logf("%s: they differ by %.1e; batch is off by %.1e, solver by %.1e", name, x.worst, of, ofSolver)
		require.LessOrEqual(t, of, exactTol, name)
		require.LessOrEqual(t, ofSolver, exactTol, name)
	}
}

// precisely returns the accelerations at st in mass-weighted coordinates, from a system that is assembled, factored,
// solved and refined with twice the digits.
func precisely(t testing.TB, p *kkt.Plan, st *mechanism.State) []float64 {
	const tau = 1e-20 // of pivots of redundant rows; there are none in these models
	q := p.Dynamics()
	y, f := q.Layout().NewPrecise(), factor.NewPrecise(q.Layout().Pattern, q.Order())
	require.NoError(t, y.FillTo(st))
	require.NoError(t, f.Factorize(y.Values, y.Scale, tau))
	x, r := make([]dd.Num, len(y.Right)), make([]dd.Num, len(y.Right))
	f.SolveTo(x, y.Right)
	f.ResidualTo(r, y.Right, x)
	f.SolveTo(r, r)
	out := make([]float64, 6*p.Mechanism().NumBodies())
	for i := range out {
		out[i] = dd.Add(x[i], r[i]).Hi
	}
	return out
}
