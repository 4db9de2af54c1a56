package linear_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// tendon runs through a point of each of its bodies, with one tension: k·(length − rest) + d·rate.
type tendon struct {
	point      []spatial.Vec3 // in the bodies
	k, d, rest float64
}

// segment is a straight part, from one point to the next.
type segment struct{ n, u spatial.Vec3 }

// segments returns the straight parts, their lengths and the tension. The changes of points and velocities are those of a
// small motion.
func (c *tendon) segments(at []mechanism.BodyMotion) (arm []spatial.Vec3, part []segment, length []float64, tension float64) {
	var v []spatial.Vec3
	for i := range at {
		a, speed := at[i].Point(c.point[i])
		arm, v = append(arm, a), append(v, speed)
	}
	tension = -c.k * c.rest
	for i := range at[1:] {
		line := at[i+1].Position.Sub(at[i].Position).Add(at[i+1].Com.Add(arm[i+1]).Sub(at[i].Com.Add(arm[i])))
		s := segment{line.Scale(1 / line.Norm()), v[i+1].Sub(v[i])}
		part, length = append(part, s), append(length, line.Norm())
		tension += c.k*line.Norm() + c.d*s.n.Dot(s.u)
	}
	return arm, part, length, tension
}

func (c *tendon) WrenchesTo(w []spatial.Force, at []mechanism.BodyMotion, _ float64) error {
	arm, part, _, tension := c.segments(at)
	for i, s := range part {
		F := s.n.Scale(tension)
		w[i] = w[i].Add(spatial.NewForce(arm[i].Cross(F), F))
		w[i+1] = w[i+1].Add(spatial.NewForce(arm[i+1].Cross(F.Neg()), F.Neg()))
	}
	return nil
}

func (c *tendon) DerivativesTo(pose, velocity []float64, at []mechanism.BodyMotion, _ float64) error {
	arm, part, length, tension := c.segments(at)
	wide := 6 * len(at)
	for col := range wide {
		b, k := col/6, col%6
		var unit, phi spatial.Vec3
		if unit[k%3] = 1; k < 3 {
			phi = unit
			unit = phi.Cross(arm[b]) // how the point moves
		}
		// The rates change with the arm at a displacement, and with the velocity at another one.
		turn := at[b].Omega.Cross(phi.Cross(arm[b]))
		dT, vT := 0.0, 0.0
		dn := make([]spatial.Vec3, len(part))
		for i, s := range part {
			sign := 0.0
			switch b {
			case i:
				sign = -1
			case i + 1:
				sign = 1
			}
			line := unit.Scale(sign)
			dL := s.n.Dot(line)
			dn[i] = line.Sub(s.n.Scale(dL)).Scale(1 / length[i])
			dT += c.k*dL + c.d*(dn[i].Dot(s.u)+sign*s.n.Dot(turn))
			vT += c.d * dL
		}
		add := func(out []float64, body int, m, f spatial.Vec3) {
			for r := range 3 {
				out[(6*body+r)*wide+col] += m[r]
				out[(6*body+3+r)*wide+col] += f[r]
			}
		}
		for i, s := range part {
			dF, vF := s.n.Scale(dT).Add(dn[i].Scale(tension)), s.n.Scale(vT)
			for e, sign := range [2]float64{1, -1} {
				body := i + e
				m := arm[body].Cross(dF)
				if body == b {
					m = m.Add(phi.Cross(arm[body]).Cross(s.n.Scale(tension)))
				}
				add(pose, body, m.Scale(sign), dF.Scale(sign))
				add(velocity, body, arm[body].Cross(vF).Scale(sign), vF.Scale(sign))
			}
		}
	}
	return nil
}

// strung returns the plan of a golden model with a tendon through its first n bodies.
func strung(t testing.TB, p *kkt.Plan, n int) *kkt.Plan {
	t.Helper()
	rng := check.Rand(uint64(n))
	in := p.Mechanism().NewInputs()
	c := &tendon{k: 30, d: 2, rest: 0.4}
	var bodies []int
	for i := range n {
		c.point = append(c.point, spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}.Scale(0.3))
		bodies = append(bodies, n-1-i)
	}
	_, err := in.AddForce("tendon", c, bodies...)
	require.NoError(t, err)
	return p.With(in)
}

