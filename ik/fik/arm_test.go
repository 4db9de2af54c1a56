package fik_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/ik/fik"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// arm is a chain of hinges with some rows of its tool's twist, angular
// first: by products of rotations, not by package tree.
type arm struct {
	at       []spatial.Vec3 // hinge k in the link before
	turn     []spatial.Quat
	tool     spatial.Vec3
	rows     []int
	J        *fik.Dense
	position spatial.Vec3
	rotation spatial.Quat
}

// readArm reads the arm of a file of reference/ik. Frames of hinges on successors are those of the links.
func readArm(t testing.TB, file string, tool [3]float64, rows []int) *arm {
	t.Helper()
	m, err := model.ReadFile(check.Reference(t, "ik", file))
	require.NoError(t, err)
	a := &arm{tool: tool, rows: rows, J: fik.NewDense(len(rows), len(m.Joints), nil)}
	for i := range m.Joints {
		j := &m.Joints[i]
		require.Equal(t, model.Pose{Orientation: [4]float64{1}}, j.SuccessorFrame)
		a.at = append(a.at, j.PredecessorFrame.Position)
		a.turn = append(a.turn, modeltest.Unit(j.PredecessorFrame.Orientation))
	}
	return a
}

// set computes pose of the tool and Jacobian.
func (a *arm) set(q []float64) {
	R, p := spatial.IdentityQuat(), spatial.Vec3{}
	axes, origins := make([]spatial.Vec3, len(q)), make([]spatial.Vec3, len(q))
	for k, x := range q {
		p = p.Add(R.Rotate(a.at[k]))
		R = R.Mul(a.turn[k]).Mul(spatial.FromAxisAngle(spatial.Vec3{0, 0, 1}, x))
		axes[k], origins[k] = R.Rotate(spatial.Vec3{0, 0, 1}), p
	}
	a.position, a.rotation = p.Add(R.Rotate(a.tool)), R
	for k, z := range axes {
		v := z.Cross(a.position.Sub(origins[k]))
		twist := [6]float64{z[0], z[1], z[2], v[0], v[1], v[2]}
		for i, r := range a.rows {
			a.J.Row(i)[k] = twist[r]
		}
	}
}

// errorTo stores the error of the tool to a wanted pose.
func (a *arm) errorTo(e []float64, position spatial.Vec3, rotation spatial.Quat) {
	angular, linear := rotation.Mul(a.rotation.Conj()).Log(), position.Sub(a.position)
	all := [6]float64{angular[0], angular[1], angular[2], linear[0], linear[1], linear[2]}
	for i, r := range a.rows {
		e[i] = all[r]
	}
}
