package kkt_test

import (
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// actuated are models in which inputs matter: a stack of platforms on legs, random ones with springs and prescribed
// freedoms, and one of which groups of bodies are eliminated first.
func actuated(t testing.TB) map[string]*model.Model {
	t.Helper()
	return map[string]*model.Model{
		"stewart": generate(t, "stewart", 3, 1), "random": generate(t, "random", 40, 3),
		"nfourbar": generate(t, "nfourbar", 40, 1), "driven": golden(t, "driven-mixed"),
	}
}

// vary sets all inputs by a number.
func vary(t testing.TB, in *mechanism.Inputs, x float64) {
	t.Helper()
	m := in.Mechanism()
	require.NoError(t, in.SetGravity(spatial.Vec3{x, -9, 1}))
	for j := range m.Joints {
		for i := range m.Joints[j].Kind.Freedoms() {
			require.NoError(t, in.SetForce(j, i, math.Sin(x+float64(j+i))))
			if m.Joints[j].Prescribed(i) {
				q, qd, _ := m.Joints[j].Motion[i].At(0)
				require.NoError(t, in.SetMotion(j, i, joints.NewPolynomial([]float64{q, qd, x})))
			}
			if m.Sprung(j, i) {
				require.NoError(t, in.SetDamping(j, i, 1+x*x))
				if m.Joints[j].Kind.Scalar(i) {
					require.NoError(t, in.SetRest(j, i, x))
				}
			}
		}
	}
	for i := range m.Forces {
		if e := &m.Forces[i]; e.Kind == model.Wrench {
			require.NoError(t, in.SetWrench(i, spatial.Vec3{x, 1, 0}, spatial.Vec3{x}))
		} else {
			require.NoError(t, in.SetSpringDamper(i, 3+x, 2, 0.5))
		}
	}
}

// change does the same to a model.
func change(m *model.Model, mech *mechanism.Mechanism, x float64) *model.Model {
	out := *m
	out.Gravity = [3]float64{x, -9, 1}
	out.Joints = append([]model.Joint(nil), m.Joints...)
	out.Forces = append([]model.ForceElement(nil), m.Forces...)
	for j := range out.Joints {
		jt := &out.Joints[j]
		n := jt.Type.Freedoms()
		copied := func(list []float64) []float64 {
			out := make([]float64, n)
			copy(out, list)
			return out
		}
		jt.Force, jt.Damping, jt.Rest = make([]float64, n), copied(jt.Damping), copied(jt.Rest)
		motions := make([]*model.Motion, n)
		for i := range n {
			jt.Force[i] = math.Sin(x + float64(j+i))
			if mech.Joints[j].Prescribed(i) {
				q, qd, _ := mech.Joints[j].Motion[i].At(0)
				motions[i] = joints.NewPolynomial([]float64{q, qd, x})
			}
			if mech.Sprung(j, i) {
				jt.Damping[i] = 1 + x*x
				if jt.Type.Scalar(i) {
					jt.Rest[i] = x
				}
			}
		}
		jt.Motion = motions
	}
	for i := range out.Forces {
		if e := &out.Forces[i]; e.Type == model.Wrench {
			e.Force, e.Torque = [3]float64{x, 1, 0}, [3]float64{x}
		} else {
			e.Stiffness, e.Damping, e.RestLength = 3+x, 2, 0.5
		}
	}
	return &out
}

// solution returns accelerations and multipliers of s at st.
func solution(t testing.TB, s *kkt.Solver, st *mechanism.State) []float64 {
	require.NoError(t, s.Solve(st))
	m := s.Plan().Mechanism()
	out := make([]float64, 6*m.NumBodies())
	s.AccelerationsTo(out)
	for j := range m.NumJoints() {
		var lambda [6]float64
		n := s.Reactions().MultipliersTo(&lambda, j)
		out = append(out, lambda[:n]...)
		w := s.Reactions().AppliedWrench(j)
		out = append(out, w[:]...)
	}
	return out
}

// TestInputsAreTheModel: a plan under inputs gives the bits of a plan of the model with these values, and goes on to do
// so as they change; the shared plan gives its own.
func TestInputsAreTheModel(t *testing.T) {
	for name, m := range actuated(t) {
		t.Run(name, func(t *testing.T) {
			p := newPlan(t, m, order.Auto)
			st := p.Initial()
			shared := solution(t, p.NewSolver(), st)
			in := p.Mechanism().NewInputs()
			s := p.With(in).NewSolver()
			require.Equal(t, shared, solution(t, s, st))
			for _, x := range []float64{0.3, 2} {
				vary(t, in, x)
				fresh := newPlan(t, change(m, p.Mechanism(), x), order.Auto)
				require.Equal(t, solution(t, fresh.NewSolver(), st), solution(t, s, st))
			}
			require.Equal(t, shared, solution(t, p.NewSolver(), st))
			in.Reset()
			require.Equal(t, shared, solution(t, s, st))
		})
	}
}

// TestInputsOfGoroutines: 64 goroutines on one plan with different inputs give the same bits as one after the other.
//
//rung:race
func TestInputsOfGoroutines(t *testing.T) {
	runs := check.Few(64, 16)
	for name, m := range actuated(t) {
		t.Run(name, func(t *testing.T) {
			p := newPlan(t, m, order.Auto)
			run := func(i int) (out []float64) {
				in := p.Mechanism().NewInputs()
				s, st := p.With(in).NewSolver(), p.Initial()
				for k := range 3 {
					vary(t, in, float64(i)/float64(runs)+float64(k))
					out = append(out, solution(t, s, st)...)
				}
				return out
			}
			var wait sync.WaitGroup
			got := make([][]float64, runs)
			for i := range runs {
				wait.Go(func() { got[i] = run(i) })
			}
			wait.Wait()
			for i := range runs {
				require.Equal(t, run(i), got[i])
			}
		})
	}
}

// TestInputsDoNotAllocate: setting and solving takes no memory.
func TestInputsDoNotAllocate(t *testing.T) {
	p := newPlan(t, generate(t, "stewart", 2, 1), order.Auto)
	in := p.Mechanism().NewInputs()
	own, err := in.AddForce("drag", &drag{c: 0.3}, 0)
	require.NoError(t, err)
	require.Equal(t, "drag", in.Mechanism().ForceName(own))
	s, st := p.With(in).NewSolver(), p.Initial()
	step := func() {
		for j := range in.Mechanism().Joints {
			if in.Mechanism().Joints[j].Kind == joints.Prismatic {
				_ = in.SetForce(j, 0, 3)
			}
		}
		_ = in.SetGravity(spatial.Vec3{1, 2, 3})
		require.NoError(t, s.Solve(st))
	}
	step()
	require.Zero(t, testing.AllocsPerRun(10, step))
}

// drag is −c·|v|·v at the centre of mass.
type drag struct{ c float64 }

func (d *drag) WrenchesTo(w []spatial.Force, at []mechanism.BodyMotion, _ float64) error {
	v := at[0].Velocity
	w[0] = spatial.NewForce(spatial.Vec3{}, v.Scale(-d.c*v.Norm()))
	return nil
}

func TestForeignInputs(t *testing.T) {
	p := newPlan(t, golden(t, "driven-mixed"), order.Auto)
	q := newPlan(t, golden(t, "driven-mixed"), order.Auto)
	require.PanicsWithValue(t, "kkt: foreign inputs", func() { p.With(q.Mechanism().NewInputs()) })
	require.PanicsWithValue(t, "kkt: foreign inputs", func() { p.With(nil) })
	in := p.Mechanism().NewInputs()
	require.Same(t, in.Mechanism(), p.With(in).With(in).Mechanism())
}

// TestInputsOfInputs: inputs made from a mechanism under inputs have its values and its forces of one's own, on memory of
// their own, and are inputs of the same model.
func TestInputsOfInputs(t *testing.T) {
	p := newPlan(t, generate(t, "ladder", 4, 1), order.Auto)
	in := p.Mechanism().NewInputs()
	_, err := in.AddForce("drag", &drag{c: 0.3}, 1)
	require.NoError(t, err)
	require.NoError(t, in.SetGravity(spatial.Vec3{1, 2, 3}))
	st := p.Initial()
	st.Bodies[1].Velocity[0] = 1
	accelerations := func(in *mechanism.Inputs) []float64 {
		a := make([]float64, 6*p.Mechanism().NumBodies())
		s := p.With(in).NewSolver()
		require.NoError(t, s.Solve(st))
		s.AccelerationsTo(a)
		return a
	}
	want := accelerations(in)
	require.NotEqual(t, accelerations(p.Mechanism().NewInputs()), want)
	again := in.Mechanism().NewInputs()
	require.Equal(t, want, accelerations(again))
	require.Equal(t, want, accelerations(p.With(again).Mechanism().NewInputs()))
	require.NoError(t, again.SetGravity(spatial.Vec3{}))
	require.Equal(t, want, accelerations(in))
}
