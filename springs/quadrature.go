package springs

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
)

// The points and weights of Gauss and Kronrod with 7 and 15 points on (−1, 1), from outside to the middle (Piessens et
// al. 1983). Every second one is a point of Gauss.
var (
	kronrodPoints = [8]float64{
		0.991455371120812639206854697526329, 0.949107912342758524526189684047851, 0.864864423359769072789712788640926, 0.741531185599394439863864773280788,
		0.586087235467691130294144691258729, 0.405845151377397166906606412076961, 0.207784955007898467600689403773245, 0,
	}
	kronrodWeights = [8]float64{
		0.022935322010529224963732008058970, 0.063092092629978553290700663189204, 0.104790010322250183839876322541518, 0.140653259715525918745189590510238,
		0.169004726639267902826583426598550, 0.190350578064785409913256402421014, 0.204432940075298892414161999234649, 0.209482141084727828012999174891714,
	}
	gaussWeights = [4]float64{
		0.129484966168869693270611432679082, 0.279705391489276667901467771423780, 0.381830050505118944950369775488975, 0.417959183673469387755102040816327,
	}
)

const (
	// quadratureTol is the difference of both rules, relative to the integral of the magnitude, at which an interval is
	// done. That of Kronrod is better by far.
	quadratureTol = 1e-13
	// quadratureDepth is how often an interval is halved at most.
	quadratureDepth = 50
	// quadratureMost is the number of intervals at most.
	quadratureMost = 10000
)

// integral returns the integral of a function at rest from 0 to x, by
// halving intervals until both rules agree; not a number where they do not.
func (l *Law) integral(x float64) (sum float64) {
	var ends [quadratureDepth + 1]float64 // of intervals still to come, the nearest last
	a, n := 0.0, 1
	ends[0] = x
	_, size := l.rules(0, x)
	for range quadratureMost {
		b := ends[n-1]
		k, mean := l.rules(a, b)
		if !(math.Abs(k.sum-k.gauss) <= quadratureTol*max(size, mean)) {
			if n > quadratureDepth || !algebra.Finite(k.sum) {
				return math.NaN()
			}
			ends[n] = a + (b-a)/2
			n++
			continue
		}
		sum += k.sum
		a = b
		if n--; n == 0 {
			return sum
		}
	}
	return math.NaN()
}

// rule is an integral by both rules.
type rule struct{ sum, gauss float64 }

// rules returns the integral from a to b, and that of the magnitude.
func (l *Law) rules(a, b float64) (r rule, size float64) {
	half, middle := (b-a)/2, a+(b-a)/2
	for i, p := range kronrodPoints {
		v := l.still(middle + half*p)
		m := math.Abs(v)
		if p != 0 {
			w := l.still(middle - half*p)
			v, m = v+w, m+math.Abs(w)
		}
		r.sum += kronrodWeights[i] * v
		size += kronrodWeights[i] * m
		if i%2 == 1 {
			r.gauss += gaussWeights[i/2] * v
		}
	}
	return rule{half * r.sum, half * r.gauss}, math.Abs(half) * size
}

// still returns the force of a function at rest; not a number where there is none.
func (l *Law) still(x float64) float64 {
	f, _, _, err := l.at(x, 0)
	if err != nil {
		return math.NaN()
	}
	return f
}
