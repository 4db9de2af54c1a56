package sim_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/springs"
)

// block returns a body of 2 kg with three moments of inertia.
func block(name string, at spatial.Vec3) model.Body {
	return model.Body{Name: name, Mass: 2, Com: [3]float64{0.1, 0, 0.05}, Inertia: model.Inertia{XX: 0.2, YY: 0.3, ZZ: 0.4}, Pose: model.Pose{Position: at}}
}

// onBushing returns two spinning blocks on each other and on the world by bushings with full matrices.
func onBushing(damping float64) *model.Model {
	m := model.New("bushings")
	m.Bodies = []model.Body{block("low", spatial.Vec3{0, 0, 0.1}), block("high", spatial.Vec3{0.2, 0, 0.7})}
	m.Bodies[0].Velocity.Angular, m.Bodies[1].Velocity.Angular = [3]float64{3, -2, 2}, [3]float64{-3, 4, 1}
	k := model.Diagonal([6]float64{6, 8, 10, 300, 400, 500})
	k[0][4], k[4][0], k[2][3], k[3][2] = 20, 20, -15, -15
	bushing := func(name, a, b string, pA, pB spatial.Vec3) {
		m.Forces = append(m.Forces, model.ForceElement{
			Name: name, Type: model.BushingForce, A: model.Attachment{Body: a, Point: pA}, B: model.Attachment{Body: b, Point: pB},
			Force: [3]float64{0, 0, 20}, Torque: [3]float64{0.2, 0, 0},
			Bushing: &model.Bushing{
				Stiffness: k, Damping: model.Diagonal([6]float64{damping, damping, damping, damping, damping, damping}),
				Rest: model.Pose{Position: [3]float64{0, 0, 0.1}, Orientation: spatial.Exp(spatial.Vec3{0.3, 0.2, 0})},
			},
		})
	}
	bushing("foot", model.World, "low", spatial.Vec3{}, spatial.Vec3{0, 0.1, 0})
	bushing("neck", "low", "high", spatial.Vec3{0, 0, 0.4}, spatial.Vec3{0, 0.1, -0.2})
	return m
}

// energyKeeper records energies and the largest turn of a bushing.
type energyKeeper struct {
	mech   *mechanism.Mechanism
	energy []float64
	turn   float64
}

func (k *energyKeeper) note(st *mechanism.State, kin *mechanism.Kinematics) error {
	if err := k.mech.KinematicsTo(kin, st); err != nil {
		return err
	}
	e := k.mech.EnergyAt(kin, st)
	k.energy = append(k.energy, e.Kinetic+e.Potential())
	var b mechanism.BushingState
	for i := range k.mech.NumBushings() {
		if err := k.mech.BushingAt(&b, i, kin, st); err != nil {
			return err
		}
		k.turn = max(k.turn, b.Theta.Norm())
	}
	return nil
}

// TestBushingEnergy: blocks on bushings turn by more than a radian, and keep their energy to 1e-9 of what is exchanged
// over a long run. With damping they only lose.
func TestBushingEnergy(t *testing.T) {
	check.Long(t)
	until := 20.0
	for _, damping := range []float64{0, 0.5} {
		r := newRig(t, onBushing(damping))
		require.Equal(t, damping == 0, r.mech.Conservative())
		k, kin := &energyKeeper{mech: r.mech}, r.mech.NewKinematics()
		s := r.simulate(sim.DormandPrince(), 1e-13, sim.Options{Projector: sim.NoProjector, OnStep: func(s *sim.Simulation) error { return k.note(s.State(), kin) }})
		require.NoError(t, s.Run(until))
		require.Greater(t, k.turn, 1.0)
		first := k.energy[0]
		for i, e := range k.energy {
			if damping == 0 {
				require.InDelta(t, first, e, 1e-9*max(1, math.Abs(first)), "step %d", i)
			} else if i > 0 {
				require.LessOrEqual(t, e, k.energy[i-1]+1e-9)
			}
		}
		if damping > 0 {
			require.Less(t, k.energy[len(k.energy)-1], first-1)
		}
	}
}

