package rung_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// After a million laps, and after 10⁹, a bead and a cam are where they are after none, to the last digits but few: rows are evaluated
// within a lap. Parameters of more laps tell no place, and are refused.
func TestManyLaps(t *testing.T) {
	const radius, turn = 0.5, 2 * math.Pi
	ring := &curves.Curve{Kind: curves.Circle, Radius: radius}
	bead := func(u float64) *rung.Builder {
		b := rung.NewBuilder("bead").Gravity(0, -gravity, 0)
		body := b.Body("bead", wheelOf(t, 0.5, 0.01, 0.01), rung.At(0.4, 0.3, 0))
		b.Move(body, spatial.Vec3{-0.3, 0.4, 0}, spatial.Vec3{})
		j := b.PointOnCurve("ring", rung.World, body, rung.At(0, 0, 0), spatial.Vec3{0.4, 0.3, 0}, ring)
		j.Curve.Parameter = &u
		return b
	}
	cam := func(u float64) *rung.Builder {
		b := rung.NewBuilder("cam").Gravity(0, -gravity, 0)
		shaft := b.Body("shaft", wheelOf(t, 1, 0.01, 0.01), rung.At(0, 0, 0))
		b.Move(shaft, spatial.Vec3{}, spatial.Vec3{0, 0, 5})
		y := math.Sqrt(0.7*0.7 - 0.1*0.1)
		follower := b.Body("follower", wheelOf(t, 0.3, 0.01, 0.01), rung.At(0, y, 0))
		b.Move(follower, spatial.Vec3{0, 5 * 0.1, 0}, spatial.Vec3{})
		b.Revolute("bearing", rung.World, shaft, spatial.Vec3{}, axis)
		b.Prismatic("guide", rung.World, follower, spatial.Vec3{0, y, 0}, spatial.Vec3{0, 1, 0})
		j := b.CurveOnCurve("touch", shaft, follower, rung.At(0, 0, 0), rung.At(0, y, 0),
			&curves.Curve{Kind: curves.Circle, Center: spatial.Vec3{0.1}, Radius: radius}, &curves.Curve{Kind: curves.Circle, Radius: 0.2})
		w := u + math.Pi
		j.Curve.Parameter, j.SuccessorCurve.Parameter = &u, &w
		return b
	}
	for name, of := range map[string]func(float64) *rung.Builder{"bead": bead, "cam": cam} {
		first := accelerations(t, of(1))
		for _, laps := range []float64{1, -7, 1e6, 9e8} {
			got := accelerations(t, of(1+laps*turn))
			for i := range first {
				closeVec3(t, got[i], first[i], 1e-14, 10, "%s after %g laps", name, laps)
			}
		}
		m, err := of(1e10 * turn).Model()
		if err == nil {
			err = model.Check(m)
		}
		require.ErrorContains(t, err, "is more than 1e+09 lengths of its curve from the start")
	}
}

// accelerations returns the accelerations of the centres of mass and the angular accelerations.
func accelerations(t *testing.T, b *rung.Builder) (list []spatial.Vec3) {
	m, err := b.Model()
	require.NoError(t, err)
	r, err := rung.Accelerate(m, rung.Options{})
	require.NoError(t, err)
	for _, x := range r.Bodies {
		list = append(list, x.ComAcceleration, x.AngularAcceleration)
	}
	return list
}
