package linear_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// steadyExact is the relative error of an eigenvalue of a few bodies against a closed form.
const steadyExact = 1e-11

var axisZ = vec{0, 0, 1}

// spindle returns a body with inertia about its axis z, and across it.
func spindle(t testing.TB, mass, axial, across float64) bodies.Body {
	t.Helper()
	b, err := bodies.New(mass, vec{}, spatial.Diag3(across, across, axial))
	require.NoError(t, err)
	return b
}

// steady returns the modes of p about the motion of its initial state.
func steady(t testing.TB, p *kkt.Plan) *linear.Modes {
	t.Helper()
	m, err := linearized(t, p, p.Initial()).Modes(linear.ModeOptions{Steady: true, Count: 100})
	require.NoError(t, err)
	require.True(t, m.Steady)
	require.True(t, m.All)
	return m
}

// moving returns the eigenvalues of m that are not zero, and how many modes are rigid.
func moving(m *linear.Modes) (list []complex128, rigid int) {
	for i := range m.List {
		if m.List[i].Kind == linear.Rigid {
			rigid++
			continue
		}
		list = append(list, m.List[i].Lambda)
	}
	return list, rigid
}

// rollingDisc returns a disc of mass 2 kg that rolls without slip in steady precession, its axle at an angle theta from the vertical, and
// the square of the exponent of its wobble. With w the angular velocity about the axle, Ω the turn about the vertical, s and c of theta,
// D = A + m·r² and E = C + m·r², Newton and Euler give
//
//	D·θ̈ = A·Ω²·s·c − E·w·Ω·s − m·g·r·c,   E·ẇ = m·r²·Ω·s·θ̇,   A·(Ω·s)˙ = (C·w − A·Ω·c)·θ̇,
//
// so that w and Ω are functions of θ along a motion, and λ² is the derivative of the first right side along them, over D. An upright disc
// that rolls straight ahead has Ω = 0 and any w.
func rollingDisc(t testing.TB, C, A, theta, turn, w float64) (p *kkt.Plan, square float64) {
	const m, r = 2.0, 0.3
	D, E := A+m*r*r, C+m*r*r
	s, c := math.Sincos(theta)
	if turn != 0 {
		w = (A*turn*turn*s*c - m*g*r*c) / (E * turn * s)
	}
	square = A*turn*turn*(c*c-s*s) - E*w*turn*c + m*g*r*s
	square += (2*A*turn*s*c-E*w*s)*(C*w/A-2*turn*c)/s - E*turn*s*m*r*r*turn*s/E
	square /= D
	axle := vec{s, 0, c}
	center := vec{0.7, -0.4, r * s}
	b := rung.NewBuilder("disc").Gravity(0, 0, -g)
	body := b.Body("disc", spindle(t, m, C, A), rung.Place{Origin: center}.WithZ(axle))
	b.Move(body, vec{0, -r * w, 0}, vec{0, 0, turn}.Add(axle.Scale(w-turn*c)))
	b.Rolling("contact", rung.World, body, vec{}, axisZ, build.Wheel{Center: center, Axle: axle, Radius: r})
	return built(t, b), square
}

// TestRollingDisc: the wobble of a disc that rolls straight ahead or in a circle has its closed form. The disc has four displacements to
// other places of the same motion, and its steady motions are a family with two parameters, one of them the lean.
func TestRollingDisc(t *testing.T) {
	for _, c := range []struct{ C, A, theta, turn, w float64 }{
		{0.09, 0.05, 1.2, 0.9, 0}, {0.09, 0.05, 0.8, 2, 0}, {0.09, 0.045, 1.9, -1.3, 0}, {0.09, 0.05, 0.3, 4, 0}, {0.09, 0.05, 2.6, 3, 0},
		{0.09, 0.045, math.Pi / 2, 0, 3}, {0.09, 0.045, math.Pi / 2, 0, 9}, {0.18, 0.09, math.Pi / 2, 0, 1},
	} {
		t.Run(fmt.Sprintf("theta=%.1f/turn=%v/w=%v", c.theta, c.turn, c.w), func(t *testing.T) {
			p, square := rollingDisc(t, c.C, c.A, c.theta, c.turn, c.w)
			m := steady(t, p)
			assert.InDelta(t, c.turn, m.Turning[2], 1e-12)
			list, rigid := moving(m)
			assert.Equal(t, 5, rigid)
			if square < 0 {
				require.Len(t, list, 1)
				assert.InEpsilon(t, math.Sqrt(-square), imag(list[0]), steadyExact)
				assert.InDelta(t, 0, real(list[0]), steadyExact)
				return
			}
			require.Len(t, list, 2)
			assert.InEpsilon(t, math.Sqrt(square), real(list[0]), steadyExact)
			assert.InEpsilon(t, -math.Sqrt(square), real(list[1]), steadyExact)
		})
	}
}