// TestBushingExchanged: a bushing from B to A with the inverse rest, and
// the same in a world that is turned and moved, give the same motion.
func TestBushingExchanged(t *testing.T) {
	run := func(m *model.Model) *mechanism.State {
		r := newRig(t, m)
		s := r.simulate(sim.DormandPrince(), 1e-12, sim.Options{Projector: sim.NoProjector})
		require.NoError(t, s.Run(1))
		return s.State()
	}
	want := run(onBushing(0.5))
	m := onBushing(0.5)
	for i := range m.Forces {
		f := &m.Forces[i]
		f.A, f.B = f.B, f.A
		q := spatial.Quat(f.Bushing.Rest.Orientation).Conj()
		f.Bushing.Rest.Position = q.Rotate(f.Bushing.Rest.Position).Neg()
		f.Bushing.Rest.Orientation = q
		f.Force, f.Torque = spatial.Vec3(f.Force).Neg(), spatial.Vec3(f.Torque).Neg()
	}
	require.Less(t, poseDistance(want, run(m)), 1e-9)

	m = onBushing(0.5)
	turn, move := spatial.Exp(spatial.Vec3{1, -2, 0.5}), spatial.Vec3{100, -50, 30}
	m.Gravity = turn.Rotate(m.Gravity)
	for i := range m.Bodies {
		b := &m.Bodies[i]
		b.Pose.Position = turn.Rotate(b.Pose.Position).Add(move)
		b.Pose.Orientation = turn
		b.Velocity.Angular = turn.Rotate(b.Velocity.Angular)
	}
	foot := &m.Forces[0].A
	foot.Point, foot.Orientation = turn.Rotate(foot.Point).Add(move), turn
	got := run(m)
	for i := range got.Bodies {
		b := &got.Bodies[i]
		b.Position, b.Rotation = turn.Conj().Rotate(b.Position.Sub(move)), turn.Conj().Mul(b.Rotation)
	}
	require.Less(t, poseDistance(want, got), 1e-8)
}

// TestSpringsExplicitImplicit: with bushings, cables and laws on the reference models, implicit steps that halve tend
// to the motion of explicit ones with order two.
func TestSpringsExplicitImplicit(t *testing.T) {
	names := []string{"pendulum", "spinning-top", "four-bar", "slider-crank-planar", "slider-crank-spatial", "type-prismatic"}
	if testing.Short() {
		names = names[:2]
	}
	for i, name := range names {
		m := open(t, "golden", name+".model.json")
		modeltest.AddSprings(m, rand.New(rand.NewPCG(9, uint64(i))))
		const until = 0.1
		p := alphaProblem{name: name, model: m, until: until}
		r := newRig(t, p.model)
		s := r.simulate(sim.DormandPrince(), 1e-12, sim.Options{Projector: r.proj, CloseStages: true, Events: sim.CableEvents(r.mech, nil)})
		require.NoError(t, s.Run(until), name)
		var errs []float64
		for _, steps := range []int{100, 200, 400} {
			q := newImplicit(t, m)
			k := sim.NewGeneralizedAlpha(q.mech, q.dyn, sim.GeneralizedAlphaOptions{Fixed: true})
			g := sim.New(q.mech, k, q.mech.Initial(), alone(until/float64(steps)))
			require.NoError(t, g.Run(until), name)
			errs = append(errs, poseDistance(s.State(), g.State()))
		}
		t.Log(name, errs)
		require.Less(t, errs[2], 1e-4, name)
		require.Greater(t, errs[0]/errs[2], 10.0, "%s: %v", name, errs)
	}
}

