package main

import "math"

// fit is the growth of one family and method: time = c·bodies^Exponent by
// least squares of the logarithms.
type fit struct {
	Family    string   `json:"family"`
	Method    string   `json:"method"`
	Exponent  *float64 `json:"exponent"`    // nil with fewer than two sizes
	NsPerBody float64  `json:"ns_per_body"` // of the fit, at the largest size
}

// fits returns one fit for each (family, method), in the order of the records.
func fits(records []record) []fit {
	list := []fit{}
	for _, group := range groups(records) {
		list = append(list, fitOf(group))
	}
	return list
}

// groups splits records by (family, method), in order.
func groups(records []record) [][]record {
	var out [][]record
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

// fitOf fits the records of one family and method; there is at least one.
func fitOf(records []record) fit {
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
	f := fit{Family: records[0].Family, Method: records[0].Method}
	slope := 0.0
	if sxx > 0 {
		slope = sxy / sxx
		f.Exponent = &slope
	}
	f.NsPerBody = math.Exp(my + slope*(largest-mx) - largest)
	return f
}

func logs(r *record) (x, y float64) {
	return math.Log(float64(r.Bodies)), math.Log(float64(max(r.TotalNs, 1)))
}
