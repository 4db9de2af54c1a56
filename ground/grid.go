package ground

import (
	"context"
	"fmt"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/halt"
)

// Interpolation is the rule for heights between the nodes of a grid.
type Interpolation uint8

const (
	Spline  Interpolation = iota // tensor product of cubic splines, not-a-knot ends: C², exact for cubics; at least 4 nodes along each axis
	Hermite                      // bicubic patches with slopes by differences: C¹, local; at least 3 nodes along each axis
	Linear                       // bilinear patches, for comparison: C⁰; the kinks make the steps of integrators short
)

// interpolationNames are the names in documents.
var interpolationNames = [...]string{"spline", "hermite", "linear"}

// leastNodes are the least numbers of nodes along an axis, by Interpolation.
var leastNodes = [...]int{4, 3, 2}

// String returns the name of documents.
func (i Interpolation) String() string {
	return fault.Enum(interpolationNames[:], i, "Interpolation")
}

// Outside is the rule for heights beyond the nodes of a grid.
type Outside uint8

const (
	Stop    Outside = iota // there is no ground: ErrOff
	Level                  // the ground has the height of the nearest point of the border: C⁰
	Tangent                // the ground continues with the slope at the border: C¹
)

// outsideNames are the names in documents.
var outsideNames = [...]string{"stop", "level", "tangent"}

// String returns the name of documents.
func (o Outside) String() string { return fault.Enum(outsideNames[:], o, "Outside") }

// ParseInterpolation returns the interpolation of a name, or an error that lists the names.
func ParseInterpolation(name string) (Interpolation, error) {
	return fault.Parse[Interpolation]("ground: ", "interpolation", name, interpolationNames[:])
}

// ParseOutside returns the Outside of a name, or an error that lists the names.
func ParseOutside(name string) (Outside, error) {
	return fault.Parse[Outside]("ground: ", "rule for outside", name, outsideNames[:])
}

// Options are the rules for heights between and beyond the nodes of a grid.
type Options struct {
	Interpolation Interpolation
	Outside       Outside
}

// grid is heights with an interpolation: the height at a place is the sum of a few values times the products of the weights of both
// axes.
type grid struct {
	axes   [2]axis
	values []float64 // heights, or the coefficients of the spline, line by line
	stride int       // number of values in a line
	// The values less shift are summed up, and base is added to the sum: rounding is then relative to differences in height.
	shift, base float64
}

// NewGrid returns the surface through the heights at the nodes of f. The caller may not change the heights afterwards.
//
// It returns an error if f.Check does, f has too few nodes for the interpolation, or ctx ends. It
// panics if f or ctx is nil, or if an option is out of range.
//
// Cost: O(nodes). A spline stores one coefficient for each node in place of the heights; the others keep the heights.
func NewGrid(ctx context.Context, f *Field, o Options) (*Surface, error) {
	halt.Must(ctx)
	switch {
	case f == nil:
		panic("ground: no field")
	case int(o.Interpolation) >= len(interpolationNames) || int(o.Outside) >= len(outsideNames):
		panic("ground: option out of range")
	}
	if err := f.Check(); err != nil {
		return nil, err
	}
	least := leastNodes[o.Interpolation]
	if f.Size[0] < least || f.Size[1] < least {
		return nil, fmt.Errorf("ground: %d × %d nodes; interpolation %v needs %d × %d at least", f.Size[0], f.Size[1], o.Interpolation, least, least)
	}
	g := &grid{values: f.Heights, stride: f.Size[0]}
	for c := range g.axes {
		g.axes[c] = axis{f.Origin[c], f.Spacing[c], f.Size[c], o.Interpolation, o.Outside}
	}
	lo, hi := f.Range()
	g.base = lo + (hi-lo)/2
	g.shift = g.base
	if o.Interpolation == Spline {
		flag, end := halt.FlagOf(ctx)
		defer end()
		g.shift = 0
		g.stride = f.Size[0] + 2
		if g.values = splineOf(f, g.base, flag); g.values == nil {
			return nil, context.Cause(ctx)
		}
	}
	return &Surface{kind: kindGrid, grid: g}, nil
}

