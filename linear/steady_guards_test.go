package linear_test

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// unsteady returns the error of a state space of p.
func unsteady(t testing.TB, p *kkt.Plan) *linear.UnsteadyError {
	t.Helper()
	_, err := linearized(t, p, p.Initial()).StateSpace()
	e := new(linear.UnsteadyError)
	require.True(t, errors.As(err, &e), "%v", err)
	return e
}

// drawn is a body on a hinge of one that is drawn along x at the speed v, held by a spring to a point behind. Nothing accelerates it,
// but the stiffness of its hinge changes with the length of the spring.
func drawn(t testing.TB, v float64) *rung.Builder {
	b := rung.NewBuilder("drawn").Gravity(0, 0, 0)
	cart := b.Body("cart", brick(t, 5, 1), rung.At(0, 0, 0))
	b.Prismatic("track", rung.World, cart, vec{}, axisX).Motion = []*model.Motion{{Kind: model.Polynomial, Coefficients: []float64{0, v}}}
	arm := b.Body("arm", brick(t, 1, 0.2), rung.At(-1, 0, 0))
	b.Revolute("hinge", cart, arm, vec{}, axisZ)
	b.SpringDamper("spring", rung.World, arm, vec{-5, 0, 0}, vec{-1, 0, 0}, rung.Spring{Stiffness: 30, RestLength: 1})
	b.Move(cart, vec{v, 0, 0}, vec{})
	b.Move(arm, vec{v, 0, 0}, vec{})
	return b
}

// TestEquationsThatChange: a motion without accelerations is not steady if rows or stiffness change later. Slow changes
// count, too.
func TestEquationsThatChange(t *testing.T) {
	e := unsteady(t, built(t, drawn(t, 1)))
	assert.Positive(t, e.After)
	assert.Equal(t, []float64{0, 0, 0}, []float64{e.Angular, e.Linear, e.Spin})

	// A rod that glides in a sleeve which may tilt: the arm of the sleeve's row changes.
	b := rung.NewBuilder("sleeve").Gravity(0, 0, 0)
	sleeve := b.Body("sleeve", brick(t, 5, 1), rung.At(0, 0, 0))
	rod := b.Body("rod", brick(t, 1, 1), rung.At(0, 0, 0))
	b.Revolute("tilt", rung.World, sleeve, vec{}, axisY).Stiffness = []float64{20}
	b.Prismatic("glide", sleeve, rod, vec{}, axisX)
	b.Move(rod, vec{2, 0, 0}, vec{})
	e = unsteady(t, built(t, b))
	assert.Positive(t, e.After)
	assert.Positive(t, e.Relative)

	// Beside a rotor, which turns 10⁶ times as fast as the cart goes as far as it is long.
	b = drawn(t, 0.01)
	rotor := b.Body("rotor", spindle(t, 1, 1e-4, 1e-4), rung.At(0, 3, 0))
	b.Revolute("bearing", rung.World, rotor, vec{0, 3, 0}, axisX)
	b.Move(rotor, vec{}, axisX.Scale(1e4))
	e = unsteady(t, built(t, b))
	assert.Greater(t, e.After, 1.0)
}

// TestNearlySteady: a disc that rolls around its circle too fast by 1e-7 is steady, one that does by 1e-3 is not.
func TestNearlySteady(t *testing.T) {
	for _, off := range []float64{1e-7, 1e-3} {
		p, _ := rollingDisc(t, 0.09, 0.05, 1.2, 0.9, 0)
		st := p.Initial()
		b := &st.Bodies[0]
		b.Velocity = b.Velocity.Scale(1 + off) // rolls as much faster, at the same turn about the vertical
		axle := b.Rotation.Rotate(axisZ)
		turn := vec{0, 0, 0.9}
		spin := b.Omega.Sub(turn)
		w := axle.Dot(b.Omega)
		b.Omega = turn.Add(spin).Add(axle.Scale(w * off))
		_, err := linearized(t, p, st).StateSpace()
		if off > 1e-6 {
			e := new(linear.UnsteadyError)
			require.True(t, errors.As(err, &e))
			require.Zero(t, e.After, "at once: %v", err)
			continue
		}
		require.NoError(t, err)
	}
}

