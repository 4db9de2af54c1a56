package objective

import (
	"math"
	"slices"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/mechanism"
)

// tieTol is the distance between two rows up to which both count as the extreme of a column, relative to its largest value or to the
// typical length of the bodies: rounding of a run, and less than the error of looking at rows only.
const tieTol = 1e-12

// ofExtreme is Kink.What of an extreme that several rows have.
const ofExtreme = "extreme"

// sample is a row at which a term takes the value of its column.
type sample struct {
	row   int
	datum float64 // measured value; 0 for other terms
}

// extremes reports whether some term is an extreme.
func (g *Problem) extremes() bool {
	return slices.ContainsFunc(g.terms, func(t *Term) bool { return t.Take == Min || t.Take == Max })
}

// addExtremes adds to list, by term, the row at which a column has its extreme. If several rows have it, as of a constant column, the first
// one counts, and the run has a kink, which is returned.
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
		at, others := 0, int64(-1) // others: rows near the extreme besides at
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
