package rung_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/batch"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/couplings"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/motion/compare"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

const turn = 2 * math.Pi

// valve is a cam on a shaft that lifts a follower on a spring: it rises by lift on the first rise of its turn, dwells, and
// falls on the last fall, both as a cycloid.
type valve struct {
	I, mass, k, g, torque float64
	lift, rise, fall      float64
}

var testValve = valve{I: 2e-3, mass: 0.15, k: 9000, g: 9.81, torque: 3, lift: 9e-3, rise: 1.1, fall: 1.4}

// at returns the lift of the follower at an angle, and its derivatives by the angle.
func (v *valve) at(theta float64) (s, s1, s2 float64) {
	theta -= turn * math.Floor(theta/turn)
	h, b := v.lift, v.rise
	if theta > math.Pi {
		theta, b = turn-theta, v.fall
	}
	sign := 1.0
	if b == v.fall {
		sign = -1
	}
	if theta >= b {
		return h, 0, 0
	}
	sin, cos := math.Sincos(turn * theta / b)
	return h * (theta/b - sin/turn), sign * h / b * (1 - cos), h * turn / (b * b) * sin
}

// law is the same as a law of the format.
func (v *valve) law() couplings.Law {
	part := func(u string) string { return fmt.Sprintf("(%[1]s - sin(2*pi*%[1]s)/(2*pi))", u) }
	up, down := fmt.Sprintf("min(x/%v, 1)", v.rise), fmt.Sprintf("max((x - 2*pi)/%v + 1, 0)", v.fall)
	return couplings.Law{Kind: couplings.Function, Spans: []couplings.Span{{To: turn, Periodic: true}},
		Expression: fmt.Sprintf("%v*(%s - %s)", v.lift, part(up), part(down))}
}

// table is the same through n points.
func (v *valve) table(n int) couplings.Law {
	l := couplings.Law{Spans: []couplings.Span{{Periodic: true}}}
	for i := range n + 1 {
		x := turn * float64(i) / float64(n)
		s, _, _ := v.at(x)
		l.X, l.Values = append(l.X, x), append(l.Values, s)
	}
	l.Values[n] = l.Values[0]
	return l
}

// model is the valve at an angle, with its turns, at a speed.
func (v *valve) model(t testing.TB, law couplings.Law, theta, omega float64) *model.Model {
	t.Helper()
	b := rung.NewBuilder("valve").Gravity(0, 0, -v.g)
	body := func(name string, m, I float64, at spatial.Vec3) rung.Body {
		d, err := bodies.New(m, spatial.Vec3{}, spatial.Sym3{I, I, I})
		require.NoError(t, err)
		return b.Body(name, d, rung.At(at[0], at[1], at[2]))
	}
	s, s1, _ := v.at(theta)
	shaft, follower := body("shaft", 1, v.I, spatial.Vec3{}), body("follower", v.mass, 1, spatial.Vec3{0, 0, s})
	cam := b.Revolute("cam", rung.World, shaft, spatial.Vec3{}, axis)
	cam.Force = []float64{v.torque}
	n := math.Round(theta / turn)
	cam.Turns = []int64{int64(n)}
	slide := b.Prismatic("follower", rung.World, follower, spatial.Vec3{}, axis)
	slide.SuccessorFrame.Position = [3]float64{}
	slide.Stiffness = []float64{v.k}
	b.Move(shaft, spatial.Vec3{}, axis.Scale(omega))
	b.Move(follower, axis.Scale(s1*omega), spatial.Vec3{})
	b.Couple("profile", rung.Term{Joint: slide, Factor: 1}).FollowLaw(law, rung.Coordinate{Joint: cam})
	m, err := b.Model()
	require.NoError(t, err)
	m.Bodies[0].Pose.Orientation = spatial.FromAxisAngle(axis, theta)
	return m
}

