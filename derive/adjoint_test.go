package derive_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/study"
)

// identityTol is the difference of w·(J·d) and (Jᵀ·w)·d, relative to the sum of the absolute values of their terms: rounding of two solves.
const identityTol = 1e-12

// bodyTol is the same for two ways to one gradient, one of them without a sweep over the joints.
const bodyTol = 1e-11

// identity compares forward and adjoint derivatives for random weights and random directions with the given parameters.
func identity(t *testing.T, d *derive.Derivatives, paths []string, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 77))
	m := d.Mechanism()
	random := func() spatial.Vec3 { return spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()} }
	var list []*derive.Parameter
	for _, path := range paths {
		p, err := d.Parameter(path)
		require.NoError(t, err, path)
		list = append(list, p)
	}
	in, out, g, w := d.NewDirections(1), d.NewChanges(1), d.NewGradient(), d.NewWeights()
	in.SetFollow(0, true)
	for i := range m.NumBodies() {
		*in.Body(0, i) = derive.BodyDirection{
			Rotation: random(), Position: random(), Angular: random(), Linear: random(), Force: random(), Torque: random(), Mass: rng.NormFloat64(),
			Com: random(), Inertia: spatial.Sym3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64(), 0.1, 0.3},
		}
		*w.Body(i) = derive.BodyWeight{ComAcceleration: random(), AngularAcceleration: random()}
	}
	for j := range m.NumJoints() {
		for i := range m.Joints[j].Kind.Freedoms() {
			in.SetForce(0, j, i, rng.NormFloat64())
		}
	}
	time := rng.NormFloat64()
	in.SetTime(0, time)
	for _, p := range list {
		in.AddParameter(0, p, rng.NormFloat64())
	}
	require.NoError(t, d.ForwardTo(out, in, derive.Options{Untried: true}))
	var forward, size float64
	add := func(x float64) { forward, size = forward+x, size+math.Abs(x) }
	for i := range m.NumBodies() {
		b := out.Body(0, i)
		for k := range 3 {
			add(w.Body(i).ComAcceleration[k] * b.ComAcceleration[k])
			add(w.Body(i).AngularAcceleration[k] * b.AngularAcceleration[k])
		}
	}
	for j := range m.NumJoints() {
		x, y := w.Joint(j), out.Joint(0, j)
		*x = derive.JointWeight{Moment: random(), Force: random()}
		for k := range 3 {
			if y.Undetermined>>k&1 != 0 {
				x.Force[k] = 0
			}
			if y.Undetermined>>(3+k)&1 != 0 {
				x.Moment[k] = 0
			}
			add(x.Moment[k] * y.Wrench[k])
			add(x.Force[k] * y.Wrench[3+k])
		}
		for i := range m.Joints[j].Kind.Freedoms() {
			x.Q[i], x.Qd[i], x.Qdd[i] = rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
			add(x.Q[i] * y.Q[i])
			add(x.Qd[i] * y.Qd[i])
			add(x.Qdd[i] * y.Qdd[i])
		}
	}
	require.NoError(t, d.AdjointTo(g, w, derive.Options{Follow: true}))
	back := g.Time() * time
	terms := math.Abs(back)
	plus := func(a, b float64) { back, terms = back+a*b, terms+math.Abs(a*b) }
	for i := range m.NumBodies() {
		a, b := g.Body(i), in.Body(0, i)
		for k := range 3 {
			plus(a.Rotation[k], b.Rotation[k])
			plus(a.Position[k], b.Position[k])
			plus(a.Angular[k], b.Angular[k])
			plus(a.Linear[k], b.Linear[k])
			plus(a.Force[k], b.Force[k])
			plus(a.Torque[k], b.Torque[k])
		}
	}
	// The direction also changes masses, centres of mass, inertias and loads.
	for i := range m.NumBodies() {
		a, b := g.Body(i), in.Body(0, i)
		plus(a.Mass, b.Mass)
		for k := range 3 {
			plus(a.Com[k], b.Com[k])
		}
		for k := range 6 {
			plus(a.Inertia[k], b.Inertia[k])
		}
	}
	for j := range m.NumJoints() {
		for i := range m.Joints[j].Kind.Freedoms() {
			plus(g.Force(j, i), in.Force(0, j, i))
		}
	}
	for k, p := range list {
		if !strings.HasPrefix(p.Path(), "bodies") && !(strings.HasPrefix(p.Path(), "joints") && strings.Contains(p.Path(), ".force[")) {
			plus(g.Of(p), in.Parameter(0, k))
		}
	}
	require.InDelta(t, forward, back, identityTol*(size+terms))
	own := d.NewGradient()
	require.NoError(t, d.AdjointTo(own, w, derive.Options{}))
	others := make([]derive.BodyDirection, m.NumBodies())
	if err := d.BodiesTo(others, w); !errors.Is(err, derive.ErrNoDerivatives) {
		require.NoError(t, err)
		for i, got := range others {
			b := own.Body(i)
			largest := max(b.Com.Norm(), math.Abs(b.Mass), b.Force.Norm(), b.Torque.Norm(), size)
			for k := range 3 {
				require.InDelta(t, b.Com[k], got.Com[k], bodyTol*largest)
				require.InDelta(t, b.Force[k], got.Force[k], bodyTol*largest)
				require.InDelta(t, b.Torque[k], got.Torque[k], bodyTol*largest)
			}
			require.InDelta(t, b.Mass, got.Mass, bodyTol*largest)
			require.InDeltaSlice(t, b.Inertia[:], got.Inertia[:], bodyTol*largest)
		}
	}
}

