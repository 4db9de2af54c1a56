package sim_test

import (
	"errors"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// wheels are the runs of reference/ground: wheels and rovers.
var wheels = []struct {
	name string
	long bool
}{{"sphere-roll", false}, {"sphere-slide", false}, {"sphere-hills", false}, {"disc-roll", false}, {"rover-drive", true}, {"rover-drop", true}}

const (
	// groundTol is the tolerance of runs on the ground for which reference/ground/README.md allows groundError: m, rad,
	// and of velocities relative to 1 + their size, as the tolerance is. With groundTight velocities too are as good in
	// m/s and rad/s, which sphere-slide needs.
	groundTol, groundTight, groundError = 1e-9, 1e-11, 1e-6
	// bodyColumns is the number of columns of a body in reference/ground:
	// position, orientation, velocity, angular velocity.
	bodyColumns = 13
)

// groundErrors are the largest errors over a run: m, rad, m/s, rad/s;
// and those of velocities relative to 1 m/s or 1 rad/s + their size.
type groundErrors struct{ position, turn, velocity, omega, relativeVelocity, relativeOmega float64 }

// add compares st with a row of a reference.
func (e *groundErrors) add(row []float64, st *mechanism.State) {
	for i := range st.Bodies {
		b, x := &st.Bodies[i], row[1+bodyColumns*i:]
		e.position = max(e.position, b.Position.Sub(spatial.Vec3(x[:3])).Norm())
		q := spatial.Quat(x[3:7])
		e.turn = max(e.turn, b.Rotation.Mul(q.Conj()).Log().Norm())
		v, w := spatial.Vec3(x[7:10]), spatial.Vec3(x[10:13])
		dv, dw := b.Velocity.Sub(v).Norm(), b.Omega.Sub(w).Norm()
		e.velocity, e.relativeVelocity = max(e.velocity, dv), max(e.relativeVelocity, dv/(1+v.Norm()))
		e.omega, e.relativeOmega = max(e.omega, dw), max(e.relativeOmega, dw/(1+w.Norm()))
	}
}

// explicitErrors runs a case of reference/ground by the pair of Dormand and Prince and returns its errors. Steps end at
// the times of the reference: interpolants are worse by orders of magnitude where friction is stiff.
func explicitErrors(t *testing.T, name string, method motion.Method, tol float64) (e groundErrors) {
	t.Helper()
	p, err := rung.NewPlan(open(t, "ground", name+".model.json"), kkt.Options{})
	require.NoError(t, err)
	d, err := motion.New(p, method)
	require.NoError(t, err)
	s := sim.New(p.Mechanism(), sim.NewRungeKutta(p.Mechanism(), d, sim.DormandPrince(), sim.Tolerance{Relative: tol}), p.Initial(), sim.Options{Projector: d, Events: sim.ContactEvents(p.Mechanism(), nil)})
	for _, row := range readTable(t, check.Reference(t, "ground", name+".csv")).rows {
		require.NoError(t, s.Run(row[0]))
		e.add(row, s.State())
	}
	t.Logf("tolerance %g: %d steps, %d rejected, errors %.2g m, %.2g rad, %.2g m/s, %.2g rad/s; relative %.2g and %.2g",
		tol, s.Stats().Steps, s.Stats().Rejected, e.position, e.turn, e.velocity, e.omega, e.relativeVelocity, e.relativeOmega)
	return e
}

// TestGroundExplicit runs every case of reference/ground with contacts: at the tolerance that its README names
// velocities are within the error that it allows relative to their size. The sphere of sphere-slide turns with 31
// rad/s, of which the tolerance allows 3e-8 a step, and bounces over 25 kinks; there 1.4e-6 rad/s are missing, at a
// tighter tolerance 1.5e-8. All others are as good in m/s and rad/s.
func TestGroundExplicit(t *testing.T) {
	check.Long(t)
	for _, c := range wheels {
		for _, method := range []motion.Method{motion.Sparse, motion.TreeLambda} {
			t.Run(c.name+"/"+method.String(), func(t *testing.T) {
				if testing.Short() && (c.long || method != motion.Sparse) {
					t.Skip("long")
				}
				e := explicitErrors(t, c.name, method, groundTol)
				assert.Less(t, max(e.position, e.turn, e.relativeVelocity, e.relativeOmega), groundError)
				if c.name == "sphere-slide" {
					e = explicitErrors(t, c.name, method, groundTight)
				}
				assert.Less(t, max(e.position, e.turn, e.velocity, e.omega), groundError)
			})
		}
	}
}

// damped returns a run of a plan by the generalized-α method, with fixed steps or a tolerance.
func damped(p *kkt.Plan, step, tol float64, o sim.Options) (*sim.Simulation, *sim.GeneralizedAlpha) {
	n := motion.NewNewton(p)
	k := sim.NewGeneralizedAlpha(p.Mechanism(), n, sim.GeneralizedAlphaOptions{Fixed: step > 0, Tolerance: sim.Tolerance{Relative: tol}})
	o.Projector, o.Step = n, step
	return sim.New(p.Mechanism(), k, p.Initial(), o), k
}

// TestGroundImplicit sees the order 2 of the generalized-α method in every case: a quarter of the step leaves a
// sixteenth of the error, or nearly so where wheels touch and leave within steps.
func TestGroundImplicit(t *testing.T) {
	check.Long(t)
	const coarse, fine, order = 2e-3, 5e-4, 12
	for _, c := range wheels {
		t.Run(c.name, func(t *testing.T) {
			p, err := rung.NewPlan(open(t, "ground", c.name+".model.json"), kkt.Options{})
			require.NoError(t, err)
			ref := readTable(t, check.Reference(t, "ground", c.name+".csv")).rows
			var e [2]groundErrors
			for i, h := range []float64{coarse, fine} {
				s, k := damped(p, h, 0, sim.Options{Projector: sim.NoProjector})
				for _, row := range ref {
					require.NoError(t, s.Run(row[0]))
					e[i].add(row, s.State())
				}
				t.Logf("step %g: %d evaluations, %d factorizations, %d rejected; errors %.2g m, %.2g rad, %.2g of velocities, %.2g of angular velocities",
					h, k.Evaluations(), k.Factorizations(), s.Stats().Rejected, e[i].position, e[i].turn, e[i].relativeVelocity, e[i].relativeOmega)
			}
			assert.Greater(t, e[0].position, order*e[1].position)
			assert.Greater(t, e[0].turn, order*e[1].turn)
		})
	}
}

// rolling is a wheel that rolls on stiff level ground, driven by its axle, which a slider leads.
func rolling(t testing.TB, friction contact.Friction, slope float64) *model.Model {
	t.Helper()
	const r, mass = 0.25, 20.0
	m := model.New("rolling")
	m.Terrains = []model.Terrain{{Name: "ground", Type: model.PlaneTerrain, Normal: [3]float64{math.Sin(slope), 0, math.Cos(slope)}}}
	z := (r - 1.5*mass*9.81*math.Cos(slope)/1e6) / math.Cos(slope)
	I := model.Inertia{XX: 0.3, YY: 0.5, ZZ: 0.3}
	m.Bodies = []model.Body{
		{Name: "wheel", Mass: mass, Inertia: I, Pose: model.Pose{Position: [3]float64{0, 0, z}}},
		{Name: "frame", Mass: mass / 2, Com: [3]float64{0, 0, 0.1}, Inertia: I, Pose: model.Pose{Position: [3]float64{0, 0, z}}},
	}
	across := [4]float64{math.Sqrt2 / 2, -math.Sqrt2 / 2, 0, 0} // z along the y axis of the body
	m.Joints = []model.Joint{
		{Name: "axle", Type: model.Revolute, Predecessor: "frame", Successor: "wheel", PredecessorFrame: model.Pose{Orientation: across}, SuccessorFrame: model.Pose{Orientation: across}},
		{Name: "rail", Type: model.Planar, Predecessor: model.World, Successor: "frame", PredecessorFrame: model.Pose{Orientation: across}, SuccessorFrame: model.Pose{Orientation: across},
			Motion: []*model.Motion{{Kind: model.Polynomial, Coefficients: []float64{0}}, nil, nil}},
	}
	m.Forces = []model.ForceElement{
		{Name: "tyre", Type: model.ContactForce, A: model.Attachment{Body: "wheel"}, Contact: &model.Contact{
			Terrain: "ground", Shape: contact.Shape{Type: contact.Disc, Radius: r, Axis: spatial.Vec3{0, 1, 0}},
			Law: contact.Law{Normal: contact.Normal{Stiffness: 1e6, Exponent: 1, Dissipation: 0.5}, Friction: friction},
		}},
	}
	return m
}

// drive adds a motor that speeds the wheel of rolling up.
func drive(m *model.Model) *model.Model {
	value := &model.Motion{Kind: model.Spline, Times: []float64{0, 1, 2, 3}, Values: []float64{0, 2, 4, 4}}
	m.Forces = append(m.Forces, model.ForceElement{Name: "motor", Type: model.ActuatorForce, Actuator: &model.Actuator{
		Joint: "axle", Law: model.ActuatorSpeed, Value: value, Gain: 50, Integral: 100, Limit: 40,
	}})
	return m
}

// coulomb is the stiffest friction that documents have by default.
var coulomb = contact.Friction{Type: contact.Coulomb, Coefficient: [2]float64{0.8, 0.8}, SlipSpeed: 1e-3}

// TestImplicitStepsAreLong: at an error of 1e-4 m after three seconds, steps of the generalized-α method on a stiff
// driven wheel are 20 times the steps of the pair of Dormand and Prince, which stability bounds.
func TestImplicitStepsAreLong(t *testing.T) {
	check.Long(t)
	const wanted, times = 1e-4, 20
	until := 3.0
	p, err := rung.NewPlan(drive(rolling(t, coulomb, 0)), kkt.Options{})
	require.NoError(t, err)
	exact, _ := damped(p, 0, 1e-9, sim.Options{Projector: sim.NoProjector})
	require.NoError(t, exact.Run(until))
	d := motion.NewDynamics(p)
	explicit := sim.New(p.Mechanism(), sim.NewRungeKutta(p.Mechanism(), d, sim.DormandPrince(), sim.Tolerance{Relative: wanted / 10}), p.Initial(), sim.Options{Projector: d})
	require.NoError(t, explicit.Run(until))
	long, _ := damped(p, 0, wanted/4, sim.Options{Projector: sim.NoProjector}) // the error of a step; wanted is the error of the run
	require.NoError(t, long.Run(until))
	off := func(s *sim.Simulation) float64 {
		return s.State().Bodies[0].Position.Sub(exact.State().Bodies[0].Position).Norm()
	}
	t.Logf("explicit: %d steps, error %.2g m; implicit: %d steps, error %.2g m; way %.3g m", explicit.Stats().Steps, off(explicit), long.Stats().Steps, off(long), exact.State().Bodies[0].Position[0])
	assert.Less(t, off(explicit), wanted)
	assert.Less(t, off(long), wanted)
	assert.Greater(t, explicit.Stats().Steps, times*long.Stats().Steps)
}

// TestHold: a braked wheel creeps down a slope by regularised friction with v_s·tan α/√(μ² − tan²α), and stays with
// bristles, with both methods.
func TestHold(t *testing.T) {
	const slope, mu, until = 0.2, 0.8, 4.0
	const restTol = 1e-7 // m/s: what the tolerance leaves of the swinging of the bristles, which creeping is a thousand times faster than
	hold := contact.Friction{Type: contact.Coulomb, Coefficient: [2]float64{mu, mu}, SlipSpeed: 1e-3, Hold: contact.Hold{Travel: 1e-3, Damping: 10}}
	creep := 1e-3 * math.Tan(slope) / math.Sqrt(mu*mu-math.Tan(slope)*math.Tan(slope))
	for _, c := range []struct {
		name     string
		friction contact.Friction
		speed    float64
	}{{"creeps", coulomb, creep}, {"holds", hold, 0}} {
		for _, explicit := range []bool{false, true} {
			m := rolling(t, c.friction, slope)
			m.Joints[0].Motion = []*model.Motion{{Kind: model.Polynomial, Coefficients: []float64{0}}} // the brake
			p, err := rung.NewPlan(m, kkt.Options{})
			require.NoError(t, err)
			s, _ := damped(p, 0, 1e-7, sim.Options{Projector: sim.NoProjector})
			if explicit {
				if testing.Short() {
					continue
				}
				d := motion.NewDynamics(p)
				s = sim.New(p.Mechanism(), sim.NewRungeKutta(p.Mechanism(), d, sim.DormandPrince(), sim.Tolerance{Relative: 1e-8}), p.Initial(), sim.Options{Projector: d})
			}
			require.NoError(t, s.Run(until))
			v := s.State().Bodies[0].Velocity.Norm()
			t.Logf("%s, explicit %t: %d steps, %.9g m/s, expected %.9g, internal %v", c.name, explicit, s.Stats().Steps, v, c.speed, s.State().Internal)
			assert.InDelta(t, c.speed, v, restTol)
			if c.speed == 0 { // the bristles carry the weight
				assert.InDelta(t, math.Tan(slope)/mu*1e-3, math.Abs(s.State().Internal[0]), 1e-8)
			}
		}
	}
}

// wheelOn is a driven wheel of all that has internal states: bristles, an integral part, and a spring that counts turns.
func wheelOn(t testing.TB, friction contact.Friction) *model.Model {
	t.Helper()
	m := drive(rolling(t, friction, 0.05))
	m.Bodies[0].Pose.Position[2] += 0.01 // it falls and bounces
	m.Bodies[1].Pose.Position[2] += 0.01
	m.Forces = append(m.Forces, model.ForceElement{Name: "height", Type: model.ActuatorForce, Actuator: &model.Actuator{
		Joint: "rail", Freedom: 1, Law: model.ActuatorPosition, Value: &model.Motion{Kind: model.Harmonic, Amplitude: 0.1, Frequency: 1}, Gain: 3, Damping: 2,
	}})
	return m
}

// grounds are frictions with and without internal states.
func grounds(t testing.TB) map[string]contact.Friction {
	t.Helper()
	tyre, peaks, err := contact.TyrePreset("road")
	require.NoError(t, err)
	tyre.Relaxation = 0.1
	return map[string]contact.Friction{
		"coulomb": coulomb,
		"hold":    {Type: contact.Coulomb, Coefficient: [2]float64{0.8, 0.8}, SlipSpeed: 1e-3, Hold: contact.Hold{Travel: 1e-3, Damping: 10}},
		"tyre":    {Type: contact.Tyre, Coefficient: peaks, Tyre: tyre},
	}
}

// TestGroundResume: a run that continues from a checkpoint has the bits of
// one that was not interrupted, with internal states and integral parts.
func TestGroundResume(t *testing.T) {
	check.Long(t)
	const half, until = 0.37, 0.7
	all := grounds(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		friction := all[name]
		for _, method := range []string{"explicit", "implicit"} {
			t.Run(name+"/"+method, func(t *testing.T) {
				p, err := rung.NewPlan(wheelOn(t, friction), kkt.Options{})
				require.NoError(t, err)
				var touched int
				fresh := func() *sim.Simulation {
					o := sim.Options{Projector: sim.NoProjector, Events: sim.ContactEvents(p.Mechanism(), func(int, bool, *mechanism.State) error { touched++; return nil })}
					if method == "implicit" {
						s, _ := damped(p, 0, 1e-6, o)
						return s
					}
					d := motion.NewDynamics(p)
					o.Projector = d
					return sim.New(p.Mechanism(), sim.NewRungeKutta(p.Mechanism(), d, sim.DormandPrince(), sim.Tolerance{Relative: 1e-7}), p.Initial(), o)
				}
				whole := fresh()
				require.NoError(t, whole.Run(half))
				c, err := whole.Checkpoint()
				require.NoError(t, err)
				path := filepath.Join(t.TempDir(), "c.json")
				require.NoError(t, sim.WriteCheckpoint(path, c))
				require.NoError(t, whole.Run(until))
				require.NotZero(t, touched)
				c, err = sim.ReadCheckpoint(path)
				require.NoError(t, err)
				rest := fresh()
				require.NoError(t, rest.Restore(c))
				require.NoError(t, rest.Run(until))
				require.Equal(t, whole.State(), rest.State())
				require.Equal(t, whole.Stats(), rest.Stats())
				require.Len(t, rest.State().Internal, p.Mechanism().NumInternal())
			})
		}
	}
}

// TestGroundMethodsAgree: internal states come out alike by both methods.
func TestGroundMethodsAgree(t *testing.T) {
	check.Long(t)
	const until, tol = 0.5, 3e-4
	for name, friction := range grounds(t) {
		p, err := rung.NewPlan(wheelOn(t, friction), kkt.Options{})
		require.NoError(t, err)
		d := motion.NewDynamics(p)
		explicit := sim.New(p.Mechanism(), sim.NewRungeKutta(p.Mechanism(), d, sim.DormandPrince(), sim.Tolerance{Relative: 1e-8}), p.Initial(),
			sim.Options{Projector: d, Events: sim.ContactEvents(p.Mechanism(), nil)})
		require.NoError(t, explicit.Run(until))
		s, _ := damped(p, 0, 1e-8, sim.Options{Projector: sim.NoProjector})
		require.NoError(t, s.Run(until))
		a, b := explicit.State(), s.State()
		t.Logf("%s: %d and %d steps; off by %.2g m, %.2g m/s; internal %v and %v", name, explicit.Stats().Steps, s.Stats().Steps,
			a.Bodies[0].Position.Sub(b.Bodies[0].Position).Norm(), a.Bodies[0].Velocity.Sub(b.Bodies[0].Velocity).Norm(), a.Internal, b.Internal)
		assert.InDelta(t, 0, a.Bodies[0].Position.Sub(b.Bodies[0].Position).Norm(), tol, name)
		assert.InDelta(t, 0, a.Bodies[0].Velocity.Sub(b.Bodies[0].Velocity).Norm(), 10*tol, name)
		for i := range a.Internal {
			assert.InDelta(t, a.Internal[i], b.Internal[i], tol, name)
		}
	}
}

// TestGroundDoesNotAllocate: steps with contacts, actuators and internal states use the memory that is there.
func TestGroundDoesNotAllocate(t *testing.T) {
	for name, friction := range grounds(t) {
		p, err := rung.NewPlan(wheelOn(t, friction), kkt.Options{})
		require.NoError(t, err)
		m := p.Mechanism()
		events := sim.ContactEvents(m, nil)
		for _, k := range []sim.Stepper{
			sim.NewRungeKutta(m, motion.NewDynamics(p), sim.DormandPrince(), sim.Tolerance{}),
			sim.NewGeneralizedAlpha(m, motion.NewNewton(p), sim.GeneralizedAlphaOptions{}),
		} {
			st, mid := p.Initial(), p.Initial()
			m.FollowAngles(m.NewKinematics(), st)
			h := 1e-4
			step := func() {
				if _, e := k.Try(st, st.Time+h); e != nil {
					err = e
					return
				}
				k.AtTo(mid, 0.3)
				_ = events[0].Function(mid)
				k.AtTo(st, 1)
				_ = k.Lead(st, true)
				k.Accept()
			}
			for range 500 { // until it touches
				step()
			}
			require.NoError(t, err)
			require.Zero(t, testing.AllocsPerRun(20, step), name)
			require.NoError(t, err)
		}
	}
}

// TestStiffMotors: motors that hold speeds with a gain so large that rounding of the pose would be newton metres are no
// reason for short steps, nor are their limits, which they go from one to the other of within some 1e-5 rad/s.
func TestStiffMotors(t *testing.T) {
	m, err := model.ReadFile(filepath.Join("..", "examples", "rover", "rover.json"))
	require.NoError(t, err)
	for i := range m.Forces {
		if a := m.Forces[i].Actuator; a != nil {
			a.Gain = 1e6
		}
	}
	p, err := rung.NewPlan(m, kkt.Options{})
	require.NoError(t, err)
	s, k := damped(p, 0, 1e-4, sim.Options{Projector: sim.NoProjector, OnStep: func(s *sim.Simulation) error {
		if s.Stats().Steps > 500 {
			return errors.New("too many steps")
		}
		return nil
	}})
	require.NoError(t, s.Run(2))
	t.Logf("%d steps, %d rejected, %d evaluations", s.Stats().Steps, s.Stats().Rejected, k.Evaluations())
	assert.Less(t, k.Evaluations(), int64(3000)) // with derivatives in the place of secants of what motors do at their limits: 3500
}
