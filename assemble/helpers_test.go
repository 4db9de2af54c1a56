package assemble_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// compiled returns the mechanism of m.
func compiled(t testing.TB, m *model.Model) *mechanism.Mechanism {
	t.Helper()
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	return mech
}

func generate(t testing.TB, family string, n int, seed uint64) *mechanism.Mechanism {
	t.Helper()
	m, err := bench.Generate(family, n, seed)
	require.NoError(t, err)
	return compiled(t, m)
}

func golden(t testing.TB, name string) *mechanism.Mechanism {
	t.Helper()
	m, err := model.ReadFile(check.ModelPath(t, name))
	require.NoError(t, err)
	return compiled(t, m)
}

// mechanisms runs f on the reference models and on random ones with all joint
// types.
func mechanisms(t *testing.T, f func(t *testing.T, m *mechanism.Mechanism)) {
	for _, name := range check.GoldenModels(t) {
		t.Run(name, func(t *testing.T) { f(t, golden(t, name)) })
	}
	var kinds [joints.NumKinds]int
	for _, n := range []int{4, 12, 30, 60} {
		for seed := range uint64(5) {
			t.Run(fmt.Sprintf("random/n=%d/seed=%d", n, seed), func(t *testing.T) {
				m := generate(t, "random", n, seed)
				for j := range m.Joints {
					kinds[m.Joints[j].Kind]++
				}
				f(t, m)
			})
		}
	}
	for seed := range uint64(5) {
		m := compiled(t, modeltest.Composites(seed, 6, 2))
		kinds[joints.Composite] += len(m.Joints)
		t.Run(m.Name, func(t *testing.T) { f(t, m) })
	}
	for i := range 15 {
		made := [3]func(uint64) *model.Model{modeltest.Rolling, modeltest.Beads, modeltest.Cams}[i%3]
		m := compiled(t, made(uint64(i/3)))
		for j := range m.Joints {
			kinds[m.Joints[j].Kind.Type()]++
		}
		t.Run(m.Name, func(t *testing.T) { f(t, m) })
	}
	for k, n := range kinds {
		require.Positive(t, n, "no joint of type %v", joints.Kind(k))
	}
}

// filled returns the system of m at s.
func filled(t testing.TB, m *mechanism.Mechanism, s *mechanism.State) *assemble.System {
	t.Helper()
	y := assemble.NewLayout(m).NewSystem()
	require.NoError(t, y.FillTo(s))
	return y
}

// velocities returns the bodies' velocities in the system's coordinates: ω and
// the velocity of the centre of mass.
func velocities(m *mechanism.Mechanism, s *mechanism.State) []float64 {
	v := make([]float64, 0, 6*len(s.Bodies))
	for i := range s.Bodies {
		b := &s.Bodies[i]
		c := b.Velocity.Add(b.Omega.Cross(b.Rotation.Rotate(m.Bodies[i].Com)))
		v = append(v, b.Omega[0], b.Omega[1], b.Omega[2], c[0], c[1], c[2])
	}
	return v
}

// drifted returns the state after the time h with the bodies' angular
// velocities and the velocities of their centres of mass kept.
func drifted(m *mechanism.Mechanism, s *mechanism.State, h float64) *mechanism.State {
	out := s.Clone()
	for i := range out.Bodies {
		b, com := &out.Bodies[i], m.Bodies[i].Com
		arm := b.Rotation.Rotate(com)
		vc := b.Velocity.Add(b.Omega.Cross(arm))
		b.Rotation = b.Rotation.Integrate(b.Omega, h)
		turned := b.Rotation.Rotate(com)
		// Only what is new is added, to keep the digits of far positions.
		b.Position = b.Position.Add(vc.Scale(h).Add(arm.Sub(turned)))
		b.Velocity = vc.Sub(b.Omega.Cross(turned))
	}
	return out
}

// product returns K·(v, 0) in the rows of the joints: J·v.
func product(y *assemble.System, v []float64) []float64 {
	n, all := y.Layout.Pattern.Dim(), len(v)
	x, r := make([]float64, n), make([]float64, n)
	copy(x, v)
	y.Matrix.MulVecTo(r, x)
	return r[all:]
}

// each calls f for every joint with rows, with the place of its first row among
// the rows of the joints.
func each(y *assemble.System, f func(j, row, n int)) {
	m, p := y.Layout.Mech, y.Layout.Pattern
	for j := range m.Joints {
		if node := y.Layout.JointNode(j); node >= 0 {
			f(j, int(p.Off[node])-6*m.NumBodies(), int(p.Size[node]))
		}
	}
}

// kinematics returns the motion of joint j at s.
func kinematics(y *assemble.System, j int, s *mechanism.State) *joints.Frames {
	var jk mechanism.JointKinematics
	y.Layout.Mech.JointTo(&jk, j, y.Kin, s)
	return &jk.Frames
}

// rowsOf returns the constraint rows of joint j at s.
func rowsOf(t testing.TB, y *assemble.System, j int, s *mechanism.State) *joints.Rows {
	t.Helper()
	r := new(joints.Rows)
	require.NoError(t, y.Layout.Mech.Joints[j].EvalTo(r, kinematics(y, j, s), s.Time))
	return r
}

// relative returns V̂ of joint j.
func relative(y *assemble.System, j int, s *mechanism.State) (v spatial.Motion) {
	kinematics(y, j, s).RelativeVelocityTo(&v)
	return v
}
