package tape

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/spatial"
)

// TestAngle: the angle of a hinge is that of the nearest rotation about its axis, whatever the hinge is off by, with the turns of the
// angle that is carried. Where no rotation is nearest it is no number.
func TestAngle(t *testing.T) {
	const (
		round = 1e-15 // a few roundings of sums of nine products and of an angle up to π
		turn  = 2 * math.Pi
	)
	p := spatial.Exp(spatial.Vec3{0.3, -1.1, 0.7})
	w := fill(1)
	set := setter(w)
	run := func(P, S spatial.Mat3, carried float64) float64 {
		set(10, P[:]...)
		set(30, S[:]...)
		set(50, carried)
		Run(w, shared, []Op{{Code: Angle, A: 64 * 60, B: 64 * 10, C: 64 * 30, D: 64 * 50}, {Code: End}})
		return w[60*Lanes]
	}
	for _, tilt := range []spatial.Vec3{{}, {1e-3, -2e-3, 0}, {0.4, 0.3, 0}} {
		for i := -64; i <= 64; i++ {
			for _, near := range []float64{0, 1e-3, -1e-9, 1e-17} {
				a := float64(i)*math.Pi/64 + near
				P, S := p.Mat(), p.Mul(spatial.Exp(spatial.Vec3{0, 0, a})).Mul(spatial.Exp(tilt)).Mat()
				R := P.TMul(S)
				want := math.Atan2(R[3]-R[1], R[0]+R[4])
				for _, turns := range []float64{0, 1, -3, 1000} {
					carried := want + turn*turns + 0.9*math.Pi*math.Sin(7*a)
					got := run(P, S, carried)
					require.InDelta(t, want+turn*turns, got, round*(1+turn*math.Abs(turns)), "%v turned by %g, %g", tilt, a, turns)
				}
			}
		}
	}
	P := p.Mat()
	require.InDelta(t, 0, run(P, P, 0), round)
	require.False(t, math.Abs(run(spatial.Identity3(), spatial.Mat3{1, 0, 0, 0, -1, 0, 0, 0, -1}, 0)) < math.Inf(1))
}