// TestSlowTurn: a disc that rolls around a circle of 100 000 km still has a turning.
func TestSlowTurn(t *testing.T) {
	const w, turn = 10.0, 1e-8
	p, _ := rollingDisc(t, 0.09, 0.045, math.Pi/2, 0, w)
	st := p.Initial()
	// Upright but for the lean that it takes: (C + m·r²)·w·Ω = m·g·r·lean to first order.
	lean := (0.09 + 2*0.09) * w * turn / (2 * g * 0.3)
	b := &st.Bodies[0]
	b.Rotation = spatial.FromAxisAngle(axisY, lean).Mul(b.Rotation)
	b.Position = b.Position.Add(vec{0, 0, 0.3*math.Cos(lean) - 0.3})
	b.Omega = b.Rotation.Rotate(axisZ).Scale(w).Add(vec{0, 0, turn})
	f, err := linearized(t, p, st).StateSpace()
	require.NoError(t, err)
	assert.InEpsilon(t, turn, f.Turning[2], 0.01)
}

// TestTurningOfLittle: if heavy and fast bodies do not determine a component of Ω, light and slow ones do, down to a relative size of 1e-6.
func TestTurningOfLittle(t *testing.T) {
	const fast = 100.0
	for _, c := range []struct{ mass, turn, far, want float64 }{{1e-2, 0.1, 0.1, 0.1}, {1e-3, 1, 1e-3, 0}} {
		b := rung.NewBuilder("both").Gravity(0, 0, 0)
		heavy := slider(t, b, "heavy", 1, vec{0, 5, 0}, axisX)
		b.Move(heavy, vec{fast, 0, 0}, vec{})
		mote := b.Body("mote", brick(t, c.mass, c.mass), rung.At(0, c.far, 0))
		b.Move(mote, vec{0, 0, c.turn * c.far}, vec{})
		b.SpringDamper("spring", rung.World, mote, vec{}, vec{0, c.far, 0}, rung.Spring{Stiffness: c.mass * c.turn * c.turn})
		p := built(t, b)
		f, err := linearized(t, p, p.Initial()).StateSpace()
		require.NoError(t, err)
		assert.InDelta(t, c.want, f.Turning[0], 1e-9)
	}
}

// TestNearlySingularRows: dependent rows may disagree by 1e-8 of the rates. The rows of edges on two bodies, of which one glides along the
// other at 1e-9 of their speed, agree. The rows of two forks in line do not, also beside a rotor that is 10⁶ times as fast.
func TestNearlySingularRows(t *testing.T) {
	pair := func(lag, rotor float64, forks bool) *kkt.Plan {
		b := rung.NewBuilder("pair").Gravity(0, 0, 0)
		body := b.Body("body", brick(t, 5, 1), rung.At(0, 0, 0))
		b.Planar("level", rung.World, body, vec{}, axisZ)
		b.Move(body, vec{1, 0, 0}, vec{})
		for i, y := range []float64{0.5, -0.5} {
			name := []string{"left", "right"}[i]
			part := b.Body(name, brick(t, 1, 0.1), rung.At(0, y, 0))
			if forks {
				b.Revolute(name+" head", body, part, vec{0, y, 0}, axisZ)
			} else {
				b.Prismatic(name+" guide", body, part, vec{0, y, 0}, axisX)
			}
			b.Move(part, vec{1 + lag*float64(i), 0, 0}, vec{})
			b.NoSlip(name+" edge", rung.World, part, vec{0, y, 0}, axisY)
		}
		wheel := b.Body("rotor", spindle(t, 1, 0.1, 0.1), rung.At(3, 3, 0))
		b.Revolute("bearing", rung.World, wheel, vec{3, 3, 0}, axisX)
		b.Move(wheel, vec{}, axisX.Scale(rotor))
		return built(t, b)
	}
	p := pair(1e-9, 1, false)
	_, err := linearized(t, p, p.Initial()).StateSpace()
	require.NoError(t, err)
	p = pair(0, 3e6, true)
	_, err = linearized(t, p, p.Initial()).StateSpace()
	require.ErrorIs(t, err, linear.ErrSingular)
}

