package motion_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
)

// passKept is the part of the energy, relative to its size at the start, that a run through singular poses may gain or lose.
const passKept = 0.01

// TestRattlePassesSingularPoses: scissors and frames that snap through poses in which all of their rods lie in line, many
// times, keep their energy, with and without damping, and no step is damped.
func TestRattlePassesSingularPoses(t *testing.T) {
	check.Long(t)
	live := motion.RattleOptions{Tolerance: 1e-8, Accuracy: 1e-6, Damp: true}
	firm := motion.RattleOptions{Tolerance: 1e-9}
	for _, c := range []struct {
		family string
		n      int
		o      motion.RattleOptions
		rate   float64
	}{{"scissor", 20, live, 480}, {"scissor", 20, firm, 480}, {"scissor", 8, live, 480}, {"scissor", 8, firm, 480}, {"scissor", 3, live, 480}, {"nfourbar", 40, live, 480}, {"revolute-net", 5, live, 480}} {
		t.Run(fmt.Sprintf("%s/%d/%v", c.family, c.n, c.o.Damp), func(t *testing.T) {
			p := newPlan(t, generate(t, c.family, c.n, 1), order.Auto)
			m, k, was, worst := p.Mechanism(), p.Mechanism().NewKinematics(), 0.0, 0.0
			r := newRattle(t, p, c.o)
			s := sim.New(m, r, p.Initial(), sim.Options{Step: 1 / c.rate, OpenStages: true, OnStep: func(s *sim.Simulation) error {
				if err := m.KinematicsTo(k, s.State()); err != nil {
					return err
				}
				e := m.EnergyAt(k, s.State())
				now := e.Kinetic + e.Potential()
				if was == 0 {
					was = now
				}
				worst = max(worst, math.Abs(now-was)/math.Abs(was))
				return nil
			}})
			require.NoError(t, s.Run(6))
			t.Logf("%+v; energy off by %.2g", r.Stats(), worst)
			require.Positive(t, r.Stats().Passed)
			require.Zero(t, r.Stats().Damped)
			require.Less(t, worst, passKept)
		})
	}
}

// TestRattlePassResumed: a run that continues from a checkpoint between passes has the bits of an uninterrupted one.
func TestRattlePassResumed(t *testing.T) {
	check.Long(t)
	const step, from, until = 1. / 480, 1.22, 1.3 // around the first singular pose
	p := newPlan(t, generate(t, "scissor", 8, 1), order.Auto)
	start := func() (*sim.Simulation, *motion.Rattle) {
		r := newRattle(t, p, motion.RattleOptions{Tolerance: 1e-8, Accuracy: 1e-6, Damp: true})
		return sim.New(p.Mechanism(), r, p.Initial(), sim.Options{Step: step, Dynamics: "sparse", OpenStages: true}), r
	}
	whole, r := start()
	require.NoError(t, whole.Run(from))
	var between []*sim.Checkpoint
	for whole.State().Time < until {
		passed := r.Stats().Passed
		require.NoError(t, whole.Run(whole.State().Time+step))
		if r.Stats().Passed > passed && len(between) < 4 {
			c, err := whole.Checkpoint()
			require.NoError(t, err)
			between = append(between, c)
		}
	}
	require.Len(t, between, 4)
	for _, c := range between {
		again, _ := start()
		require.NoError(t, again.Restore(c))
		for again.State().Time < whole.State().Time {
			require.NoError(t, again.Run(again.State().Time+step))
		}
		require.Equal(t, whole.State(), again.State(), "from %v s", c.Time)
	}
}

