package learn_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/derive/learn"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// coast sets no force; its cost is the observation at the end.
type coast struct{ acts int }

func (c *coast) Act(_, y []float64, k int) float64 {
	if k == c.acts {
		return y[0]
	}
	return 0
}

func (c *coast) Back(x, _, _, _ []float64, k int) {
	if k == c.acts {
		x[0]++
	}
}

// TestStepsTooLong: gradients over steps beyond the stability of RK4 for a damper say so, although the run shows nothing, as the damper
// rests.
func TestStepsTooLong(t *testing.T) {
	const damped = `{"format": "rung-model/1", "name": "slider", "gravity": [0, 0, 0],
 "bodies": [{"name": "slider", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}}],
 "joints": [{"name": "rail", "type": "prismatic", "predecessor": "world", "successor": "slider", "damping": [3000]}]}`
	m, err := model.Read(strings.NewReader(damped), "m.json")
	require.NoError(t, err)
	plan, err := rung.NewPlan(m, rung.Options{})
	require.NoError(t, err)
	for _, hold := range []int{1, 3, 10} {
		for _, c := range []struct {
			step    float64 // the limit is 0.93 ms
			tooLong bool
		}{{5e-4, false}, {9e-4, false}, {1e-3, true}} {
			o := learn.Options{
				Forces: []mechanism.Freedom{{Joint: 0}}, Observe: []string{"joint.rail.q"}, Step: c.step, Hold: hold, Acts: 60 / hold,
			}
			r, err := learn.New(plan, m, o)
			require.NoError(t, err)
			out := make([]learn.Result, 1)
			law := &coast{acts: o.Acts}
			require.NoError(t, r.Gradients(context.Background(), []*mechanism.State{plan.Initial()}, []learn.Law{law}, out))
			require.NoError(t, out[0].Err)
			t.Logf("hold %d, step %v: unstable %v, growth %v", hold, c.step, out[0].Unstable, out[0].Growth)
			require.Equal(t, c.tooLong, out[0].Unstable > 4)
		}
	}
}
