package linear

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/rung-mbd/rung/team"
)

// orthogonalize subtracts from w its components along the vectors of a basis, which are orthonormal in the metric G, and adds
// the components to h, which may be nil. It does so twice: if w is close to the span of the basis, the first round
// leaves mostly rounding, and the second subtracts the part of that in the span ("twice is enough"). It
// returns the norm √(wᵀGw) of w before. metric stores G·x in dst, and g is scratch.
//
// Cost: two products with G and 4·len(w) multiplications a vector of the basis; no allocation. If the
// context of watch ends, it returns early with w unfinished.
func orthogonalize(w []float64, basis [][]float64, metric func(dst, x []float64), g, h []float64, watch *team.Watch) (size float64) {
	for round := range 2 {
		metric(g, w)
		if round == 0 {
			size = math.Sqrt(max(floats.Dot(w, g), 0))
		}
		for j, v := range basis {
			if watch.Up() {
				return size
			}
			t := floats.Dot(v, g)
			if h != nil {
				h[j] += t
			}
			floats.AddScaled(w, -t, v)
		}
	}
	return size
}
