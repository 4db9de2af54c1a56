package motion_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/spatial"
)

// TestStrainsInNewton: where bushings and cables carry no load, so that geometry adds nothing, the Newton matrix is M +
// p·K + s·D with all blocks between bodies, also for matrices without full rank and for a cable over five bodies.
func TestStrainsInNewton(t *testing.T) {
	m := model.New("row")
	m.Gravity = [3]float64{}
	const n = 5
	var points []model.Attachment
	length := 0.0
	for i := range n {
		name := fmt.Sprint("b", i)
		m.Bodies = append(m.Bodies, model.Body{
			Name: name, Mass: 1 + float64(i), Com: [3]float64{0.1, 0, 0.2}, Inertia: model.Inertia{XX: 0.3, YY: 0.4, ZZ: 0.5, XY: 0.05},
			Pose: model.Pose{Position: [3]float64{float64(i), 0, 0}, Orientation: spatial.Exp(spatial.Vec3{0.3 * float64(i), 0.1, -0.2})},
		})
		points = append(points, model.Attachment{Body: name})
	}
	m.Bodies[3].Pose.Position = [3]float64{3, 1, 0}
	order := []int{2, 0, 4, 1, 3} // of the cable
	var over []model.Attachment
	for k, i := range order {
		over = append(over, points[i])
		if k > 0 {
			length += spatial.Vec3(m.Bodies[i].Pose.Position).Sub(m.Bodies[order[k-1]].Pose.Position).Norm()
		}
	}
	m.Forces = append(m.Forces, model.ForceElement{
		Name: "cable", Type: model.CableForce, Stiffness: 1e3, Damping: 20, RestLength: length - 1e-12, Cable: &model.Cable{Points: over},
	})
	full := model.Diagonal([6]float64{10, 20, 30, 400, 500, 600})
	full[0][4], full[4][0], full[1][5], full[5][1] = 30, 30, -40, -40
	flat := model.Diagonal([6]float64{0, 0, 0, 1, 4, 0}) // of rank one
	flat[3][4], flat[4][3] = 2, 2
	bushing := func(name string, a, b int, K, D [6][6]float64) {
		at := func(i int) model.Attachment { // the frame with the world's axes at (1, 2, 3)
			if i < 0 {
				return model.Attachment{Body: model.World, Point: [3]float64{1, 2, 3}}
			}
			p := m.Bodies[i].Pose
			q := spatial.Quat(p.Orientation).Conj()
			return model.Attachment{Body: m.Bodies[i].Name, Point: q.Rotate(spatial.Vec3{1, 2, 3}.Sub(p.Position)), Orientation: q}
		}
		m.Forces = append(m.Forces, model.ForceElement{Name: name, Type: model.BushingForce, A: at(a), B: at(b), Bushing: &model.Bushing{Stiffness: K, Damping: D}})
	}
	bushing("up", 1, 3, full, flat)
	bushing("down", 4, 0, flat, [6][6]float64{})
	bushing("ground", 2, -1, [6][6]float64{}, full)
	bushing("ground too", -1, 2, flat, flat)

	p := newPlan(t, m, 0)
	st := p.Initial()
	newton, sys := motion.NewNewton(p), linear.NewSystem(p)
	require.NoError(t, sys.Linearize(st))
	mech := p.Mechanism()
	k := mech.NewKinematics()
	require.NoError(t, mech.KinematicsTo(k, st))
	rng := rand.New(rand.NewPCG(4, 4))
	for _, position := range []float64{0, 1e-4, 1e-2, 1} {
		velocity := 0.7 * position
		require.NoError(t, newton.Linearize(st, position, velocity, 0))
		e := make([]float64, 6*n)
		for i := range e {
			e[i] = rng.NormFloat64()
		}
		want := massTimes(mech, k, e)
		require.NoError(t, newton.Soften(e, st))
		got, Kx, Cx := massTimes(mech, k, e), make([]float64, 6*n), make([]float64, 6*n)
		sys.StiffnessTo(Kx, e)
		sys.DampingTo(Cx, e)
		for i := range got {
			require.InDelta(t, want[i], got[i]+position*Kx[i]+velocity*Cx[i], newtonTol, "p = %v, entry %d", position, i)
		}
	}
}

// TestStrainsCorrect: stresses take the place of those of the state after one correction, as tensions do.
func TestStrainsCorrect(t *testing.T) {
	m := model.New("mount")
	m.Bodies = []model.Body{{Name: "a", Mass: 2, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}, Pose: model.Pose{Position: [3]float64{0.1, 0.2, 0.3}}}}
	stiff := model.Diagonal([6]float64{0, 1e3, 10, 1e9, 0, 1e5})
	m.Forces = []model.ForceElement{
		{Name: "mount", Type: model.BushingForce, A: model.Attachment{Body: "a"}, B: model.Attachment{Body: model.World}, Force: [3]float64{1, 2, 3}, Torque: [3]float64{4, 5, 6}, Bushing: &model.Bushing{Stiffness: stiff}},
		{Name: "slack", Type: model.CableForce, Stiffness: 100, RestLength: 10, Cable: &model.Cable{Tension: 7, Points: []model.Attachment{{Body: "a"}, {Body: model.World}}}},
	}
	p := newPlan(t, m, 0)
	newton, st := motion.NewNewton(p), p.Initial()
	require.Equal(t, 7, newton.Rows())
	u, lambda, du, dl := make([]float64, 6), make([]float64, 7), make([]float64, 6), make([]float64, 7)
	require.NoError(t, newton.Linearize(st, 1e-4, 1e-2, 0))
	require.NoError(t, newton.Correct(du, dl, st, u, lambda, 1e-4))
	mech := p.Mechanism()
	k := mech.NewKinematics()
	require.NoError(t, mech.KinematicsTo(k, st))
	var at mechanism.BushingState
	require.NoError(t, mech.BushingAt(&at, 0, k, st))
	// dτ − T = κ·ẋ(du): of what has no stiffness nothing.
	for _, i := range []int{0, 4} {
		require.InDelta(t, at.Stress[i], dl[i], 1e-9)
	}
	require.InDelta(t, 7, dl[6], 1e-12)
	// Balance: M·du = f − Bᵀ·dτ.
	a := massTimes(mech, k, du)
	stress := [6]float64(dl[:6])
	var onA, onB spatial.Force
	at.WrenchTo(&onA, &onB, &stress)
	g := make([]float64, 6)
	mech.CableGradientTo(g, 0, k, st)
	weight := spatial.Force{5: -9.81 * 2}
	for i := range a {
		require.InDelta(t, weight[i]-onA[i]-7*g[i], a[i], 1e-6*(1+at.Line.Norm()*1e3), i)
	}
}
