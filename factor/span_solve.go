package factor

// eachPivot calls f with the scalar row and the scalar column of each row of R.
func (q *Span) eachPivot(f func(row, column int)) {
	for k := range q.fronts {
		out := &q.fronts[k]
		for i, c := range out.column[:out.kept] {
			f(int(out.slot[i]), int(c))
		}
	}
}

// solve replaces y by R⁻¹·y; both have an entry a column of W. In dependent columns the result is zero,
// and y is not read.
func (q *Span) solve(y []float64) {
	for k := len(q.fronts) - 1; k >= 0 && !q.watch.Every(k); k-- {
		f := &q.fronts[k]
		n, cols := int(f.kept), len(f.column)
		for c := n; c < n+int(f.dropped); c++ {
			y[f.column[c]] = 0
		}
		for i := n - 1; i >= 0; i-- {
			// Row i of R: its pivot, then the columns of the later pivots, then the columns below.
			row := f.r[i*cols : (i+1)*cols]
			sum := y[f.column[i]]
			for c := i + 1; c < cols; c++ {
				sum -= row[c] * y[f.column[c]]
			}
			y[f.column[i]] = sum / row[i]
		}
	}
}

// solveTransposed replaces y by R⁻ᵀ·y; both have an entry a column of W. In dependent columns the result is zero.
func (q *Span) solveTransposed(y []float64) {
	for k := range q.fronts {
		if q.watch.Every(k) {
			return
		}
		f := &q.fronts[k]
		n, cols := int(f.kept), len(f.column)
		for c := n; c < n+int(f.dropped); c++ {
			y[f.column[c]] = 0
		}
		for i := range n {
			row := f.r[i*cols : (i+1)*cols]
			x := y[f.column[i]] / row[i]
			y[f.column[i]] = x
			for c := i + 1; c < cols; c++ {
				y[f.column[c]] -= row[c] * x
			}
		}
	}
}