// TestUprightDisc: a uniform disc is stable where v² > g·r/3, and a hoop where v² > g·r/4.
func TestUprightDisc(t *testing.T) {
	const m, r = 2.0, 0.3
	for _, c := range []struct{ axial, part float64 }{{0.5, 3}, {1, 4}} {
		for _, off := range []float64{-1e-10, 1e-10} {
			w := math.Sqrt(g*r/c.part) / r * (1 + off)
			p, _ := rollingDisc(t, c.axial*m*r*r, c.axial*m*r*r/2, math.Pi/2, 0, w)
			unstable := steady(t, p).Unstable()
			assert.Equal(t, off < 0, unstable == 1, "%v %v", c, off)
		}
	}
}

// TestSleighExponent: Chaplygin's sleigh with its edge at the distance a behind the centre of mass turns back into straight running at
// the rate m·a·v/(I + m·a²), and leaves it where it runs backwards.
func TestSleighExponent(t *testing.T) {
	const m, inertia, a = 2.0, 0.3, 0.4
	for _, v := range []float64{1.7, -0.6} {
		b := rung.NewBuilder("sleigh").Gravity(0, 0, -g)
		body := b.Body("sleigh", spindle(t, m, inertia, 0.2), rung.At(a, 0, 0))
		b.Move(body, vec{v, 0, 0}, vec{})
		b.Planar("ice", rung.World, body, vec{a, 0, 0}, axisZ)
		b.NoSlip("edge", rung.World, body, vec{}, axisY)
		list, rigid := moving(steady(t, built(t, b)))
		require.Len(t, list, 1)
		assert.Equal(t, 3, rigid)
		assert.InEpsilon(t, -m*a*v/(inertia+m*a*a), real(list[0]), steadyExact)
		assert.Zero(t, imag(list[0]))
	}
}

// trailers are drawn at the speed v along x by what is guided there, each with an edge at its length behind its hitch, where the next
// is hung on.
func trailers(t testing.TB, v float64, lengths ...float64) *kkt.Plan {
	b := rung.NewBuilder("trailers").Gravity(0, 0, -g)
	up := b.Body("tractor", brick(t, 5, 1), rung.At(0, 0, 0))
	b.Move(up, vec{v, 0, 0}, vec{})
	b.Prismatic("track", rung.World, up, vec{}, axisX).Motion = []*model.Motion{{Kind: model.Polynomial, Coefficients: []float64{0, v}}}
	at := 0.0
	for i, l := range lengths {
		body := b.Body(fmt.Sprint("trailer", i), brick(t, 3, 0.4), rung.At(at-0.3*l, 0, 0))
		b.Move(body, vec{v, 0, 0}, vec{})
		b.Revolute(fmt.Sprint("hitch", i), up, body, vec{at, 0, 0}, axisZ)
		at -= l
		b.NoSlip(fmt.Sprint("axle", i), rung.World, body, vec{at, 0, 0}, axisY)
		up = body
	}
	return built(t, b)
}

// TestTrailers: the angle of a trailer that is drawn follows at the rate v/L; one that is pushed back jackknifes at that rate.
func TestTrailers(t *testing.T) {
	for _, v := range []float64{2, -0.7} {
		p := trailers(t, v, 1.5, 0.8)
		f, err := linearized(t, p, p.Initial()).StateSpace()
		require.NoError(t, err)
		require.Equal(t, []int{2, 0}, []int{f.Positions, f.Speeds}, "no velocity is free")
		list, rigid := moving(steady(t, p))
		require.Zero(t, rigid)
		require.Len(t, list, 2)
		slow, fast := 0, 1
		if v < 0 {
			slow, fast = 1, 0 // unstable ones: the fastest first
		}
		assert.InEpsilon(t, -v/1.5, real(list[slow]), steadyExact)
		assert.InEpsilon(t, -v/0.8, real(list[fast]), steadyExact)
	}
}