// at is Surface.At for a grid, docs/ground.md (G2).
func (g *grid) at(x, y float64) (p Patch, err error) {
	var wx, wy weights
	if err := g.axes[0].weightsTo(&wx, x); err != nil {
		return p, err
	}
	if err := g.axes[1].weightsTo(&wy, y); err != nil {
		return p, err
	}
	if wx.n == 4 && wy.n == 4 {
		g.sum16(&p, &wx, &wy)
	} else {
		g.sum(&p, &wx, &wy)
	}
	p.Z += g.base
	if !p.finite() {
		return p, ErrNotFinite
	}
	return p, nil
}

// sum adds to p the sum (G2) of docs/ground.md, less base, for any number of weights.
func (g *grid) sum(p *Patch, wx, wy *weights) {
	for j := range wy.n {
		from := (wy.at+j)*g.stride + wx.at
		var v, d, dd float64
		for i, c := range g.values[from : from+wx.n] {
			c -= g.shift
			v += wx.v[i&3] * c
			d += wx.d[i&3] * c
			dd += wx.dd[i&3] * c
		}
		p.Z += wy.v[j&3] * v
		p.X += wy.v[j&3] * d
		p.XX += wy.v[j&3] * dd
		p.Y += wy.d[j&3] * v
		p.XY += wy.d[j&3] * d
		p.YY += wy.dd[j&3] * v
	}
}

// sum16 is sum for four weights along each axis.
func (g *grid) sum16(p *Patch, wx, wy *weights) {
	for j := range 4 {
		row := (*[4]float64)(g.values[(wy.at+j)*g.stride+wx.at:])
		c0, c1, c2, c3 := row[0]-g.shift, row[1]-g.shift, row[2]-g.shift, row[3]-g.shift
		v := wx.v[0]*c0 + wx.v[1]*c1 + wx.v[2]*c2 + wx.v[3]*c3
		d := wx.d[0]*c0 + wx.d[1]*c1 + wx.d[2]*c2 + wx.d[3]*c3
		dd := wx.dd[0]*c0 + wx.dd[1]*c1 + wx.dd[2]*c2 + wx.dd[3]*c3
		p.Z += wy.v[j] * v
		p.X += wy.v[j] * d
		p.XX += wy.v[j] * dd
		p.Y += wy.d[j] * v
		p.XY += wy.d[j] * d
		p.YY += wy.dd[j] * v
	}
}

// height is Surface.Height for a grid. It differs from the height of at by rounding only.
func (g *grid) height(x, y float64) (z float64, err error) {
	cellX, tx, beyondX, err := g.axes[0].cell(x)
	if err != nil {
		return 0, err
	}
	cellY, ty, beyondY, err := g.axes[1].cell(y)
	if err != nil {
		return 0, err
	}
	if g.axes[0].interpolation != Spline || (beyondX != 0 || beyondY != 0) && g.axes[0].outside != Level { // Level has the border's height
		p, err := g.at(x, y)
		return p.Z, err
	}
	w, v := cubic(tx), cubic(ty)
	for j := range 4 {
		c := (*[4]float64)(g.values[(cellY+j)*g.stride+cellX:])
		z += v[j] * (w[0]*c[0] + w[1]*c[1] + w[2]*c[2] + w[3]*c[3])
	}
	z += g.base
	if !algebra.Finite(z) {
		return 0, ErrNotFinite
	}
	return z, nil
}

// extent returns the rectangle of the nodes.
func (g *grid) extent() (e Extent) {
	for c, a := range g.axes {
		e.Min[c], e.Max[c] = a.origin, a.origin+a.spacing*float64(a.nodes-1)
	}
	return e
}