// TestOwnDerivatives compares C and K with differences, with a user's force on two, three or four bodies.
func TestOwnDerivatives(t *testing.T) {
	for _, name := range []string{"floating-tree", "four-bar", "springs", "random-10"} {
		for n := 2; n <= 4; n++ {
			t.Run(fmt.Sprint(name, "-", n), func(t *testing.T) {
				p := golden(t, name)
				if p.Mechanism().NumBodies() < n {
					return
				}
				p = strung(t, p, n)
				t.Run("rest", func(t *testing.T) { requireDerivatives(t, p, resting(p), true) })
				t.Run("moving", func(t *testing.T) { requireDerivatives(t, p, p.Initial(), false) })
			})
		}
	}
}

// hung is a row of three bodies on springs, which may be springs of the model or users' forces.
func hung(t testing.TB, own bool) *kkt.Plan {
	t.Helper()
	m := &model.Model{Name: "row"}
	for i, x := range []float64{1, 2, 3} {
		name := fmt.Sprint("b", i)
		m.Bodies = append(m.Bodies, model.Body{Name: name, Mass: 1 + x, Inertia: model.Inertia{XX: 1, YY: 2, ZZ: 2.5}, Pose: model.Pose{Position: [3]float64{x, 0.1 * x, 0}}})
		m.Joints = append(m.Joints, model.Joint{Name: fmt.Sprint("j", i), Type: model.Planar, Predecessor: model.World, Successor: name,
			PredecessorFrame: model.Pose{Position: [3]float64{x, 0.1 * x, 0}}, Stiffness: []float64{5, 3, 4}})
	}
	springs := [][2]int{{0, 1}, {1, 2}}
	if !own {
		for i, s := range springs {
			m.Forces = append(m.Forces, model.ForceElement{Name: fmt.Sprint("s", i), Type: model.SpringDamper,
				A: model.Attachment{Body: m.Bodies[s[0]].Name, Point: [3]float64{0, 0.2, 0}}, B: model.Attachment{Body: m.Bodies[s[1]].Name, Point: [3]float64{0, 0.1, 0.1}},
				Stiffness: 40, Damping: 0.3, RestLength: 0.8})
		}
	}
	p := planned(t, m)
	if !own {
		return p
	}
	in := p.Mechanism().NewInputs()
	for i, s := range springs {
		_, err := in.AddForce(fmt.Sprint("s", i), &tendon{[]spatial.Vec3{{0, 0.2, 0}, {0, 0.1, 0.1}}, 40, 0.3, 0.8}, s[0], s[1])
		require.NoError(t, err)
	}
	return p.With(in)
}

// TestOwnSpringIsASpring: equilibrium and modes are the same with springs as users' forces and with springs of the model, by both methods.
func TestOwnSpringIsASpring(t *testing.T) {
	var states [2]*mechanism.State
	var values [2][]complex128
	for i, own := range []bool{false, true} {
		p := hung(t, own)
		states[i] = p.Initial()
		_, err := linear.Equilibrate(p, states[i], linear.EquilibriumOptions{})
		require.NoError(t, err)
		for _, method := range []linear.Method{linear.Dense, linear.Sparse} {
			modes, err := linearized(t, p, states[i]).Modes(linear.ModeOptions{Count: 4, Method: method})
			require.NoError(t, err)
			for _, m := range modes.List[:4] {
				values[i] = append(values[i], m.Lambda)
			}
		}
	}
	for i := range states[0].Bodies {
		a, b := states[0].Bodies[i].Position, states[1].Bodies[i].Position
		check.CloseVec(t, a[:], b[:], 1e-9, 1, "body %d", i)
	}
	for i, a := range values[0] {
		check.Close(t, real(a), real(values[1][i]), 1e-7, 1, "mode %d", i)
		check.Close(t, imag(a), imag(values[1][i]), 1e-7, 1, "mode %d", i)
	}
}

// push is a force without derivatives.
type push struct{}

func (push) WrenchesTo(w []spatial.Force, _ []mechanism.BodyMotion, _ float64) error {
	w[0] = spatial.NewForce(spatial.Vec3{}, spatial.Vec3{1})
	return nil
}

// TestOwnWithoutDerivatives is refused with the name of the force.
func TestOwnWithoutDerivatives(t *testing.T) {
	p := golden(t, "four-bar")
	in := p.Mechanism().NewInputs()
	_, err := in.AddForce("fan", push{}, 0)
	require.NoError(t, err)
	err = linear.NewSystem(p.With(in)).Linearize(p.Initial())
	require.ErrorIs(t, err, mechanism.ErrNoDerivatives)
	var at *mechanism.Error
	require.ErrorAs(t, err, &at)
	require.Equal(t, "fan", at.Force)
	_, err = linear.Equilibrate(p.With(in), p.Initial(), linear.EquilibriumOptions{})
	require.ErrorIs(t, err, mechanism.ErrNoDerivatives)
}