// TestBallOnTurntableModes: a ball that a turning table leaves where it is goes in circles of 2/7 of the table's rate, if it is pushed. In
// axes that go round with it on such a circle about the bearing, the motions next to it are such circles, or ones about another point,
// which goes round there.
func TestBallOnTurntableModes(t *testing.T) {
	const r, rate, m = 0.1, 1.4, 2.0
	at := vec{0.6, 0.2, r}
	table := func(center, v vec) *kkt.Plan {
		b := rung.NewBuilder("turntable").Gravity(0, 0, -g)
		disc := b.Body("table", spindle(t, 10, 2, 1), rung.At(0, 0, -0.1))
		b.Move(disc, vec{}, axisZ.Scale(rate))
		b.Revolute("bearing", rung.World, disc, vec{}, axisZ).Motion = []*model.Motion{{Kind: model.Polynomial, Coefficients: []float64{0, rate}}}
		ball := b.Body("ball", brick(t, m, 0.4*m*r*r), rung.Place{Origin: center})
		// v − r·ω×n is the velocity of the table there.
		slip := axisZ.Scale(rate).Cross(center).Sub(v)
		omega := slip.Cross(axisZ).Scale(1 / r)
		b.Move(ball, v, omega)
		b.Rolling("contact", disc, ball, vec{}, axisZ, build.Wheel{Center: center, Axle: axisZ, Radius: r, TyreRadius: r})
		return built(t, b)
	}
	still := steady(t, table(at, vec{}))
	list, _ := moving(still)
	require.Len(t, list, 1)
	assert.InEpsilon(t, 2.0/7*rate, imag(list[0]), steadyExact)
	assert.InDelta(t, 0, real(list[0]), steadyExact)
	assert.Zero(t, still.Turning)
	circle := steady(t, table(at, axisZ.Scale(2./7*rate).Cross(at)))
	list, _ = moving(circle)
	require.Len(t, list, 1)
	assert.InEpsilon(t, 2.0/7*rate, imag(list[0]), steadyExact)
	assert.InDelta(t, 0, real(list[0]), steadyExact)
	assert.InDelta(t, 2.0/7*rate, circle.Turning[2], 1e-12)
}

// TestGearedPendulumOnTurntable: a pendulum of length l whose hinge is geared to a flywheel of inertia I turns with a table at the rate Ω.
// With its inertias A and C across and along it, D = m·l² + A − C, and the angle θ from the vertical,
//
//	(m·l² + A + I)·θ̈ = D·Ω²·sin θ·cos θ − m·g·l·sin θ,   λ² = −D·Ω²·sin² θ/(m·l² + A + I) where it hangs still.
func TestGearedPendulumOnTurntable(t *testing.T) {
	const m, l, A, C, rate = 1.5, 0.4, 0.03, 0.01, 8.0
	D := m*l*l + A - C
	theta := math.Acos(m * g * l / (D * rate * rate))
	s, c := math.Sincos(theta)
	down := vec{s, 0, -c}
	for _, armature := range []float64{0, 0.2, 3} {
		b := rung.NewBuilder("governor").Gravity(0, 0, -g)
		table := b.Body("table", spindle(t, 10, 2, 1), rung.At(0, 0, 1))
		b.Move(table, vec{}, axisZ.Scale(rate))
		b.Revolute("bearing", rung.World, table, vec{}, axisZ).Motion = []*model.Motion{{Kind: model.Polynomial, Coefficients: []float64{0, rate}}}
		bob := b.Body("bob", spindle(t, m, C, A), rung.Place{Origin: down.Scale(l)}.WithZ(down))
		b.Move(bob, axisZ.Scale(rate).Cross(down.Scale(l)), axisZ.Scale(rate))
		if armature > 0 {
			b.Revolute("hinge", table, bob, vec{}, vec{0, 1, 0}).Armature = []float64{armature}
		} else {
			b.Revolute("hinge", table, bob, vec{}, vec{0, 1, 0})
		}
		list, _ := moving(steady(t, built(t, b)))
		require.Len(t, list, 1)
		assert.InEpsilon(t, math.Sqrt(D/(m*l*l+A+armature))*rate*s, imag(list[0]), steadyExact, "armature %v", armature)
	}
}

