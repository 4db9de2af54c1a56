package tree_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/tree"
)

// inverseClosedTol is the error of forces and of the accelerations they give
// back, relative to the largest.
const inverseClosedTol = 1e-9

// actuatorsOf returns all freedoms of the joints with these names.
func actuatorsOf(t testing.TB, r *rig, names ...string) (list []mechanism.Freedom) {
	t.Helper()
	for _, name := range names {
		j, err := r.mech.JointIndex(name)
		require.NoError(t, err)
		for k := range r.mech.Joints[j].Kind.Freedoms() {
			list = append(list, mechanism.Freedom{Joint: j, Freedom: k})
		}
	}
	return list
}

// TestExample82 is the inverse dynamics of RBDA Figure 8.3 in formulas, as in
// Example 8.2: with y = (q1, q4) and actuators at joint1 and joint3 (the linear
// one),
//
//	Gᵤ = ⎡ 1   0      ⎤,   u1 = τ1,   u3 = (τ4 + q2′·τ2 + q3′·τ3)/q3′,
//	     ⎣ 0  q3′(q4) ⎦
//
// where τ are the forces of the spanning tree and q2′, q3′ the closed forms of
// TestFigure83.
func TestExample82(t *testing.T) {
	r, y, _, independent := armRig(t)
	f := newArm(r.mech)
	p, dp, _ := f.vectors(y[1])
	l2 := p[0]*p[0] + p[1]*p[1]
	q2, q3 := (p[0]*dp[1]-p[1]*dp[0])/l2, (p[0]*dp[0]+p[1]*dp[1])/math.Sqrt(l2)

	// Wanted: any ÿ; q̈ = G·ÿ + g with the closed form.
	c := r.plan.NewClosure(newOrdered(r, f, 2), 2)
	yd := []float64{r.qd[independent[0]], r.qd[independent[1]]}
	require.NoError(t, c.Set(y, yd, 0))
	G, g := c.Explicit()
	qdd := r.zeros()
	for d := range qdd {
		qdd[d] = g[d] + G[2*d]*0.7 - G[2*d+1]*1.3
	}
	tau := r.zeros()
	r.w.InverseTo(tau, qdd)
	of := map[string]float64{}
	for d := range tau {
		of[r.plan.DofName(d)] = tau[d]
	}
	want := []float64{of["joint1.0"], (of["joint4.0"] + q2*of["joint2.0"] + q3*of["joint3.0"]) / q3}

	for _, method := range methods {
		v := r.plan.NewInverse(method, actuatorsOf(t, r, "joint1", "joint3"), nil)
		require.NoError(t, v.Solve(r.mech.Initial(), qdd))
		check.CloseVec(t, v.Forces(), want, inverseClosedTol, check.MaxAbs(want), "%v: u", method)
		assert.Equal(t, mechanism.ActuationProper, v.Actuation())
		assert.Equal(t, 2, v.Mobility())
		assert.Equal(t, 2, v.Controlled())
		assert.Nil(t, v.Uncontrolled())
		assert.LessOrEqual(t, v.Distance(), rowTol*check.MaxAbs(qdd))
		assert.LessOrEqual(t, v.Residual(), rowTol)
	}
}

