package linear_test

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

const (
	// balancedTol is the largest acceleration at an equilibrium, relative to gravity.
	balancedTol = 1e-8
	// poseTol is the error of a pose of an equilibrium, m or rad, in models of order 1.
	poseTol = 1e-9
)

// balanced returns the equilibrium of p from its initial state, and that state, after it
// has checked that a solver finds neither accelerations nor open joints there.
func balanced(t *testing.T, p *kkt.Plan, o linear.EquilibriumOptions) (*linear.Equilibrium, *mechanism.State) {
	t.Helper()
	st := p.Initial()
	e, err := linear.Equilibrate(p, st, o)
	require.NoError(t, err)
	requireBalanced(t, p, st)
	return e, st
}

func requireBalanced(t *testing.T, p *kkt.Plan, st *mechanism.State) {
	t.Helper()
	s := p.NewSolver()
	require.NoError(t, s.Solve(st))
	for i := range st.Bodies {
		assert.Zero(t, st.Bodies[i].Velocity)
		assert.Zero(t, st.Bodies[i].Omega)
		assert.LessOrEqual(t, s.ComAcceleration(i).Norm(), balancedTol*g, "body %d", i)
	}
	k := p.Mechanism().NewKinematics()
	require.NoError(t, p.Mechanism().KinematicsTo(k, st))
	for j := range p.Mechanism().Joints {
		off, _ := p.Mechanism().Residuals(j, k, st)
		assert.LessOrEqual(t, off, 1e-12)
	}
}

// tilted returns a bar of mass 1 and length 2 on a hinge about y, at an angle from
// hanging.
func tilted(t *testing.T, angle, stiffness float64) *rung.Builder {
	b, _ := tiltedBar(t, angle, stiffness)
	return b
}

// tiltedBar is tilted, with the handle of the bar.
func tiltedBar(t *testing.T, angle, stiffness float64) (*rung.Builder, rung.Body) {
	b := rung.NewBuilder("pendulum").Gravity(0, 0, -g)
	body := b.Body("bar", bar(t, 1, 2), rung.Place{Orientation: spatial.FromAxisAngle(axisY, angle)})
	j := b.Joint("hinge", model.Revolute, rung.World, body, rung.At(0, 0, 0).WithZ(axisY))
	j.Stiffness = []float64{stiffness}
	j.Rest = []float64{math.Pi - angle} // upright is without tension
	if stiffness == 0 {
		j.Rest = nil
	}
	b.Move(body, vec{}, vec{0, 3, 0})
	return b, body
}

// angleOf returns the angle from hanging of a body that turns about y.
func angleOf(st *mechanism.State, i int) float64 {
	down := st.Bodies[i].Rotation.Rotate(vec{0, 0, -1})
	return math.Atan2(-down[0], -down[2])
}

func TestPendulumFallsToRest(t *testing.T) {
	for _, angle := range []float64{0.1, 2, 3.1, math.Pi} {
		e, st := balanced(t, built(t, tilted(t, angle, 0)), linear.EquilibriumOptions{})
		assert.InDelta(t, 0, angleOf(st, 0), poseTol, "from %v", angle)
		assert.Equal(t, linear.Stable, e.Stability)
		assert.InEpsilon(t, 1.5*g/2, e.Lowest, closedTol)
		assert.InDelta(t, angle, e.Turn, 1e-6)
		assert.Less(t, e.After.Potential(), e.Before.Potential())
		assert.Zero(t, e.Before.Kinetic)
	}
	e, st := balanced(t, built(t, tilted(t, math.Pi, 0)), linear.EquilibriumOptions{Stationary: true})
	assert.Equal(t, linear.Unstable, e.Stability)
	assert.InEpsilon(t, -1.5*g/2, e.Lowest, closedTol)
	assert.InDelta(t, math.Pi, math.Abs(angleOf(st, 0)), poseTol)
}

// TestBuckling holds an upright bar with a torsion spring: below k = m·g·l/2 it leans to
// where k·θ = m·g·l/2·sin θ, above it stands.
func TestBuckling(t *testing.T) {
	const moment = g // m·g·l/2
	e, st := balanced(t, built(t, tilted(t, math.Pi, 0.7*moment)), linear.EquilibriumOptions{})
	assert.Equal(t, linear.Stable, e.Stability)
	assert.Positive(t, e.Kicks)
	lean := math.Pi - math.Abs(angleOf(st, 0))
	assert.Greater(t, lean, 0.5)
	assert.InDelta(t, math.Sin(lean), 0.7*lean, poseTol)
	assert.InEpsilon(t, moment*(0.7-math.Cos(lean))*0.75, e.Lowest, 1e-7)

	e, st = balanced(t, built(t, tilted(t, math.Pi-0.3, 1.3*moment)), linear.EquilibriumOptions{})
	assert.Equal(t, linear.Stable, e.Stability)
	_ = st
}