// TestUnsteady: a motion that is not steady is refused, with the body and by how much, at once or after a while.
func TestUnsteady(t *testing.T) {
	refused := func(p *kkt.Plan, st *mechanism.State, text string) *linear.UnsteadyError {
		t.Helper()
		s := linearized(t, p, st)
		_, err := s.StateSpace()
		require.ErrorIs(t, err, linear.ErrUnsteady)
		e := new(linear.UnsteadyError)
		require.True(t, errors.As(err, &e))
		require.ErrorContains(t, err, text)
		_, err = s.Modes(linear.ModeOptions{Steady: true})
		require.ErrorIs(t, err, linear.ErrUnsteady)
		return e
	}
	// A pendulum that hangs askew falls at 3/2·g·sin(0.1) m/s² over its half length.
	b := rung.NewBuilder("pendulum").Gravity(0, 0, -g)
	rod := b.Rod("rod", 1, 0.01, vec{}, vec{math.Sin(0.1), 0, -math.Cos(0.1)})
	b.Revolute("hinge", rung.World, rod, vec{}, axisY)
	p := built(t, b)
	e := refused(p, p.Initial(), `not a steady motion: the velocities of body "rod" change by`)
	assert.InEpsilon(t, 1.5*g*math.Sin(0.1), e.Angular, 1e-3)
	assert.Equal(t, 0, e.BodyIndex)
	assert.Zero(t, e.After)

	// A wheel that leans and rolls straight ahead.
	p, _ = rollingDisc(t, 0.09, 0.05, 1.5, 1, 0)
	st := p.Initial()
	st.Bodies[0].Omega = vec{-1, 0, 0}
	_, err := linearized(t, p, resting(p)).StateSpace()
	require.ErrorIs(t, err, linear.ErrUnsteady)

	// A lopsided rotor on a soft bearing: here it spins about a principal axis, but its inertia turns round the frame.
	b = rung.NewBuilder("rotor").Gravity(0, 0, 0)
	flat, err := bodies.New(1, vec{}, spatial.Diag3(1, 2, 2.5))
	require.NoError(t, err)
	frame := b.Body("frame", spindle(t, 3, 1, 2), rung.At(0, 0, 0).WithZ(axisX))
	rotor := b.Body("rotor", flat, rung.At(0, 0, 0))
	b.Move(rotor, vec{}, vec{0, 0, 5})
	j := b.Revolute("tilt", rung.World, frame, vec{}, axisX)
	j.Stiffness = []float64{40}
	b.Revolute("shaft", frame, rotor, vec{}, axisZ)
	p = built(t, b)
	e = refused(p, p.Initial(), `about an axis that its inertia is not symmetric about`)
	assert.Positive(t, e.Spin)

	// A slider that glides past a spring without force.
	b = rung.NewBuilder("slider").Gravity(0, 0, 0)
	body := slider(t, b, "mass", 1, vec{}, axisX)
	b.Move(body, vec{1, 0, 0}, vec{})
	b.SpringDamper("spring", rung.World, body, vec{0, 1, 0}, vec{}, rung.Spring{Stiffness: 5, RestLength: 1})
	p = built(t, b)
	e = refused(p, p.Initial(), `after`)
	assert.Positive(t, e.After)
}

// TestSteadyInTurningAxes: a mechanism that rotates as a whole is in steady motion: two masses on a spring that rotate about each
// other keep their distance, and vibrate along the spring, in axes that rotate with them, at √(k/μ + 3Ω²).
func TestSteadyInTurningAxes(t *testing.T) {
	const k, rate, m1, m2, length = 70.0, 2.0, 1.0, 3.0, 1.2
	mu := m1 * m2 / (m1 + m2)
	rest := length * (1 - mu*rate*rate/k)
	b := rung.NewBuilder("pair").Gravity(0, 0, 0)
	one := b.Body("one", brick(t, m1, 0.1), rung.At(length*m2/(m1+m2), 0, 0))
	two := b.Body("two", brick(t, m2, 0.2), rung.At(-length*m1/(m1+m2), 0, 0))
	b.Move(one, vec{0, rate * length * m2 / (m1 + m2), 0}, vec{})
	b.Move(two, vec{0, -rate * length * m1 / (m1 + m2), 0}, vec{})
	b.SpringDamper("spring", one, two, vec{length * m2 / (m1 + m2), 0, 0}, vec{-length * m1 / (m1 + m2), 0, 0}, rung.Spring{Stiffness: k, RestLength: rest})
	m := steady(t, built(t, b))
	assert.InDelta(t, rate, m.Turning[2], 1e-12)
	found := false
	for i := range m.List {
		require.False(t, m.List[i].Kind.Unstable())
		found = found || math.Abs(imag(m.List[i].Lambda)-math.Sqrt(k/mu+3*rate*rate)) < 1e-9
	}
	assert.True(t, found)
}