// TestValve: displacement, velocity, acceleration and force of a cycloidal cam at angles over several turns, by all
// methods: (I + m·s′²)·α = T − m·s′·s″·ω² − s′·(k·s + m·g), and the follower is pushed by m·(s′·α + s″·ω²) + k·s + m·g.
func TestValve(t *testing.T) {
	const omega = 80.0
	v := &testValve
	for _, theta := range []float64{0.2, 0.55, 1, 2, turn - 1.2, turn - 0.3, turn + 0.4, 3*turn + 0.9, -2*turn + 0.7, -turn - 0.6} {
		m := v.model(t, v.law(), theta, omega)
		s, s1, s2 := v.at(theta)
		alpha := (v.torque - v.mass*s1*s2*omega*omega - s1*(v.k*s+v.mass*v.g)) / (v.I + v.mass*s1*s1)
		accel := s1*alpha + s2*omega*omega
		require.Equal(t, theta > 1.4 && theta < 4, accel == 0, "it dwells")
		requireValve := func(x *rung.Result, by string) {
			require.Less(t, x.Couplings[0].PositionResidual, 1e-14, by)
			require.Less(t, x.Couplings[0].VelocityResidual, 1e-12, by)
			check.Close(t, x.Bodies[0].AngularAcceleration[2], alpha, math.Abs(alpha), 1e-11, "%s: shaft at %v", by, theta)
			check.Close(t, x.Bodies[1].ComAcceleration[2], accel, 100, 1e-11, "%s: follower at %v", by, theta)
			check.Close(t, x.Couplings[0].Multiplier, v.mass*(accel+v.g)+v.k*s, 100, 1e-11, "%s: force at %v", by, theta)
			require.Equal(t, 1, x.Constraints.Mobility)
		}
		for _, o := range orderings {
			x, err := rung.Accelerate(m, rung.Options{Ordering: o})
			require.NoError(t, err)
			requireValve(x, o.String())
		}
		p, err := rung.NewPlan(m, rung.Options{})
		require.NoError(t, err)
		for _, method := range motion.Methods()[1:] {
			x, err := compare.Accelerate(p, method, p.Initial())
			require.NoError(t, err, "%v", method)
			requireValve(x, method.String())
		}
	}
}

// TestValveRuns: over ten turns and more, the energy of the cam without torque stays, and the follower is where the
// profile has it; a table of the same profile moves alike.
func TestValveRuns(t *testing.T) {
	check.Long(t)
	v := testValve
	v.torque = 0
	const omega, until = 60.0, 1.1
	var speeds []float64
	for _, law := range []couplings.Law{v.law(), v.table(720)} {
		p, err := rung.NewPlan(v.model(t, law, 0.3, omega), rung.Options{})
		require.NoError(t, err)
		d, mech := motion.NewDynamics(p), p.Mechanism()
		energy := func(st *mechanism.State) float64 {
			s, w := st.Bodies[1].Position[2], st.Bodies[0].Omega[2]
			u := st.Bodies[1].Velocity[2]
			return (v.I*w*w+v.mass*u*u+v.k*s*s)/2 + v.mass*v.g*s
		}
		st := p.Initial()
		require.NoError(t, closing.NewCloser(p, closing.Options{}).ProjectVelocities(st))
		was := energy(st)
		run := sim.New(mech, sim.NewRungeKutta(mech, d, sim.DormandPrince(), sim.Tolerance{Relative: 1e-10}), st, sim.Options{Projector: d})
		require.NoError(t, run.Run(until))
		st = run.State()
		require.Greater(t, st.Angles[0], 9*turn)
		check.Close(t, energy(st), was, was, 1e-7, "energy")
		s, _, _ := v.at(st.Angles[0])
		require.InDelta(t, s, st.Bodies[1].Position[2], 1e-6*v.lift)
		require.Less(t, run.Stats().Worst.Position, 1e-8)
		speeds = append(speeds, st.Bodies[0].Omega[2])
	}
	require.InEpsilon(t, speeds[0], speeds[1], 1e-4)
}