// TestStiffBushing: implicit steps far longer than the vibrations of a bushing converge, and keep the block in its place.
func TestStiffBushing(t *testing.T) {
	for _, k := range []float64{1e6, 1e9} {
		m := model.New("stiff")
		m.Bodies = []model.Body{block("low", spatial.Vec3{0, 0, 0.5}), block("high", spatial.Vec3{0, 0, 1.3})}
		for i, ends := range [2][2]model.Attachment{
			{{Body: model.World, Point: [3]float64{0.1, 0, 0.5}}, {Body: "low", Point: [3]float64{0.1, 0, 0}}},
			{{Body: "low", Point: [3]float64{0, 0, 0.4}}, {Body: "high", Point: [3]float64{0, 0, -0.4}}},
		} {
			m.Forces = append(m.Forces, model.ForceElement{Name: fmt.Sprint(i), Type: model.BushingForce, A: ends[0], B: ends[1], Bushing: &model.Bushing{
				Stiffness: model.Diagonal([6]float64{k, 100, k, k, k, k}), // soft about y
				Damping:   model.Diagonal([6]float64{0, 0.1, 0, 0, 0, 0}),
			}})
		}
		q := newImplicit(t, m)
		g := sim.New(q.mech, sim.NewGeneralizedAlpha(q.mech, q.dyn, sim.GeneralizedAlphaOptions{Annihilate: true, Fixed: true}), q.mech.Initial(), sim.Options{Step: 0.01, Projector: q.proj})
		require.NoError(t, g.Run(1))
		require.Equal(t, int64(100), g.Stats().Steps)
		kin := q.mech.NewKinematics()
		require.NoError(t, q.mech.KinematicsTo(kin, g.State()))
		var b mechanism.BushingState
		for i := range 2 {
			require.NoError(t, q.mech.BushingAt(&b, i, kin, g.State()))
			for c, x := range b.X {
				if c != 1 {
					require.InDelta(t, 0, x, 1e3/k, "coordinate %d", c)
				}
			}
		}
	}
}

// atwood returns two weights on one cable over a fixed pulley.
func atwood(stiffness, damping float64) *model.Model {
	m := model.New("atwood")
	m.Gravity = [3]float64{0, 0, -10}
	m.Bodies = []model.Body{block("light", spatial.Vec3{0, 0, -1}), block("heavy", spatial.Vec3{1, 0, -1})}
	m.Bodies[0].Mass, m.Bodies[1].Mass = 1, 3
	for i := range m.Bodies {
		m.Bodies[i].Com = [3]float64{}
	}
	const tension = 2 * 1 * 3 * 10.0 / (1 + 3)
	rest := 3.0
	if stiffness > 0 {
		rest -= tension / stiffness
	}
	m.Forces = []model.ForceElement{{
		Name: "rope", Type: model.CableForce, Stiffness: stiffness, Damping: damping, RestLength: rest,
		Cable: &model.Cable{Points: []model.Attachment{
			{Body: "light"}, {Body: model.World}, {Body: model.World, Point: [3]float64{1, 0, 0}}, {Body: "heavy"},
		}},
	}}
	return m
}

// TestAtwood: stretched as it is in steady motion, a rope pulls with 2·m·M·g/(m+M) all the time, and the weights fall
// and rise with (M−m)·g/(M+m).
func TestAtwood(t *testing.T) {
	r := newRig(t, atwood(1e3, 5))
	s := r.simulate(sim.DormandPrince(), 1e-11, sim.Options{Projector: sim.NoProjector, Events: sim.CableEvents(r.mech, nil)})
	require.NoError(t, s.Run(0.5))
	st := s.State()
	require.InDelta(t, -1+5*0.125, st.Bodies[0].Position[2], 1e-9)
	require.InDelta(t, -1-5*0.125, st.Bodies[1].Position[2], 1e-9)
	k := r.mech.NewKinematics()
	require.NoError(t, r.mech.KinematicsTo(k, st))
	at, err := r.mech.CableAt(0, k, st)
	require.NoError(t, err)
	require.InDelta(t, 15, at.Tension, 1e-6)
}

// TestSlackCable: a ball on a cord flies freely until the cord is taut,
// then turns round with its energy; events tell both, and steps end there.
func TestSlackCable(t *testing.T) {
	m := model.New("ball")
	m.Gravity = [3]float64{}
	m.Bodies = []model.Body{block("ball", spatial.Vec3{0.2, 0, 0})}
	m.Bodies[0].Com = [3]float64{}
	m.Bodies[0].Velocity.Linear = [3]float64{2, 0, 0}
	m.Forces = []model.ForceElement{{
		Name: "cord", Type: model.CableForce, Stiffness: 200, RestLength: 1,
		Cable: &model.Cable{Points: []model.Attachment{{Body: model.World}, {Body: "ball"}}},
	}}
	var told []bool
	var times []float64
	r := newRig(t, m)
	s := r.simulate(sim.DormandPrince(), 1e-11, sim.Options{Projector: sim.NoProjector, Events: sim.CableEvents(r.mech, func(_ int, taut bool, st *mechanism.State) error {
		told, times = append(told, taut), append(times, st.Time)
		return nil
	})})
	require.NoError(t, s.Run(1))
	require.Equal(t, []bool{true, false}, told)
	require.InDelta(t, 0.4, times[0], 1e-9)            // 0.8 m at 2 m/s
	require.InDelta(t, 0.4+math.Pi/10, times[1], 1e-9) // half a vibration at 10 rad/s
	require.InDelta(t, math.Pi/5-0.2, s.State().Bodies[0].Position[0], 1e-8)
	require.InDelta(t, -2, s.State().Bodies[0].Velocity[0], 1e-9)
}

