package motion_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
)

// slider is a mass of 1 kg on a slide along z, without gravity.
func slider(change func(j *model.Joint, b *model.Body)) *model.Model {
	m := model.New("slider")
	m.Gravity = [3]float64{}
	m.Bodies = []model.Body{{Name: "mass", Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}}}
	m.Joints = []model.Joint{{Name: "slide", Type: model.Prismatic, Predecessor: model.World, Successor: "mass"}}
	change(&m.Joints[0], &m.Bodies[0])
	return m
}

func planOf(t testing.TB, m *model.Model) *rung.Plan {
	t.Helper()
	plan, err := rung.NewPlan(m, rung.Options{})
	require.NoError(t, err)
	return plan
}

// runExplicit returns a run of the plan by dopri5, from the state of the model or another one.
func runExplicit(plan *rung.Plan, tol float64, o sim.Options, start ...*mechanism.State) *sim.Simulation {
	d := motion.NewDynamics(plan)
	o.Projector, o.Dissipation = d, true
	return sim.New(plan.Mechanism(), sim.NewRungeKutta(plan.Mechanism(), d, sim.DormandPrince(), sim.Tolerance{Relative: tol}), append(start, plan.Initial())[0], o)
}

// runImplicit is runExplicit by generalized-alpha, with fixed steps unless step is 0.
func runImplicit(plan *rung.Plan, tol, step float64, o sim.Options, start ...*mechanism.State) *sim.Simulation {
	n := motion.NewNewton(plan)
	o.Projector, o.Dissipation, o.Step = n, true, step
	g := sim.NewGeneralizedAlpha(plan.Mechanism(), n, sim.GeneralizedAlphaOptions{Tolerance: sim.Tolerance{Relative: tol}, Fixed: step > 0})
	return sim.New(plan.Mechanism(), g, append(start, plan.Initial())[0], o)
}

// TestStopBounces: the rate after a bounce on a stop without gravity, docs/stops-and-friction.md (J3): by the first
// integral of the law with exponent 1, and by the formula of Hunt & Crossley 1975 for little damping.
func TestStopBounces(t *testing.T) {
	const k, chi, v = 1e4, 0.3, 0.8
	for _, lower := range []bool{false, true} {
		m := slider(func(j *model.Joint, b *model.Body) {
			l := model.NoLimit()
			l.Stop.Normal = contact.Normal{Stiffness: k, Dissipation: chi}
			if lower {
				l.Lower, b.Velocity.Linear[2] = -0.1, -v
			} else {
				l.Upper, b.Velocity.Linear[2] = 0.1, v
			}
			j.Limits = []*model.Limit{&l}
		})
		plan := planOf(t, m)
		stops := sim.NewStops(plan.Mechanism(), nil, nil)
		// v_i/χ − ln(1 + χ v_i)/χ² = −v_o/χ − ln(1 − χ v_o)/χ²
		want := 0.5 * v
		f := func(out float64) float64 {
			return v/chi - math.Log1p(chi*v)/(chi*chi) + out/chi + math.Log1p(-chi*out)/(chi*chi)
		}
		lo, hi := 0.0, v
		for range 200 {
			want = (lo + hi) / 2
			if f(want) > 0 {
				lo = want
			} else {
				hi = want
			}
		}
		s := runExplicit(plan, 1e-11, sim.Options{Projector: sim.NoProjector, Events: stops.Events()})
		require.NoError(t, s.Run(0.5))
		out := math.Abs(s.State().Bodies[0].Velocity[2])
		assert.InDelta(t, want, out, 1e-9)
		assert.InDelta(t, 1-2.0/3*chi*v, out/v, (chi*v)*(chi*v), "for little damping")
		assert.EqualValues(t, 2, s.Fired(0))
		assert.InDelta(t, (v*v-out*out)/2, s.DissipatedByJoints(), 1e-9)

		g := runImplicit(plan, 1e-8, 0, sim.Options{Projector: sim.NoProjector, Events: stops.Events()})
		require.NoError(t, g.Run(0.5))
		assert.InDelta(t, want, math.Abs(g.State().Bodies[0].Velocity[2]), 1e-5)
	}
}

