package objective

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion/runs"
)

// TestClosedStages: runs of mechanisms that only geometry makes movable have closed stages. Their gradients are exact for such steps, as
// are differences of whole runs and tangents. With open stages they were once wrong by a factor of twenty without an error.
func TestClosedStages(t *testing.T) {
	const (
		same  = 1e-12 // difference from tangents: rounding
		apart = 1e-6  // difference from finite differences
	)
	file := filepath.Join("..", "..", "reference", "derivatives", "bricard-6r.model.json")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	for how, o := range map[string]runs.Options{
		"fixed":  {Until: 0.05, Step: 0.001, Integrator: runs.RungeKutta4},
		"longer": {Until: 0.048, Step: 0.004, Integrator: runs.RungeKutta4},
		"short":  {Until: 0.05, Step: 0.0005, Integrator: runs.RungeKutta4},
		"chosen": {Until: 0.05, Tolerance: 1e-9},
	} {
		if testing.Short() && (how == "fixed" || how == "short") {
			continue
		}
		t.Run(how, func(t *testing.T) {
			p := &Objective{At: AtRun, Run: o, Terms: []Term{
				{Name: "end", Column: "link3.px", Weight: 1, Power: 1}, {Name: "along", Column: "link3.vz", Take: Integral, Weight: 1, Power: 2},
			}}
			for _, path := range []string{"joints[0].force[0]", "bodies[4].inertia.zz", "bodies[1].mass", "gravity[2]"} {
				p.Parameters = append(p.Parameters, Parameter{Name: path, Paths: []string{path}})
			}
			g, err := NewProblem(p, "o.json", Source{Text: text, Name: file})
			require.NoError(t, err)
			ctx := context.Background()
			r, err := g.Gradient(ctx)
			require.NoError(t, err)
			assert.Less(t, r.Run.Projection, 1e-12)
			a, err := g.ahead(ctx, true)
			require.NoError(t, err)
			_, slopes := a.sums(g)
			for i := range slopes {
				for k, x := range slopes[i] {
					assert.InDelta(t, x, r.Parameters[k].Terms[i], same*max(1, math.Abs(x)), "%s by %s", r.Terms[i].Name, r.Parameters[k].Name)
				}
			}
			require.NoError(t, g.Check(ctx, r))
			for _, x := range r.Parameters {
				require.NotNil(t, x.Differences, x.Unchecked)
				assert.InDelta(t, *x.Differences, x.Gradient, apart*math.Abs(x.Gradient)+1e-9, x.Name)
			}
		})
	}
}

// TestDoubt: runs in which a mechanism that only geometry makes movable leaves its joints have no derivative, and the error names a joint;
// runs of other mechanisms that leave their joints have one. Bricard's linkage once had a derivative that was wrong ten thousandfold.
func TestDoubt(t *testing.T) {
	for name, doubtful := range map[string]bool{"bricard-6r": true, "four-bar": false, "type-universal": false, "stewart-6ups": false} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join("..", "..", "reference", "derivatives", name+".model.json")
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			m, err := model.Read(bytes.NewReader(text), file)
			require.NoError(t, err)
			for _, o := range []runs.Options{
				{Until: 0.05, Step: 0.001, Integrator: runs.RungeKutta4, Stabilization: runs.None}, {Until: 0.05, Stabilization: runs.None},
			} {
				p := &Objective{At: AtRun, Run: o, Terms: []Term{{Name: "end", Column: m.Bodies[0].Name + ".px", Weight: 1, Power: 1}}}
				p.Parameters = []Parameter{{Name: "mass", Paths: []string{"bodies[0].mass"}}}
				g, err := NewProblem(p, "o.json", Source{Text: text, Name: file})
				require.NoError(t, err)
				r, err := g.Gradient(context.Background())
				a, fails := g.ahead(context.Background(), true)
				if doubtful {
					require.ErrorIs(t, err, ErrNotDifferentiable)
					require.ErrorIs(t, err, derive.ErrDoubt)
					require.ErrorContains(t, err, `joint "r`)
					require.ErrorIs(t, fails, derive.ErrDoubt)
					_, err = g.Value(context.Background())
					require.NoError(t, err, "the run itself is one")
					continue
				}
				require.NoError(t, err)
				require.NoError(t, fails)
				_, slopes := a.sums(g)
				assert.InDelta(t, slopes[0][0], r.Parameters[0].Terms[0], 1e-10)
			}
		})
	}
}

// TestClosedSlender: rods without inertia about their axes follow the closing of joints by the least change, in which rotation about the
// axis costs nothing. Derivatives once had them rotate with the inertia that solves hold them by, and were wrong by some thousandths.
func TestClosedSlender(t *testing.T) {
	const h, tol = 1e-4, 1e-6
	file := filepath.Join("..", "..", "reference", "joints", "slender-slider-crank.model.json")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	p := &Objective{At: AtClosed}
	for _, c := range []string{"slider.px", "slider.vx", "joint.p0.q", "joint.p0.qd", "coupler.wx", "coupler.qx"} {
		p.Terms = append(p.Terms, Term{Name: c, Column: c, Weight: 1, Power: 1})
	}
	for _, path := range []string{"joints[3].pitch", "joints[1].predecessor_frame.position[0]"} {
		p.Parameters = append(p.Parameters, Parameter{Name: path, Paths: []string{path}})
	}
	g, err := NewProblem(p, "o.json", Source{Text: text, Name: file})
	require.NoError(t, err)
	r, err := g.Gradient(context.Background())
	require.NoError(t, err)
	differences(t, g, r, h, tol)
}
