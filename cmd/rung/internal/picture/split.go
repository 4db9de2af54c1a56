//go:build !small

package picture

import "math"

const (
	// leastPart is the least extent of a curve that moves, relative to the axis of its panel.
	leastPart = 0.125
	// mostParts is the largest number of panels into which one is split.
	mostParts = 6
)

// split returns the panels, with several in place of each one whose curves have ranges too different for one axis. Logarithmic panels are
// not split.
func split(panels []Panel) (list []Panel) {
	for i := range panels {
		p := &panels[i]
		if p.Log {
			list = append(list, *p)
			continue
		}
		var parts []part
		for _, c := range p.Curves {
			if p.Changes {
				c.Y = changes(c.Y)
			}
			parts = join(parts, c)
		}
		for k := range parts {
			list = append(list, Panel{Label: p.Label, Curves: parts[k].members})
		}
	}
	return list
}

// part is a group of curves with one axis.
type part struct {
	members     []Curve
	lo, hi      float64 // range of all
	leastExtent float64 // of the curves that are not constant; infinite: there is none
}

// join adds a curve to the first part on whose axis all curves are still visibly not constant. If there is none, the curve gets a part of
// its own or, with mostParts parts, is added to the part with the best ratio of least extent to axis.
func join(parts []part, c Curve) []part {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, y := range c.Y {
		lo, hi = min(lo, y), max(hi, y)
	}
	extent := hi - lo
	if extent <= sameValues*max(math.Abs(lo), math.Abs(hi)) {
		extent = math.Inf(1) // a constant fits on any axis
	}
	best, least := 0, math.Inf(1) // the best part, and its ratio of axis to extent; 0: the curve fits there
	for i := range parts {
		p := &parts[i]
		axis := max(p.hi, hi) - min(p.lo, lo)
		smallest := min(p.leastExtent, extent)
		if smallest >= leastPart*axis || math.IsInf(smallest, 1) {
			best, least = i, 0
			break
		}
		if ratio := axis / smallest; ratio < least {
			best, least = i, ratio
		}
	}
	if least > 0 && len(parts) < mostParts {
		return append(parts, part{[]Curve{c}, lo, hi, extent})
	}
	p := &parts[best]
	p.members, p.lo, p.hi, p.leastExtent = append(p.members, c), min(p.lo, lo), max(p.hi, hi), min(p.leastExtent, extent)
	return parts
}

// changes returns values minus the first of them.
func changes(y []float64) []float64 {
	out := make([]float64, len(y))
	for i := range y {
		out[i] = y[i] - y[0]
	}
	return out
}
