package bodies

import (
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

// Extrude returns the homogeneous body that a polygon in the xy plane of the body frame sweeps
// along z, from −height/2 to height/2, less its holes.
//
// The corners of a polygon are given in order, either way round, and the first is not
// repeated. Its edges meet only at corners. Holes lie inside the outline and outside each
// other, without touching.
//
// The moments are integrals over the polygon, exact but for rounding (Green's theorem).
//
// Units: density kg/m³, height and corners m.
// Cost: O(n·log n) for n corners of a usual drawing, O(n²) at worst; allocates.
// It returns an error that wraps ErrDimensions, ErrPolygon with the edge or corner, or an
// error of New.
func Extrude(density, height float64, outline [][2]float64, holes ...[][2]float64) (Body, error) {
	if err := positive("density and height", density, height); err != nil {
		return Body{}, err
	}
	if err := checkPolygon(outline, holes); err != nil {
		return Body{}, err
	}
	// Area and centroid about the first corner, then second moments about the centroid: for polygons
	// far from the origin no digits are lost.
	at := outline[0]
	first := areaMoments(at, outline, holes)
	if !(first.area > 0) || math.IsInf(first.area, 1) {
		return Body{}, fault.Errorf("bodies: %w: its area is %v m²", ErrPolygon, first.area)
	}
	at[0] += first.x / first.area
	at[1] += first.y / first.area
	a := areaMoments(at, outline, holes)
	mass := density * height * a.area
	xx, yy, xy, zz := mass*(a.xx/a.area), mass*(a.yy/a.area), mass*(a.xy/a.area), mass*height*height/12
	return New(mass, spatial.Vec3{at[0], at[1], 0}, spatial.Sym3{yy + zz, xx + zz, xx + yy, -xy})
}

// area holds integrals over a polygon: of 1, x, y, x², y² and x·y.
type area struct{ area, x, y, xx, yy, xy float64 }

// areaMoments returns the integrals over the outline less the holes, with x and y measured from the point at.
func areaMoments(at [2]float64, outline [][2]float64, holes [][][2]float64) area {
	a := ringMoments(at, outline)
	for _, h := range holes {
		b := ringMoments(at, h)
		a = area{a.area - b.area, a.x - b.x, a.y - b.y, a.xx - b.xx, a.yy - b.yy, a.xy - b.xy}
	}
	return a
}

// ringMoments returns the integrals over a simple polygon, with x and y measured from the point at. They are sums over the
// edges: each edge and the point at form a triangle, whose integrals count as positive where the edge runs anticlockwise
// about at.
func ringMoments(at [2]float64, ring [][2]float64) (a area) {
	p := ring[len(ring)-1]
	px, py := p[0]-at[0], p[1]-at[1]
	for _, q := range ring {
		x, y := q[0]-at[0], q[1]-at[1]
		c := px*y - x*py // twice the triangle's area
		a.area += c / 2
		a.x += c * (px + x) / 6
		a.y += c * (py + y) / 6
		a.xx += c * (px*px + px*x + x*x) / 12
		a.yy += c * (py*py + py*y + y*y) / 12
		a.xy += c * (2*px*py + px*y + x*py + 2*x*y) / 24
		px, py = x, y
	}
	if a.area < 0 { // corners in clockwise order
		return area{-a.area, -a.x, -a.y, -a.xx, -a.yy, -a.xy}
	}
	return a
}