// TestCardanLaw: the error of a universal joint as a law, tan φ = k·tan θ with turns, in place of the rod of the shaft with
// two universal joints: the same motion of the output and the same torque of the drive, but for the rod.
func TestCardanLaw(t *testing.T) {
	k := outputRatio(true)
	sin, cos := math.Sincos(cardanBend)
	a1, a3 := spatial.Vec3{cos, sin}, spatial.Vec3{cos, -sin}
	for _, theta := range []float64{0, 0.4, 1.3, math.Pi / 2, 2.5, 4, 7, -9} {
		shaft, err := bodies.New(1, spatial.Vec3{}, spatial.Diag3(cardanInertia, cardanInertia, cardanInertia))
		require.NoError(t, err)
		b := rung.NewBuilder("law").Gravity(0, 0, 0)
		in, out := b.Body("in", shaft, rung.At(-0.5, 0, 0)), b.Body("out", shaft, rung.At(0.5, 0, 0))
		drive := b.Revolute("drive", rung.World, in, spatial.Vec3{-0.5}, a1)
		drive.Motion = []*model.Motion{{Kind: model.Polynomial, Coefficients: []float64{theta, cardanSpeed}}}
		output := b.Revolute("output", rung.World, out, spatial.Vec3{0.5}, a3)
		output.Force = []float64{cardanLoad}
		b.Couple("error", rung.Term{Joint: output, Factor: 1}).FollowLaw(couplings.Law{Kind: couplings.Function,
			Expression: fmt.Sprintf("atan2(%v*sin(x), cos(x))", k),
			Spans:      []couplings.Span{{From: -math.Pi, To: math.Pi, Periodic: true, Advance: turn}}}, rung.Coordinate{Joint: drive})
		phi, rate, spin := yoke(theta, k)
		b.Move(in, spatial.Vec3{}, a1.Scale(cardanSpeed))
		b.Move(out, spatial.Vec3{}, a3.Scale(rate))
		drive.Turns, output.Turns = []int64{int64(math.Round(theta / turn))}, []int64{int64(math.Round(phi / turn))}
		m, err := b.Model()
		require.NoError(t, err)
		for i, q := range []spatial.Quat{spatial.FromAxisAngle(a1, theta), spatial.FromAxisAngle(a3, phi)} {
			m.Bodies[i].Pose.Orientation = q.Mul(m.Bodies[i].Pose.Orientation)
		}
		x, err := rung.Accelerate(m, rung.Options{})
		require.NoError(t, err)
		require.Less(t, x.Couplings[0].PositionResidual, 1e-14)
		require.Less(t, x.Couplings[0].VelocityResidual, 1e-14)
		check.CloseVec(t, x.Bodies[1].AngularAcceleration[:], []float64{spin * cos, -spin * sin, 0}, 1e-12, 1, "output at %v", theta)
		lambda := cardanInertia*spin - cardanLoad
		check.Close(t, x.Couplings[0].Multiplier, lambda, 1, 1e-11, "torque of the output")
		check.Close(t, spatial.Vec3(x.Joints[0].ConstraintWrench.Moment).Dot(a1), lambda*rate/cardanSpeed, 1, 1e-11, "torque of the drive")
		// The real shaft has the same angle, speed and acceleration.
		shafts, err := rung.Accelerate(cardan(t, theta, true), rung.Options{})
		require.NoError(t, err)
		check.CloseVec(t, x.Bodies[1].AngularAcceleration[:], shafts.Bodies[2].AngularAcceleration[:], 1e-11, 1, "real shaft at %v", theta)
	}
}

// TestLawOfTwo: the height of the hand of an arm, l·sin q₁ + r·sin(q₁ + q₂), as a law of two coordinates that a slide
// follows, against the same arm with its hand on a plane of the slide.
func TestLawOfTwo(t *testing.T) {
	const l, r = 0.7, 0.5
	made := func(law bool) (*model.Model, *build.Joint) {
		b := rung.NewBuilder("arm").Gravity(0, -9.81, 0)
		d, err := bodies.New(2, spatial.Vec3{0.1, 0.02, 0}, spatial.Sym3{0.2, 0.3, 0.25})
		require.NoError(t, err)
		upper, lower, slide := b.Body("upper", d, rung.At(0, 0, 0)), b.Body("lower", d, rung.At(l, 0, 0)), b.Body("slide", d, rung.At(3, 0, 0))
		one := b.Revolute("one", rung.World, upper, spatial.Vec3{}, axis)
		two := b.Revolute("two", upper, lower, spatial.Vec3{l}, axis)
		two.Stiffness = []float64{3}
		height := b.Prismatic("height", rung.World, slide, spatial.Vec3{3}, spatial.Vec3{0, 1})
		if law {
			b.Couple("hand", rung.Term{Joint: height, Factor: 1}).FollowLaw(couplings.Law{Kind: couplings.Function,
				Expression: fmt.Sprintf("%v*sin(x) + %v*sin(x + y)", l, r)}, rung.Coordinate{Joint: one}, build.Coordinate{Joint: two})
		} else {
			b.Joint("hand", joints.PointOnPlane, slide, lower, build.Place{Origin: spatial.Vec3{l + r}}.WithZ(spatial.Vec3{0, 1}))
		}
		m, err := b.Model()
		require.NoError(t, err)
		return m, height
	}
	plans := [2]*kkt.Plan{}
	for i, law := range []bool{true, false} {
		m, _ := made(law)
		p, err := rung.NewPlan(m, rung.Options{})
		require.NoError(t, err)
		plans[i] = p
	}
	rng := check.Rand(43)
	for range 20 {
		q := [2]float64{3 * (rng.Float64() - 0.5), 3 * (rng.Float64() - 0.5)}
		w := [2]float64{4 * (rng.Float64() - 0.5), 4 * (rng.Float64() - 0.5)}
		y := l*math.Sin(q[0]) + r*math.Sin(q[0]+q[1])
		yd := l*math.Cos(q[0])*w[0] + r*math.Cos(q[0]+q[1])*(w[0]+w[1])
		var results [2]*rung.Result
		for i, p := range plans {
			st := p.Initial()
			sin, cos := math.Sincos(q[0])
			st.Bodies[0].Rotation, st.Bodies[0].Omega = spatial.FromAxisAngle(axis, q[0]), axis.Scale(w[0])
			st.Bodies[1].Rotation, st.Bodies[1].Omega = spatial.FromAxisAngle(axis, q[0]+q[1]), axis.Scale(w[0]+w[1])
			st.Bodies[1].Position, st.Bodies[1].Velocity = spatial.Vec3{l * cos, l * sin}, spatial.Vec3{-l * sin * w[0], l * cos * w[0]}
			st.Bodies[2].Position[1], st.Bodies[2].Velocity[1] = y, yd
			st.Angles = nil
			p.Mechanism().FollowAngles(p.Mechanism().NewKinematics(), st)
			for n, method := range motion.Methods() {
				x, err := compare.Accelerate(p, method, st)
				require.NoError(t, err)
				if n == 0 {
					results[i] = x
				}
				for b := range x.Bodies {
					check.CloseVec(t, x.Bodies[b].ComAcceleration[:], results[0].Bodies[b].ComAcceleration[:], 1e-10, 10, "%v, %v: body %d", i, method, b)
					check.CloseVec(t, x.Bodies[b].AngularAcceleration[:], results[0].Bodies[b].AngularAcceleration[:], 1e-10, 10, "%v, %v: body %d", i, method, b)
				}
				for j := range 3 {
					check.CloseVec(t, x.Joints[j].TotalWrench.Force[:], results[i].Joints[j].TotalWrench.Force[:], 1e-9, 10, "%v: joint %d", method, j)
				}
			}
		}
		// The force between hand and slide is the multiplier of the law.
		force := results[1].Joints[3].TotalWrench.Force[1]
		check.Close(t, math.Abs(results[0].Couplings[0].Multiplier), math.Abs(force), 10, 1e-10, "force")
	}
}