// TestSteadyAtRest: with ModeOptions.Steady, a mechanism at rest has the modes about its equilibrium.
func TestSteadyAtRest(t *testing.T) {
	for _, n := range []int{1, 4} {
		p := built(t, chain(t, n, 1))
		want, err := linearized(t, p, resting(p)).Modes(linear.ModeOptions{Count: 100})
		require.NoError(t, err)
		got := steady(t, p)
		require.Len(t, got.List, len(want.List))
		for i := range want.List {
			assert.InDelta(t, imag(want.List[i].Lambda), imag(got.List[i].Lambda), 1e-9)
			assert.Equal(t, want.List[i].Kind, got.List[i].Kind)
			assert.InDelta(t, want.List[i].Stiffness, got.List[i].Stiffness, 1e-9*g*float64(n*n))
		}
	}
}

// TestWheelsAtRest: on a plane that leans in its own axes a sleigh with its edge below the centre of mass hangs on a spring along the
// edge. It swings along the edge. Its rotation has no force to first order, and it reaches places beside it by
// closed paths.
func TestWheelsAtRest(t *testing.T) {
	const m, k, c = 2.0, 50.0, 1.5
	b := rung.NewBuilder("sleigh").Gravity(0, 0, -g)
	body := b.Body("sleigh", spindle(t, m, 0.3, 0.2), rung.At(1, 0, 0))
	b.Planar("ice", rung.World, body, vec{1, 0, 0}, axisZ)
	b.NoSlip("edge", rung.World, body, vec{1, 0, 0}, axisY)
	b.SpringDamper("spring", rung.World, body, vec{}, vec{1, 0, 0}, rung.Spring{Stiffness: k, Damping: c, RestLength: 1})
	p := built(t, b)
	for _, o := range []linear.ModeOptions{{}, {Steady: true}, {Undamped: true}, {Method: linear.Sparse}} {
		s := linearized(t, p, p.Initial())
		found, err := s.Modes(o)
		require.NoError(t, err)
		list, rigid := moving(found)
		require.Len(t, list, 1)
		want := complex(-c/(2*m), math.Sqrt(k/m-c*c/(4*m*m)))
		if o.Undamped {
			want = complex(0, math.Sqrt(k/m))
		}
		assert.InDelta(t, real(want), real(list[0]), 1e-9, "%+v", o)
		assert.InDelta(t, imag(want), imag(list[0]), 1e-9, "%+v", o)
		if o.Method == linear.Sparse {
			assert.Equal(t, 1, rigid, "the turn")
			assert.False(t, found.All)
		} else {
			assert.Equal(t, 2, rigid, "the turn and what is beside it")
			assert.True(t, found.All)
		}
	}
}

// TestMovingWheelsNeedSteady: moving mechanisms with nonholonomic rows have modes with ModeOptions.Steady only.
func TestMovingWheelsNeedSteady(t *testing.T) {
	p, _ := rollingDisc(t, 0.09, 0.045, math.Pi/2, 0, 9)
	_, err := linearized(t, p, p.Initial()).Modes(linear.ModeOptions{})
	require.ErrorIs(t, err, mechanism.ErrNonholonomic)
	require.ErrorContains(t, err, `joint "contact"`)
	require.ErrorContains(t, err, "ModeOptions.Steady takes it")
	s := linearized(t, p, p.Initial())
	require.PanicsWithValue(t, "linear: no modes of a steady motion without its velocity terms", func() {
		_, _ = s.Modes(linear.ModeOptions{Steady: true, Undamped: true})
	})
	require.PanicsWithValue(t, "linear: no sparse method for steady motions", func() {
		_, _ = s.Modes(linear.ModeOptions{Steady: true, Method: linear.Sparse})
	})
	require.Greater(t, s.Price(linear.ModeOptions{Steady: true}), s.Price(linear.ModeOptions{Method: linear.Dense}))
	_, err = s.Modes(linear.ModeOptions{Steady: true, MaxFlops: 1})
	require.ErrorIs(t, err, linear.ErrTooDear)
}

