package dist_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/dist"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
)

// stepTol is the largest difference between steps of ranks and of one process, relative to the step. Estimates of errors are small
// differences of accelerations, whose rounding they show: another elimination order changes steps of one process by 3e-8.
const stepTol = 1e-6

// tolerance of a step, and first step: estimates are to be far above rounding.
var tolerance = sim.Tolerance{Relative: 1e-6}

const firstStep = 5e-3

// knifeEdge is how near 1, where a step is rejected, estimates must not come, so that rounding decides about no step.
const knifeEdge = 1e-3

// unled and unledRanks hide the size of the nearness of singular poses (sim.Gauge), which is not that of one process: it is the
// least pivot, which depends on the elimination order. On some orders it falls so fast that a step is led to a pose that
// is none, and steps differ from there on. Whether a pose is singular, and how many rows are redundant, is the same on all orders.
type (
	unled      struct{ sim.Gauge }
	unledRanks struct {
		sim.Gauge
		sim.Ranks
	}
)

func (u unled) Nearness() (near float64, redundant int)      { return sizeless(u.Gauge) }
func (u unledRanks) Nearness() (near float64, redundant int) { return sizeless(u.Gauge) }

// sizeless returns the nearness of g with 1 for its size, where it is known.
func sizeless(g sim.Gauge) (near float64, redundant int) {
	near, redundant = g.Nearness()
	if near > 0 && !math.IsInf(near, 1) {
		near = 1
	}
	return near, redundant
}

// watched is a stepper that keeps the least distance of an estimate from 1.
type watched struct {
	*sim.RungeKutta
	edge *float64
}

func (w watched) Try(st *mechanism.State, t float64) (float64, error) {
	e, err := w.RungeKutta.Try(st, t)
	if err == nil {
		*w.edge = min(*w.edge, math.Abs(e-1))
	}
	return e, err
}

// course is the result of a run of some steps: the lengths of the steps, and the final state by body.
type course struct {
	steps []float64
	end   map[int64]mechanism.BodyState
	stats sim.Stats
	edge  float64 // the least distance of an estimate from 1
}

func newCourse() *course { return &course{end: map[int64]mechanism.BodyState{}, edge: math.Inf(1)} }

// stepper returns the Dormand–Prince method, whose estimates c watches.
func (c *course) stepper(mech *mechanism.Mechanism, d sim.Dynamics, tolerance sim.Tolerance) sim.Stepper {
	return watched{sim.NewRungeKutta(mech, d, sim.DormandPrince(), tolerance), &c.edge}
}

// note makes o note the steps in c.
func (c *course) note(o sim.Options) sim.Options {
	last := 0.0
	o.InitialStep = firstStep
	o.OnStep = func(s *sim.Simulation) error {
		c.steps = append(c.steps, s.State().Time-last)
		last = s.State().Time
		return nil
	}
	return o
}

// alone moves m in one process, and is not led over singular poses.
func alone(t *testing.T, m *model.Model, end float64, options func(d *motion.Dynamics) sim.Options) *course {
	t.Helper()
	return aloneTo(t, m, tolerance, false, end, options)
}

func aloneTo(t *testing.T, m *model.Model, tolerance sim.Tolerance, led bool, end float64, options func(d *motion.Dynamics) sim.Options) *course {
	t.Helper()
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	d := motion.NewDynamics(kkt.NewPlan(mech, kkt.Options{}))
	c := newCourse()
	var run sim.Dynamics = d
	if !led {
		run = unled{d}
	}
	s := sim.New(mech, c.stepper(mech, run, tolerance), mech.Initial(), c.note(options(d)))
	require.NoError(t, s.Run(end))
	c.stats = s.Stats()
	for i := range s.State().Bodies {
		c.end[int64(i)] = s.State().Bodies[i]
	}
	return c
}

// together moves m on ranks as alone does, and holds that all of them do the same steps.
func together(t *testing.T, m *model.Model, ranks int, end float64, options func(d *dist.Solver) (sim.Options, error)) *course {
	t.Helper()
	return togetherTo(t, m, tolerance, false, ranks, end, options)
}

func togetherTo(t *testing.T, m *model.Model, tolerance sim.Tolerance, led bool, ranks int, end float64, options func(d *dist.Solver) (sim.Options, error)) *course {
	t.Helper()
	all := make([]*course, ranks)
	require.NoError(t, dist.Run(ranks, func(comm dist.Comm) error {
		p, err := dist.NewPlan(comm, m, dist.Options{})
		if err != nil {
			return err
		}
		d, err := p.NewSolver()
		if err != nil {
			return err
		}
		o, err := options(d)
		if err != nil {
			return err
		}
		c := newCourse()
		all[comm.Rank()] = c
		mech := p.Mechanism()
		var run sim.Dynamics = d
		if !led {
			run = unledRanks{d, d}
		}
		s := sim.New(mech, c.stepper(mech, run, tolerance), mech.Initial(), c.note(o))
		if err := s.Run(end); err != nil {
			return err
		}
		c.stats = s.Stats()
		for i, b := range p.Piece().Body {
			c.end[b] = s.State().Bodies[i]
		}
		return d.Close()
	}))
	whole := all[0]
	for _, c := range all[1:] {
		require.Equal(t, whole.steps, c.steps, "steps differ by ranks")
		require.Equal(t, whole.stats, c.stats)
		for b, st := range c.end {
			if have, ok := whole.end[b]; ok {
				require.Equal(t, have, st, "body %d on two ranks", b)
			}
			whole.end[b] = st
		}
	}
	return whole
}

