package bench

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/model"
)

// camAcceleration is the angular acceleration of the shaft of a camTrain at the state written in it, rad/s², as shaftAcceleration.
func camAcceleration(m *model.Model) float64 {
	q, rate := m.Bodies[0].Pose.Orientation, m.Bodies[0].Velocity.Angular[2]
	x := 2 * math.Atan2(q[3], q[0])
	I, M := 0.0, m.Joints[0].Force[0]
	for k := range len(m.Bodies) / 3 {
		I += camInertia
		for e, roller := range [2]bool{false, true} {
			s, slope, bend := discMotion(x+valvePhase(k, e), roller)
			I += valveMass * slope * slope
			M -= slope * (valveMass*(bend*rate*rate+Gravity) + valveSpring*(s-discRest))
		}
	}
	return M / I
}

// TestCamTrain is TestValveTrain for cam trains.
func TestCamTrain(t *testing.T) { trains(t, "cam-train", camAcceleration) }

// TestDiscMotion compares slopes and second derivatives with differences.
func TestDiscMotion(t *testing.T) {
	const h, tol = 1e-5, 1e-10
	for _, roller := range []bool{false, true} {
		for x := 0.1; x < 6.3; x += 0.37 {
			_, slope, bend := discMotion(x, roller)
			before, d0, _ := discMotion(x-h, roller)
			after, d1, _ := discMotion(x+h, roller)
			require.InDelta(t, (after-before)/(2*h), slope, tol)
			require.InDelta(t, (d1-d0)/(2*h), bend, tol)
		}
	}
}