// torsion is a wheel of 1 kg m² on a hinge along z with a spring.
func torsion(stiffness, angle float64, f model.Friction) *model.Model {
	return slider(func(j *model.Joint, b *model.Body) {
		j.Type, j.Stiffness, j.Friction = model.Revolute, []float64{stiffness}, []model.Friction{f}
		b.Pose.Orientation = [4]float64{math.Cos(angle / 2), 0, 0, math.Sin(angle / 2)}
	})
}

// turningPoints runs to until and returns the angles at which the wheel turns around.
func turningPoints(t *testing.T, m *model.Model, run func(*rung.Plan, sim.Options) *sim.Simulation, until float64) (points []float64, s *sim.Simulation) {
	t.Helper()
	s = run(planOf(t, m), sim.Options{Projector: sim.NoProjector, Events: []sim.Event{{
		Name: "turn", Function: func(st *mechanism.State) float64 { return st.Bodies[0].Omega[2] },
		Action: func(st *mechanism.State) (sim.Response, error) {
			points = append(points, st.Bodies[0].Rotation.Log()[2])
			return sim.Continue, nil
		},
	}}})
	require.NoError(t, s.Run(until))
	return points, s
}

// TestDryFrictionDecay: each half swing of a torsional oscillator with dry friction T falls short of the one before by
// 2T/k, until the spring is weaker than friction (Hartog 1956). Bristles then hold it for good.
func TestDryFrictionDecay(t *testing.T) {
	check.Long(t)
	const k, T, a = 100.0, 0.5, 0.1025
	held := model.Friction{Force: T, Hold: contact.Hold{Travel: 2e-5, Damping: 300}}
	rubbed := model.Friction{Force: T, Speed: 1e-4}
	for name, c := range map[string]struct {
		f    model.Friction
		near float64
		run  func(p *rung.Plan, o sim.Options) *sim.Simulation
	}{
		"bristles":              {held, 1e-4, func(p *rung.Plan, o sim.Options) *sim.Simulation { return runExplicit(p, 1e-8, o) }},
		"regularised":           {rubbed, 1e-4, func(p *rung.Plan, o sim.Options) *sim.Simulation { return runExplicit(p, 1e-8, o) }},
		"bristles, implicit":    {held, 1e-4, func(p *rung.Plan, o sim.Options) *sim.Simulation { return runImplicit(p, 1e-6, 0, o) }},
		"regularised, implicit": {rubbed, 1e-4, func(p *rung.Plan, o sim.Options) *sim.Simulation { return runImplicit(p, 1e-6, 0, o) }},
	} {
		t.Run(name, func(t *testing.T) {
			points, s := turningPoints(t, torsion(k, a, c.f), c.run, 3.3)
			require.GreaterOrEqual(t, len(points), 10)
			for n := range 10 {
				want := (a - 2*T/k*float64(n+1)) * math.Pow(-1, float64(n+1))
				assert.InDelta(t, want, points[n], c.near, n)
			}
			require.NoError(t, s.Run(6))
			before := s.State().Bodies[0].Rotation.Log()[2]
			energy := func() float64 {
				m, k := planOf(t, torsion(k, a, c.f)).Mechanism(), s.State()
				kin := m.NewKinematics()
				require.NoError(t, m.KinematicsTo(kin, k))
				e := m.EnergyAt(kin, k)
				return e.Kinetic + e.Potential()
			}
			assert.InDelta(t, k*a*a/2, energy()+s.DissipatedByJoints(), 2e-4*k*a*a/2)
			require.NoError(t, s.Run(16))
			crept := math.Abs(s.State().Bodies[0].Rotation.Log()[2] - before)
			switch {
			case c.f.Hold.Travel > 0 && strings.Contains(name, "implicit"):
				assert.Less(t, crept, 1e-8, "no creep, far below the tolerance of velocities")
			case c.f.Hold.Travel > 0:
				assert.Less(t, crept, 1e-9, "no creep")
			default:
				assert.Less(t, crept, 10*1e-4, "creeps with a part of the speed at most")
				assert.Greater(t, crept, 1e-6)
			}
		})
	}
}

