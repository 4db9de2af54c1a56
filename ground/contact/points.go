package contact

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/spatial"
)

var (
	// ErrOffTerrain is returned where a shape is beyond the terrain.
	ErrOffTerrain = errors.New("ground/contact: off the terrain")
	// ErrSteep is returned where the ground that a shape touches is as good as upright.
	ErrSteep = errors.New("ground/contact: the ground is too steep there")
	// ErrBuried is returned where the centre of a shape is below the ground by more than its radius.
	ErrBuried = errors.New("ground/contact: the centre is below the ground by more than the radius")
	// ErrNotFinite is returned for a pose, a velocity or a force that is not finite.
	ErrNotFinite = errors.New("ground/contact: not finite")
)

// steepest is the least z component of the unit normal of ground that can be touched.
const steepest = 0.01

// Point is a point where a shape touches the ground, or is nearest to it. Frame: world axes.
type Point struct {
	P       spatial.Vec3 // point of the undeformed shape, m
	N, X, Y spatial.Vec3 // contact axes: unit normal out of the ground, forward, N × X
	Depth   float64      // m, negative for a gap
	Share   float64      // part of the stiffness, 0 to 1
	Disc    int          // number of the disc of the shape

	center, axis spatial.Vec3 // centre of the disc, m, and unit vector along the axis of its spin
	u, v         spatial.Vec3 // from the centre to the rim's point, and along the rim
	rim, tube    float64      // radii, m
	bend         spatial.Mat3 // ∂N/∂(centre of the tube), 1/m
	fixed        bool         // the point keeps its angle from the lowest point of the rim
}

// PointsTo stores in dst the points at which the shape with its centre at c (m) and its axis a,
// both in world axes, touches the ground, and returns their number. If none touches, PointsTo
// returns 0, and dst[0] is the nearest point that was found, with a depth that is not positive.
// If the shape is far above the ground, that depth is an estimate.
//
// Equations: docs/ground.md (G11) to (G17). a is a unit vector, or 0 for a sphere without an axis.
// PointsTo panics if dst has less than MaxPoints() points.
//
// Cost: O(points of a disc), no allocation.
// It returns ErrOffTerrain, ErrSteep, ErrBuried, ErrNotFinite and the errors of the surface.
func (s *Shape) PointsTo(dst []Point, g *ground.Surface, c, a spatial.Vec3) (n int, err error) {
	if len(dst) < s.MaxPoints() {
		panic("ground/contact: length mismatch")
	}
	f := finder{shape: s, ground: g, dst: dst}
	if !c.IsFinite() || !a.IsFinite() {
		return 0, ErrNotFinite
	}
	if s.Type == Sphere {
		err = f.sphere(&c, &a)
	} else {
		err = f.discs(&c, &a)
	}
	if errors.Is(err, ground.ErrOff) {
		err = ErrOffTerrain
	}
	if err != nil {
		return 0, err
	}
	for i := range dst[:f.n] {
		if dst[i].N[2] < steepest {
			return 0, ErrSteep
		}
	}
	return f.n, nil
}

// finder finds the points of one shape.
type finder struct {
	shape  *Shape
	ground *ground.Surface
	dst    []Point
	n      int  // points that touch
	near   bool // dst[0] has the nearest point so far, while none touches
}

// below returns the unit normal of the ground under the centre c, and the distance of c from the tangent plane there, m, negative
// below it. It returns ErrBuried if the distance is below minus the radius.
func (f *finder) below(c *spatial.Vec3) (n spatial.Vec3, height float64, err error) {
	g, err := f.ground.At(c[0], c[1])
	if err != nil {
		return n, 0, err
	}
	n = g.Normal()
	height = (c[2] - g.Z) * n[2]
	if height < -f.shape.Radius {
		return n, 0, ErrBuried
	}
	return n, height, nil
}

// keep appends p if it touches. While no point touches, it keeps in dst[0] the nearest point so far.
func (f *finder) keep(p *Point) {
	switch {
	case p.Depth > 0:
		p.setAxes()
		f.dst[f.n] = *p
		f.n++
	case f.n == 0 && (!f.near || p.Depth > f.dst[0].Depth):
		p.setAxes()
		f.dst[0] = *p
		f.near = true
	}
}

// setAxes sets the contact axes, docs/ground.md (G17).
func (p *Point) setAxes() {
	x := p.forward().Cross(p.N)
	p.X = x.Scale(1 / x.Norm())
	p.Y = p.N.Cross(p.X)
}

// forward returns the axis whose cross product with the normal points forward: the axis of the spin, or the world's y axis if
// there is none or the shape lies on its side.
func (p *Point) forward() spatial.Vec3 {
	if x := p.axis.Cross(p.N); x.Dot(x) > lying*lying {
		return p.axis
	}
	return spatial.Vec3{0, 1, 0}
}

// lying is the sine of the angle between axis and normal below which a wheel lies on its side.
const lying = 1e-9

const (
	// far is the height of a shape over the tangent plane of the ground below, in radii, beyond which no contact is searched for.
	far = 3
	// around is the distance from below the centre, in radii, at which start looks for nearer ground.
	around = 0.7
)

// sphere adds the deepest point of a sphere with the centre c and the axis a, docs/ground.md (G14): the
// centre less the radius along the normal at its foot.
func (f *finder) sphere(c, a *spatial.Vec3) error {
	n, height, err := f.below(c)
	if err != nil {
		return err
	}
	r := f.shape.Radius
	q := foot{n: n, distance: height}
	if height < far*r {
		if q.x, q.y, err = f.start(c); err != nil {
			return err
		}
		if err := footTo(&q, f.ground, c); err != nil {
			return err
		}
	}
	p := Point{
		P: c.Sub(q.n.Scale(r)), N: q.n, Depth: r - q.distance, Share: 1,
		center: *c, axis: *a, tube: r, bend: q.bend,
	}
	f.keep(&p)
	return nil
}

// start returns the start of Newton's method for the foot of a sphere: x and y, relative to the centre c, of the nearest of nine points
// of the ground, one below c and eight around it. The error is an error of the surface.
func (f *finder) start(c *spatial.Vec3) (x, y float64, err error) {
	if f.ground.Flat() {
		return 0, 0, nil
	}
	z, err := f.ground.Height(c[0], c[1])
	if err != nil {
		return 0, 0, err
	}
	best := (z - c[2]) * (z - c[2])
	d := around * f.shape.Radius
	for _, w := range ring {
		dx, dy := d*w[0], d*w[1]
		z, err := f.ground.Height(c[0]+dx, c[1]+dy)
		switch {
		case errors.Is(err, ground.ErrOff):
			continue
		case err != nil:
			return 0, 0, err
		}
		if h := z - c[2]; d*d+h*h < best {
			best = d*d + h*h
			x, y = dx, dy
		}
	}
	return x, y, nil
}

// ring has unit vectors in eight directions.
var ring = [8][2]float64{
	{1, 0}, {math.Sqrt2 / 2, math.Sqrt2 / 2}, {0, 1}, {-math.Sqrt2 / 2, math.Sqrt2 / 2},
	{-1, 0}, {-math.Sqrt2 / 2, -math.Sqrt2 / 2}, {0, -1}, {math.Sqrt2 / 2, -math.Sqrt2 / 2},
}