// TestInverseGivesBack applies the forces: forward dynamics with them has the
// accelerations asked for. Actuators are all scalar freedoms, redundant or not.
// The methods agree.
func TestInverseGivesBack(t *testing.T) {
	check.Long(t)
	tested := 0
	closedModels(t, func(t *testing.T, m *model.Model) {
		r := newRig(t, m, tree.Options{}).atInitial(t)
		var names []string
		for j := range m.Joints {
			if m.Joints[j].Motion == nil {
				names = append(names, m.Joints[j].Name)
			}
		}
		want := r.random(check.Rand(6))
		var u, b []float64
		for _, method := range methods {
			v := r.plan.NewInverse(method, actuatorsOf(t, r, names...), nil)
			err := v.Solve(r.mech.Initial(), want)
			if under := new(mechanism.UnderactuatedError); err != nil {
				require.ErrorAs(t, err, &under)
				require.Len(t, under.Freedoms, under.Mobility-under.Controlled)
				require.Equal(t, mechanism.ActuationUnder, v.Actuation())
			}
			// Redundant forces share loads by small differences of G where it is close
			// to singular; what they do together does not.
			tau := r.zeros()
			v.AddTo(tau)
			if method == methods[0] {
				u, b = append(u, v.Forces()...), tau
			}
			scale := math.Max(1, check.MaxAbs(u))
			check.CloseVec(t, v.Forces(), u, 10*inverseClosedTol, scale, "%v: u", method)
			check.CloseVec(t, tau, b, 10*inverseClosedTol, scale, "%v: τ", method)
			if err != nil {
				continue
			}
			tested++
			s := r.plan.NewSolver(tree.Lambda, tree.SolverOptions{})
			require.NoError(t, s.SolveForced(r.mech.Initial(), tau))
			scale = math.Max(1, check.MaxAbs(v.JointAccelerations()))
			check.CloseVec(t, s.JointAccelerations(), v.JointAccelerations(), 10*inverseClosedTol, scale, "%v: q̈", method)
		}
	})
	require.Greater(t, tested, 60, "models that are actuated everywhere")
}

// TestInverseOfForces: the accelerations that forces make ask for these forces,
// by joints of the tree or of the loop, from joint or body accelerations.
func TestInverseOfForces(t *testing.T) {
	for _, name := range []string{"joint3", "joint4", "joint5"} {
		r, _, _, _ := armRig(t)
		actuators := actuatorsOf(t, r, "joint1", name)
		m := golden(t, "rbda-8-3")
		want := []float64{3, -7}
		for i, a := range actuators {
			if m.Joints[a.Joint].Force == nil {
				m.Joints[a.Joint].Force = []float64{0}
			}
			m.Joints[a.Joint].Force[0] += want[i]
		}
		forced := newRig(t, m, tree.Options{TreeJoints: []int{0, 1, 2, 3}})
		s := solveClosed(t, forced, tree.Projection, tree.SolverOptions{})
		for _, method := range methods {
			v := r.plan.NewInverse(method, actuators, []float64{1, 1})
			require.NoError(t, v.Solve(r.mech.Initial(), s.JointAccelerations()))
			check.CloseVec(t, v.Forces(), want, inverseClosedTol, 10, "%v, %s: u by q̈", method, name)
			require.NoError(t, v.SolveBodies(r.mech.Initial(), bodyAccelerations(s)))
			check.CloseVec(t, v.Forces(), want, inverseClosedTol, 10, "%v, %s: u by bodies", method, name)
			assert.LessOrEqual(t, v.Distance(), inverseClosedTol*10)
		}
	}
}

// TestInverseWeights: redundant actuators share by their weights, u ∝ Gᵤᵀ/w in
// the one direction that G leaves.
func TestInverseWeights(t *testing.T) {
	r := newRig(t, golden(t, "four-bar"), tree.Options{}).atInitial(t)
	var names []string
	for _, l := range r.plan.Links {
		names = append(names, r.mech.JointName(int(l.Joint)))
	}
	actuators := actuatorsOf(t, r, names...)
	weights := []float64{1, 4, 0.25}
	s := solveClosed(t, r, tree.Projection, tree.SolverOptions{})
	G, g := r.zeros(), r.zeros()
	s.ExplicitTo(G, g)
	for _, method := range methods {
		v := r.plan.NewInverse(method, actuators, weights)
		require.NoError(t, v.SolveBodies(r.mech.Initial(), nil))
		require.Equal(t, mechanism.ActuationRedundant, v.Actuation())
		require.Positive(t, v.Distance(), "a moving linkage cannot keep its velocities")
		u := v.Forces()
		for j := range actuators {
			d0, d := int(r.plan.Links[0].Dof), int(r.plan.Links[j].Dof)
			check.Close(t, weights[j]*u[j]*G[d0], weights[0]*u[0]*G[d], inverseClosedTol, 1+check.MaxAbs(u), "%v: share of %d", method, j)
		}
	}
}