// TestCableDamper: a taut cable never pushes, however fast it shortens, and loses energy.
func TestCableDamper(t *testing.T) {
	m := atwood(500, 300)
	m.Bodies[0].Velocity.Linear = [3]float64{0, 0, 3}
	r := newRig(t, m)
	k, kin := &energyKeeper{mech: r.mech}, r.mech.NewKinematics()
	s := r.simulate(sim.DormandPrince(), 1e-11, sim.Options{Projector: sim.NoProjector, Events: sim.CableEvents(r.mech, nil), OnStep: func(s *sim.Simulation) error {
		if err := k.note(s.State(), kin); err != nil {
			return err
		}
		at, err := r.mech.CableAt(0, kin, s.State())
		require.GreaterOrEqual(t, at.Tension, 0.0)
		return err
	}})
	require.NoError(t, s.Run(0.5))
	for i := range k.energy[1:] {
		require.LessOrEqual(t, k.energy[i+1], k.energy[i]+1e-9)
	}
	require.Less(t, k.energy[len(k.energy)-1], k.energy[0]-1)
}

// TestTabledSpring: springs and dampers as tables on a line, as functions
// and as numbers make the same motion; so do those of a freedom.
func TestTabledSpring(t *testing.T) {
	line := func(k float64) *model.SpringLaw {
		return &model.SpringLaw{At: []float64{-1, -0.3, 0.4, 2}, Forces: []float64{-k, -0.3 * k, 0.4 * k, 2 * k}}
	}
	function := func(text string) *model.SpringLaw { return &model.SpringLaw{Kind: springs.Function, Expression: text} }
	var want *mechanism.State
	for i, c := range []struct{ spring, damper *model.SpringLaw }{{}, {line(90), line(2)}, {function("90*x"), function("2*y")}, {function("90*x + 2*y"), nil}} {
		m := model.New("springs")
		m.Bodies = []model.Body{block("a", spatial.Vec3{0, 0, -1.2}), block("b", spatial.Vec3{1, 0, 0})}
		spring := model.ForceElement{Name: "s", Type: model.SpringDamper, A: model.Attachment{Body: model.World}, B: model.Attachment{Body: "a"}, RestLength: 1, Spring: c.spring, Damper: c.damper}
		hinge := model.Joint{
			Name: "hinge", Type: model.Revolute, Predecessor: model.World, Successor: "b", Rest: []float64{0.3},
			PredecessorFrame: model.Pose{Position: [3]float64{1, 0, 0}}, Springs: []*model.SpringLaw{c.spring}, Dampers: []*model.SpringLaw{c.damper},
		}
		if i == 0 {
			spring.Stiffness, spring.Damping = 90, 2
			hinge.Stiffness, hinge.Damping, hinge.Springs, hinge.Dampers = []float64{90}, []float64{2}, nil, nil
		}
		m.Forces, m.Joints = []model.ForceElement{spring}, []model.Joint{hinge}
		r := newRig(t, m)
		s := r.simulate(sim.DormandPrince(), 1e-12, sim.Options{Projector: r.proj})
		require.NoError(t, s.Run(1))
		q := newImplicit(t, m)
		g := sim.New(q.mech, sim.NewGeneralizedAlpha(q.mech, q.dyn, sim.GeneralizedAlphaOptions{Fixed: true}), q.mech.Initial(), sim.Options{Step: 0.001, Projector: q.proj})
		require.NoError(t, g.Run(1))
		require.Less(t, poseDistance(s.State(), g.State()), 1e-3)
		if i == 0 {
			want = s.State()
			continue
		}
		require.Less(t, poseDistance(want, s.State()), 1e-10, i)
	}
}

