package ground

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/rung-mbd/rung/internal/formula"
	"github.com/rung-mbd/rung/spatial"
)

var (
	// ErrOff is returned for a place where there is no surface.
	ErrOff = errors.New("ground: off the terrain")
	// ErrNotFinite is returned where a height or a derivative of it is not a finite number.
	ErrNotFinite = errors.New("ground: the height is not finite, or it has no finite slope")
)

// Patch is a surface near a place: the height, m, its slopes along x and y, and its second derivatives, 1/m.
type Patch struct {
	Z, X, Y, XX, XY, YY float64
}

// Normal returns the unit normal that points out of the ground, docs/ground.md (G1).
func (p *Patch) Normal() spatial.Vec3 {
	s := 1 / math.Sqrt(1+p.X*p.X+p.Y*p.Y)
	return spatial.Vec3{-p.X * s, -p.Y * s, s}
}

// finite reports whether all numbers of the patch are finite.
func (p *Patch) finite() bool {
	s := p.Z*0 + p.X*0 + p.Y*0 + p.XX*0 + p.XY*0 + p.YY*0
	return s == 0
}

// Extent is the rectangle of a surface's data, m. Its bounds are infinite where the surface is not bounded.
type Extent struct {
	Min, Max [2]float64
}

// everywhere is the extent of an unbounded surface.
var everywhere = Extent{[2]float64{math.Inf(-1), math.Inf(-1)}, [2]float64{math.Inf(1), math.Inf(1)}}

// Finite reports whether the rectangle is bounded on all four sides.
func (e *Extent) Finite() bool {
	return !math.IsInf(e.Min[0], 0) && !math.IsInf(e.Min[1], 0) && !math.IsInf(e.Max[0], 0) && !math.IsInf(e.Max[1], 0)
}

// kind is the kind of a surface.
type kind uint8

const (
	kindPlane kind = iota
	kindGrid
	kindFunction
	kindSum
	kindTiles
)

// Surface is a ground z = f(x, y). It is immutable, but for one with Tiles.
type Surface struct {
	kind   kind
	plane  plane
	grid   *grid
	f      *formula.Formula
	parts  []*Surface
	leaves int // number of surfaces that a sum adds, the parts of nested sums included
	tiles  *Tiles
	once   sync.Once
	print  uint64 // result of Digest, set by once
}

// At returns the surface near (x, y), m.
//
// It returns ErrOff where there is no surface, and ErrNotFinite where the height or a derivative is not finite.
// The patch beside an error has no meaning.
//
// Cost: O(1), for an expression O(its length), for a sum as of all its parts; no allocation. It is safe for concurrent use.
func (s *Surface) At(x, y float64) (Patch, error) {
	switch s.kind {
	case kindGrid:
		return s.grid.at(x, y)
	case kindFunction:
		return functionAt(s.f, x, y)
	case kindSum:
		return s.sum(x, y)
	case kindTiles:
		return s.tiles.at(x, y)
	}
	return s.plane.at(x, y)
}

// Height returns the height at (x, y), m. It differs from the height of At by rounding only.
//
// Cost: as At; for grids with splines a third. It returns the errors of At, which for such grids concern the height alone.
func (s *Surface) Height(x, y float64) (float64, error) {
	switch s.kind {
	case kindGrid:
		return s.grid.height(x, y)
	case kindSum:
		var z float64
		for _, part := range s.parts {
			h, err := part.Height(x, y)
			if err != nil {
				return 0, err
			}
			z += h
		}
		return z, nil
	}
	p, err := s.At(x, y)
	return p.Z, err
}

// Form returns the patch of At as an array: the height, the slopes along x and y, and the second derivatives by xx, xy and yy.
//
// Cost and errors: as At.
func (s *Surface) Form(x, y float64) ([6]float64, error) {
	p, err := s.At(x, y)
	return [6]float64{p.Z, p.X, p.Y, p.XX, p.XY, p.YY}, err
}

