package objective

import (
	"math"
	"slices"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/mechanism"
)

// tieTol is the distance of a row from the extreme of a column, relative to the largest value at a row or the typical length of the bodies,
// from which on both are it: rounding of a run, and less than what happens to be between two rows.
const tieTol = 1e-12

// ofExtreme is what Kink.What says of an extreme that several rows take.
const ofExtreme = "extreme"

// sample is where a term takes its column.
type sample struct {
	row   int
	datum float64
}

// extremes reports whether a term is an extreme.
func (g *Problem) extremes() bool {
	return slices.ContainsFunc(g.terms, func(t *Term) bool { return t.Take == Min || t.Take == Max })
}

// addExtremes adds to a list, by term, the row at which a column has its extreme. Where others have it, too, as of a column that stays the
// same, the first one counts, and the run has a kink, which is returned.
func (g *Problem) addExtremes(list [][]sample, rows []*mechanism.State, f *field) (ties []Kink, err error) {
	values := make([][]float64, len(g.terms))
	for _, st := range rows {
		if err := f.d.At(st); err != nil {
			return nil, err
		}
		for i, t := range g.terms {
			switch x := f.d.OutputValue(g.outputs[i]); t.Take {
			case Min:
				values[i] = append(values[i], x)
			case Max:
				values[i] = append(values[i], -x)
			}
		}
	}
	for i, of := range values {
		if len(of) == 0 {
			continue
		}
		at, others := 0, int64(-1)
		for row, x := range of {
			if x < of[at] || math.IsNaN(x) {
				at = row
			}
		}
		near := tieTol * max(algebra.MaxAbs(of), min(1, g.mech.TypicalLength()))
		for _, x := range of {
			if x-of[at] <= near {
				others++
			}
		}
		if list[i] = []sample{{row: at}}; others > 0 {
			ties = append(ties, Kink{Name: g.terms[i].Name, What: ofExtreme, Count: others})
		}
	}
	return ties, nil
}
