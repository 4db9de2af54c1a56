package couplings

import "github.com/rung-mbd/rung/internal/spline"

// node has f at a point of a grid, its derivatives by x and y, and its mixed derivative ∂²f/∂x∂y.
type node struct{ f, x, y, xy float64 }

// setGrid stores in l.grid f and its derivatives at the points, line by line: ∂f/∂x from splines along x, ∂f/∂y from splines along y, and
// ∂²f/∂x∂y from splines along y through the values of ∂f/∂x. The product of splines has these derivatives, and is C² (de Boor 1978, ch.
// XVII).
func (l *Law) setGrid() {
	nx, ny := len(l.X), len(l.Y)
	l.grid = make([]node, nx*ny)
	column, line, slopes := make([]float64, nx), make([]float64, ny), make([]float64, max(nx, ny))
	for k := range ny {
		for i := range nx {
			column[i] = l.Lines[i][k]
		}
		l.slopesTo(slopes, 0, l.Spans[0].Advance, l.X, column)
		for i := range nx {
			at := &l.grid[i*ny+k]
			at.f, at.x = column[i], slopes[i]
		}
	}
	for i := range nx {
		nodes := l.grid[i*ny : (i+1)*ny]
		for k := range nodes {
			line[k] = nodes[k].f
		}
		l.slopesTo(slopes, 1, l.Spans[1].Advance, l.Y, line)
		for k := range nodes {
			nodes[k].f, nodes[k].y = line[k], slopes[k]
			line[k] = nodes[k].x
		}
		l.slopesTo(slopes, 1, 0, l.Y, line) // a period of y adds a constant to f, and nothing to ∂f/∂x
		for k := range nodes {
			nodes[k].x, nodes[k].xy = line[k], slopes[k]
		}
	}
}

// slopesTo stores in dst the slopes, at the points at, of the spline through values along a coordinate. If that is periodic, the spline
// increases by advance in a period, and the last of values is set to that.
func (l *Law) slopesTo(dst []float64, coordinate int, advance float64, at, values []float64) {
	s := l.Spans[coordinate]
	s.Advance = advance
	p := l.through(&s, at, values)
	for i, x := range at {
		_, dst[i], _ = spline.At(p, x)
	}
}

// cubics has the values, first derivatives and second derivatives at one point of the four Hermite cubics of an interval: with the value
// 1 at the start, the value 1 at the end, the slope 1 at the start, and the slope 1 at the end. All other values and slopes at the ends
// are 0.
type cubics [3][4]float64

// set stores the cubics of an interval of length h at its start plus t·h.
func (c *cubics) set(t, h float64) {
	c[0] = [4]float64{(1 + 2*t) * (1 - t) * (1 - t), t * t * (3 - 2*t), h * t * (1 - t) * (1 - t), h * t * t * (t - 1)}
	c[1] = [4]float64{6 * t * (t - 1) / h, 6 * t * (1 - t) / h, (1 - t) * (1 - 3*t), t * (3*t - 2)}
	c[2] = [4]float64{(12*t - 6) / (h * h), (6 - 12*t) / (h * h), (6*t - 4) / h, (6*t - 2) / h}
}

// interval returns the number of the interval between points of at that contains x: the first one for an x before all points, the last one
// for an x after all.
func interval(at []float64, x float64) int {
	lo, hi := 0, len(at)-1
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; x < at[mid] {
			hi = mid
		} else {
			lo = mid
		}
	}
	return lo
}

// gridAt is At for a grid, at coordinates x within a period.
func (l *Law) gridAt(x [2]float64) (v Value) {
	i, k := interval(l.X, x[0]), interval(l.Y, x[1])
	var cx, cy cubics
	hx, hy := l.X[i+1]-l.X[i], l.Y[k+1]-l.Y[k]
	cx.set((x[0]-l.X[i])/hx, hx)
	cy.set((x[1]-l.Y[k])/hy, hy)
	for a := range 2 {
		for b := range 2 {
			n := &l.grid[(i+a)*len(l.Y)+k+b]
			sum := func(dx, dy int) float64 {
				p, q := &cx[dx], &cy[dy]
				return p[a]*(q[b]*n.f+q[2+b]*n.y) + p[2+a]*(q[b]*n.x+q[2+b]*n.xy)
			}
			v.F += sum(0, 0)
			v.D[0] += sum(1, 0)
			v.D[1] += sum(0, 1)
			v.DD[0][0] += sum(2, 0)
			v.DD[0][1] += sum(1, 1)
			v.DD[1][1] += sum(0, 2)
		}
	}
	v.DD[1][0] = v.DD[0][1]
	return v
}

// gridThird is ThirdAt for a grid, at coordinates x within a period.
func (l *Law) gridThird(x [2]float64) (d [4]float64) {
	i, k := interval(l.X, x[0]), interval(l.Y, x[1])
	hx, hy := l.X[i+1]-l.X[i], l.Y[k+1]-l.Y[k]
	var c [2][4][4]float64 // the cubics by coordinate and order of derivative
	for e, at := range [2]struct{ t, h float64 }{{(x[0] - l.X[i]) / hx, hx}, {(x[1] - l.Y[k]) / hy, hy}} {
		var lower cubics
		lower.set(at.t, at.h)
		copy(c[e][:3], lower[:])
		h := at.h
		c[e][3] = [4]float64{12 / (h * h * h), -12 / (h * h * h), 6 / (h * h), 6 / (h * h)}
	}
	for a := range 2 {
		for b := range 2 {
			n := &l.grid[(i+a)*len(l.Y)+k+b]
			for by := range d {
				p, q := &c[0][3-by], &c[1][by]
				d[by] += p[a]*(q[b]*n.f+q[2+b]*n.y) + p[2+a]*(q[b]*n.x+q[2+b]*n.xy)
			}
		}
	}
	return d
}
