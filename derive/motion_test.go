package derive_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// allOutputs returns all outputs of a mechanism.
func allOutputs(t *testing.T, d *derive.Derivatives) (list []derive.Output) {
	m := d.Mechanism()
	add := func(name string) {
		o, err := d.Output(name)
		require.NoError(t, err, name)
		list = append(list, o)
	}
	for i := range m.NumBodies() {
		for _, c := range strings.Fields("px py pz qw qx qy qz vx vy vz wx wy wz accx accy accz alphax alphay alphaz") {
			add(m.BodyName(i) + "." + c)
		}
	}
	for j := range m.NumJoints() {
		kind := m.Joints[j].Kind
		for i := range kind.Freedoms() {
			if !kind.Scalar(i) {
				continue
			}
			number := ""
			if kind.Freedoms() > 1 {
				number = fmt.Sprint(i)
			}
			for _, c := range []string{"q", "qd", "qdd"} {
				add("joint." + m.JointName(j) + "." + c + number)
			}
		}
	}
	return list
}

// product returns the product of a gradient and a direction of bodies, and the sum of the absolute values of its terms.
func product(g *derive.Gradient, in *derive.Directions, bodies int) (sum, size float64) {
	plus := func(a, b float64) { sum, size = sum+a*b, size+math.Abs(a*b) }
	for i := range bodies {
		a, b := g.Body(i), in.Body(0, i)
		for k := range 3 {
			plus(a.Rotation[k], b.Rotation[k])
			plus(a.Position[k], b.Position[k])
			plus(a.Angular[k], b.Angular[k])
			plus(a.Linear[k], b.Linear[k])
			plus(a.Force[k], b.Force[k])
			plus(a.Com[k], b.Com[k])
		}
		plus(a.Mass, b.Mass)
	}
	return sum, size
}

// TestOutputsBack: gradients of outputs are the transpose of their derivatives along directions, also if the part by the motion is taken
// out (TakeMotion) and followed separately (FollowMotion).
func TestOutputsBack(t *testing.T) {
	for name, make := range map[string]func(seed uint64) *model.Model{
		"cams": modeltest.Cams, "rolling": modeltest.Rolling,
		"composites": func(seed uint64) *model.Model { return modeltest.Composites(seed, 4, 1) },
	} {
		for seed := range uint64(3) {
			t.Run(fmt.Sprintf("%s %d", name, seed), func(t *testing.T) {
				d, _ := closed(t, make(seed))
				rng := rand.New(rand.NewPCG(seed, 5))
				random := func() spatial.Vec3 { return spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()} }
				bodies := d.Mechanism().NumBodies()
				in, out, g, w := d.NewDirections(1), d.NewChanges(1), d.NewGradient(), d.NewWeights()
				in.SetFollow(0, true)
				for i := range bodies {
					*in.Body(0, i) = derive.BodyDirection{
						Rotation: random(), Position: random(), Angular: random(), Linear: random(),
						Force: random(), Mass: rng.NormFloat64(), Com: random(),
					}
				}
				require.NoError(t, d.ForwardTo(out, in, derive.Options{Untried: true, NoReactions: true}))
				var want, size float64
				for _, o := range allOutputs(t, d) {
					x := rng.NormFloat64()
					w.AddOutput(o, x)
					want, size = want+x*out.Output(0, o), size+math.Abs(x*out.Output(0, o))
				}
				require.NoError(t, d.AdjointTo(g, w, derive.Options{Follow: true}))
				got, terms := product(g, in, bodies)
				require.InDelta(t, want, got, identityTol*(size+terms))

				require.NoError(t, d.AdjointTo(g, w, derive.Options{}))
				x := make12(bodies)
				g.TakeMotion(x)
				held, a := product(g, in, bodies)
				require.NoError(t, d.FollowMotion(g, x))
				followed, b := product(g, in, bodies)
				require.InDelta(t, want, held+followed, identityTol*(size+a+b))
				for i := range x {
					x[i] = rng.NormFloat64()
				}
				require.NoError(t, d.FollowMotion(g, x))
				want, size = product(g, in, bodies)
				moves := make12(bodies)
				require.NoError(t, d.FollowTo([][]float64{moves}, in))
				got = 0
				for i, y := range moves {
					got += x[i] * y
					size += math.Abs(x[i] * y)
				}
				require.InDelta(t, want, got, identityTol*size)
				w.Reset()
				require.NoError(t, d.AdjointTo(g, w, derive.Options{}))
				none, _ := product(g, in, bodies)
				require.Zero(t, none)
			})
		}
	}
}

// make12 returns twelve numbers a body.
func make12(bodies int) []float64 { return make([]float64, 12*bodies) }
