//go:build !small

package picture

import "math"

const (
	// leastPart is the part of the height of a panel that each of its curves takes at least, if it has several.
	leastPart = 0.125
	// mostParts is the number of panels that one is split into at most.
	mostParts = 6
)

// split returns panels in place of those whose curves have ranges too different for one axis. Curves keep their order.
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

// part is curves with one axis.
type part struct {
	members     []Curve
	lo, hi      float64
	leastExtent float64 // of a curve that moves
}

// join adds a curve to the first part in which all curves still move visibly, or to a part of its own.
func join(parts []part, c Curve) []part {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, y := range c.Y {
		lo, hi = min(lo, y), max(hi, y)
	}
	extent := hi - lo
	if extent <= sameValues*max(math.Abs(lo), math.Abs(hi)) {
		extent = math.Inf(1) // it stands still, and may do so anywhere
	}
	best, least := 0, math.Inf(1)
	for i := range parts {
		p := &parts[i]
		axis := max(p.hi, hi) - min(p.lo, lo)
		moves := min(p.leastExtent, extent)
		if moves >= leastPart*axis || math.IsInf(moves, 1) {
			best, least = i, 0
			break
		}
		if grown := axis / moves; grown < least {
			best, least = i, grown
		}
	}
	if least > 0 && len(parts) < mostParts {
		return append(parts, part{[]Curve{c}, lo, hi, extent})
	}
	p := &parts[best]
	p.members, p.lo, p.hi, p.leastExtent = append(p.members, c), min(p.lo, lo), max(p.hi, hi), min(p.leastExtent, extent)
	return parts
}

// changes returns values less the first.
func changes(y []float64) []float64 {
	out := make([]float64, len(y))
	for i := range y {
		out[i] = y[i] - y[0]
	}
	return out
}