// stickSlipTol is a tolerance at which the moment of breaking away is settled. It depends on velocities of bristles that hold, far
// below those of the motion: at 1e-7 it wanders by some hundredths of a second.
const stickSlipTol = 1e-10

// The spring of onBelt, N/m, and the speed of its belt, m/s.
const beltSpring, beltSpeed = 1.0, 0.2

// onBelt is a mass of 1 kg on a belt, on a spring.
func onBelt(f model.Friction) *model.Model {
	m := slider(func(j *model.Joint, b *model.Body) { j.Stiffness = []float64{beltSpring} })
	m.Bodies = append(m.Bodies, model.Body{Name: "belt", Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}, Velocity: model.Velocity{Linear: [3]float64{0, 0, beltSpeed}}})
	m.Joints = append(m.Joints,
		model.Joint{Name: "drive", Type: model.Prismatic, Predecessor: model.World, Successor: "belt", Motion: []*model.Motion{{Kind: model.Polynomial, Coefficients: []float64{0, beltSpeed}}}},
		model.Joint{Name: "rub", Type: model.Prismatic, Predecessor: "belt", Successor: "mass", Friction: []model.Friction{f}})
	return m
}

// TestStickSlip: a mass on a belt, on a spring, with static friction larger than that of sliding, has the limit cycle
// of Popp & Stelter 1990 in the limit in which friction falls at once: it sticks until kx = F_s, and slips along a
// cosine about F_k/k until it has the belt's speed again.
func TestStickSlip(t *testing.T) {
	check.Long(t)
	const k, belt, sliding, static = beltSpring, beltSpeed, 1.0, 2.0
	// The closed form, with ω = 1.
	jump := (static - sliding) / k
	period := 2*(math.Pi-math.Atan(jump/belt)) + 2*jump/belt
	top := sliding/k + math.Hypot(jump, belt)
	for name, law := range map[string]func(stribeck float64) model.Friction{
		"regularised": func(v float64) model.Friction {
			return model.Friction{Force: sliding, Static: static / sliding, Stribeck: v, Speed: v * v}
		},
		"bristles": func(v float64) model.Friction {
			return model.Friction{Force: sliding, Static: static / sliding, Stribeck: v, Hold: contact.Hold{Travel: v * v / 100, Damping: 10 / v}}
		},
	} {
		var off, high []float64
		for _, stribeck := range []float64{8e-3, 2e-3} {
			var tops, times []float64
			s := runImplicit(planOf(t, onBelt(law(stribeck))), stickSlipTol, 0, sim.Options{Projector: sim.NoProjector, Events: []sim.Event{{
				Name: "top", Direction: sim.Falling, Function: func(st *mechanism.State) float64 { return st.Bodies[0].Velocity[2] },
				Action: func(st *mechanism.State) (sim.Response, error) {
					if st.Bodies[0].Position[2] > top/2 {
						tops, times = append(tops, st.Bodies[0].Position[2]), append(times, st.Time)
					}
					return sim.Continue, nil
				},
			}}})
			require.NoError(t, s.Run(45))
			require.GreaterOrEqual(t, len(tops), 3)
			n := len(tops) - 1
			off, high = append(off, math.Abs(times[n]-times[n-1]-period)), append(high, math.Abs(tops[n]-top))
		}
		// The fall of friction takes a part of the slip that goes with the Stribeck speed.
		assert.Less(t, off[0], 0.02*period, name)
		assert.Less(t, high[0], 0.02*top, name)
		if name == "bristles" {
			assert.Less(t, off[1], off[0]/2, name)
			assert.Less(t, high[1], high[0]/2, name)
		}
	}
}