// snapping is a random plane four-bar whose links can all lie in line, in a pose from which it moves through that.
func snapping(t *testing.T, seed uint64) (*kkt.Plan, *mechanism.State) {
	t.Helper()
	rng := check.Rand(seed)
	a, b := 0.3+rng.Float64(), 0.3+rng.Float64()
	c, angle := a+0.2+rng.Float64(), 0.5+rng.Float64()
	d := c + b - a // of the ground, so that a + d = b + c
	if seed%2 == 1 {
		c, d = a, b // a parallelogram
	}
	x, y := a*math.Cos(angle), a*math.Sin(angle)
	far := math.Hypot(x-d, y)
	along := (b*b - c*c + far*far) / (2 * far)
	off := math.Sqrt(b*b - along*along)
	x2, y2 := x+along*(d-x)/far+off*y/far, y-along*y/far+off*(d-x)/far
	m := model.New("snapping")
	m.Gravity = [3]float64{0, -9.8 * rng.Float64()}
	ends := [][4]float64{{0, 0, x, y}, {x, y, x2, y2}, {d, 0, x2, y2}}
	for i, e := range ends {
		l, turn := math.Hypot(e[2]-e[0], e[3]-e[1]), math.Atan2(e[3]-e[1], e[2]-e[0])
		mass := 0.5 + rng.Float64()
		m.Bodies = append(m.Bodies, model.Body{
			Name: string(rune('a' + i)), Mass: mass, Com: [3]float64{l / 2}, Inertia: model.Inertia{XX: mass * l * l / 12, YY: mass * l * l / 12, ZZ: mass * l * l / 12},
			Pose: model.Pose{Position: [3]float64{e[0], e[1]}, Orientation: [4]float64{math.Cos(turn / 2), 0, 0, math.Sin(turn / 2)}},
		})
	}
	m.Bodies[0].Velocity.Angular[2] = 4 + 4*rng.Float64()
	pin := func(name, up, down string, p, q float64) {
		m.Joints = append(m.Joints, model.Joint{
			Name: name, Type: model.Revolute, Predecessor: up, Successor: down,
			PredecessorFrame: model.Pose{Position: [3]float64{p}}, SuccessorFrame: model.Pose{Position: [3]float64{q}},
		})
	}
	pin("p", model.World, "a", 0, 0)
	pin("q", "a", "b", a, 0)
	pin("r", "b", "c", b, math.Hypot(x2-d, y2))
	pin("s", model.World, "c", d, 0)
	p := planOf(t, m)
	st, closer := p.Initial(), closing.NewCloser(p, closing.Options{})
	require.NoError(t, closer.ClosePositions(st))
	require.NoError(t, closer.ProjectVelocities(st))
	return p, st
}

// TestRattlePassesFlatFourBars: random four-bars that pass flat poses keep their energy over 30 s, also in runs that end at
// any time, in the middle of passes too, and go on from there.
func TestRattlePassesFlatFourBars(t *testing.T) {
	check.Long(t)
	passed := int64(0)
	for seed := range uint64(12) {
		p, st := snapping(t, seed)
		m, k := p.Mechanism(), p.Mechanism().NewKinematics()
		energy := func(s *mechanism.State) (kinetic, all float64) {
			require.NoError(t, m.KinematicsTo(k, s))
			e := m.EnergyAt(k, s)
			return e.Kinetic, e.Kinetic + e.Potential()
		}
		r := newRattle(t, p, motion.RattleOptions{Tolerance: 1e-8, Accuracy: 1e-6, Damp: true})
		_, was := energy(st)
		worst, most := 0.0, 0.0
		s := sim.New(m, r, st, sim.Options{Step: 1. / 480, OpenStages: true, OnStep: func(s *sim.Simulation) error {
			kinetic, now := energy(s.State())
			worst, most = max(worst, math.Abs(now-was)), max(most, kinetic)
			return nil
		}})
		for i := 1; s.State().Time < 30; i++ {
			before := r.Stats().Passed
			next := s.State().Time + 0.1*float64(i%7+1)
			require.NoError(t, s.Run(next))
			if r.Stats().Passed > before { // here a pass has begun: end in the middle of the next step
				require.NoError(t, s.Run(next+0.37/480))
				require.NoError(t, s.Run(next+0.41/480))
			}
		}
		t.Logf("seed %d: %+v; energy off by %.2g J of %.2g", seed, r.Stats(), worst, most)
		passed += r.Stats().Passed
		require.Zero(t, r.Stats().Damped, "seed %d", seed)
		require.Less(t, worst, passKept*most, "seed %d", seed)
	}
	require.Positive(t, passed)
}
