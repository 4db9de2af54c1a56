package motion_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
)

// springsTol is the difference of two methods relative to the largest acceleration.
const springsTol = 1e-8

// accelerationsBy returns the accelerations of a method, six numbers a body.
func accelerationsBy(t *testing.T, p *kkt.Plan, m motion.Method) []float64 {
	t.Helper()
	d, err := motion.New(p, m)
	require.NoError(t, err)
	a := make([]float64, 6*p.Mechanism().NumBodies())
	require.NoError(t, d.Accelerations(a, p.Initial()))
	return a
}

// TestSpringsByAllMethods: with bushings, cables and laws all orderings and tree methods find the accelerations of the
// sparse one, and forces of actuators come back.
func TestSpringsByAllMethods(t *testing.T) {
	for i, name := range []string{"pendulum", "four-bar", "stewart-6ups", "driven-mixed", "ball-ladder-5", "random-10", "type-planar", "islands", "n-four-bar-3"} {
		m := golden(t, name)
		modeltest.AddSprings(m, rand.New(rand.NewPCG(6, uint64(i))))
		p := newPlan(t, m, 0)
		want := accelerationsBy(t, p, motion.Sparse)
		size := check.MaxAbs(want)
		for _, o := range order.All() {
			check.CloseVec(t, accelerationsBy(t, newPlan(t, m, o), motion.Sparse), want, springsTol, size, "%s", name)
		}
		for _, method := range motion.Methods()[1:] {
			check.CloseVec(t, accelerationsBy(t, p, method), want, springsTol, size, "%s, %v", name, method)
		}
		for j := range m.Joints {
			jt := &m.Joints[j]
			if jt.Springs == nil || jt.Type == model.Free || jt.Motion != nil {
				continue
			}
			f := mechanism.Freedom{Joint: j}
			in := p.Mechanism().NewInputs()
			force := p.Mechanism().Drive(j).Force[0]
			require.NoError(t, in.SetForce(j, 0, force+2.5))
			wanted := accelerationsBy(t, p.With(in), motion.Sparse)
			v, err := p.NewInverse([]mechanism.Freedom{f})
			require.NoError(t, err)
			if v.Solve(p.Initial(), wanted) == nil { // else other motions are left
				require.InDelta(t, 2.5, v.Forces()[0], 1e-7, name)
			}
		}
	}
}
