package ground

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/rung-mbd/rung/internal/halt"
)

// MaxNodes is the number of nodes that a grid has at most.
const MaxNodes = 1 << 31

// Field is heights at the nodes of a regular grid: node (i, j) is at Origin + (i·Spacing[0], j·Spacing[1]).
type Field struct {
	Origin, Spacing [2]float64 // along x and y, m
	Size            [2]int     // nodes along x and y
	Heights         []float64  // m; node (i, j) has Heights[j·Size[0] + i]
}

// mostHeight is the largest height, m: sums of squares of any number of such heights are finite.
const mostHeight = 1e100

// CheckSize returns an error if a number of nodes along x or y is
// below 2, or their product is above MaxNodes.
func CheckSize(size [2]int) error {
	nx, ny := size[0], size[1]
	if nx < 2 || ny < 2 {
		return fmt.Errorf("ground: %d × %d nodes; a grid has 2 × 2 at least", nx, ny)
	}
	if int64(ny) > min(MaxNodes, math.MaxInt/8)/int64(nx) {
		return fmt.Errorf("ground: %d × %d nodes; a grid has 2³¹ at most", nx, ny)
	}
	return nil
}

// Check returns an error with the faults of f: fewer than 2 × 2 nodes or more than MaxNodes; a number of heights
// other than the number of nodes; a height (only the first is named) that is not finite or beyond 1e100 m; an origin that is not
// finite; a spacing that is not positive and finite, or is lost in rounding beside the distance from the origin.
func (f *Field) Check() error {
	err := f.checkPlaces()
	nx, ny := f.Size[0], f.Size[1]
	if e := CheckSize(f.Size); e != nil {
		return errors.Join(err, e)
	}
	if len(f.Heights) != nx*ny {
		return errors.Join(err, fmt.Errorf("ground: %d heights for %d × %d nodes", len(f.Heights), nx, ny))
	}
	for k, z := range f.Heights {
		if !(math.Abs(z) <= mostHeight) {
			rule := "not finite"
			if z*0 == 0 {
				rule = fmt.Sprintf("beyond %v m", mostHeight)
			}
			return errors.Join(err, fmt.Errorf("ground: the height of node (%d, %d) is %s (value %v)", k%nx, k/nx, rule, z))
		}
	}
	return err
}

// checkPlaces returns an error with the faults of origin and spacing.
func (f *Field) checkPlaces() (err error) {
	for c, name := range "xy" {
		far := f.Origin[c] + f.Spacing[c]*float64(f.Size[c])
		if f.Origin[c]*0 != 0 {
			err = errors.Join(err, fmt.Errorf("ground: the origin along %c is not finite (value %v)", name, f.Origin[c]))
		} else if !(f.Spacing[c] > 0) || far*0 != 0 {
			err = errors.Join(err, fmt.Errorf("ground: the spacing along %c is not above 0 and finite (value %v)", name, f.Spacing[c]))
		} else if !(f.Spacing[c] > 1e-12*math.Max(math.Abs(f.Origin[c]), math.Abs(far))) {
			err = errors.Join(err, fmt.Errorf("ground: the spacing along %c is lost beside the distance from the origin (value %v)", name, f.Spacing[c]))
		}
	}
	return err
}

// Place returns the position of node (i, j), m.
func (f *Field) Place(i, j int) (x, y float64) {
	return f.Origin[0] + float64(i)*f.Spacing[0], f.Origin[1] + float64(j)*f.Spacing[1]
}

// Range returns the lowest and the highest of the heights, m.
func (f *Field) Range() (lowest, highest float64) {
	lowest, highest = math.Inf(1), math.Inf(-1)
	for _, z := range f.Heights {
		lowest, highest = min(lowest, z), max(highest, z)
	}
	return lowest, highest
}

// Sample returns the heights of a surface at the nodes of a grid.
//
// It returns an error for an invalid grid (CheckSize, Field.Check), the error of Surface.At with its place, or the cause of ctx.
// It panics if s or ctx is nil.
func Sample(ctx context.Context, s *Surface, origin, spacing [2]float64, size [2]int) (*Field, error) {
	halt.Must(ctx)
	if s == nil {
		panic("ground: no surface")
	}
	f := &Field{Origin: origin, Spacing: spacing, Size: size}
	if err := errors.Join(f.checkPlaces(), CheckSize(size)); err != nil {
		return nil, err
	}
	f.Heights = make([]float64, 0, size[0]*size[1])
	flag, end := halt.FlagOf(ctx)
	defer end()
	for j := range size[1] {
		for i := range size[0] {
			if i == 0 && flag.Up() || flag.Every(i) {
				return nil, context.Cause(ctx)
			}
			x, y := f.Place(i, j)
			p, err := s.At(x, y)
			if err != nil {
				return nil, fmt.Errorf("%w at x %v, y %v", err, x, y)
			}
			f.Heights = append(f.Heights, p.Z)
		}
	}
	return f, nil
}

// GradientTo stores in gx and gy the slopes at the nodes along x and y, by differences of second order: (f₊ − f₋)/2d
// inside, and (4f₁ − 3f₀ − f₂)/2d or its mirror image at the ends, with the spacing d. Along an axis of two nodes both slopes are
// (f₁ − f₀)/d.
//
// Shapes: gx and gy as f.Heights. Cost: O(nodes), no allocation. It panics on a length mismatch.
func (f *Field) GradientTo(gx, gy []float64) {
	if len(gx) != len(f.Heights) || len(gy) != len(f.Heights) {
		panic("ground: length mismatch")
	}
	nx, ny := f.Size[0], f.Size[1]
	var wx, wy weights
	for j := range ny {
		wy.difference(j, ny)
		for i := range nx {
			wx.difference(i, nx)
			k := j*nx + i
			gx[k], gy[k] = 0, 0
			for m := range wx.n {
				gx[k] += wx.v[m&3] * f.Heights[j*nx+wx.at+m] / f.Spacing[0]
			}
			for m := range wy.n {
				gy[k] += wy.v[m&3] * f.Heights[(wy.at+m)*nx+i] / f.Spacing[1]
			}
		}
	}
}