// apart returns by how much the steps of two runs differ, relative to them, the last one excepted, which ends the run.
func (c *course) apart(t *testing.T, want *course, what string) (worst float64) {
	t.Helper()
	require.Len(t, c.steps, len(want.steps), what)
	for i := range len(c.steps) - 1 {
		worst = max(worst, math.Abs(c.steps[i]/want.steps[i]-1))
	}
	return worst
}

// agree holds two runs against each other.
func (c *course) agree(t *testing.T, want *course, tol float64, what string) {
	t.Helper()
	assert.Greater(t, min(c.edge, want.edge), knifeEdge, "rounding decides about a step, %s", what)
	worst := c.apart(t, want, what)
	assert.LessOrEqual(t, worst, stepTol, what)
	t.Logf("%s: %d steps, off by %.1e at most, estimates %.1e from 1 at least", what, len(c.steps), worst, c.edge)
	assert.Equal(t, want.stats.Steps, c.stats.Steps)
	assert.Equal(t, want.stats.Rejected, c.stats.Rejected)
	assert.Equal(t, want.stats.Projections, c.stats.Projections)
	c.endsAs(t, want, tol, what)
}

// endsAs holds the states at the end of two runs against each other.
func (c *course) endsAs(t *testing.T, want *course, tol float64, what string) {
	t.Helper()
	require.Len(t, c.end, len(want.end))
	for b := range want.end {
		x, y := c.end[b], want.end[b]
		check.CloseVec(t, x.Position[:], y.Position[:], tol, 1, "position of body %d, %s", b, what)
		check.CloseVec(t, x.Velocity[:], y.Velocity[:], tol, 1, "velocity of body %d, %s", b, what)
	}
}

// counts are the numbers of ranks.
func counts() []int {
	if testing.Short() {
		return []int{1, 3}
	}
	return []int{1, 2, 3, 4, 7}
}

// Error control does the steps of one process on any number of ranks.
func TestErrorControl(t *testing.T) {
	for _, x := range []struct {
		family string
		n      int
		end    float64
	}{{"ladder", 40, 0.2}, {"grid", 5, 0.1}, {"nfourbar", 12, 0.2}} {
		m, err := bench.Generate(x.family, x.n, 1)
		require.NoError(t, err)
		want := alone(t, m, x.end, func(*motion.Dynamics) sim.Options { return sim.Options{Projector: sim.NoProjector} })
		for _, ranks := range counts() {
			got := together(t, m, ranks, x.end, func(*dist.Solver) (sim.Options, error) { return sim.Options{Projector: sim.NoProjector}, nil })
			what := fmt.Sprintf("%s on %d ranks", x.family, ranks)
			got.agree(t, want, 1e-11, what)
			again := together(t, m, ranks, x.end, func(*dist.Solver) (sim.Options, error) { return sim.Options{Projector: sim.NoProjector}, nil })
			require.Equal(t, got, again, "bits of a second run, %s", what)
		}
	}
}

// plain hides that a Projector measures drift too, so that one process projects as ranks do.
type plain struct{ sim.ExactProjector }

func projected(d *dist.Solver) (sim.Options, error) {
	return sim.Options{Projector: d.NewProjector()}, nil
}

// fine is a tolerance whose errors are a thousandth of those of tolerance or less.
var fine = sim.Tolerance{Relative: 1e-12}

// accurate holds the end of a run against that of a fine one: each step may make an error of the tolerance, and what they make adds up.
func (c *course) accurate(t *testing.T, fine *course, what string) {
	t.Helper()
	worst := 0.0
	for b := range fine.end {
		x, y := c.end[b], fine.end[b]
		for k := range 3 {
			worst = max(worst, math.Abs(x.Position[k]-y.Position[k]), math.Abs(x.Velocity[k]-y.Velocity[k]))
		}
	}
	t.Logf("%s: %.1e from a fine run after %d steps", what, worst, len(c.steps))
	assert.LessOrEqual(t, worst, float64(len(c.steps))*tolerance.Relative, "error of %s", what)
}

