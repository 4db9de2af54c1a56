package assemble_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// small is a model with bodies 0, 1, 2 and joints written "type from to", -1
// the world.
func small(t testing.TB, list ...string) *mechanism.Mechanism {
	t.Helper()
	m := model.New("small")
	name := func(i int) string {
		if i < 0 {
			return model.World
		}
		return fmt.Sprintf("b%d", i)
	}
	for i := range 3 {
		m.Bodies = append(m.Bodies, model.Body{
			Name: name(i), Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1},
			Pose: model.Pose{Position: [3]float64{float64(i)}},
		})
	}
	for k, text := range list {
		var typ string
		var from, to int
		_, err := fmt.Sscan(text, &typ, &from, &to)
		require.NoError(t, err)
		kind, err := joints.ParseKind(typ)
		require.NoError(t, err)
		j := model.Joint{Name: fmt.Sprintf("j%d", k), Type: kind, Predecessor: name(from), Successor: name(to)}
		if kind == model.Distance {
			j.Length = 1
		}
		m.Joints = append(m.Joints, j)
	}
	return compiled(t, m)
}

func TestLayout(t *testing.T) {
	m := small(t, "revolute -1 0", "free 0 1", "spherical 2 1", "point_on_plane 1 -1", "fixed 1 2", "distance 0 1")
	l := assemble.NewLayout(m)
	p := l.Pattern
	require.Equal(t, []int8{6, 6, 6, 5, 3, 1, 6, 1}, p.Size)
	require.Equal(t, []int8{1, 1, 1, -1, -1, -1, -1, -1}, p.Sign)
	require.Equal(t, 3, p.Positive())
	require.Equal(t, []int32{0, 0, 0, 0, 1, 3, 4, 6, 8}, p.Ptr)
	require.Equal(t, []int32{0, 1, 2, 1, 1, 2, 0, 1}, p.Ind, "columns increase, parallel joints have rows of their own")
	want := []int{3, -1, 4, 5, 6, 7}
	for j, node := range want {
		require.Equal(t, node, l.JointNode(j))
		if node >= 0 {
			require.Equal(t, j, l.NodeJoint(node))
			require.Equal(t, fmt.Sprintf("joint \"j%d\"", j), l.NodeName(node))
		}
	}
	for i := range 3 {
		require.Equal(t, -1, l.NodeJoint(i))
		require.Equal(t, fmt.Sprintf("body \"b%d\"", i), l.NodeName(i))
	}
}

// TestLayoutWithoutRows covers models with nothing to constrain.
func TestLayoutWithoutRows(t *testing.T) {
	empty := compiled(t, model.New("empty"))
	l := assemble.NewLayout(empty)
	require.Zero(t, l.Pattern.Dim())
	require.NoError(t, l.NewSystem().FillTo(empty.Initial()))
	free := small(t, "free -1 0", "free 0 1")
	l = assemble.NewLayout(free)
	require.Equal(t, 18, l.Pattern.Dim())
	require.Equal(t, -1, l.JointNode(0))
	y := l.NewSystem()
	require.NoError(t, y.FillTo(free.Initial()))
	T, n := y.ForceSubspace(1, free.Initial())
	require.Zero(t, n)
	require.Zero(t, T)
}

// TestMotionAddsARow counts prescribed freedoms among the rows.
func TestMotionAddsARow(t *testing.T) {
	m := golden(t, "driven-mixed")
	l := assemble.NewLayout(m)
	for j := range m.Joints {
		n := m.Joints[j].Kind.Constraints()
		if mo := m.Joints[j].Motion; mo != nil {
			for i := range mo {
				if mo[i] != nil {
					n++
				}
			}
		}
		if n == 0 {
			require.Equal(t, -1, l.JointNode(j))
			continue
		}
		require.Equal(t, n, int(l.Pattern.Size[l.JointNode(j)]), m.JointName(j))
	}
}

// TestFillDoesNotAllocate also fills twice and compares the bits.
func TestFillDoesNotAllocate(t *testing.T) {
	for _, family := range []string{"ladder", "nfourbar", "random"} {
		m := generate(t, family, 40, 1)
		s := m.Initial()
		y := filled(t, m, s)
		dia, val, b := append([]float64(nil), y.Matrix.Dia...), append([]float64(nil), y.Matrix.Val...), append([]float64(nil), y.Right...)
		require.Zero(t, testing.AllocsPerRun(10, func() {
			if err := y.FillTo(s); err != nil {
				t.Error(err)
			}
		}), family)
		require.Equal(t, dia, y.Matrix.Dia)
		require.Equal(t, val, y.Matrix.Val)
		require.Equal(t, b, y.Right)
	}
}
