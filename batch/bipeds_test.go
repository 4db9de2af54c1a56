package batch_test

import (
	"math"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/batch"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/machine"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
)

// bipedClosed is how far the joints of bipeds may be open after a step of 1 ms, m or rad. Semi-implicit steps leave more, by the
// square of what they move: motors of other seeds pull their robots with up to 22 rad/s.
var bipedClosed = map[batch.Integrator]float64{batch.RungeKutta4: 1e-10, batch.SemiImplicit: 1e-5}

// drawnBipeds returns the states of bipeds that are drawn from n seeds. All have the same lengths, so that each is a state
// of the others, too.
func drawnBipeds(t *testing.T, n int) (list []*mechanism.State) {
	t.Helper()
	for seed := range n {
		doc, err := bench.Generate("biped", 1, uint64(seed))
		require.NoError(t, err)
		m, err := mechanism.New(doc)
		require.NoError(t, err)
		list = append(list, m.Initial())
	}
	return list
}

// TestBipedsStayClosed: robots with six loops each, in other poses and with other velocities, stay in lanes and on their joints.
func TestBipedsStayClosed(t *testing.T) {
	p := member(t, "biped", 1)
	b, err := batch.New(p, batch.Options{})
	require.NoError(t, err)
	require.Empty(t, b.OneByOne())
	require.Empty(t, b.SteppedOneByOne())
	require.Empty(t, b.Scalar())
	list := drawnBipeds(t, 12)
	for how, limit := range bipedClosed {
		x := walkBipeds(t, p, b, list, &batch.Rollout{Integrator: how, Step: 1e-3, Steps: 1}, 50)
		require.LessOrEqual(t, x.open, limit, "%v", how)
		require.Zero(t, x.alone, "%v", how)
	}
}

// bipedWalk is what a rollout of bipeds has cost, and how well it held the joints.
type bipedWalk struct {
	open        float64       // m or rad, the most after any step
	alone       int           // steps that were not made in lanes
	spent, wall time.Duration // of the processor, and in all
	best        time.Duration // of the processor, the least of a step of all
}

// walkBipeds makes single steps, and looks at the joints of all robots after each.
func walkBipeds(t *testing.T, p *kkt.Plan, b *batch.Batch, list []*mechanism.State, o *batch.Rollout, steps int) (x bipedWalk) {
	t.Helper()
	s, out := b.NewStates(len(list)), b.NewOutcome(len(list))
	for i := range list {
		s.Set(i, list[i])
	}
	x.best = time.Hour
	for range steps {
		begin, cpu := time.Now(), machine.ProcessorTime()
		require.NoError(t, b.Rollout(s, o, out))
		took := machine.ProcessorTime() - cpu
		x.spent, x.wall, x.best = x.spent+took, x.wall+time.Since(begin), min(x.best, took)
		open, alone := openJoints(t, p, s, out)
		x.open, x.alone = max(x.open, open), x.alone+alone
	}
	return x
}

// openJoints returns by how much the joints of states are open after a rollout, and how many steps of it were made alone.
func openJoints(t *testing.T, p *kkt.Plan, s *batch.States, out *batch.Outcome) (worst float64, alone int) {
	t.Helper()
	m, st := p.Mechanism(), p.Initial()
	k := m.NewKinematics()
	var v mechanism.Violation
	for i := range s.Len() {
		require.NoError(t, out.Error(i))
		alone += out.OneByOne(i)
		s.To(st, i)
		require.NoError(t, m.KinematicsTo(k, st))
		for j := range m.Joints {
			w := m.ViolationOf(j, k, st)
			v.Widen(&w)
		}
	}
	worst, _ = v.In(1)
	return worst, alone
}

// TestBipedTimes logs the table of docs/batch.md: steps of 4096 bipeds on one thread, and 256 of them that move for a second.
func TestBipedTimes(t *testing.T) {
	if os.Getenv("RUNG_BATCH_TIMES") == "" {
		t.Skip("RUNG_BATCH_TIMES is not set")
	}
	const all, few, steps = 4096, 256, 40
	p := member(t, "biped", 1)
	list := drawnBipeds(t, all)
	b, err := batch.New(p, batch.Options{Threads: 1})
	require.NoError(t, err)
	for _, o := range []*batch.Rollout{
		{Integrator: batch.RungeKutta4, Step: 2e-3, Steps: 1}, {Integrator: batch.RungeKutta4, Step: 1e-3, Steps: 1},
		{Integrator: batch.SemiImplicit, Step: 1e-3, Steps: 1}, {Integrator: batch.SemiImplicit, Step: 2.5e-4, Steps: 1},
	} {
		x := walkBipeds(t, p, b, list, o, steps)
		y := walkBipeds(t, p, b, list[:few], o, int(math.Round(1/o.Step)))
		each := float64(x.spent.Nanoseconds()) / all / steps
		t.Logf("%v, step %g s, %s: %.0f ns of the processor a step, %.0f at least, %.0f steps a second; it waited %.0f %% of the time",
			o.Integrator, o.Step, b.Instructions(), each, float64(x.best.Nanoseconds())/all, 1e9/each, 100*(1-x.spent.Seconds()/x.wall.Seconds()))
		t.Logf("joints open by %.1e in the first steps of all, %.1e in a second; %d steps alone", x.open, y.open, x.alone+y.alone)
	}
}
