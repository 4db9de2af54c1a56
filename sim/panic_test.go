package sim_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// fuse panics at one of its calls.
type fuse struct{ calls, at int }

func (f *fuse) tick() {
	if f.calls++; f.calls == f.at {
		panic("of the user")
	}
}

// WrenchesTo is that of a force.
func (f *fuse) WrenchesTo(w []spatial.Force, at []mechanism.BodyMotion, _ float64) error {
	f.tick()
	w[0][3] = 1 + at[0].Velocity[0]
	return nil
}

func (f *fuse) Record(*sim.Row) error { f.tick(); return nil }
func (f *fuse) Mark() (int64, error)  { return 0, nil }

// TestPanicsOfTheUser: what the user has given may panic in a run. Whoever recovers may call Run again, which then does
// the step again: the run continues with the bits of one without the panic.
func TestPanicsOfTheUser(t *testing.T) {
	m, err := bench.Generate("ladder", check.Few(40, 20), 1)
	require.NoError(t, err)
	run := func(t *testing.T, where, method string, threads, at int) *mechanism.State {
		f := &fuse{at: at}
		mech, err := mechanism.New(m)
		require.NoError(t, err)
		in := mech.NewInputs()
		o := sim.Options{Every: 0.004}
		switch where {
		case "force":
			_, err = in.AddForce("own", f, 3)
			require.NoError(t, err)
		case "OnStep":
			o.OnStep = func(*sim.Simulation) error { f.tick(); return nil }
		case "controller":
			o.Controllers = []sim.Controller{{Name: "c", Period: 0.003, Sample: func(*mechanism.State) error { f.tick(); return nil }}}
		case "recorder":
			o.Recorder = f
		}
		mech = in.Mechanism()
		d := motion.NewNewton(kkt.NewPlan(mech, kkt.Options{Threads: threads}))
		o.Projector = d
		var stepper sim.Stepper = sim.NewRungeKutta(mech, d, sim.DormandPrince(), sim.Tolerance{})
		if method == "generalized-alpha" {
			o.Step = 1e-3
			stepper = sim.NewGeneralizedAlpha(mech, d, sim.GeneralizedAlphaOptions{Fixed: true})
		}
		s := sim.New(mech, stepper, mech.Initial(), o)
		once := func() (end any) {
			defer func() { end = recover() }()
			require.NoError(t, s.Run(0.02))
			return nil
		}
		if at > 0 {
			require.Equal(t, "of the user", once())
		}
		require.Nil(t, once())
		return s.State()
	}
	for _, where := range []string{"force", "OnStep", "controller", "recorder"} {
		for _, method := range []string{"dopri5", "generalized-alpha"} {
			for _, threads := range check.Some([]int{1, 2, 4}, 2) {
				t.Run(fmt.Sprintf("%s/%s/%d", where, method, threads), func(t *testing.T) {
					want := run(t, where, method, threads, 0)
					for _, at := range []int{1, 2, 3} {
						require.Equal(t, want, run(t, where, method, threads, at), "call %d", at)
					}
				})
			}
		}
	}
}