// TestUnderactuated: the error names the freedoms that the actuators do not control.
func TestUnderactuated(t *testing.T) {
	r, _, _, _ := armRig(t)
	st := r.mech.Initial()
	under := new(mechanism.UnderactuatedError)
	for _, method := range methods {
		v := r.plan.NewInverse(method, actuatorsOf(t, r, "joint1"), nil)
		require.ErrorAs(t, v.SolveBodies(st, nil), &under)
		require.Equal(t, 2, under.Mobility)
		require.Equal(t, 1, under.Controlled)
		require.Len(t, under.Freedoms, 1)
		require.NotEqual(t, "joint1.0", under.Freedoms[0], "the base is under control")
		require.Positive(t, under.Residual)
		require.Contains(t, under.Error(), under.Freedoms[0])
		require.Equal(t, under.Residual, v.Residual())
		require.Equal(t, mechanism.ActuationUnder, v.Actuation())
		require.Equal(t, 1, v.Controlled())
		require.Equal(t, actuatorsOf(t, r, "joint2", "joint3", "joint4", "joint5"), v.Uncontrolled(), "%v: the elbow loop moves", method)

		// Two actuators on one motion: the elbow and the slide.
		v = r.plan.NewInverse(method, actuatorsOf(t, r, "joint3", "joint4"), nil)
		require.ErrorAs(t, v.SolveBodies(st, nil), &under)
		require.Equal(t, []string{"joint1.0"}, under.Freedoms)
		require.Equal(t, actuatorsOf(t, r, "joint1"), v.Uncontrolled())

		v = r.plan.NewInverse(method, nil, nil)
		require.ErrorAs(t, v.SolveBodies(st, nil), &under)
		require.Equal(t, 0, under.Controlled)
		require.Len(t, under.Freedoms, 2)
	}
}

// TestUnderactuatedByGauss: with too few actuators the actuated freedoms have the
// wanted accelerations, whatever the others do, and what the loads do by
// themselves needs no forces and is no error.
func TestUnderactuatedByGauss(t *testing.T) {
	check.Long(t)
	tested := 0
	closedModels(t, func(t *testing.T, m *model.Model) {
		r := newRig(t, m, tree.Options{}).atInitial(t)
		free := solveClosed(t, r, tree.Projection, tree.SolverOptions{})
		if free.Report().Mobility < 2 {
			return
		}
		l := &r.plan.Links[len(r.plan.Links)/2]
		if l.Joint < 0 || l.NumDof == 0 || m.Joints[l.Joint].Motion != nil {
			return
		}
		tested++
		want := r.random(check.Rand(6))
		for _, method := range methods {
			v := r.plan.NewInverse(method, actuatorsOf(t, r, r.mech.JointName(int(l.Joint))), nil)
			err := v.Solve(r.mech.Initial(), want)
			if v.Actuation() != mechanism.ActuationUnder {
				return
			}
			require.ErrorAs(t, err, new(*mechanism.UnderactuatedError))
			tau := r.zeros()
			v.AddTo(tau)
			s := r.plan.NewSolver(method, tree.SolverOptions{})
			require.NoError(t, s.SolveForced(r.mech.Initial(), tau))
			got, q := s.JointAccelerations(), v.JointAccelerations()
			scale := math.Max(1, math.Max(check.MaxAbs(got), check.MaxAbs(q)))
			check.CloseVec(t, got[l.Dof:l.Dof+l.NumDof], q[l.Dof:l.Dof+l.NumDof], 10*inverseClosedTol, scale, "%v: q̈ of the actuator", method)

			require.NoError(t, v.Solve(r.mech.Initial(), free.JointAccelerations()))
			require.Equal(t, mechanism.ActuationUnder, v.Actuation())
			require.Less(t, v.Controlled(), v.Mobility())
			check.CloseVec(t, v.Forces(), make([]float64, l.NumDof), inverseClosedTol, scale, "%v: no force needed", method)
		}
	})
	require.Greater(t, tested, 20)
}

