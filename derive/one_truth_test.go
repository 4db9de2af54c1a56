package derive_test

import (
	"errors"
	"math"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// truthDirections is the number of directions along which two packages are compared.
const truthDirections = 4

// TestLinearAgrees: at an equilibrium, the stiffness and damping of package linear, whose terms are written by hand, agree with the changes
// of accelerations.
func TestLinearAgrees(t *testing.T) {
	const tol = 1e-8 // relative to the largest product: equilibria have an error of some 1e-10
	for _, name := range []string{"eq-four-bar", "springs", "pendulum", "gear-pair", "stewart-6ups", "type-distance"} {
		t.Run(name, func(t *testing.T) {
			m, err := model.ReadFile(filepath.Join(referenceDir, name+".model.json"))
			require.NoError(t, err)
			mech, err := mechanism.New(m)
			require.NoError(t, err)
			plan := kkt.NewPlan(mech, kkt.Options{Threads: 1})
			st := plan.Initial()
			_, err = linear.Equilibrate(plan, st, linear.EquilibriumOptions{})
			require.NoError(t, err)
			d := derive.New(plan, m)
			require.NoError(t, d.At(st))
			s := linear.NewSystem(plan)
			require.NoError(t, s.Linearize(st))
			linearAgrees(t, d, s, tol)
		})
	}
}

// TestLinearAgreesMoving is TestLinearAgrees about moving states, with all types of joints and elements. States that one of the two
// packages refuses are left out, with the reason.
func TestLinearAgreesMoving(t *testing.T) {
	const tol = 1e-9 // relative to the largest product
	compared := 0
	try := func(name string, m *model.Model) {
		t.Run(name, func(t *testing.T) {
			mech, err := mechanism.New(m)
			require.NoError(t, err)
			plan := kkt.NewPlan(mech, kkt.Options{Threads: 1})
			st := plan.Initial()
			for i := range st.Bodies {
				x := float64(1 + i)
				st.Bodies[i].Omega = spatial.Vec3{math.Sin(x), math.Sin(2 * x), math.Sin(3 * x)}
				st.Bodies[i].Velocity = spatial.Vec3{math.Sin(4 * x), math.Sin(5 * x), math.Sin(6 * x)}
			}
			c := closing.NewCloser(plan, closing.Options{})
			require.NoError(t, c.ClosePositions(st))
			require.NoError(t, c.ProjectVelocities(st))
			d := derive.New(plan, m)
			require.NoError(t, d.At(st))
			s := linear.NewSystem(plan)
			err = s.LinearizeAsItIs(st)
			if errors.Is(err, mechanism.ErrNoDerivatives) {
				t.Log(err)
				return
			}
			require.NoError(t, err)
			compared++
			linearAgrees(t, d, s, tol)
		})
	}
	for _, pattern := range []string{"truth/*/model.json", "joints/*.model.json", "derivatives/*.model.json", "golden/*.model.json"} {
		files, err := filepath.Glob("../reference/" + pattern)
		require.NoError(t, err)
		for _, file := range files {
			m, err := model.ReadFile(file)
			require.NoError(t, err)
			if len(m.Bodies) <= 20 {
				try(file, m)
			}
		}
	}
	m, err := model.ReadFile("../reference/golden/type-universal.model.json")
	require.NoError(t, err)
	for i := range m.Joints {
		if j := &m.Joints[i]; j.Type == model.Universal {
			j.Friction = []model.Friction{{Force: 2, Speed: 0.5}, {Force: 3, Speed: 0.5, Static: 1.5, Stribeck: 1}}
		}
	}
	try("friction", m)
	require.GreaterOrEqual(t, compared, 80)
}

// linearAgrees compares stiffness and damping at the state of d. With a displacement x of it, its rate ẋ, and the accelerations ẍ that
// they make,
//
//	yᵀ(M·ẍ + C·ẋ + K·x) = yᵀJᵀ·δλ = 0
//
// for all motions y that the joints allow. A direction of derive has changes of velocities and accelerations in the world's axes, where
// δω = φ̇ + φ×ω and δω̇ = φ̈ + φ̇×ω + φ×ω̇, docs/statics-and-modes.md (S1), (S2).
func linearAgrees(t *testing.T, d *derive.Derivatives, s *linear.System, tol float64) {
	t.Helper()
	const n = truthDirections
	st, nb := d.State(), len(d.State().Bodies)
	in, out := d.NewDirections(3*n), d.NewChanges(3*n)
	for k := range 3 * n {
		in.SetFollow(k, true)
		for i := range nb {
			at := func(c int) spatial.Vec3 {
				x := float64(1 + 12*nb*k + 12*i + c)
				return spatial.Vec3{math.Sin(x), math.Sin(2 * x), math.Sin(3 * x)}
			}
			b := in.Body(k, i)
			if k < 2*n {
				b.Angular, b.Linear = at(6), at(9)
			}
			if k >= n {
				b.Rotation, b.Position = at(0), at(3)
			}
		}
	}
	require.NoError(t, d.ForwardTo(out, in, derive.Options{Untried: true, BodiesOnly: true}))
	x, rate, accel, part, force := make([]float64, 6*nb), make([]float64, 6*nb), make([]float64, 6*nb), make([]float64, 6*nb), make([]float64, 6*nb)
	off, most := 0.0, 0.0
	put := func(to []float64, i int, turn, travel spatial.Vec3) {
		copy(to[6*i:], turn[:])
		copy(to[6*i+3:], travel[:])
	}
	for k := range 3 * n {
		for i := range nb {
			c, omega := out.Body(k, i), st.Bodies[i].Omega
			alpha, _ := d.Acceleration(i)
			spin := c.Angular.Sub(c.Rotation.Cross(omega))
			put(x, i, c.Rotation, c.Position)
			put(rate, i, spin, c.Linear)
			put(accel, i, c.AngularAcceleration.Sub(spin.Cross(omega)).Sub(c.Rotation.Cross(alpha)), c.ComAcceleration)
		}
		clear(force)
		size := make([]float64, 6*nb)
		for _, term := range []struct {
			product func(dst, x []float64)
			of      []float64
		}{{s.MassTo, accel}, {s.DampingTo, rate}, {s.StiffnessTo, x}} {
			term.product(part, term.of)
			for r, f := range part {
				force[r] += f
				size[r] += math.Abs(f)
			}
		}
		for l := range n {
			sum, all := 0.0, 0.0
			for i := range nb {
				y := out.Body(l, i)
				for r := range 3 {
					sum += y.Angular[r]*force[6*i+r] + y.Linear[r]*force[6*i+3+r]
					all += math.Abs(y.Angular[r])*size[6*i+r] + math.Abs(y.Linear[r])*size[6*i+3+r]
				}
			}
			off, most = max(off, math.Abs(sum)), max(most, all)
		}
	}
	assert.LessOrEqual(t, off, tol*most)
}
