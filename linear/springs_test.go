package linear_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/springs"
)

// sprung returns the plan of a model with bushings, cables and laws.
func sprung(t testing.TB, m *model.Model, seed uint64) *kkt.Plan {
	t.Helper()
	modeltest.AddSprings(m, rand.New(rand.NewPCG(5, seed)))
	return planned(t, m)
}

// TestSpringDerivatives compares C and K of bushings, cables and laws with differences, at rest and moving.
func TestSpringDerivatives(t *testing.T) {
	for i, name := range check.Some(check.GoldenModels(t), 2) {
		m, err := model.ReadFile(check.ModelPath(t, name))
		require.NoError(t, err)
		if name == "random-10-far" || len(m.Bodies) > 12 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			p := sprung(t, m, uint64(i))
			t.Run("rest", func(t *testing.T) { requireDerivatives(t, p, resting(p), true) })
			t.Run("moving", func(t *testing.T) { requireDerivatives(t, p, p.Initial(), false) })
		})
	}
	for seed := range uint64(8) {
		m, err := bench.Generate("random", 8, seed)
		require.NoError(t, err)
		p := sprung(t, m, seed)
		t.Run(fmt.Sprint("random-", seed), func(t *testing.T) { requireDerivatives(t, p, p.Initial(), false) })
	}
}

// mass returns a ball of 2 kg at a place.
func mass(name string, at spatial.Vec3) model.Body {
	return model.Body{Name: name, Mass: 2, Inertia: model.Inertia{XX: 0.2, YY: 0.3, ZZ: 0.4}, Pose: model.Pose{Position: at}}
}

// TestBushingModes: a body on a bushing at its centre of mass vibrates
// in six modes with the stiffness over the inertia, dense and sparse.
func TestBushingModes(t *testing.T) {
	m := model.New("mount")
	m.Gravity = [3]float64{}
	m.Bodies = []model.Body{mass("block", spatial.Vec3{})}
	k := [6]float64{20, 60, 120, 100, 400, 900}
	m.Forces = []model.ForceElement{{
		Name: "mount", Type: model.BushingForce, A: model.Attachment{Body: model.World}, B: model.Attachment{Body: "block"},
		Bushing: &model.Bushing{Stiffness: model.Diagonal(k)},
	}}
	inertia := [6]float64{0.2, 0.3, 0.4, 2, 2, 2}
	want := []float64{}
	for i := range k {
		want = append(want, k[i]/inertia[i])
	}
	// 100, 200, 300, 50, 200, 450
	want = []float64{want[3], want[0], want[1], want[4], want[2], want[5]}
	for _, method := range []linear.Method{linear.Dense, linear.Sparse} {
		got := modes(t, planned(t, m), linear.ModeOptions{Count: 6, Method: method})
		require.Len(t, got.List, 6)
		for i := range want {
			require.InDelta(t, math.Sqrt(want[i])/(2*math.Pi), got.List[i].Frequency(), 1e-9*want[i], "%v, mode %d", method, i)
		}
	}
}

// TestBistable: a spring with a negative slope in the middle, between two walls, has a divergence in the middle, and
// stable equilibria on both sides, one of which is found.
func TestBistable(t *testing.T) {
	m := model.New("bistable")
	m.Gravity = [3]float64{}
	m.Bodies = []model.Body{mass("block", spatial.Vec3{0.05, 0, 0})}
	m.Joints = []model.Joint{{
		Name: "rail", Type: model.Prismatic, Predecessor: model.World, Successor: "block",
		PredecessorFrame: model.Pose{Orientation: [4]float64{math.Sqrt(0.5), 0, math.Sqrt(0.5), 0}},
		SuccessorFrame:   model.Pose{Orientation: [4]float64{math.Sqrt(0.5), 0, math.Sqrt(0.5), 0}},
		Springs:          []*model.SpringLaw{{Kind: springs.Function, Expression: "1000*x^3 - 10*x"}},
	}}
	p := planned(t, m)
	middle := resting(p)
	middle.Bodies[0].Position = spatial.Vec3{}
	got, err := linearized(t, p, middle).Modes(linear.ModeOptions{})
	require.NoError(t, err)
	require.Equal(t, linear.Divergence, got.List[0].Kind)
	require.InDelta(t, -10.0/2, got.List[0].Stiffness, 1e-12)

	st := resting(p)
	e, err := linear.Equilibrate(p, st, linear.EquilibriumOptions{})
	require.NoError(t, err)
	require.InDelta(t, 0.1, st.Bodies[0].Position[0], 1e-9) // 1000·x² = 10
	require.InDelta(t, 20.0/2, e.Lowest, 1e-6)              // 3000·x² − 10

	_, err = linear.Equilibrate(p, middle, linear.EquilibriumOptions{})
	require.NoError(t, err)
	require.InDelta(t, 0.1, math.Abs(middle.Bodies[0].Position[0]), 1e-9)
}

