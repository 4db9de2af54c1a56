package growth

import (
	"math"
)

// Crossover is the number of bodies from which on the sparse method is faster than another method on a family.
type Crossover struct {
	Family string   `json:"family"`
	Method string   `json:"method"`
	Bodies *float64 `json:"bodies"` // nil if the sparse method is not faster at the largest size
	Always bool     `json:"always"` // the sparse method is faster at all sizes; Bodies is then the smallest one
}

// crossovers compares the sparse method with each other method, family by family.
func crossovers(records []Record) []Crossover {
	list := []Crossover{}
	all := Groups(records)
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

// crossoverOf returns the last change from slower to faster over the sizes at which both methods were measured, interpolated between
// logarithms. It returns false if there is no such size.
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

// Comparison is the sparse method against the fastest other one on a single model.
type Comparison struct {
	Model  string  `json:"model"`
	Method string  `json:"method"` // the fastest other method
	Ratio  float64 `json:"ratio"`  // the time of the sparse method over the time of the other one
}

// comparisons compares the sparse method with the fastest other one on every single model that was measured by both.
func comparisons(records []Record) (list []Comparison) {
	for i := range records {
		sparse := &records[i]
		if !sparse.single || sparse.Method != sparseMethod {
			continue
		}
		var best *Record
		for k := range records {
			r := &records[k]
			if r.single && r.Family == sparse.Family && r.Method != sparseMethod && (best == nil || r.TotalNs < best.TotalNs) {
				best = r
			}
		}
		if best != nil {
			list = append(list, Comparison{sparse.Family, best.Method, float64(sparse.TotalNs) / float64(max(best.TotalNs, 1))})
		}
	}
	return list
}
