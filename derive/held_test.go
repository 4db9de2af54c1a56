package derive_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// paths returns the parameters in a document of directions that have derivatives.
func paths(t *testing.T, d *derive.Derivatives, file string) (list []*derive.Parameter) {
	var doc struct{ Directions []derive.NamedDirection }
	readJSON(t, file, &doc)
	for i := range doc.Directions {
		for _, n := range doc.Directions[i].Parameters {
			if p, err := d.Parameter(n.Path); err == nil && n.Path != "time" {
				list = append(list, p)
			}
		}
	}
	return list
}

// TestHeldTransposed: for arbitrary accelerations and multipliers, ResidualBack is the transpose of ResidualTo.
func TestHeldTransposed(t *testing.T) {
	const tol = 1e-13
	files, err := filepath.Glob(referenceDir + "/*.directions.json")
	require.NoError(t, err)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".directions.json")
		t.Run(name, func(t *testing.T) {
			d, st := open(t, filepath.Join(referenceDir, name+".model.json"))
			require.NoError(t, d.Mechanism().Holonomic())
			list := paths(t, d, file)
			rng := rand.New(rand.NewPCG(7, uint64(len(list))))
			draw := func(n int) []float64 {
				x := make([]float64, n)
				for i := range x {
					x[i] = 2*rng.Float64() - 1
				}
				return x
			}
			vec := func() spatial.Vec3 { return spatial.Vec3(draw(3)) }
			nb := len(st.Bodies)
			for i := range st.Bodies {
				st.Bodies[i].Omega, st.Bodies[i].Velocity = vec(), vec()
			}
			rows := d.NumRows()
			for _, kind := range []derive.HeldKind{derive.HeldDynamics, derive.HeldRates} {
				require.NoError(t, d.Hold(st, draw(6*nb), draw(rows), kind))
				for k := -1; k < len(list); k++ {
					in, g := d.NewDirections(1), d.NewGradient()
					if k >= 0 {
						in.AddParameter(0, list[k], 1)
					}
					for i := range nb {
						u := in.Body(0, i)
						if k < 0 {
							u.Rotation, u.Position = vec(), vec()
						}
						if k < 0 && kind == derive.HeldDynamics {
							u.Angular, u.Linear = vec(), vec()
						}
					}
					dx, y, r, back := draw(6*nb+rows), draw(6*nb+rows), make([]float64, 6*nb+rows), make([]float64, 6*nb+rows)
					if err := d.ResidualTo(r, in, dx); errors.Is(err, derive.ErrNoDerivatives) {
						return
					} else {
						require.NoError(t, err)
					}
					require.NoError(t, d.ResidualBack(g, back, y))
					a, b, size := 0.0, 0.0, 0.0
					add := func(to *float64, x float64) { *to, size = *to+x, size+math.Abs(x) }
					for i := range r {
						add(&a, r[i]*y[i])
						add(&b, dx[i]*back[i])
					}
					name := "the state"
					if k >= 0 {
						add(&b, g.Of(list[k]))
						name = list[k].Path()
					} else {
						for i := range nb {
							u, v := in.Body(0, i), g.Body(i)
							add(&b, u.Rotation.Dot(v.Rotation)+u.Position.Dot(v.Position)+u.Angular.Dot(v.Angular)+u.Linear.Dot(v.Linear))
						}
					}
					assert.InDelta(t, a, b, tol*size, "%s, kind %d", name, kind)
				}
			}
		})
	}
}

// TestHoldFails: after a Hold that fails there is no residual, not even for the state before.
func TestHoldFails(t *testing.T) {
	m, err := model.Read(strings.NewReader(strings.ReplaceAll(sliders, "MOTION", `{"kind": "polynomial", "coefficients": [1]}`)), "m.json")
	require.NoError(t, err)
	d, st := closed(t, m)
	a, lambda := make([]float64, 12), make([]float64, d.NumRows())
	require.NoError(t, d.Hold(st, a, lambda, derive.HeldDynamics))
	bad := st.Clone()
	bad.Bodies[0].Position[0] = math.NaN()
	require.Error(t, d.Hold(bad, a, lambda, derive.HeldDynamics))
	r := make([]float64, len(a)+len(lambda))
	require.PanicsWithValue(t, "derive: no state of Hold, or foreign directions", func() { _ = d.ResidualTo(r, d.NewDirections(1), nil) })
}