// tackle returns a load on n parts of one cable, of which the other end carries a weight that hangs from a fixed pulley.
func tackle(parts int, load, weight float64) *model.Model {
	m := model.New("tackle")
	m.Bodies = []model.Body{mass("load", spatial.Vec3{0, 0, -2}), mass("weight", spatial.Vec3{2, 0, -1})}
	m.Bodies[0].Mass, m.Bodies[1].Mass = load, weight
	var points []model.Attachment
	for i := range parts {
		top, low := model.Attachment{Body: model.World}, model.Attachment{Body: "load"}
		if i%2 == 0 {
			points = append(points, top, low)
		}
	}
	if parts%2 == 0 {
		points = append(points, model.Attachment{Body: model.World})
	}
	points = append(points, model.Attachment{Body: model.World, Point: [3]float64{2, 0, 0}}, model.Attachment{Body: "weight"})
	for i := range m.Bodies {
		m.Joints = append(m.Joints, model.Joint{
			Name: "rail " + m.Bodies[i].Name, Type: model.Prismatic, Predecessor: model.World, Successor: m.Bodies[i].Name,
			PredecessorFrame: model.Pose{Position: [3]float64{m.Bodies[i].Pose.Position[0], 0, 0}},
		})
	}
	m.Forces = []model.ForceElement{{
		Name: "rope", Type: model.CableForce, Stiffness: 1e4, RestLength: 2*float64(parts) + 3, Cable: &model.Cable{Points: points},
	}}
	return m
}

// TestTackle: with two, four and six parts a weight holds two, four and six times its own weight, and the lowest modes have
// closed forms: one is neutral, one has the stiffness of the rope.
func TestTackle(t *testing.T) {
	for _, parts := range []int{2, 4, 6} {
		n := float64(parts)
		p := planned(t, tackle(parts, 3*n, 3))
		st := resting(p)
		_, err := linear.Equilibrate(p, st, linear.EquilibriumOptions{})
		require.NoError(t, err)
		k := p.Mechanism().NewKinematics()
		require.NoError(t, p.Mechanism().KinematicsTo(k, st))
		at, err := p.Mechanism().CableAt(0, k, st)
		require.NoError(t, err)
		require.InDelta(t, 3*9.81, at.Tension, 1e-9)
		for _, method := range []linear.Method{linear.Dense, linear.Sparse} {
			got, err := linearized(t, p, st).Modes(linear.ModeOptions{Count: 2, Method: method})
			require.NoError(t, err)
			require.Equal(t, linear.Rigid, got.List[0].Kind)
			require.InDelta(t, 1e4*(n*n/(3*n)+1.0/3), got.List[1].Stiffness, 1e-5)
		}
	}
}

// TestCableOverMany: a cable over three bodies on rails has the modes of its one row k·L·Lᵀ, with the cross stiffness
// of its tension, by both methods.
func TestCableOverMany(t *testing.T) {
	m := model.New("garland")
	m.Gravity = [3]float64{}
	const k, tension, span = 50.0, 7.0, 1.0
	points := []model.Attachment{{Body: model.World}}
	const n = 5
	for i := range n {
		x := span * float64(i+1)
		name := fmt.Sprint("bead", i)
		m.Bodies = append(m.Bodies, mass(name, spatial.Vec3{x, 0, 0}))
		m.Joints = append(m.Joints, model.Joint{
			Name: name, Type: model.Planar, Predecessor: model.World, Successor: name, PredecessorFrame: model.Pose{Position: [3]float64{x, 0, 0}},
		})
		points = append(points, model.Attachment{Body: name})
	}
	points = append(points, model.Attachment{Body: model.World, Point: [3]float64{span * (n + 1), 0, 0}})
	m.Forces = []model.ForceElement{{Name: "cord", Type: model.CableForce, Stiffness: k, RestLength: span*(n+1) - tension/k, Cable: &model.Cable{Points: points}}}
	p := planned(t, m)
	for _, method := range []linear.Method{linear.Dense, linear.Sparse} {
		got := modes(t, p, linear.ModeOptions{Count: 3 * n, Method: method})
		var vibrations []float64
		for i := range got.List {
			if got.List[i].Kind == linear.Vibration {
				vibrations = append(vibrations, got.List[i].Stiffness)
			}
		}
		// Beads slide along the cord freely, and turn freely; across it they are masses on a string.
		require.Len(t, vibrations, n, "%v", method)
		for i, v := range vibrations {
			s := math.Sin(math.Pi * float64(i+1) / (2 * (n + 1)))
			require.InDelta(t, 4*tension/(2*span)*s*s, v, 1e-8, "%v, mode %d", method, i)
		}
	}
}

// TestSprungModes: at an equilibrium with bushings, cables and laws the dense and the sparse method find the same
// modes, with damping and without.
func TestSprungModes(t *testing.T) {
	const tol = 1e-6
	for i, name := range check.Some([]string{"pendulum", "four-bar", "slider-crank-planar", "stewart-6ups", "n-four-bar-3", "type-universal"}, 2) {
		m, err := model.ReadFile(check.ModelPath(t, name))
		require.NoError(t, err)
		p := sprung(t, m, uint64(i))
		st := resting(p)
		e, err := linear.Equilibrate(p, st, linear.EquilibriumOptions{})
		require.NoError(t, err, name)
		s := linearized(t, p, st)
		for _, undamped := range []bool{true, false} {
			dense, err := s.Modes(linear.ModeOptions{Count: 4, Method: linear.Dense, Undamped: undamped})
			require.NoError(t, err, name)
			sparse, err := s.Modes(linear.ModeOptions{Count: 4, Method: linear.Sparse, Undamped: undamped})
			require.NoError(t, err, name)
			require.Equal(t, len(dense.List), len(sparse.List), name)
			for k := range dense.List {
				a, b := &dense.List[k], &sparse.List[k]
				require.Equal(t, a.Kind, b.Kind, name)
				require.InDelta(t, a.AngularFrequency(), b.AngularFrequency(), tol*(1+a.AngularFrequency()), "%s, mode %d", name, k)
			}
			if undamped && e.Lowest > 0 {
				require.InDelta(t, e.Lowest, dense.List[0].Stiffness, 1e-5*(1+e.Lowest), name)
			}
		}
	}
}
