package ground

// axis is one direction of a grid: its nodes, and how heights are interpolated along it.
type axis struct {
	origin, spacing float64 // m
	nodes           int
	interpolation   Interpolation
	outside         Outside
}

// weights are the weights of n values c along an axis, from c[at] on: the interpolated value is Σ v[i]·c[at+i]. d and dd are the
// weights of its first and second derivative, in 1/m and 1/m² (by cells until scale).
type weights struct {
	at, n    int
	v, d, dd [4]float64
}

// slack allows for rounding of a place on the border: an axis counts as reaching so many cells beyond its ends.
const slack = 1e-9

// weightsTo stores in w the weights at x, m. It returns ErrOff beyond the border of an axis with Stop, and for NaN.
func (a *axis) weightsTo(w *weights, x float64) error {
	cell, t, beyond, err := a.cell(x)
	if err != nil {
		return err
	}
	a.inside(w, cell, t)
	if beyond != 0 {
		w.continueTo(beyond, a.outside)
	}
	w.scale(1 / a.spacing)
	return nil
}

// cell returns the number of the cell of x, the position t of x in it, 0 to 1, and how far x is beyond the border, in cells: 0
// inside, negative before the first node. It returns ErrOff beyond the border of an axis with Stop, and for NaN.
func (a *axis) cell(x float64) (cell int, t, beyond float64, err error) {
	u, last := (x-a.origin)/a.spacing, float64(a.nodes-1)
	if !(u >= -slack && u <= last+slack) {
		if a.outside == Stop || u != u {
			return 0, 0, 0, ErrOff
		}
		border := 0.0
		if u > 0 {
			border = last
		}
		beyond, u = u-border, border
	}
	cell = min(max(int(u), 0), a.nodes-2)
	return cell, u - float64(cell), beyond, nil
}

// inside stores in w the weights at the position t, 0 to 1, in a cell.
func (a *axis) inside(w *weights, cell int, t float64) {
	switch a.interpolation {
	case Spline:
		w.spline(cell, t)
	case Hermite:
		w.hermite(cell, t, a.nodes)
	default:
		w.linear(cell, t)
	}
}

// cubic returns the values of the four cubic B-splines of a cell at the position t, 0 to 1, docs/ground.md (G3).
func cubic(t float64) [4]float64 {
	r := 1 - t
	return [4]float64{r * r * r / 6, (4 - 3*t*t*(2-t)) / 6, (4 - 3*r*r*(2-r)) / 6, t * t * t / 6}
}

// spline stores the four cubic B-splines of a cell at t and their derivatives by t, docs/ground.md (G3).
func (w *weights) spline(cell int, t float64) {
	r := 1 - t
	w.at, w.n = cell, 4
	w.v = cubic(t)
	w.d = [4]float64{-r * r / 2, t * (3*t - 4) / 2, -r * (3*r - 4) / 2, t * t / 2}
	w.dd = [4]float64{r, 3*t - 2, 3*r - 2, t}
}

// hermite stores the weights of the cubic between two nodes whose slopes are differences of second order, docs/ground.md (G5).
func (w *weights) hermite(cell int, t float64, nodes int) {
	*w = weights{at: max(min(cell-1, nodes-4), 0), n: min(nodes, 4)}
	r := 1 - t
	here := cell - w.at
	w.add(here, (1+2*t)*r*r, -6*t*r, 12*t-6)
	w.add(here+1, t*t*(3-2*t), 6*t*r, 6-12*t)
	w.slope(cell, nodes, t*r*r, r*(1-3*t), 6*t-4)
	w.slope(cell+1, nodes, -t*t*r, t*(3*t-2), 6*t-2)
}

// slope adds the weights of the slope at a node, times v, d and dd.
func (w *weights) slope(node, nodes int, v, d, dd float64) {
	at := node - w.at
	for k, c := range differences(node, nodes) {
		w.add(at+k-1, c*v, c*d, c*dd)
	}
	switch node {
	case 0:
		w.add(at+2, -0.5*v, -0.5*d, -0.5*dd)
	case nodes - 1:
		w.add(at-2, 0.5*v, 0.5*d, 0.5*dd)
	}
}

// difference stores in w.v the weights of the slope at a node, per cell, docs/ground.md (G5). On an axis of two nodes the slope is the
// difference of their values.
func (w *weights) difference(node, nodes int) {
	if nodes == 2 {
		*w = weights{n: 2, v: [4]float64{-1, 1}}
		return
	}
	*w = weights{at: max(min(node-1, nodes-3), 0), n: 3}
	w.slope(node, nodes, 1, 0, 0)
}

// add adds v, d and dd to the weights of value w.at+at. It ignores values out of range, whose weights are 0.
func (w *weights) add(at int, v, d, dd float64) {
	if at < 0 || at >= w.n {
		return
	}
	w.v[at] += v
	w.d[at] += d
	w.dd[at] += dd
}

// linear stores the weights of the line between two nodes.
func (w *weights) linear(cell int, t float64) {
	w.at, w.n = cell, 2
	w.v, w.d, w.dd = [4]float64{1 - t, t}, [4]float64{-1, 1}, [4]float64{}
}

// continueTo changes weights at the border to weights at a place that is the given number of cells beyond it, docs/ground.md (G6).
func (w *weights) continueTo(beyond float64, outside Outside) {
	for i := range w.v {
		if outside == Level {
			w.d[i] = 0
		}
		w.v[i] += w.d[i] * beyond
		w.dd[i] = 0
	}
}

// scale changes derivatives per cell to derivatives per metre; s is the number of cells per metre.
func (w *weights) scale(s float64) {
	for i := range w.v {
		w.d[i] *= s
		w.dd[i] *= s * s
	}
}

// differences returns the weights of the node before, of the node itself and of the node after it in the slope at a node, per cell.
// At an end of the axis the slope also has the second node inwards, which slope adds with ∓1/2.
func differences(node, nodes int) [3]float64 {
	switch node {
	case 0:
		return [3]float64{0, -1.5, 2}
	case nodes - 1:
		return [3]float64{-2, 1.5, 0}
	}
	return [3]float64{-0.5, 0, 0.5}
}
