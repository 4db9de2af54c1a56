//go:build !small

package picture

import (
	"math"
	"strconv"
)

// raster has heights at the nodes of a regular grid in a rectangle. NaN stands for no height.
type raster struct {
	nx, ny   int
	min, max [2]float64
	z        []float64 // of column i and row j at j·nx + i
}

// newRaster samples a terrain at about n nodes along its longer side.
func newRaster(t *Terrain, n int) *raster {
	w, h := t.Max[0]-t.Min[0], t.Max[1]-t.Min[1]
	r := &raster{nx: max(2, int(float64(n)*min(1, w/h))), ny: max(2, int(float64(n)*min(1, h/w))), min: t.Min, max: t.Max}
	for j := range r.ny {
		for i := range r.nx {
			z, _, _ := t.Height(r.place(float64(i), float64(j)))
			r.z = append(r.z, z)
		}
	}
	return r
}

// place returns the position of column u and row v, which may be fractions.
func (r *raster) place(u, v float64) (x, y float64) {
	return r.min[0] + (r.max[0]-r.min[0])*u/float64(r.nx-1), r.min[1] + (r.max[1]-r.min[1])*v/float64(r.ny-1)
}

// at returns the bilinear interpolation of the heights at x, y; NaN outside of the rectangle.
func (r *raster) at(x, y float64) float64 {
	u, v := (x-r.min[0])/(r.max[0]-r.min[0])*float64(r.nx-1), (y-r.min[1])/(r.max[1]-r.min[1])*float64(r.ny-1)
	if !(u >= 0 && u <= float64(r.nx-1) && v >= 0 && v <= float64(r.ny-1)) {
		return math.NaN()
	}
	i, j := min(int(u), r.nx-2), min(int(v), r.ny-2)
	u, v = u-float64(i), v-float64(j)
	k := j*r.nx + i
	return (1-v)*((1-u)*r.z[k]+u*r.z[k+1]) + v*((1-u)*r.z[k+r.nx]+u*r.z[k+r.nx+1])
}

// bounds returns the lowest and the highest height. For a flat terrain it returns bounds around its height, and flat.
func (r *raster) bounds() (lo, hi float64, flat bool) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, z := range r.z {
		if z == z {
			lo, hi = min(lo, z), max(hi, z)
		}
	}
	if lo > hi {
		lo, hi = 0, 0
	}
	if size := max(math.Abs(lo), math.Abs(hi)); hi-lo <= 1e-9*size {
		room := max(0.1, 0.1*size)
		return lo - room, hi + room, true
	}
	return lo, hi, false
}

// levels returns about n round numbers from lo to hi, and the number of decimals that they need.
func levels(lo, hi float64, n int) (list []float64, decimals int) {
	step := roundUp((hi - lo) / float64(n))
	for k := math.Ceil(lo / step); k*step <= hi; k++ {
		list = append(list, k*step)
	}
	return list, max(0, int(-math.Floor(math.Log10(step)+1e-9)))
}

// roundUp returns the least of 1, 2 and 5 times a power of ten that is not below x, which is positive.
func roundUp(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, m := range [...]float64{1, 2, 5} {
		if x <= m*power {
			return m * power
		}
	}
	return 10 * power
}

// levelText returns a level with so many decimals. Adding 0 makes 0 of −0.
func levelText(z float64, decimals int) string { return strconv.FormatFloat(z+0, 'f', decimals, 64) }

// crossing is the point at which a contour crosses an edge of the raster, and the edges at which the contour goes on to both sides; −1:
// it ends there.
type crossing struct {
	at   [2]float64
	next [2]int
	used bool
}

// contours returns the lines of a height, each a list of points. A closed line ends at its first point.
func (r *raster) contours(level float64) (lines [][][2]float64) {
	found := map[int]*crossing{}
	var order []int // of the edges, so that equal terrains give equal pictures
	for j := range r.ny - 1 {
		for i := range r.nx - 1 {
			for _, pair := range r.cell(i, j, level) {
				for k, edge := range pair {
					c := found[edge]
					if c == nil {
						c = &crossing{at: r.crossing(edge, level), next: [2]int{-1, -1}}
						found[edge] = c
						order = append(order, edge)
					}
					side := 0
					if c.next[0] >= 0 {
						side = 1
					}
					c.next[side] = pair[1-k]
				}
			}
		}
	}
	for _, open := range [2]bool{true, false} { // first lines that begin at their ends, then closed ones
		for _, edge := range order {
			if c := found[edge]; !c.used && (!open || c.next[1] < 0) {
				lines = append(lines, follow(found, edge))
			}
		}
	}
	return lines
}

// follow returns the line of the crossings that begins at an edge, and marks them as used.
func follow(found map[int]*crossing, edge int) (line [][2]float64) {
	first := edge
	for {
		c := found[edge]
		c.used = true
		line = append(line, c.at)
		next := -1
		for _, n := range c.next {
			if n >= 0 && !found[n].used {
				next = n
				break
			}
		}
		if next < 0 {
			if len(line) > 2 && (c.next[0] == first || c.next[1] == first) {
				line = append(line, line[0])
			}
			return line
		}
		edge = next
	}
}

// The number of an edge is twice the number of the node at its left or lower end, plus 1 if the edge is vertical.

// cell returns the pairs of edges of a cell between which lines of a height run: none, one, or two at a saddle.
func (r *raster) cell(i, j int, level float64) [][2]int {
	k := j*r.nx + i
	a, b, c, d := r.z[k], r.z[k+1], r.z[k+1+r.nx], r.z[k+r.nx]
	if a+b+c+d != a+b+c+d { // a node has no height
		return nil
	}
	south, east, north, west := 2*k, 2*(k+1)+1, 2*(k+r.nx), 2*k+1
	var cut []int
	for _, e := range [...]struct {
		edge int
		p, q float64
	}{{south, a, b}, {east, b, c}, {north, c, d}, {west, d, a}} {
		if (e.p < level) != (e.q < level) {
			cut = append(cut, e.edge)
		}
	}
	switch {
	case len(cut) == 2:
		return [][2]int{{cut[0], cut[1]}}
	case len(cut) == 4 && ((a+b+c+d)/4 < level) == (a < level):
		return [][2]int{{south, east}, {north, west}} // the middle is on the side of a and c
	case len(cut) == 4:
		return [][2]int{{west, south}, {east, north}}
	}
	return nil
}

// crossing returns the point of an edge that has a height, by linear interpolation.
func (r *raster) crossing(edge int, level float64) [2]float64 {
	k := edge / 2
	u, v := float64(k%r.nx), float64(k/r.nx)
	if edge%2 == 0 {
		u += (level - r.z[k]) / (r.z[k+1] - r.z[k])
	} else {
		v += (level - r.z[k]) / (r.z[k+r.nx] - r.z[k])
	}
	x, y := r.place(u, v)
	return [2]float64{x, y}
}

// between returns the linear interpolation of list at the index u, which may be a fraction. Beyond the ends it extrapolates.
func between(list []float64, u float64) float64 {
	i := min(max(int(u), 0), len(list)-2)
	v := u - float64(i)
	return list[i]*(1-v) + list[i+1]*v
}