// TestInverseOfImmobile: an actuator at a joint that cannot move exerts nothing,
// and counts as one too many.
func TestInverseOfImmobile(t *testing.T) {
	m := golden(t, "driven-crank")
	rigid := len(m.Joints)
	arm := m.Bodies[0]
	arm.Name, arm.Pose, arm.Velocity = "arm", model.Pose{Orientation: [4]float64{1}}, model.Velocity{}
	m.Bodies = append(m.Bodies, arm)
	m.Joints = append(m.Joints, model.Joint{
		Name: "shoulder", Type: model.Revolute, Predecessor: model.World, Successor: "arm",
		PredecessorFrame: arm.Pose, SuccessorFrame: arm.Pose,
	})
	r := newRig(t, m, tree.Options{})
	var fixed string
	for j := range rigid {
		if m.Joints[j].Motion == nil && r.mech.Joints[j].Kind.Scalar(0) {
			fixed = m.Joints[j].Name
		}
	}
	require.NotEmpty(t, fixed)
	for _, method := range methods {
		v := r.plan.NewInverse(method, actuatorsOf(t, r, fixed, "shoulder"), nil)
		require.NoError(t, v.SolveBodies(r.mech.Initial(), nil))
		require.Equal(t, 1, v.Mobility())
		require.Equal(t, mechanism.ActuationRedundant, v.Actuation())
		require.Zero(t, v.Forces()[0])
		require.NotZero(t, v.Forces()[1])

		v = r.plan.NewInverse(method, actuatorsOf(t, r, fixed), nil)
		require.ErrorAs(t, v.SolveBodies(r.mech.Initial(), nil), new(*mechanism.UnderactuatedError))
		require.Equal(t, actuatorsOf(t, r, "shoulder"), v.Uncontrolled())
	}
}

// TestInverseHolds: with all joints locked by their motions nothing is left to
// control.
func TestInverseHolds(t *testing.T) {
	r := newRig(t, golden(t, "driven-crank"), tree.Options{}).atInitial(t)
	for _, method := range methods {
		v := r.plan.NewInverse(method, nil, nil)
		require.NoError(t, v.SolveBodies(r.mech.Initial(), nil))
		require.Empty(t, v.Forces())
		require.Zero(t, v.Mobility())
		require.Equal(t, mechanism.ActuationProper, v.Actuation())
	}
}

func TestInversePanics(t *testing.T) {
	r, _, _, _ := armRig(t)
	a := actuatorsOf(t, r, "joint1")
	for text, f := range map[string]func(){
		"tree: no such freedom":      func() { r.plan.NewInverse(tree.Projection, []mechanism.Freedom{{Joint: 0, Freedom: 1}}, nil) },
		"tree: actuator named twice": func() { r.plan.NewInverse(tree.Projection, append(a, a...), nil) },
		"tree: weight not positive":  func() { r.plan.NewInverse(tree.Projection, a, []float64{0}) },
		"tree: length mismatch":      func() { r.plan.NewInverse(tree.Projection, a, []float64{1, 2}) },
		"tree: no solution":          func() { r.plan.NewInverse(tree.Projection, a, nil).Distance() },
	} {
		require.PanicsWithValue(t, text, f)
	}
	v := r.plan.NewInverse(tree.Projection, a, nil)
	require.PanicsWithValue(t, "tree: length mismatch", func() { _ = v.Solve(r.mech.Initial(), []float64{1}) })
	require.PanicsWithValue(t, "tree: length mismatch", func() { _ = v.SolveBodies(r.mech.Initial(), make([]spatial.ClassicalAccel, 1)) })
}
