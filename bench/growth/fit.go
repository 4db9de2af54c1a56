package growth

import (
	"math"
	"slices"
)

const (
	fitSizes = 3  // a fit takes at least so many sizes, from the largest down,
	fitRange = 10 // and all others that are smaller than the largest by at most this factor
)

// Fit is the power law c·bodies^Exponent of one family and method, by least squares of the logarithms, over the three largest
// sizes and all others within a factor of ten of the largest. Smaller sizes are left out: there, terms of lower order hide the
// growth.
type Fit struct {
	Family   string   `json:"family"`
	Method   string   `json:"method"`
	Exponent *float64 `json:"exponent"` // nil with fewer than two sizes
	// ExponentError is the standard error of the exponent, from the residuals of the fit; nil with fewer than three sizes.
	ExponentError *float64 `json:"exponent_error"`
	PerBody       float64  `json:"ns_per_body"` // the fit at the largest size, per body; ns if the quantity is Time
}

// Fits returns one fit of a quantity, such as Time or Flops, for each family and method, in the order of the records.
func Fits(records []Record, quantity func(*Record) float64) []Fit {
	list := []Fit{}
	for _, group := range Groups(records) {
		list = append(list, fitOf(group, quantity))
	}
	return list
}

// Groups splits records by family and method, in the order in which each pair of these first appears.
func Groups(records []Record) [][]Record {
	var out [][]Record
	index := map[[2]string]int{}
	for _, r := range records {
		key := [2]string{r.Family, r.Method}
		i, ok := index[key]
		if !ok {
			i = len(out)
			index[key] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], r)
	}
	return out
}

// upperSizes returns the records that count in a fit (fitSizes, fitRange), the largest size first.
func upperSizes(records []Record) []Record {
	list := slices.SortedFunc(slices.Values(records), func(a, b Record) int { return b.Bodies - a.Bodies })
	n := min(fitSizes, len(list))
	for n < len(list) && fitRange*list[n].Bodies >= list[0].Bodies {
		n++
	}
	return list[:n]
}

// fitOf fits a quantity of the records of one family and method, of which there is at least one. With x = log bodies and
// y = log quantity, the line is y = my + slope·(x − mx), mx and my being the means.
func fitOf(records []Record, quantity func(*Record) float64) Fit {
	records = upperSizes(records)
	xs, ys := make([]float64, len(records)), make([]float64, len(records))
	var mx, my float64
	n := float64(len(records))
	for i := range records {
		xs[i], ys[i] = math.Log(float64(records[i].Bodies)), math.Log(quantity(&records[i]))
		mx, my = mx+xs[i]/n, my+ys[i]/n
	}
	var sxx, sxy float64
	for i, x := range xs {
		sxx += (x - mx) * (x - mx)
		sxy += (x - mx) * (ys[i] - my)
	}
	f := Fit{Family: records[0].Family, Method: records[0].Method}
	slope := 0.0
	if sxx > 0 {
		slope = sxy / sxx
		f.Exponent = &slope
	}
	if len(records) > 2 && sxx > 0 {
		var rest float64
		for i, x := range xs {
			r := ys[i] - my - slope*(x-mx)
			rest += r * r
		}
		deviation := math.Sqrt(rest / (n - 2) / sxx)
		f.ExponentError = &deviation
	}
	f.PerBody = math.Exp(my + slope*(xs[0]-mx) - xs[0])
	return f
}
