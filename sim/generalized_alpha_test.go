package sim_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
)

// implicit is a mechanism with what an implicit method needs.
type implicit struct {
	*rig
	plan *kkt.Plan
	dyn  *motion.Newton
}

func newImplicit(t testing.TB, m *model.Model) *implicit {
	t.Helper()
	return newImplicitOn(t, m, 1)
}

func newImplicitOn(t testing.TB, m *model.Model, threads int) *implicit {
	t.Helper()
	p, err := rung.NewPlan(m, kkt.Options{Threads: threads})
	require.NoError(t, err)
	d := motion.NewNewton(p)
	return &implicit{&rig{p.Mechanism(), d, d}, p, d}
}

func (r *implicit) alpha(o sim.GeneralizedAlphaOptions) *sim.GeneralizedAlpha {
	return sim.NewGeneralizedAlpha(r.mech, r.dyn, o)
}

// run makes a simulation by generalized-α from the model's state.
func (r *implicit) run(o sim.GeneralizedAlphaOptions, s sim.Options) (*sim.GeneralizedAlpha, *sim.Simulation) {
	o.Fixed = s.Step > 0
	k := r.alpha(o)
	return k, sim.New(r.mech, k, r.mech.Initial(), s)
}

// alone are options that leave it to the method to meet the joints.
func alone(step float64) sim.Options {
	return sim.Options{Projector: sim.NoProjector, Step: step, Drift: sim.Drift{Position: 1, Velocity: 1}}
}

// exactly returns the state at a time by the tightest tolerance of Dormand and Prince.
func (r *rig) exactly(t testing.TB, until float64, closed bool) *mechanism.State {
	t.Helper()
	s := r.simulate(sim.DormandPrince(), selfTol, sim.Options{Projector: r.proj, CloseStages: closed})
	require.NoError(t, s.Run(until))
	return s.State()
}

// difference returns the largest difference of two vectors.
func difference(a, b []float64) (d float64) {
	for i := range a {
		d = max(d, math.Abs(a[i]-b[i]))
	}
	return d
}

// poseDistance returns the largest difference of two states in rotation and position.
func poseDistance(a, b *mechanism.State) (d float64) {
	for i := range a.Bodies {
		x, y := &a.Bodies[i], &b.Bodies[i]
		d = max(d, x.Rotation.Mul(y.Rotation.Conj()).Log().Norm(), x.Position.Sub(y.Position).Norm())
	}
	return d
}

const (
	// implicitDrift is the drift of a step whose position errors have the size of
	// rounding, and of its projected velocities, m and rad (m/s and rad/s).
	implicitPosition, implicitVelocity = 1e-12, 1e-11
	// alphaSlack is how far a measured order may stay behind at the smallest step.
	alphaSlack = 0.15
)

// ordersOf requires the order 2 of errors at steps that halve.
func ordersOf(t *testing.T, what string, e [4]float64) {
	t.Helper()
	a, b := math.Log2(e[1]/e[2]), math.Log2(e[2]/e[3])
	t.Logf("%-10s errors %.3g, orders %.2f %.2f", what, e, a, b)
	assert.Greater(t, b, 2-alphaSlack, "%s: errors %v", what, e)
}

// alphaProblem is a motion in a number of steps, which is doubled three times.
type alphaProblem struct {
	name   string
	model  *model.Model
	steps  int
	until  float64
	closed bool // the stages of the reference have to be closed
	unique bool // multipliers are
}

func alphaProblems(t testing.TB) []alphaProblem {
	get := func(name string) *model.Model { return open(t, "golden", name+".model.json") }
	return []alphaProblem{
		{"free top", freeTop(), 80, 2, false, true},
		{"pendulum", get("pendulum"), 40, 1, false, true},
		{"heavy top", get("spinning-top"), 160, 0.5, false, true},
		{"bricard", get("bricard-6r"), 80, 1, true, false},
		{"driven", get("driven-mixed"), 40, 0.2, false, false},
		{"stewart", get("stewart-6ups"), 40, 0.3, false, false},
	}
}