// TestSingularRows: the rows of two edges of one body in line are dependent. In poses next to it they are not, so that
// the body has no linearized equations there.
func TestSingularRows(t *testing.T) {
	b := rung.NewBuilder("bogie").Gravity(0, 0, -g)
	body := b.Body("body", brick(t, 5, 1), rung.At(0, 0, 0))
	b.Planar("level", rung.World, body, vec{}, axisZ)
	for i, y := range []float64{0.5, -0.5} {
		fork := b.Body(fmt.Sprint("fork", i), brick(t, 1, 0.1), rung.At(0, y, 0))
		b.Revolute(fmt.Sprint("head", i), body, fork, vec{0, y, 0}, axisZ)
		b.NoSlip(fmt.Sprint("edge", i), rung.World, fork, vec{0, y, 0}, axisY)
		b.Move(fork, vec{1, 0, 0}, vec{})
	}
	b.Move(body, vec{1, 0, 0}, vec{})
	p := built(t, b)
	_, err := linearized(t, p, p.Initial()).StateSpace()
	require.ErrorIs(t, err, linear.ErrSingular)
	require.ErrorContains(t, err, "rows of velocities depend on each other in this pose, and next to it do not")
	require.ErrorContains(t, err, `joint "edge`)
}

// TestEquilibriumOfABall: a ball with its centre of mass at a from its middle rolls without slip until that is lowest, and rocks there at
// ω² = m·g·a/(I + m·(r−a)²) both ways. It may be turned about the vertical, and be anywhere.
func TestEquilibriumOfABall(t *testing.T) {
	const m, I, r, a = 2.0, 0.05, 0.3, 0.1
	d, err := bodies.New(m, vec{0, 0, -a}, spatial.Diag3(I, I, I))
	require.NoError(t, err)
	b := rung.NewBuilder("ball").Gravity(0, 0, -g)
	place := rung.At(0.4, 0.1, r)
	place.Orientation = spatial.FromAxisAngle(vec{0.6, -0.8, 0}, 1.9)
	ball := b.Body("ball", d, place)
	b.Rolling("contact", rung.World, ball, vec{}, axisZ, build.Wheel{Center: vec{0.4, 0.1, r}, Axle: axisZ, Radius: r, TyreRadius: r})
	p := built(t, b)
	st := p.Initial()
	e, err := linear.Equilibrate(p, st, linear.EquilibriumOptions{})
	require.NoError(t, err)
	require.Equal(t, linear.Neutral, e.Stability)
	com := st.Bodies[0].Rotation.Rotate(vec{0, 0, -a})
	require.InDelta(t, -a, com[2], 1e-12)
	require.InDelta(t, r, st.Bodies[0].Position[2], 1e-12)
	require.Greater(t, math.Hypot(st.Bodies[0].Position[0]-0.4, st.Bodies[0].Position[1]-0.1), 1.0*r, "it has rolled there")
	found, err := linearized(t, p, st).Modes(linear.ModeOptions{})
	require.NoError(t, err)
	list, rigid := moving(found)
	require.Len(t, list, 2)
	require.Equal(t, 3, rigid)
	for _, lambda := range list {
		assert.InEpsilon(t, math.Sqrt(m*g*a/(I+m*(r-a)*(r-a))), imag(lambda), 1e-9)
		assert.InDelta(t, 0, real(lambda), 1e-9)
	}
	sparse, err := linearized(t, p, st).Modes(linear.ModeOptions{Method: linear.Sparse})
	require.NoError(t, err)
	list, _ = moving(sparse)
	require.Len(t, list, 2)
	for _, lambda := range list {
		assert.InEpsilon(t, math.Sqrt(m*g*a/(I+m*(r-a)*(r-a))), imag(lambda), 1e-8)
	}
}