// breaksAway returns where bristles let a mass go that they have held on the belt so far, by the method of Runge and Kutta of order 4
// for its position, its speed on the belt and the bend of the bristles, docs/stops-and-friction.md (J6), (J7), (J8).
func breaksAway(f *model.Friction, speed float64) float64 {
	const h = 2e-6
	travel := f.Hold.Travel
	rates := func(y [3]float64) [3]float64 {
		x, w, xi := y[0], y[1], y[2]
		s := 1 + (f.Static-1)*math.Exp(-w*w/(f.Stribeck*f.Stribeck))
		bend := w - xi*math.Abs(w)/(travel*s)
		return [3]float64{beltSpeed + w, -beltSpring*x - f.Force*(xi/travel+f.Hold.Damping*bend), bend}
	}
	along := func(y, d [3]float64, h float64) [3]float64 {
		return [3]float64{y[0] + h*d[0], y[1] + h*d[1], y[2] + h*d[2]}
	}
	y := [3]float64{1.9, 0, -1.9 * travel}
	for y[1] > -speed {
		a := rates(y)
		b := rates(along(y, a, h/2))
		c := rates(along(y, b, h/2))
		d := rates(along(y, c, h))
		for i := range y {
			y[i] += h / 6 * (a[i] + 2*b[i] + 2*c[i] + d[i])
		}
	}
	return y[0]
}

// TestBreakingAway: bristles of 40 nm hold a mass up to static friction at every tolerance. Where Newton's iteration ends at errors
// of poses that are nothing to bodies, they hold with half or with 1.1 times of that.
func TestBreakingAway(t *testing.T) {
	check.Long(t)
	const v = 2e-3
	f := model.Friction{Force: 1, Static: 2, Stribeck: v, Hold: contact.Hold{Travel: v * v / 100, Damping: 10 / v}}
	want := breaksAway(&f, beltSpeed/10)
	plan := planOf(t, onBelt(f))
	for n := 3; n <= 13; n++ {
		tol := math.Pow(10, -float64(n))
		at := 0.0
		s := runImplicit(plan, tol, 0, sim.Options{Projector: sim.NoProjector, Events: []sim.Event{{
			Name: "slip", Direction: sim.Falling, Function: func(st *mechanism.State) float64 { return st.Bodies[0].Velocity[2] - 0.9*beltSpeed },
			Action: func(st *mechanism.State) (sim.Response, error) {
				at = st.Bodies[0].Position[2]
				return sim.Stop, nil
			},
		}}})
		require.NoError(t, s.Run(12), tol)
		near := 1e-2 * want
		if tol < 1e-11 {
			near = 1e-6 * want
		}
		assert.InDelta(t, want, at, near, tol)
		t.Logf("%.0e: %v", tol, at-want)
	}
}

// TestBristlesAreOfOrderTwo: errors of a mass that is pushed from rest through the Stribeck fall into sliding are small for their step:
// the fall of friction changes what bristles lose within each.
func TestBristlesAreOfOrderTwo(t *testing.T) {
	m := slider(func(j *model.Joint, b *model.Body) {
		j.Force = []float64{11.4}
		j.Friction = []model.Friction{{Force: 3.9, Static: 1.9, Stribeck: 0.36, Hold: contact.Hold{Travel: 1.3e-4, Damping: 17.7}}}
	})
	p := planOf(t, m)
	judge := runExplicit(p, 1e-12, sim.Options{})
	require.NoError(t, judge.Run(0.12))
	for _, h := range []float64{1e-4, 1e-5} {
		s := runImplicit(p, 0, h, sim.Options{Projector: sim.NoProjector})
		require.NoError(t, s.Run(0.12))
		off := math.Abs(s.State().Bodies[0].Velocity[2] - judge.State().Bodies[0].Velocity[2])
		t.Logf("%v s: %.2g m/s", h, off)
		assert.Less(t, off, 1000*h*h)
	}
}
