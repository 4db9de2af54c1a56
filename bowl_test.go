package rung_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/spatial"
)

// The uniform ball of these tests, and the distance between the centres of ball and bowl.
const (
	bowlMass, bowlBall, bowlRadius = 2.0, 0.1, 0.7
	bowlFar                        = bowlRadius - bowlBall
	bowlInertia                    = 0.4 * bowlMass * bowlBall * bowlBall
)

// bowl returns a ball that rolls without slip in a bowl about the origin. Its middle is at the angle alpha from straight below,
// towards x. It moves at v, which is along the bowl there, and spins about the normal at spin.
func bowl(t testing.TB, alpha float64, v spatial.Vec3, spin float64) *rung.Plan {
	s, c := math.Sincos(alpha)
	n := spatial.Vec3{-s, 0, c}
	b := rung.NewBuilder("bowl").Gravity(0, 0, -gravity)
	at := n.Scale(-bowlFar)
	ball := b.Body("ball", wheelOf(t, bowlMass, bowlInertia, bowlInertia), rung.At(at[0], at[1], at[2]))
	b.Move(ball, v, n.Scale(spin).Add(n.Cross(v).Scale(1/bowlBall)))
	w := build.Wheel{Center: at, Axle: spatial.Vec3{0, 0, 1}, Radius: bowlBall, TyreRadius: bowlBall, BowlRadius: bowlRadius}
	b.Rolling("contact", rung.World, ball, spatial.Vec3{}, spatial.Vec3{0, 0, 1}, w)
	return planOf(t, b)
}

// TestBallAtTheBottom: at the bottom of the bowl the ball swings as a pendulum of 7/5 of the length from middle to middle, in two
// directions. It has three neutral displacements, its turns: by detours it comes back to any of them.
func TestBallAtTheBottom(t *testing.T) {
	p := bowl(t, 0.8, spatial.Vec3{}, 0)
	st := p.Initial()
	e, err := linear.Equilibrate(p, st, linear.EquilibriumOptions{})
	require.NoError(t, err)
	require.Equal(t, linear.Neutral, e.Stability)
	require.InDelta(t, -bowlFar, st.Bodies[0].Position[2], 1e-12)
	s := linear.NewSystem(p)
	require.NoError(t, s.Linearize(st))
	found, err := s.Modes(linear.ModeOptions{})
	require.NoError(t, err)
	require.Len(t, found.List, 5)
	for i := range found.List {
		if m := &found.List[i]; i < 3 {
			assert.Equal(t, linear.Rigid, m.Kind)
		} else {
			assert.InEpsilon(t, math.Sqrt(gravity/(1.4*bowlFar)), imag(m.Lambda), 1e-9)
			assert.InDelta(t, 0, real(m.Lambda), 1e-9)
		}
	}
}

// TestBallInCircles: at the angle α and the rate Ω around the vertical the ball keeps its circle with the spin about the normal
//
//	ω = m·ρ·(g − Ω²·l·cos α)/(I·Ω) − Ω·l·cos α/ρ,
//
// by Newton and Euler with l from middle to middle. With another spin it does not, and the error says so.
func TestBallInCircles(t *testing.T) {
	for _, c := range []struct{ alpha, turn float64 }{{0.3, 3}, {0.9, 4}, {1.4, -6}, {2.2, 9}} { // the last one above the middle
		t.Run(fmt.Sprint(c.alpha), func(t *testing.T) {
			s, cos := math.Sincos(c.alpha)
			spin := bowlMass*bowlBall*(gravity-c.turn*c.turn*bowlFar*cos)/(bowlInertia*c.turn) - c.turn*bowlFar*cos/bowlBall
			v := spatial.Vec3{0, c.turn * bowlFar * s, 0}
			for _, off := range []float64{0, 0.1} {
				p := bowl(t, c.alpha, v, spin+off)
				sys := linear.NewSystem(p)
				require.NoError(t, sys.Linearize(p.Initial()))
				f, err := sys.StateSpace()
				if off != 0 {
					require.ErrorIs(t, err, linear.ErrUnsteady)
					continue
				}
				require.NoError(t, err)
				require.Equal(t, []int{5, 3}, []int{f.Positions, f.Speeds})
				assert.InDelta(t, c.turn, f.Turning[2], 1e-11)
			}
		})
	}
}

// TestBallKeepsEnergy: a ball that is thrown along its bowl goes round and round and up and down. After a thousand periods of small
// swings, every night, it has its energy to 1e-10 of its weight times the length from middle to middle, after 40 to 2e-11, and is on its bowl.
func TestBallKeepsEnergy(t *testing.T) {
	check.Long(t)
	periods, tol := check.Night(1000.0, 40), check.Night(1e-10, 2e-11)
	period := 2 * math.Pi * math.Sqrt(1.4*bowlFar/gravity)
	p := bowl(t, 1.0, spatial.Vec3{0, 0.9, 0}, 4)
	s, err := rung.NewSimulation(p, rung.SimulationOptions{Until: periods * period, Tolerance: 1e-12})
	require.NoError(t, err)
	mech := p.Mechanism()
	look := func() (energy, drift float64) {
		k := mech.NewKinematics()
		require.NoError(t, mech.KinematicsTo(k, s.State()))
		position, velocity := mech.Residuals(0, k, s.State())
		e := mech.EnergyAt(k, s.State())
		return e.Kinetic + e.Potential(), max(position, velocity)
	}
	was, _ := look()
	lowest, highest := 0.0, -1.0
	for i := range 100 {
		require.NoError(t, s.Run(periods*period*float64(i+1)/100))
		energy, drift := look()
		require.InDelta(t, was, energy, tol*bowlMass*gravity*bowlFar)
		require.LessOrEqual(t, drift, 2e-10)
		z := s.State().Bodies[0].Position[2]
		lowest, highest = min(lowest, z), max(highest, z)
	}
	require.Greater(t, highest-lowest, 0.1)
}