// Flat reports whether the surface is a plane, one made by NewPlane.
func (s *Surface) Flat() bool { return s.kind == kindPlane }

// sum is At for a sum of surfaces.
func (s *Surface) sum(x, y float64) (sum Patch, err error) {
	for _, part := range s.parts {
		p, err := part.At(x, y)
		if err != nil {
			return Patch{}, err
		}
		sum.Z += p.Z
		sum.X += p.X
		sum.Y += p.Y
		sum.XX += p.XX
		sum.XY += p.XY
		sum.YY += p.YY
	}
	if !sum.finite() {
		return Patch{}, ErrNotFinite
	}
	return sum, nil
}

// Extent returns the rectangle of the nodes of a grid, and for a sum the intersection of the extents of its parts. For other
// surfaces it is infinite. Beyond the rectangle a grid follows its Outside.
func (s *Surface) Extent() Extent {
	switch s.kind {
	case kindGrid:
		return s.grid.extent()
	case kindSum:
		e := everywhere
		for _, p := range s.parts {
			e = e.intersect(p.Extent())
		}
		return e
	}
	return everywhere
}

// intersect returns the intersection of two rectangles.
func (e Extent) intersect(b Extent) Extent {
	for c := range e.Min {
		e.Min[c] = math.Max(e.Min[c], b.Min[c])
		e.Max[c] = math.Min(e.Max[c], b.Max[c])
	}
	return e
}

// MostParts is the number of surfaces that a sum adds at most, each as often as the sums among its parts add it: a sum of
// itself twice, again and again, doubles that with each line of a document.
const MostParts = 10_000

// Sum returns the surface whose height is the sum of the heights of the parts.
//
// It returns an error if there are no parts, if there are more than MostParts, counting the parts of sums, or if no
// place belongs to all of them. It panics if a part is nil.
func Sum(parts ...*Surface) (*Surface, error) {
	if len(parts) == 0 {
		return nil, errors.New("ground: a sum of no surfaces")
	}
	s := &Surface{kind: kindSum}
	for _, p := range parts {
		if p == nil {
			panic("ground: no surface")
		}
		s.leaves += max(1, p.leaves)
		if s.leaves > MostParts {
			return nil, fmt.Errorf("ground: a sum of more than %d surfaces, with those of the sums among its parts", MostParts)
		}
	}
	s.parts = append(s.parts, parts...)
	if e := s.Extent(); !(e.Min[0] <= e.Max[0] && e.Min[1] <= e.Max[1]) {
		return nil, fmt.Errorf("ground: no place belongs to all parts of the sum")
	}
	return s, nil
}

// plane is z = z0 + a (x − x0) + b (y − y0).
type plane struct {
	point spatial.Vec3
	a, b  float64
}

func (p *plane) at(x, y float64) (Patch, error) {
	q := Patch{Z: p.point[2] + p.a*(x-p.point[0]) + p.b*(y-p.point[1]), X: p.a, Y: p.b}
	if !q.finite() {
		return Patch{}, ErrNotFinite
	}
	return q, nil
}

// NewPlane returns the plane through a point with a normal, of any length, that points out of the ground.
//
// It returns an error if a number is not finite or the normal does not point up.
func NewPlane(point, normal spatial.Vec3) (*Surface, error) {
	for _, v := range [...]struct {
		name string
		v    spatial.Vec3
	}{{"point", point}, {"normal", normal}} {
		if s := v.v[0]*0 + v.v[1]*0 + v.v[2]*0; s != 0 {
			return nil, fmt.Errorf("ground: the %s of a plane is not finite (value %v)", v.name, v.v)
		}
	}
	a, b := -normal[0]/normal[2], -normal[1]/normal[2]
	if !(normal[2] > 0) || math.IsInf(a, 0) || math.IsInf(b, 0) {
		return nil, fmt.Errorf("ground: the normal of a plane does not point up (value %v)", normal)
	}
	return &Surface{kind: kindPlane, plane: plane{point, a, b}}, nil
}