// A run with projection stays on the joints, redundant ones too, and is that of one process. So is a run that the nearness leads, where
// no singular pose is near: it takes the same steps. Equal steps is what the bounds stand for; the errors of the steps are held against
// a fine run.
func TestProjection(t *testing.T) {
	check.Long(t)
	for _, x := range []struct {
		family string
		n      int
		end    float64
		tol    float64
	}{{"ladder", 13, 1, 1e-9}, {"grid", 4, 0.3, 1e-9}, {"nfourbar", 8, 1, 1e-9}, {"revolute-net", 3, 1, 1e-9}} {
		m, err := bench.Generate(x.family, x.n, 1)
		require.NoError(t, err)
		want := alone(t, m, x.end, func(d *motion.Dynamics) sim.Options { return sim.Options{Projector: plain{d}} })
		require.Positive(t, want.stats.Projections, x.family)
		exact := aloneTo(t, m, fine, true, x.end, func(d *motion.Dynamics) sim.Options { return sim.Options{Projector: d} })
		want.accurate(t, exact, x.family)
		mech, err := mechanism.New(m)
		require.NoError(t, err)
		for _, ranks := range counts() {
			what := fmt.Sprintf("%s on %d ranks", x.family, ranks)
			got := together(t, m, ranks, x.end, projected)
			got.agree(t, want, x.tol, what)
			led := togetherTo(t, m, tolerance, true, ranks, x.end, projected)
			led.endsAs(t, want, tolerance.Relative, what+", led by the nearness")
			led.accurate(t, exact, what+", led by the nearness")
			end := mech.Initial()
			end.Time = x.end
			for b := range end.Bodies {
				end.Bodies[b] = got.end[int64(b)]
			}
			closed, err := sim.Closed(mech, end)
			require.NoError(t, err)
			assert.True(t, closed, what)
			if ranks == 3 {
				require.Equal(t, got, together(t, m, ranks, x.end, projected), "bits of a second run, %s", what)
			}
		}
	}
}

// off moves a state off the joints, the same body by the same amount on all ranks.
func off(st *mechanism.State, number func(i int) int64, by float64) {
	for i := range st.Bodies {
		r := rand.New(rand.NewPCG(1, uint64(number(i))))
		b := &st.Bodies[i]
		for k := range 3 {
			b.Position[k] += by * (r.Float64() - 0.5)
			b.Velocity[k] += by * (r.Float64() - 0.5)
			b.Omega[k] += by * (r.Float64() - 0.5)
		}
	}
}

// States off the joints are closed as in one process: to the same poses and velocities, to the same tolerance, and an
// error names the joint on one rank.
func TestClosing(t *testing.T) {
	for _, x := range []struct {
		family string
		n      int
		by     float64
	}{{"ladder", 30, 0.05}, {"grid", 4, 1e-4}, {"nfourbar", 10, 0.05}, {"nfourbar", 10, 1e-7}, {"revolute-net", 3, 1e-3}, {"gear-train", 8, 1e-3}, {"belt", 6, 1e-3}} {
		m, err := bench.Generate(x.family, x.n, 1)
		require.NoError(t, err)
		mech, err := mechanism.New(m)
		require.NoError(t, err)
		want := mech.Initial()
		off(want, func(i int) int64 { return int64(i) }, x.by)
		d := motion.NewDynamics(kkt.NewPlan(mech, kkt.Options{}))
		require.NoError(t, d.ClosePositions(want))
		require.NoError(t, d.ProjectVelocities(want))
		for _, ranks := range counts() {
			what := fmt.Sprintf("%s, off by %g, on %d ranks", x.family, x.by, ranks)
			whole := mech.Initial()
			require.NoError(t, dist.Run(ranks, func(c dist.Comm) error {
				s, st, err := solver(c, m)
				if err != nil {
					return err
				}
				p := s.NewProjector()
				body := s.Plan().Piece().Body
				off(st, func(i int) int64 { return body[i] }, x.by)
				if err := p.ClosePositions(st); err != nil {
					return err
				}
				if err := p.ProjectVelocities(st); err != nil {
					return err
				}
				for i, b := range body[:s.Plan().Piece().Own] {
					whole.Bodies[b] = st.Bodies[i]
				}
				return nil
			}), what)
			closed, err := sim.Closed(mech, whole)
			require.NoError(t, err)
			assert.True(t, closed, what)
			worst := 0.0
			for b := range whole.Bodies {
				for k := range 3 {
					worst = max(worst, math.Abs(whole.Bodies[b].Position[k]-want.Bodies[b].Position[k]), math.Abs(whole.Bodies[b].Velocity[k]-want.Bodies[b].Velocity[k]))
				}
			}
			t.Logf("%s: %.1e from one process", what, worst)
			assert.LessOrEqual(t, worst, 1e-10, what)
		}
	}
}

// Joints that cannot be closed end closing on all ranks, with the joint's name on one.
func TestCannotClose(t *testing.T) {
	m, err := bench.Generate("ladder", 20, 1)
	require.NoError(t, err)
	m.Joints[7].SuccessorFrame.Position[0] += 100
	for _, ranks := range []int{1, 2, 5} {
		var names atomic.Int64
		require.NoError(t, dist.Run(ranks, func(c dist.Comm) error {
			s, st, err := solver(c, m)
			if err != nil {
				return err
			}
			before := st.Clone()
			err = s.NewProjector().ClosePositions(st)
			assert.ErrorContains(t, err, "joints cannot be closed")
			if errors.As(err, new(*closing.CloseError)) {
				names.Add(1)
			} else {
				assert.ErrorAs(t, err, new(*dist.RankError))
			}
			assert.Equal(t, before, st)
			return nil
		}))
		assert.Positive(t, names.Load())
		assert.LessOrEqual(t, names.Load(), int64(2), "the joint may be between two ranks")
	}
}
