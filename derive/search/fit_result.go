package search

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// fitFormat is the format of a FitResult.
const fitFormat = "rung-fit/1"

// FitResult is the result of a fit, a document of rung-fit/1.
type FitResult struct {
	Format     string         `json:"format"`
	Name       string         `json:"name"`
	Status     Status         `json:"status"`
	Reason     string         `json:"reason,omitempty"` // why the last trial of a stalled search failed
	Parameters []FitParameter `json:"parameters"`
	// Correlation is the correlation of the parameters; null if one of the two is not determined.
	Correlation [][]*float64 `json:"correlation"`
	// Unidentified lists the combinations of parameters that do not influence the data, each by the names of its parameters.
	Unidentified [][]string  `json:"unidentified"`
	Residual     FitResidual `json:"residual"`
	Iterations   []Iteration `json:"iterations"`
}

// FitParameter is a parameter at the end of a fit.
type FitParameter struct {
	Name  string  `json:"name"`
	Path  string  `json:"path"`
	Start float64 `json:"start"`
	Value float64 `json:"value"`
	// Deviation is the standard deviation of the value, theory.md (V12); null if the data do not determine the value, or a bound does.
	Deviation *float64 `json:"deviation"`
	AtBound   bool     `json:"at_bound"`
}

// FitResidual says how well the data are met.
type FitResidual struct {
	RMS   float64 `json:"rms"`  // √(chi2/count)
	Chi2  float64 `json:"chi2"` // the sum of the squared misfits
	Count int     `json:"count"`
	// Sigma is the factor of the deviations of the data: 1 if all are known, else it is estimated from the residuals.
	Sigma float64 `json:"sigma"`
}

// nameTol is the least coefficient of a parameter in a combination, relative to the largest one, with which the parameter is named: the
// rounding of null vectors is smaller.
const nameTol = 1e-4

// result returns the result at the last iterate, or at f.ahead.
func (f *fit) result(status Status, past []Iteration) (*FitResult, error) {
	o := f.p.Objective()
	n, list := len(f.x), f.free()
	r := &FitResult{Format: fitFormat, Name: f.p.Model().Name, Status: status, Unidentified: [][]string{}, Iterations: past}
	if status == Stalled {
		r.Reason = f.why
	}
	s, rank, err := f.columns(list)
	if err != nil {
		return nil, err
	}
	r.Residual = FitResidual{RMS: math.Sqrt(2 * f.value / float64(len(f.r))), Chi2: 2 * f.value, Count: len(f.r), Sigma: 1}
	// The expectation of chi² is sigma² times the number of residuals less the rank.
	if freedom := len(f.r) - rank; !sigmasKnown(f) && freedom > 0 {
		r.Residual.Sigma = math.Sqrt(2 * f.value / float64(freedom))
	}
	unknown := f.setUnidentified(r, list, s, rank)
	C, x := f.covariance(list, s, rank), f.x
	// At f.ahead misfits are smaller than at the last iterate, but there are no slopes.
	if f.ahead != nil {
		x = f.ahead
		f.withoutSlopes(r, unknown)
	}
	r.Correlation = make([][]*float64, n)
	start := f.p.Values()
	for k := range n {
		p := FitParameter{Name: o.Parameters[k].Name, Path: o.Parameters[k].Paths[0], Start: start[k], Value: x[k]}
		p.AtBound = f.box.at(k, x[k]) != 0
		if p.AtBound && status == Converged {
			r.Status = AtBounds
		}
		r.Correlation[k] = make([]*float64, n)
		free := func(k int) bool { return !unknown[k] && slices.Contains(list, k) }
		if free(k) {
			deviation := math.Sqrt(C.At(k, k)) * r.Residual.Sigma
			p.Deviation = &deviation
			for j := range n {
				if free(j) {
					x := C.At(k, j) / math.Sqrt(C.At(k, k)*C.At(j, j))
					r.Correlation[k][j] = &x
				}
			}
		}
		r.Parameters = append(r.Parameters, p)
	}
	return r, nil
}

// setUnidentified adds to r the names of parameters without effect on the residuals, each alone, and of combinations without effect of
// the parameters in list. It returns, by parameter, whether it is in any of these. s and rank are the result of columns.
func (f *fit) setUnidentified(r *FitResult, list []int, s *mat.SVD, rank int) (unknown []bool) {
	o := f.p.Objective()
	unknown = slices.Clone(f.idle)
	for k, idle := range f.idle {
		if idle {
			r.Unidentified = append(r.Unidentified, []string{o.Parameters[k].Name})
		}
	}
	for _, row := range nullRows(s, rank, len(list)) {
		var names []string
		for j, x := range row {
			if math.Abs(x) > nameTol {
				names, unknown[list[j]] = append(names, o.Parameters[list[j]].Name), true
			}
		}
		r.Unidentified = append(r.Unidentified, names)
	}
	return unknown
}

// withoutSlopes changes r to the result at f.ahead, where only the values of the parameters are known.
func (f *fit) withoutSlopes(r *FitResult, unknown []bool) {
	r.Unidentified = [][]string{}
	for k := range unknown {
		unknown[k] = true
	}
	r.Residual = FitResidual{RMS: math.Sqrt(2 * f.trial / float64(len(f.r))), Chi2: 2 * f.trial, Count: len(f.r), Sigma: 1}
}

// sigmasKnown reports whether all terms give the deviation of their data.
func sigmasKnown(f *fit) bool {
	o := f.p.Objective()
	for i := range o.Terms {
		if o.Terms[i].Sigma == 0 {
			return false
		}
	}
	for i := range o.Runs {
		for j := range o.Runs[i].Terms {
			if o.Runs[i].Terms[j].Sigma == 0 {
				return false
			}
		}
	}
	return true
}

// covariance returns (JᵀJ)⁻¹ for the free parameters in list, without combinations that have no influence, theory.md (V12). s and rank are
// the result of columns.
func (f *fit) covariance(list []int, s *mat.SVD, rank int) *mat.Dense {
	C := mat.NewDense(len(f.x), len(f.x), nil)
	if len(list) == 0 {
		return C
	}
	var V mat.Dense
	s.VTo(&V)
	values := s.Values(nil)
	for a, k := range list {
		for b, l := range list {
			sum := 0.0
			for i := range rank {
				sum += V.At(a, i) * V.At(b, i) / (values[i] * values[i])
			}
			C.Set(k, l, sum/(f.scale[k]*f.scale[l]))
		}
	}
	return C
}

// nullRows returns a basis of the combinations of n parameters without influence: the echelon form of the null vectors. Each has a
// parameter that the others lack, so combinations of few parameters show.
func nullRows(s *mat.SVD, rank, n int) [][]float64 {
	if rank == n {
		return nil
	}
	var V mat.Dense
	s.VTo(&V)
	rows := make([][]float64, n-rank)
	for i := range rows {
		rows[i] = mat.Col(nil, rank+i, &V)
	}
	for i := range rows {
		// The largest entry of the remaining rows is the next pivot.
		at, column := i, 0
		for j := i; j < len(rows); j++ {
			for c, x := range rows[j] {
				if math.Abs(x) > math.Abs(rows[at][column]) {
					at, column = j, c
				}
			}
		}
		rows[i], rows[at] = rows[at], rows[i]
		pivot := rows[i][column]
		for c := range rows[i] {
			rows[i][c] /= pivot
		}
		for j := range rows {
			if j == i {
				continue
			}
			by := rows[j][column]
			for c := range rows[j] {
				rows[j][c] -= by * rows[i][c]
			}
		}
	}
	return rows
}
