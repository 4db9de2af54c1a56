package rung_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/couplings"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// pastEnds are mechanisms that run past the end of something after less than a second, by joint or coupling, and what an error has to say of that.
var pastEnds = []struct {
	name, place, text string
	build             func(t testing.TB) *rung.Builder
}{
	{"bead", `joint "wire"`, "is not from -1.9 to 2.1", func(t testing.TB) *rung.Builder {
		b := rung.NewBuilder("bead").Gravity(0, 0, -gravity)
		bead := b.Body("bead", wheelOf(t, 0.7, 0.01, 0.01), rung.At(0, 0.5, 0))
		b.PointOnCurve("wire", rung.World, bead, rung.At(0, 0, 0), spatial.Vec3{0, 0.5, 0},
			&curves.Curve{Kind: curves.Circle, Radius: 0.5, Axis: spatial.Vec3{1, 0, 0}, Start: spatial.Vec3{0, 1, 0}, Range: [2]float64{-1.9, 2.1}})
		return b
	}},
	{"bead in the plane", `joint "slot"`, "is not from 0 to 2", func(t testing.TB) *rung.Builder {
		b := rung.NewBuilder("slot").Gravity(0, -gravity, 0)
		bead := b.Body("bead", wheelOf(t, 0.7, 0.01, 0.01), rung.At(0, 0, 0))
		b.Planar("plane", rung.World, bead, spatial.Vec3{}, spatial.Vec3{0, 0, 1})
		slot := b.PointOnCurve("slot", rung.World, bead, rung.At(0, 0, 0), spatial.Vec3{},
			&curves.Curve{Ends: [2]spatial.Vec3{{-0.8, 0.6}, {0.8, -0.6}}})
		slot.Curve.Planar = true
		return b
	}},
	{"cam and face", `joint "touch"`, "u = ", func(t testing.TB) *rung.Builder {
		b := rung.NewBuilder("cam").Gravity(0, -gravity, 0)
		cam := b.Body("cam", wheelOf(t, 2, 0.05, 0.05), rung.At(0, 0, 0))
		b.Revolute("shaft", rung.World, cam, spatial.Vec3{}, spatial.Vec3{0, 0, 1})
		b.Move(cam, spatial.Vec3{}, spatial.Vec3{0, 0, 8})
		face := b.Body("face", wheelOf(t, 0.5, 0.01, 0.01), rung.At(0, 0.4, 0))
		b.Prismatic("guide", rung.World, face, spatial.Vec3{0, 0.4, 0}, spatial.Vec3{0, 1, 0})
		b.CurveOnCurve("touch", cam, face, rung.At(0.1, 0, 0), rung.At(0, 0.4, 0),
			&curves.Curve{Kind: curves.Circle, Radius: 0.4}, &curves.Curve{Ends: [2]spatial.Vec3{{-0.05}, {0.3}}})
		return b
	}},
	{"law", `coupling "law"`, "the law is from -1 to 1", func(t testing.TB) *rung.Builder {
		b := rung.NewBuilder("law").Gravity(0, -gravity, 0)
		one := b.Body("one", wheelOf(t, 2, 0.05, 0.05), rung.At(0, 0, 0))
		turn := b.Revolute("turn", rung.World, one, spatial.Vec3{}, spatial.Vec3{0, 0, 1})
		b.Move(one, spatial.Vec3{}, spatial.Vec3{0, 0, 2})
		two := b.Body("two", wheelOf(t, 0.5, 0.01, 0.01), rung.At(0, 0.4, 0))
		slide := b.Prismatic("slide", rung.World, two, spatial.Vec3{0, 0.4, 0}, spatial.Vec3{1, 0, 0})
		b.Couple("law", rung.Term{Joint: slide, Factor: 1}).FollowLaw(couplings.Law{X: []float64{-1, -0.5, 0.2, 1}, Values: []float64{0.1, 0, 0.02, 0.1}},
			rung.Coordinate{Joint: turn})
		return b
	}},
	{"terrain", `joint "contact"`, "off the terrain at (3, 1.5)", func(t testing.TB) *rung.Builder {
		b := rung.NewBuilder("terrain").Gravity(0, 0, -gravity)
		ball := b.Body("ball", wheelOf(t, 2, 0.05, 0.05), rung.At(1.5, 1.5, 0.3))
		b.Move(ball, spatial.Vec3{2, 0, 0}, spatial.Vec3{0, 2 / 0.3, 0})
		flat := make([][]float64, 4)
		for i := range flat {
			flat[i] = make([]float64, 4)
		}
		g := b.Terrain(model.Terrain{Name: "field", Type: model.GridTerrain, Spacing: [2]float64{1, 1}, Heights: flat})
		b.RollingOn("contact", ball, g, build.Wheel{Center: spatial.Vec3{1.5, 1.5, 0.3}, Axle: spatial.Vec3{0, 1, 0}, Radius: 0.3, TyreRadius: 0.3,
			Slip: joints.SlipBoth}) // rows of velocities are not for all integrators
		return b
	}},
}

// TestPastTheEnd: a run that comes to the end of a curve or of a law ends, by each integrator and stabilization, with and without error control, with an
// error that has the name, the end and the time: also where the last steps were too small for another reason, as those with feedback of violations are.
func TestPastTheEnd(t *testing.T) {
	for _, c := range pastEnds {
		for _, integrator := range runs.Integrators() {
			for _, stabilization := range runs.Stabilizations() {
				for _, step := range check.Some([]float64{0, 0.02, 1e-3}, 2) {
					o := runs.Options{Integrator: integrator, Stabilization: stabilization, Step: step, Until: 5, Start: sim.Close}
					if o.Check() != nil || integrator == runs.ForceBalance {
						continue
					}
					t.Run(fmt.Sprint(c.name, "/", integrator, "/", stabilization, "/", step), func(t *testing.T) {
						p := planOf(t, c.build(t))
						s, err := rung.NewSimulation(p, o)
						require.NoError(t, err)
						err = s.Run(5)
						require.ErrorContains(t, err, c.place)
						require.ErrorContains(t, err, c.text)
						require.ErrorContains(t, err, " t = ")
						require.Less(t, s.State().Time, 1.5)
					})
				}
			}
		}
	}
}