// TestIdentity: forward and adjoint derivatives are transposes of each other.
func TestIdentity(t *testing.T) {
	for _, x := range []struct {
		name string
		make func(seed uint64) *model.Model
	}{
		{"beads", modeltest.Beads}, {"cams", modeltest.Cams}, {"bowls", modeltest.Bowls}, {"rolling", modeltest.Rolling},
		{"composites", func(seed uint64) *model.Model { return modeltest.Composites(seed, 4, 1) }},
		{"laws", func(seed uint64) *model.Model {
			return modeltest.Follow(t, modeltest.Composites(seed, 4, 0), rand.New(rand.NewPCG(seed, 3)), 1)
		}},
	} {
		for seed := range uint64(4) {
			t.Run(fmt.Sprintf("%s %d", x.name, seed), func(t *testing.T) {
				d, _ := closed(t, x.make(seed))
				identity(t, d, nil, seed)
			})
		}
	}
}

// TestIdentityOfReference is TestIdentity for the reference models with all parameters that have a derivative.
func TestIdentityOfReference(t *testing.T) {
	files, err := filepath.Glob(referenceDir + "/*.directions.json")
	require.NoError(t, err)
	for i, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".directions.json")
		t.Run(name, func(t *testing.T) {
			var want expected
			var doc struct{ Directions []derive.NamedDirection }
			readJSON(t, file, &doc)
			readJSON(t, filepath.Join(referenceDir, name+".expected.json"), &want)
			refused := map[string]bool{}
			for _, x := range want.Refused {
				refused[x.Name] = true
			}
			var paths []string
			for _, n := range doc.Directions {
				for _, p := range n.Parameters {
					if !refused[p.Path] && n.Name == p.Path {
						paths = append(paths, p.Path)
					}
				}
			}
			d, _ := open(t, filepath.Join(referenceDir, name+".model.json"))
			identity(t, d, paths, uint64(i))
		})
	}
}

// TestIdentityOfElements is TestIdentity for models with all kinds of forces, with their numbers as parameters.
func TestIdentityOfElements(t *testing.T) {
	files, err := filepath.Glob("../reference/truth/*/model.json")
	require.NoError(t, err)
	for i, file := range files {
		m, err := model.ReadFile(file)
		require.NoError(t, err)
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) {
			text, err := json.Marshal(m)
			require.NoError(t, err)
			inputs, err := study.NewInputs(text, m.Name)
			require.NoError(t, err)
			d, _ := closed(t, m)
			var paths []string
			for _, x := range inputs.All() {
				state := strings.HasPrefix(x.Path, "bodies") && (strings.Contains(x.Path, "pose") || strings.Contains(x.Path, "velocity"))
				if p, err := d.Parameter(x.Path); err == nil && !state && x.Path != "time" && !strings.Contains(x.Path, "frame") {
					paths = append(paths, p.Path())
				}
			}
			identity(t, d, paths, uint64(i))
		})
	}
}
