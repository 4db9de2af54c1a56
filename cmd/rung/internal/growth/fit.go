package growth

import (
	"math"
	"slices"
)

const (
	fitSizes = 3  // a fit takes at least so many sizes, from the largest down, and
	fitRange = 10 // all that are not smaller than the largest by more than this
)

// Fit is the growth of one family and method: time = c·bodies^Exponent, by least squares of the
// logarithms, over the upper sizes. At the lower sizes, terms that grow slowly hide those that
// will grow fast.
type Fit struct {
	Family    string   `json:"family"`
	Method    string   `json:"method"`
	Exponent  *float64 `json:"exponent"`    // nil with fewer than two sizes
	NsPerBody float64  `json:"ns_per_body"` // of the fit, at the largest size
}

// fits returns one fit for each (family, method), in the order of the records.
func fits(records []Record) []Fit {
	list := []Fit{}
	for _, group := range groups(records) {
		list = append(list, fitOf(group))
	}
	return list
}

// groups splits records by (family, method), in order.
func groups(records []Record) [][]Record {
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

// upperSizes returns the records that count in a fit, the largest first.
func upperSizes(records []Record) []Record {
	list := slices.SortedFunc(slices.Values(records), func(a, b Record) int { return b.Bodies - a.Bodies })
	n := min(fitSizes, len(list))
	for n < len(list) && fitRange*list[n].Bodies >= list[0].Bodies {
		n++
	}
	return list[:n]
}

// fitOf fits the records of one family and method; there is at least one.
func fitOf(records []Record) Fit {
	records = upperSizes(records)
	var mx, my, largest float64
	n := float64(len(records))
	for i := range records {
		x, y := logs(&records[i])
		mx, my, largest = mx+x/n, my+y/n, max(largest, x)
	}
	var sxx, sxy float64
	for i := range records {
		x, y := logs(&records[i])
		sxx += (x - mx) * (x - mx)
		sxy += (x - mx) * (y - my)
	}
	f := Fit{Family: records[0].Family, Method: records[0].Method}
	slope := 0.0
	if sxx > 0 {
		slope = sxy / sxx
		f.Exponent = &slope
	}
	f.NsPerBody = math.Exp(my + slope*(largest-mx) - largest)
	return f
}

func logs(r *Record) (x, y float64) {
	return math.Log(float64(r.Bodies)), math.Log(float64(max(r.TotalNs, 1)))
}

// Crossover says from how many bodies on the sparse method is faster than
// another one on a family.
type Crossover struct {
	Family string   `json:"family"`
	Method string   `json:"method"`
	Bodies *float64 `json:"bodies"` // nil where the sparse method is not faster at any size
	Always bool     `json:"always"` // the sparse method is faster at the smallest size already, which is Bodies
}

// crossovers compares the sparse method with the others, family by family.
func crossovers(records []Record) []Crossover {
	list := []Crossover{}
	all := groups(records)
	for _, sparse := range all {
		if sparse[0].Method != sparseMethod {
			continue
		}
		for _, other := range all {
			if other[0].Family == sparse[0].Family && other[0].Method != sparseMethod {
				if c, ok := crossoverOf(sparse, other); ok {
					list = append(list, c)
				}
			}
		}
	}
	return list
}

// crossoverOf finds the last change from slower to faster over the sizes that
// both were measured at, and interpolates between logarithms. It reports false
// if there is no such size.
func crossoverOf(sparse, other []Record) (Crossover, bool) {
	c := Crossover{Family: other[0].Family, Method: other[0].Method}
	at := map[int]int64{}
	for i := range sparse {
		at[sparse[i].Bodies] = sparse[i].TotalNs
	}
	var lastX, lastY float64
	seen := false
	for i := range other {
		ns, ok := at[other[i].Bodies]
		if !ok {
			continue
		}
		x := math.Log(float64(other[i].Bodies))
		y := math.Log(float64(max(ns, 1)) / float64(max(other[i].TotalNs, 1))) // below 0: sparse is faster
		switch {
		case y < 0 && !seen:
			first := math.Exp(x)
			c.Bodies, c.Always = &first, true
		case y < 0 && lastY >= 0:
			cross := math.Exp(lastX + (x-lastX)*lastY/(lastY-y))
			c.Bodies, c.Always = &cross, false
		case y >= 0:
			c.Bodies, c.Always = nil, false
		}
		lastX, lastY, seen = x, y, true
	}
	return c, seen
}
