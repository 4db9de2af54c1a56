package springs

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
)

// The points and weights of the rules of Gauss, with 7 points, and of Kronrod, with 15 points, on (−1, 1), from outside to the middle
// (Piessens et al. 1983). Every second point, from the second one, is a point of Gauss.
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
	// quadratureTol is the difference of both rules, relative to the integral of the magnitude, up to which an interval is
	// accepted. The error of the rule of Kronrod is far smaller.
	quadratureTol = 1e-13
	// quadratureDepth is the largest number of times that an interval is halved.
	quadratureDepth = 50
	// quadratureMost is the largest number of intervals.
	quadratureMost = 10000
)

// integral returns the integral from 0 to x of the force of a function at the rate 0, by
// halving intervals until both rules agree. It is NaN if the force is not finite somewhere, or the rules do not agree.
func (l *Law) integral(x float64) (sum float64) {
	var ends [quadratureDepth + 1]float64 // ends of the intervals that follow, the nearest last
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

// rule is an integral by both rules: sum by Kronrod, and gauss.
type rule struct{ sum, gauss float64 }

// rules returns the integral of the force at the rate 0 from a to b by both rules, and the integral of its magnitude by Kronrod.
func (l *Law) rules(a, b float64) (r rule, size float64) {
	half, middle := (b-a)/2, a+(b-a)/2
	for i, p := range kronrodPoints {
		v := l.staticForce(middle + half*p)
		m := math.Abs(v)
		if p != 0 {
			w := l.staticForce(middle - half*p)
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

// staticForce returns the force of a function at x and the rate 0; NaN where the force is not finite.
func (l *Law) staticForce(x float64) float64 {
	f, _, _, err := l.at(x, 0)
	if err != nil {
		return math.NaN()
	}
	return f
}