// TestSag hangs a mass on a spring.
func TestSag(t *testing.T) {
	b := rung.NewBuilder("sag").Gravity(0, 0, -g)
	body := slider(t, b, "mass", 3, vec{0, 0, -1}, vec{0, 0, 1})
	b.SpringDamper("spring", rung.World, body, vec{}, vec{0, 0, -1}, rung.Spring{Stiffness: 200, Damping: 5, RestLength: 1})
	e, st := balanced(t, built(t, b), linear.EquilibriumOptions{})
	assert.InDelta(t, -1-3*g/200, st.Bodies[0].Position[2], poseTol)
	assert.Equal(t, linear.Stable, e.Stability)
	assert.InEpsilon(t, 200./3, e.Lowest, closedTol)
}

// TestCatenary hangs a chain of rods between two points: with H the horizontal
// reaction, the slopes of neighbours differ by m·g/H.
func TestCatenary(t *testing.T) {
	const n = 40
	b := rung.NewBuilder("catenary").Gravity(0, 0, -g)
	// A half circle to begin with, more or less.
	up, at := rung.World, vec{}
	for i := range n {
		a := math.Pi * (float64(i) + 0.5) / n
		next := at.Add(vec{math.Sin(a), 0, -math.Cos(a)})
		body := b.Rod(fmt.Sprint("b", i), 1, 1e-3, at, next)
		b.Revolute(fmt.Sprint("j", i), up, body, at, axisY)
		up, at = body, next
	}
	m, err := b.Model()
	require.NoError(t, err)
	m.Joints = append(m.Joints, model.Joint{
		Name: "end", Type: model.Spherical, Predecessor: m.Bodies[n-1].Name, Successor: model.World,
		PredecessorFrame: model.Pose{Position: [3]float64{1}}, SuccessorFrame: model.Pose{Position: at},
	})
	p := planned(t, m)
	e, st := balanced(t, p, linear.EquilibriumOptions{})
	assert.Equal(t, linear.Stable, e.Stability)
	slope := make([]float64, n)
	for i := range slope {
		d := st.Bodies[i].Rotation.Rotate(vec{1})
		slope[i] = d[2] / d[0]
	}
	step := slope[1] - slope[0]
	assert.Positive(t, step)
	for i := 1; i < n; i++ {
		assert.InDelta(t, step, slope[i]-slope[i-1], 1e-7)
	}
	assert.InDelta(t, 0, slope[0]+slope[n-1], 1e-7)
}

// TestChainFalls lets a long chain fall from nearly horizontal.
func TestChainFalls(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	const n = 200
	b := rung.NewBuilder("chain").Gravity(0, 0, -g)
	up, at := rung.World, vec{}
	for i := range n {
		next := at.Add(vec{1})
		body := b.Rod(fmt.Sprint("b", i), 1, 1e-3, at, next)
		b.Revolute(fmt.Sprint("j", i), up, body, at, axisY)
		up, at = body, next
	}
	e, st := balanced(t, built(t, b), linear.EquilibriumOptions{})
	assert.Equal(t, linear.Stable, e.Stability)
	tip := st.Bodies[n-1].Position.Add(st.Bodies[n-1].Rotation.Rotate(vec{1}))
	assert.InDelta(t, -n, tip[2], 1e-7)
	assert.Less(t, e.Steps, 150)
}

// TestRedundantFourBar finds the bottom of a parallelogram, whose joints are
// redundant, and with a spring the angle where moments balance.
func TestRedundantFourBar(t *testing.T) {
	b := parallelogram(t, 40)
	m, err := b.Model()
	require.NoError(t, err)
	rest := 1.2
	m.Joints[0].Rest = []float64{rest}
	p := planned(t, m)
	e, st := balanced(t, p, linear.EquilibriumOptions{})
	theta := math.Abs(angleOf(st, 0))
	assert.InDelta(t, 40*(rest-theta), (2+3)*g*0.5*math.Sin(theta), 1e-7)
	assert.Equal(t, linear.Stable, e.Stability)
}

// TestConstantTorque balances a torque, which has no potential in space, against a
// pendulum.
func TestConstantTorque(t *testing.T) {
	b, bar := tiltedBar(t, 0, 0)
	b.Wrench("motor", bar, vec{}, vec{}, vec{0, 4, 0})
	e, st := balanced(t, built(t, b), linear.EquilibriumOptions{})
	assert.InDelta(t, 4, math.Abs(g*math.Sin(angleOf(st, 0))), 1e-8)
	assert.Equal(t, linear.Stable, e.Stability)
}