// TestSnapThrough: over a hill of its potential a block keeps its energy with a table as with a function.
func TestSnapThrough(t *testing.T) {
	for _, law := range []*model.SpringLaw{
		{Kind: springs.Function, Expression: "400*x^3 - 30*x"},
		{At: []float64{-0.5, -0.2, 0, 0.2, 0.5}, Forces: []float64{-20, 3, 0, -3, 20}, Interpolation: springs.Spline},
	} {
		m := model.New("snap")
		m.Gravity = [3]float64{}
		m.Bodies = []model.Body{block("a", spatial.Vec3{0.1, 0, 0})}
		m.Bodies[0].Velocity.Linear = [3]float64{-2, 0, 0}
		m.Joints = []model.Joint{{Name: "rail", Type: model.Planar, Predecessor: model.World, Successor: "a", Springs: []*model.SpringLaw{nil, law, nil}}}
		r := newRig(t, m)
		k, kin := &energyKeeper{mech: r.mech}, r.mech.NewKinematics()
		s := r.simulate(sim.DormandPrince(), 1e-12, sim.Options{Projector: r.proj, OnStep: func(s *sim.Simulation) error { return k.note(s.State(), kin) }})
		require.NoError(t, s.Run(2))
		for _, e := range k.energy {
			require.InDelta(t, k.energy[0], e, 1e-7) // the spline's third derivative jumps
		}
		q := newImplicit(t, m)
		_, g := q.run(sim.GeneralizedAlphaOptions{}, sim.Options{Step: 0.0005, Projector: q.proj})
		require.NoError(t, g.Run(2))
		require.Less(t, poseDistance(s.State(), g.State()), 2e-3)
	}
}

// TestSpringsAllocateNothing: neither explicit nor implicit steps with bushings, cables and laws do.
func TestSpringsAllocateNothing(t *testing.T) {
	m := open(t, "golden", "four-bar.model.json")
	modeltest.AddSprings(m, check.Rand(3))
	q := newImplicit(t, m)
	st, n := q.mech.Initial(), q.mech.NumBodies()
	u, lambda := make([]float64, 6*n), make([]float64, q.dyn.Rows())
	du, dl := make([]float64, 6*n), make([]float64, q.dyn.Rows())
	step := func() {
		require.NoError(t, q.dyn.Accelerations(u, st))
		require.NoError(t, q.dyn.Linearize(st, 1e-4, 1e-2, 0))
		require.NoError(t, q.dyn.Correct(du, dl, st, u, lambda, 1e-4))
	}
	step()
	assert.Zero(t, testing.AllocsPerRun(10, step))
}

// TestLawEnds: a table that stops ends the run with the name of the element, and a table of a freedom with the name of the joint.
func TestLawEnds(t *testing.T) {
	stop := &model.SpringLaw{At: []float64{-1, 0.5}, Forces: []float64{-1, 1}, Outside: springs.Stop}
	m := model.New("stop")
	m.Bodies = []model.Body{block("a", spatial.Vec3{0, 0, -1.2})}
	m.Forces = []model.ForceElement{{Name: "short", Type: model.SpringDamper, A: model.Attachment{Body: model.World}, B: model.Attachment{Body: "a"}, RestLength: 1, Spring: stop}}
	r := newRig(t, m)
	s := r.simulate(sim.DormandPrince(), 1e-8, sim.Options{Projector: sim.NoProjector})
	require.ErrorContains(t, s.Run(2), "force \"short\": outside of the table")
	m.Forces = nil
	m.Joints = []model.Joint{{Name: "rail", Type: model.Prismatic, Predecessor: model.World, Successor: "a", Springs: []*model.SpringLaw{stop}}}
	m.Bodies[0].Pose.Position[2] = 0.4
	m.Bodies[0].Velocity.Linear[2] = 10
	r = newRig(t, m)
	s = r.simulate(sim.DormandPrince(), 1e-8, sim.Options{Projector: r.proj})
	require.ErrorContains(t, s.Run(2), "joint \"rail\": outside of the table")
}

