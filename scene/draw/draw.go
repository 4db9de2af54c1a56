package draw

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/spatial"
)

// View is the direction from which a scene is drawn, and the size of the picture. The zero value is a picture of 1200 by 900
// pixels from the front, right and above, of the whole scene.
type View struct {
	// Azimuth and Elevation of the eye as seen from the middle, rad: azimuth from the first axis of scene.Upright (x where z is
	// up) to the second, elevation towards the third.
	Azimuth, Elevation float64
	Angles             bool // Azimuth and Elevation are given; else −60° and 25°
	Width, Height      int  // pixels; 0: 1200 and 900
	Background         *scene.Color
}

const (
	defaultAzimuth   = -math.Pi / 3
	defaultElevation = 25 * math.Pi / 180
	defaultWidth     = 1200
	defaultHeight    = 900
	// MaxSide is the largest width and height, pixels.
	MaxSide = 8192
)

// camera takes points of the world to pixels: x to the right, y down, and the depth towards the eye, all in pixels.
type camera struct {
	axes          spatial.Mat3 // rows: right, up, towards the eye
	center        spatial.Vec3 // the point in the middle of the picture, world, m
	scale         float64      // pixels/m
	width, height float64      // pixels
}

// newCamera returns the camera of a view without center and scale. upright has the columns of scene.Upright.
func newCamera(v View, upright spatial.Mat3) camera {
	az, el := defaultAzimuth, defaultElevation
	if v.Angles {
		az, el = v.Azimuth, v.Elevation
	}
	sa, ca := math.Sincos(az)
	se, ce := math.Sincos(el)
	eye := upright.MulVec(spatial.Vec3{ce * ca, ce * sa, se})
	right := upright.MulVec(spatial.Vec3{-sa, ca, 0})
	up := eye.Cross(right)
	c := camera{width: float64(v.Width), height: float64(v.Height)}
	for k := range 3 {
		c.axes[k], c.axes[3+k], c.axes[6+k] = right[k], up[k], eye[k]
	}
	return c
}

// project returns the pixel and the depth of a point.
func (c *camera) project(p spatial.Vec3) spatial.Vec3 {
	q := c.axes.MulVec(p.Sub(c.center)).Scale(c.scale)
	return spatial.Vec3{c.width/2 + q[0], c.height/2 - q[1], q[2]}
}

// light is the direction towards the light, in the axes of the camera: to the upper left behind the viewer.
var light = spatial.Vec3{-0.35, 0.55, 0.757}

// shade returns the colour of a side of colour col whose unit normal, world axes, is n.
func (c *camera) shade(col scene.Color, n spatial.Vec3) scene.Color {
	m := c.axes.MulVec(n)
	s := 0.45 + 0.55*math.Max(0, m.Dot(light)/light.Norm()) // ambient and diffuse light
	var out scene.Color
	for k := range col {
		out[k] = uint8(math.Min(255, s*float64(col[k])+0.5))
	}
	return out
}

// face is a flat polygon of one side of a solid, in the world.
type face struct {
	points []spatial.Vec3
	normal spatial.Vec3
	color  scene.Color
	solid  int32 // number of the solid; negative for grounds
}

var groundColor = scene.Color{196, 190, 176}

// solids are the shapes that are drawn, with the shapes of links, and the group of each (groups).
type solids struct {
	shapes []scene.Shape
	group  []int32
}

// check puts the defaults into the view, and refuses sizes that are out of range.
func (v *View) check() error {
	if v.Width == 0 {
		v.Width = defaultWidth
	}
	if v.Height == 0 {
		v.Height = defaultHeight
	}
	if v.Width < 1 || v.Height < 1 || v.Width > MaxSide || v.Height > MaxSide {
		return fmt.Errorf("draw: picture of %d × %d pixels, want 1 to %d a side", v.Width, v.Height, MaxSide)
	}
	return nil
}

// prepare checks the view and returns the stage of one state, and the solids.
func prepare(s *scene.Scene, st *mechanism.State, v *View) (stage, solids, error) {
	if err := v.check(); err != nil {
		return stage{}, solids{}, err
	}
	a := framing{scene: s, cam: newCamera(*v, scene.Upright(s.Mechanism))}
	all := solidsAt(s, st)
	if err := a.show(st, all.shapes); err != nil {
		return stage{}, solids{}, err
	}
	return a.stage(), all, nil
}

// solidsAt returns the solids of s at st.
func solidsAt(s *scene.Scene, st *mechanism.State) solids {
	shapes, links := linkShapes(append([]scene.Shape(nil), s.Shapes...), s, st)
	return solids{shapes, groups(shapes, links)}
}

// terrains calls add with the triangles of the grounds of s around a stage, nodes nodes along each side.
func terrains(s *scene.Scene, on *stage, nodes int, add func(f *face)) {
	for k, g := range s.Surfaces {
		t := scene.NewTerrain(g, on.center, 1.3*on.radius, nodes)
		for j := range t.Rows - 1 {
			for i := range t.Columns - 1 {
				a, b, c, d := t.At(i, j), t.At(i+1, j), t.At(i+1, j+1), t.At(i, j+1)
				for _, tri := range [2][]spatial.Vec3{{a, b, c}, {a, c, d}} {
					n := tri[1].Sub(tri[0]).Cross(tri[2].Sub(tri[0]))
					l := n.Norm()
					if !(l > 0) {
						continue // a triangle without area: there is no ground here
					}
					add(&face{points: tri, normal: n.Scale(1 / l), color: groundColor, solid: int32(-1 - k)})
				}
			}
		}
	}
}

// eye returns the direction towards the eye, world axes.
func (c *camera) eye() spatial.Vec3 { return spatial.Vec3{c.axes[6], c.axes[7], c.axes[8]} }