// TestFollowerTorque has a torque on a ball joint with a constant direction in the world: forces without
// a potential, and an unsymmetric K.
func TestFollowerTorque(t *testing.T) {
	b := rung.NewBuilder("ball").Gravity(0, 0, -g)
	body := b.Body("bar", bar(t, 1, 2), rung.At(0, 0, 0))
	b.Spherical("ball", rung.World, body, vec{})
	b.Wrench("twist", body, vec{}, vec{}, vec{1, 2, 0})
	p := built(t, b)
	_, st := balanced(t, p, linear.EquilibriumOptions{})
	down := st.Bodies[0].Rotation.Rotate(vec{0, 0, -1})
	moment := down.Cross(vec{0, 0, -g})
	check.CloseVec(t, moment[:], []float64{-1, -2, 0}, poseTol, g, "moment of the weight")
}

// TestFreeFall: a falling body has no equilibrium, and its state is not changed.
func TestFreeFall(t *testing.T) {
	b := rung.NewBuilder("falling").Gravity(0, 0, -g)
	b.Body("stone", brick(t, 2, 0.1), rung.At(0, 0, 1))
	p := built(t, b)
	st := p.Initial()
	_, err := linear.Equilibrate(p, st, linear.EquilibriumOptions{Steps: 20})
	require.ErrorIs(t, err, linear.ErrNoEquilibrium)
	e := new(linear.UnbalancedError)
	require.True(t, errors.As(err, &e))
	assert.Equal(t, "stone", e.Body)
	assert.InDelta(t, 2*g, e.Force.Norm(), 1e-9)
	assert.Contains(t, err.Error(), `"stone"`)
	assert.Equal(t, p.Initial(), st)
}

// TestFloating stays where it is, neutral.
func TestFloating(t *testing.T) {
	b := rung.NewBuilder("floating").Gravity(0, 0, 0)
	b.Body("stone", brick(t, 2, 0.1), rung.At(0, 0, 1))
	p := built(t, b)
	e, st := balanced(t, p, linear.EquilibriumOptions{})
	assert.Equal(t, linear.Neutral, e.Stability)
	assert.Zero(t, e.Steps)
	assert.Equal(t, p.Initial(), st)
}

// TestGoldenEquilibria finds equilibria of all reference models that can come to rest, with a
// potential that is not higher than at the start, and the same bits each time.
func TestGoldenEquilibria(t *testing.T) {
	settled := 0
	for _, name := range check.Some(check.GoldenModels(t), 4) {
		p := golden(t, name)
		if p.Mechanism().NumBodies() > 60 {
			continue
		}
		st := p.Initial()
		e, err := linear.Equilibrate(p, st, linear.EquilibriumOptions{Steps: 80})
		if err != nil {
			assert.ErrorIs(t, err, linear.ErrNoEquilibrium, name)
			assert.Equal(t, p.Initial(), st, name)
			t.Logf("%s: %v", name, err)
			continue
		}
		settled++
		t.Logf("%s: %d steps, %d kicks, %v, %.3g", name, e.Steps, e.Kicks, e.Stability, e.Relative)
		assert.LessOrEqual(t, e.Relative, 1e-9, name)
		again := p.Initial()
		_, err = linear.Equilibrate(p, again, linear.EquilibriumOptions{Steps: 80})
		require.NoError(t, err)
		assert.Equal(t, st, again, name)
	}
	assert.Greater(t, settled, check.Few(10, 3))
}

// TestInnerForce hangs two bodies that are welded to each other from a ball, with a spring between them that pulls
// or pushes a thousand times their weight and does nothing else: without it they fall in a few steps.
func TestInnerForce(t *testing.T) {
	for _, rest := range []float64{0.01, 1, 1.8, 2, 2.1, 3} {
		b := rung.NewBuilder("inner").Gravity(0, 0, -g)
		upper := b.Body("upper", brick(t, 1, 0.1), rung.At(0.5, 0.1, 0.6))
		lower := b.Body("lower", brick(t, 1, 0.1), rung.At(0.8, 1, 0.7))
		b.Spherical("ball", rung.World, upper, vec{})
		b.Joint("weld", model.Fixed, upper, lower, rung.At(0.6, 0.5, 0.6))
		b.SpringDamper("spring", upper, lower, vec{0.4, -0.2, 0.5}, vec{0.9, 0.6, 0.8}, rung.Spring{Stiffness: 1e4, RestLength: rest * math.Sqrt(0.25+0.64+0.09)})
		e, _ := balanced(t, built(t, b), linear.EquilibriumOptions{})
		assert.LessOrEqual(t, e.Steps, 45, "rest %v", rest)
		assert.Equal(t, linear.Neutral, e.Stability)
	}
}
