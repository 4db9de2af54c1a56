package mechanism_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

func compiled(t testing.TB, m *model.Model) *mechanism.Mechanism {
	t.Helper()
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	return mech
}

func golden(t testing.TB, name string) *mechanism.Mechanism {
	t.Helper()
	m, err := model.ReadFile(check.ModelPath(t, name))
	require.NoError(t, err)
	return compiled(t, m)
}

// kinematics returns the Kinematics of m at s.
func kinematics(t testing.TB, m *mechanism.Mechanism, s *mechanism.State) *mechanism.Kinematics {
	t.Helper()
	k := m.NewKinematics()
	require.NoError(t, m.KinematicsTo(k, s))
	return k
}

// cubes is a model of n unit cubes of 1 kg along x, 1 m apart, "b0", ….
func cubes(n int) *model.Model {
	m := model.New("cubes")
	for i := range n {
		m.Bodies = append(m.Bodies, model.Body{
			Name: fmt.Sprintf("b%d", i), Mass: 1, Inertia: model.Inertia{XX: 1. / 6, YY: 1. / 6, ZZ: 1. / 6},
			Pose: model.Pose{Position: [3]float64{float64(i)}},
		})
	}
	return m
}

// join appends joints written "type from to", with w for the world and numbers
// for bodies.
func join(t testing.TB, m *model.Model, list ...string) {
	t.Helper()
	for _, text := range list {
		var typ, from, to string
		_, err := fmt.Sscan(text, &typ, &from, &to)
		require.NoError(t, err)
		kind, err := joints.ParseKind(typ)
		require.NoError(t, err)
		label := func(s string) string {
			if s == "w" {
				return model.World
			}
			return "b" + s
		}
		j := model.Joint{Name: fmt.Sprintf("j%d", len(m.Joints)), Type: kind, Predecessor: label(from), Successor: label(to)}
		switch kind {
		case model.Distance:
			j.Length = 1
		case model.Rolling:
			j.Radius = 0.5
		case model.Helical:
			j.Pitch = 0.1
		}
		m.Joints = append(m.Joints, j)
	}
}

func closeVec3(t testing.TB, got, want spatial.Vec3, tol, scale float64, msg string, args ...any) {
	t.Helper()
	check.CloseVec(t, got[:], want[:], tol, scale, msg, args...)
}