// TestManyNeutralMotions: with several equal bicycles, all neutral motions, places and speeds, are separated from rounding. Each bicycle
// has its castering and its capsize mode, although rounding makes complex pairs of them.
func TestManyNeutralMotions(t *testing.T) {
	for _, n := range []int{3, 4, 8} {
		m, err := bench.Generate("bicycle", n, 0)
		require.NoError(t, err)
		p := planned(t, m)
		found, err := linearized(t, p, p.Initial()).Modes(linear.ModeOptions{Steady: true, Count: 100})
		require.NoError(t, err)
		list, rigid := moving(found)
		require.Len(t, list, 3*n)
		require.Equal(t, 5*n, rigid)
	}
}

// TestNeutralOutOfBalanceSteady is TestNeutralOutOfBalance with ModeOptions.Steady.
func TestNeutralOutOfBalanceSteady(t *testing.T) {
	p := lopsided(t)
	_, st := balanced(t, p, linear.EquilibriumOptions{})
	for _, angle := range []float64{0, 1e-9, -1e-9, 1e-7, -1e-7} {
		here := st.Clone()
		q := spatial.FromAxisAngle(axisY, angle)
		for i := range here.Bodies {
			here.Bodies[i].Position = q.Rotate(here.Bodies[i].Position)
			here.Bodies[i].Rotation = q.Mul(here.Bodies[i].Rotation)
		}
		found, err := linearized(t, p, here).Modes(linear.ModeOptions{Steady: true})
		require.NoError(t, err)
		list, rigid := moving(found)
		assert.Equal(t, 2, rigid, "%v", angle)
		assert.Len(t, list, 4)
	}
}

// TestNeutralOutOfBalanceRolling: a ball whose centre of mass is below its middle up to a relative 1e-8 still has three neutral
// directions. A ball that is far from balance has the modes of its pose.
func TestNeutralOutOfBalanceRolling(t *testing.T) {
	const m, I, r, a = 2.0, 0.05, 0.3, 0.1
	d, err := bodies.New(m, vec{0, 0, -a}, spatial.Diag3(I, 1.1*I, 0.9*I))
	require.NoError(t, err)
	for _, off := range []float64{0, 1e-8, 1e-7, 0.3} {
		b := rung.NewBuilder("ball").Gravity(0, 0, -g)
		place := rung.At(0, 0, r)
		place.Orientation = spatial.FromAxisAngle(vec{0.6, -0.8, 0}, off)
		ball := b.Body("ball", d, place)
		b.Rolling("contact", rung.World, ball, vec{}, axisZ, build.Wheel{Center: vec{0, 0, r}, Axle: axisZ, Radius: r, TyreRadius: r})
		p := built(t, b)
		found, err := linearized(t, p, p.Initial()).Modes(linear.ModeOptions{})
		require.NoError(t, err)
		list, rigid := moving(found)
		if off < 0.1 {
			assert.Equal(t, 3, rigid, "%v", off)
			require.Len(t, list, 2)
			continue
		}
		assert.GreaterOrEqual(t, len(list), 2, "%v", list)
	}
}

// TestBallNearTheMiddle: next to the middle of its bowl a ball still has rows.
func TestBallNearTheMiddle(t *testing.T) {
	s := &joints.Spec{Kind: joints.Rolling, Radius: 0.3, Tyre: 0.3, Bowl: 0.7}
	f := &joints.Frames{EP: spatial.Identity3(), ES: spatial.Identity3(), R: vec{0, 0, -1e-4}}
	require.NoError(t, s.EvalTo(new(joints.Rows), f, 0))
}