// TestLawEnds: beyond the ends of a table, whatever evaluates a state names coupling, joint, value and range.
func TestLawEnds(t *testing.T) {
	table := couplings.Law{Spans: make([]couplings.Span, 1), X: []float64{-0.5, 0, 0.7, 1}, Values: []float64{0, 0.01, 0.02, 0}}
	v := testValve
	m := v.model(t, v.law(), 0.2, 30)
	m.Couplings[0].Law.Law, m.Couplings[0].Law.Spans = *table.Clone(), table.Spans
	p, err := rung.NewPlan(m, rung.Options{})
	require.NoError(t, err)
	mech := p.Mechanism()
	st := p.Initial()
	st.Bodies[0].Rotation = spatial.FromAxisAngle(axis, 1.2)
	mech.FollowAngles(mech.NewKinematics(), st)
	named := func(err error, by string) {
		t.Helper()
		var at *mechanism.Error
		require.ErrorIs(t, err, mechanism.ErrLaw, by)
		require.ErrorAs(t, err, &at, by)
		require.Equal(t, "profile", at.Coupling, by)
		require.ErrorContains(t, err, `coupling "profile"`, by)
		require.ErrorContains(t, err, `the coordinate of joint "cam", freedom 0, is 1.`, by)
		require.ErrorContains(t, err, "the law is from -0.5 to 1", by)
	}
	named(p.NewSolver().Solve(st), "solve")
	for _, method := range motion.Methods() {
		_, err := compare.Accelerate(p, method, st)
		named(err, method.String())
	}
	_, err = mech.NewKinematics(), mech.KinematicsTo(mech.NewKinematics(), st)
	named(err, "kinematics")
	named(closing.NewCloser(p, closing.Options{}).ClosePositions(st.Clone()), "closing")
	b, err := batch.New(p, batch.Options{})
	require.NoError(t, err)
	states, results := b.NewStates(2), b.NewResults(2)
	states.Set(1, st)
	b.Solve(states, results)
	require.NoError(t, results.Error(0))
	named(results.Error(1), "batch")
	start := p.Initial()
	require.NoError(t, closing.NewCloser(p, closing.Options{}).ClosePositions(start))
	require.NoError(t, closing.NewCloser(p, closing.Options{}).ProjectVelocities(start))
	d := motion.NewDynamics(p)
	beyond := start.Clone()
	beyond.Bodies[0].Rotation = spatial.FromAxisAngle(axis, 1.0001)
	mech.FollowAngles(mech.NewKinematics(), beyond)
	_, err = d.ProjectDrift(beyond, 1, 1e3) // within its bounds
	named(err, "drift")
	for name, stepper := range map[string]sim.Stepper{
		"explicit": sim.NewRungeKutta(mech, d, sim.DormandPrince(), sim.Tolerance{Relative: 1e-8}),
		"implicit": sim.NewGeneralizedAlpha(mech, motion.NewNewton(p), sim.GeneralizedAlphaOptions{Rho: 0.9}),
	} {
		named(sim.New(mech, stepper, start, sim.Options{Projector: d}).Run(1), name)
	}
}