// TestAlphaOrder measures the orders of poses, velocities, accelerations and multipliers at
// the end of a motion with fixed steps, without any projection from outside. Accelerations tell
// what the constraint forces are, where multipliers are not unique.
func TestAlphaOrder(t *testing.T) {
	check.Long(t)
	for _, p := range alphaProblems(t) {
		r := newImplicit(t, p.model)
		exact := r.exactly(t, p.until, p.closed)
		u, lambda := r.indexOne(t, exact)
		rhos := []float64{0, 0.9, 0.8}
		for _, rho := range rhos {
			t.Run(fmt.Sprintf("%s/rho=%v", p.name, rho), func(t *testing.T) {
				var pose, all, acc, force [4]float64
				for i := range pose {
					k, s := r.run(sim.GeneralizedAlphaOptions{Rho: rho, Annihilate: rho == 0}, alone(p.until/float64(p.steps<<i)))
					require.NoError(t, s.Run(p.until))
					pose[i], all[i] = poseDistance(s.State(), exact), distance(s.State(), exact)
					acc[i], force[i] = difference(k.Accelerations(), u), difference(lambda, k.Multipliers())
					worst := s.Stats().Worst
					assert.Less(t, worst.Position, implicitPosition)
					assert.Less(t, worst.Velocity, implicitVelocity)
					assert.Zero(t, s.Stats().Projections)
				}
				ordersOf(t, "pose", pose)
				ordersOf(t, "velocity", all)
				ordersOf(t, "u", acc)
				if p.unique && len(lambda) > 0 {
					ordersOf(t, "lambda", force)
				}
			})
		}
	}
}

// indexOne returns accelerations and multipliers of the joints at a state by the solver of the
// index-1 equations.
func (r *implicit) indexOne(t testing.TB, st *mechanism.State) (u, lambda []float64) {
	t.Helper()
	s := r.plan.NewSolver()
	require.NoError(t, s.Solve(st))
	u = make([]float64, 6*len(st.Bodies))
	s.AccelerationsTo(u)
	for j := range r.mech.Joints {
		var l [6]float64
		n := s.Reactions().MultipliersTo(&l, j)
		first, rows := r.dyn.RowsOf(j)
		require.Equal(t, n, rows)
		require.Equal(t, len(lambda), first)
		lambda = append(lambda, l[:n]...)
	}
	return u, lambda
}

// TestAlphaMultipliersFromTheStart measures the largest error of accelerations and multipliers
// over all steps, the first ones included, with steps whose lengths change. A wrong start of
// a or of the velocities, and one that is not moved with the step, makes an error of
// order 1.
func TestAlphaMultipliersFromTheStart(t *testing.T) {
	check.Long(t)
	pattern := []float64{1, 1, 0.6, 1.5, 0.8, 1.2, 0.4, 1.3}
	for _, p := range alphaProblems(t) {
		if p.name == "free top" {
			continue // no joints
		}
		t.Run(p.name, func(t *testing.T) {
			r := newImplicit(t, p.model)
			var acc, force [4]float64
			for i := range acc {
				k := r.alpha(sim.GeneralizedAlphaOptions{Rho: 0.9})
				st := r.mech.Initial()
				h := p.until / float64(p.steps<<i)
				for n := range p.steps << i / 2 {
					_, err := k.Try(st, st.Time+h*pattern[n%len(pattern)])
					require.NoError(t, err)
					k.AtTo(st, 1)
					require.NoError(t, k.Lead(st, false))
					k.Accept()
					u, lambda := r.indexOne(t, st)
					acc[i], force[i] = max(acc[i], difference(k.Accelerations(), u)), max(force[i], difference(lambda, k.Multipliers()))
				}
			}
			ordersOf(t, "u", acc)
			if p.unique {
				ordersOf(t, "lambda", force)
			}
		})
	}
}
