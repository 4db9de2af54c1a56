package batch

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

func plan(t testing.TB, path string) *kkt.Plan {
	m, err := model.ReadFile(path)
	require.NoError(t, err)
	p, err := rung.NewPlan(m, kkt.Options{})
	require.NoError(t, err)
	return p
}

// distance returns the largest difference of positions and velocities of two states.
func distance(a, b *mechanism.State) (d float64) {
	for i := range a.Bodies {
		x, y := &a.Bodies[i], &b.Bodies[i]
		d = max(d, x.Position.Sub(y.Position).Norm(), x.Velocity.Sub(y.Velocity).Norm(), x.Omega.Sub(y.Omega).Norm())
		d = max(d, x.Rotation.Mul(y.Rotation.Conj()).Log().Norm())
	}
	return d
}

// rolled returns the state of the model after steps, and how many of them were made alone; alone says that all are.
func rolled(t testing.TB, p *kkt.Plan, h float64, steps int, how Integrator, alone bool) (*mechanism.State, int) {
	b, err := New(p, Options{})
	require.NoError(t, err)
	if alone {
		b.workers[0].c.Steps = nil
	}
	s, out := b.NewStates(2), b.NewOutcome(2)
	require.NoError(t, b.Rollout(s, &Rollout{Integrator: how, Step: h, Steps: steps}, out))
	require.NoError(t, out.Error(1))
	require.Equal(t, steps, out.Steps(1))
	st := p.Initial()
	s.To(st, 1)
	return st, out.OneByOne(1)
}

// TestLanesStepAsOne: on all reference models that are stepped in lanes, steps in lanes are those of states that go
// alone, but for how the joints are closed; both stay on the joints.
func TestLanesStepAsOne(t *testing.T) {
	check.Long(t)
	const (
		tol   = 1e-8 // of lengths and speeds of order one, of which projections leave a rest of the order of the drift of one step
		holds = 1e-8
	)
	for _, folder := range []string{"golden", "standard"} {
		files, err := filepath.Glob(filepath.Join(check.Reference(t, folder), "*.model.json"))
		require.NoError(t, err)
		for _, f := range files {
			name := strings.TrimSuffix(filepath.Base(f), ".model.json")
			p := plan(t, f)
			if p.Mechanism().NumBodies() > 40 {
				continue
			}
			b, err := New(p, Options{})
			require.NoError(t, err)
			for _, how := range []Integrator{RungeKutta4, SemiImplicit} {
				h := 1e-3
				if folder == "standard" {
					h = 1e-5 // of which one turns within 3 ms, and one has stiff springs
				}
				st, n := rolled(t, p, h, 20, how, false)
				want, _ := rolled(t, p, h, 20, how, true)
				d := distance(st, want)
				k := p.Mechanism().NewKinematics()
				require.NoError(t, p.Mechanism().KinematicsTo(k, st))
				worst, position, velocity := p.Mechanism().WorstJoint(k, st)
				t.Logf("%s %d: one by one %d (%s), difference %.1e, joint %d off by %.1e, %.1e", name, how, n, b.SteppedOneByOne(), d, worst, position, velocity)
				if b.SteppedOneByOne() == "" && how == RungeKutta4 {
					require.LessOrEqual(t, d, tol, name)
					require.LessOrEqual(t, position+velocity*1e-2, holds, name)
				}
			}
		}
	}
}

// TestOrders: the error falls with the fourth power of the step, or with the first.
func TestOrders(t *testing.T) {
	check.Long(t)
	for name, p := range map[string]*kkt.Plan{
		"four-bar":   plan(t, filepath.Join(check.Reference(t, "golden"), "four-bar.model.json")),
		"bricard-6r": plan(t, filepath.Join(check.Reference(t, "golden"), "bricard-6r.model.json")),
		"governor":   plan(t, filepath.Join(check.Reference(t, "golden"), "stewart-6ups.model.json")),
	} {
		for how, order := range map[Integrator]float64{RungeKutta4: 4, SemiImplicit: 1} {
			h := map[Integrator]float64{RungeKutta4: 0.01, SemiImplicit: 0.001}[how]
			n := int(math.Round(0.2 / h))
			exact, _ := rolled(t, p, h/32, 32*n, RungeKutta4, false)
			coarse, _ := rolled(t, p, h, n, how, false)
			fine, _ := rolled(t, p, h/2, 2*n, how, false)
			got := math.Log2(distance(coarse, exact) / distance(fine, exact))
			t.Logf("%s: order %.2f, errors %.1e, %.1e", name, got, distance(coarse, exact), distance(fine, exact))
			require.InDelta(t, order, got, 0.6, fmt.Sprint(name, how))
		}
	}
}