// TestSpringsResume: a run with events of cables continues from a
// checkpoint with the same bits; other parameters are another model.
func TestSpringsResume(t *testing.T) {
	m := atwood(300, 20)
	m.Bodies[1].Velocity.Linear = [3]float64{0, 0, 4}
	modeltest.AddSprings(m, check.Rand(4))
	run := func(m *model.Model) (*rig, *sim.Simulation) {
		r := newRig(t, m)
		return r, r.simulate(sim.DormandPrince(), 1e-8, sim.Options{Projector: sim.NoProjector, Events: sim.CableEvents(r.mech, nil)})
	}
	_, whole := run(m)
	require.NoError(t, whole.Run(0.5))
	require.NoError(t, whole.Run(1))
	_, first := run(m)
	require.NoError(t, first.Run(0.5))
	c, err := first.Checkpoint()
	require.NoError(t, err)
	_, second := run(m)
	require.NoError(t, second.Restore(c))
	require.NoError(t, second.Run(1))
	require.Equal(t, whole.State(), second.State())

	for i, change := range []func(f []model.ForceElement){
		func(f []model.ForceElement) { f[0].Cable.Points[1].Point[1] = 1e-3 },
		func(f []model.ForceElement) { f[1].Bushing.Stiffness[2][2] += 1 },
		func(f []model.ForceElement) { f[1].Bushing.Rest.Position[1] += 1 },
		func(f []model.ForceElement) { f[2].Cable.Tension += 1 },
		func(f []model.ForceElement) {
			f[3].Spring = &model.SpringLaw{At: f[3].Spring.At, Forces: []float64{-6, 0, 1, 9.5}}
		},
		func(f []model.ForceElement) {
			f[3].Damper = &model.SpringLaw{Kind: springs.Function, Expression: "0.3*tanh(2*y) + 0.1*y*x"}
		},
	} {
		other := atwood(300, 20)
		modeltest.AddSprings(other, check.Rand(4))
		other.Bodies[1].Velocity.Linear = [3]float64{0, 0, 4}
		change(other.Forces)
		_, s := run(other)
		require.ErrorIs(t, s.Restore(c), sim.ErrCheckpoint, fmt.Sprint(i))
	}
}

// TestSpringColumns: columns of bushings, cables and laws come before
// those of actuators, and hold what the elements tell.
func TestSpringColumns(t *testing.T) {
	m := open(t, "golden", "pendulum.model.json")
	modeltest.AddSprings(m, check.Rand(2))
	r := newRig(t, m)
	c := sim.NewColumns(r.mech, []int{0})
	names := c.Names()
	require.Len(t, names, c.Len())
	first := 1 + 13 + 4
	require.Equal(t, []string{
		"spring-bushing-world.force.x", "spring-bushing-world.force.y", "spring-bushing-world.force.z", "spring-bushing-world.moment.x", "spring-bushing-world.moment.y",
		"spring-bushing-world.moment.z", "spring-bushing-world.energy", "spring-cable.length", "spring-cable.tension", "spring-cable.energy",
		"spring-tabled.length", "spring-tabled.tension", "spring-tabled.energy",
	}, names[first:])
	row := &sim.Row{State: r.mech.Initial()}
	require.NoError(t, c.Fill(row))
	k := r.mech.NewKinematics()
	require.NoError(t, r.mech.KinematicsTo(k, row.State))
	e, _, err := r.mech.ElementAt(1, k, row.State)
	require.NoError(t, err)
	require.Equal(t, []float64{e.Length, e.Tension, e.Energy}, c.Values[first+7:first+10])
	require.Zero(t, testing.AllocsPerRun(5, func() { _ = c.Fill(row) }))
}

// TestSpringsOnThreads: the number of threads changes no bit.
//
//rung:race
func TestSpringsOnThreads(t *testing.T) {
	var want *mechanism.State
	counts := []int{1, 3, 2}
	if testing.Short() {
		counts = counts[:2]
	}
	for _, threads := range counts {
		m := open(t, "golden", "ball-ladder-50.model.json")
		modeltest.AddSprings(m, check.Rand(7))
		q := newImplicitOn(t, m, threads)
		_, g := q.run(sim.GeneralizedAlphaOptions{}, sim.Options{Step: 0.005, Projector: q.proj})
		require.NoError(t, g.Run(check.Few(0.05, 0.02)))
		if want == nil {
			want = g.State()
		}
		require.Equal(t, want, g.State(), threads)
	}
}
