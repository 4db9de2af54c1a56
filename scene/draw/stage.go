package draw

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/spatial"
)

// margin is the size of the picture as a multiple of the extent of the shapes.
const margin = 1.08

// stage is the camera that all pictures of a film share, and the region around which they show ground.
type stage struct {
	cam    camera
	center spatial.Vec3 // of a ball around all states, world, m
	radius float64      // m
}

// framing finds the stage for a list of states.
type framing struct {
	scene  *scene.Scene
	cam    camera     // without center and scale
	balls  []ball     // around each state
	lo, hi [2]float64 // the box around all shapes along the camera's axes right and up, from the first ball's centre, m
}

type ball struct {
	center spatial.Vec3
	radius float64
}

// show adds a state. shapes are the shapes of the scene and its links at st. It returns an error if they have no
// finite extent.
func (a *framing) show(st *mechanism.State, shapes []scene.Shape) error {
	center, radius := a.scene.Bounds(st)
	if !(radius > 0) || math.IsInf(radius, 0) || !center.IsFinite() {
		return fmt.Errorf("draw: the mechanism has no finite extent: centre %v m, radius %v m", center, radius)
	}
	if len(a.balls) == 0 {
		a.lo, a.hi = [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	}
	a.balls = append(a.balls, ball{center, radius})
	axes := &a.cam.axes
	for i := range shapes {
		at := shapes[i].Place(st)
		q := axes.MulVec(at.Origin.Sub(a.balls[0].center))
		for k := range a.lo {
			d := at.E.TMulVec(spatial.Vec3{axes[3*k], axes[3*k+1], axes[3*k+2]})
			a.hi[k] = max(a.hi[k], q[k]+a.scene.Extent(&shapes[i], d))
			a.lo[k] = min(a.lo[k], q[k]-a.scene.Extent(&shapes[i], d.Scale(-1)))
		}
	}
	return nil
}

// stage returns the stage that has all states in the picture.
func (a *framing) stage() stage {
	first := a.balls[0]
	out := stage{cam: a.cam, center: first.center, radius: first.radius}
	if len(a.balls) > 1 {
		lo, hi := first.center, first.center
		for _, b := range a.balls {
			for k := range lo {
				lo[k], hi[k] = min(lo[k], b.center[k]-b.radius), max(hi[k], b.center[k]+b.radius)
			}
		}
		out.center, out.radius = lo.Add(hi).Scale(0.5), 0
		for _, b := range a.balls {
			out.radius = max(out.radius, b.center.Sub(out.center).Norm()+b.radius)
		}
	}
	out.cam.center = first.center.Add(a.cam.axes.TMulVec(spatial.Vec3{(a.lo[0] + a.hi[0]) / 2, (a.lo[1] + a.hi[1]) / 2}))
	out.cam.scale = min(a.cam.width/(a.hi[0]-a.lo[0]), a.cam.height/(a.hi[1]-a.lo[1])) / margin
	return out
}
