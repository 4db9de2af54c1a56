package motion_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/spatial"
)

// springy pulls its bodies to where their centres of mass would coincide, and damps that motion.
type springy struct{ k, d float64 }

func (s springy) WrenchesTo(w []spatial.Force, at []mechanism.BodyMotion, _ float64) error {
	a, b := &at[0], &at[1]
	line := b.Position.Sub(a.Position).Add(b.Com.Sub(a.Com))
	F := line.Scale(s.k).Add(b.Velocity.Sub(a.Velocity).Scale(s.d))
	w[0], w[1] = spatial.NewForce(spatial.Vec3{}, F), spatial.NewForce(spatial.Vec3{}, F.Neg())
	return nil
}

func (s springy) DerivativesTo(pose, velocity []float64, _ []mechanism.BodyMotion, _ float64) error {
	for i := 3; i < 6; i++ {
		for _, x := range [4]struct {
			row, column int
			sign        float64
		}{{i, i, -1}, {i, 6 + i, 1}, {6 + i, i, 1}, {6 + i, 6 + i, -1}} {
			pose[12*x.row+x.column], velocity[12*x.row+x.column] = x.sign*s.k, x.sign*s.d
		}
	}
	return nil
}

// TestMethodsFollowInputs: all methods use the present inputs and users' forces.
func TestMethodsFollowInputs(t *testing.T) {
	for _, family := range []string{"stewart", "random"} {
		plan := newPlan(t, generate(t, family, 3, 2), order.Auto)
		in := plan.Mechanism().NewInputs()
		_, err := in.AddForce("tie", springy{20, 1}, 2, 0)
		require.NoError(t, err)
		own := plan.With(in)
		m := in.Mechanism()
		var movers []motion.Mover
		for _, method := range []motion.Method{motion.Sparse, motion.TreeDirect, motion.TreeLambda, motion.TreeProjection} {
			d, err := motion.New(own, method)
			require.NoError(t, err)
			movers = append(movers, d)
		}
		var last []float64
		for n := range 3 {
			x := float64(n)
			require.NoError(t, in.SetGravity(spatial.Vec3{x, -9, 2 * x}))
			for j := range m.Joints {
				for i := range m.Joints[j].Kind.Freedoms() {
					require.NoError(t, in.SetForce(j, i, x-1))
					if m.Joints[j].Prescribed(i) {
						q, qd, _ := m.Joints[j].Motion[i].At(0)
						require.NoError(t, in.SetMotion(j, i, joints.NewPolynomial([]float64{q, qd, x})))
					}
				}
			}
			var first []float64
			for _, d := range movers {
				a := make([]float64, 6*m.NumBodies())
				require.NoError(t, d.Accelerations(a, own.Initial()))
				if first == nil {
					first = a
				}
				check.CloseVec(t, a, first, 1e-9, 100, "%s", family)
			}
			require.NotEqual(t, last, first)
			last = first
		}
	}
}

// TestInverseFollowsInputs: twice the gravity asks for twice the forces of a platform at rest, by an Inverse made before.
func TestInverseFollowsInputs(t *testing.T) {
	plan := newPlan(t, generate(t, "stewart", 1, 1), order.Auto)
	in := plan.Mechanism().NewInputs()
	m, st := in.Mechanism(), plan.Initial()
	st.Rest()
	var legs []mechanism.Freedom
	for j := range m.Joints {
		if m.Joints[j].Kind == joints.Prismatic {
			legs = append(legs, mechanism.Freedom{Joint: j})
		}
	}
	v, err := plan.With(in).NewInverse(legs)
	require.NoError(t, err)
	var forces [2][]float64
	for i := range forces {
		for _, f := range legs {
			require.NoError(t, in.SetForce(f.Joint, 0, 0))
		}
		require.NoError(t, in.SetGravity(spatial.Vec3{0, 0, -9.81 * float64(i+1)}))
		require.NoError(t, v.Solve(st, nil))
		forces[i] = v.Forces()
	}
	for i, f := range forces[0] {
		check.Close(t, forces[1][i], 2*f, 1e-10, 100, "leg %d", i)
	}
}

// TestOwnForceDoesNotAllocate: neither the Newton matrix nor the residual.
func TestOwnForceDoesNotAllocate(t *testing.T) {
	plan := newPlan(t, generate(t, "stewart", 1, 1), order.Auto)
	in := plan.Mechanism().NewInputs()
	_, err := in.AddForce("tie", springy{20, 1}, 2, 0)
	require.NoError(t, err)
	n := motion.NewNewton(plan.With(in))
	st := plan.Initial()
	u, lambda := make([]float64, 6*plan.Mechanism().NumBodies()), make([]float64, n.Rows())
	du, dl := make([]float64, len(u)), make([]float64, len(lambda))
	require.Zero(t, testing.AllocsPerRun(5, func() {
		require.NoError(t, n.Linearize(st, 1e-4, 1e-2, 0))
		require.NoError(t, n.Correct(du, dl, st, u, lambda, 1e-4))
	}))
}
