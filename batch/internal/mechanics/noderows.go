package mechanics

// nodeRows are the rows of a node of the layout as they are evaluated: first the rows in the system, behind them the spare rows
// (docs/theory.md, "Spare rows"), of which only the residuals are checked.
type nodeRows struct {
	node         int32   // node of the system; −1 where all rows are spare
	bodies       []int32 // nodes of its bodies in the system
	blocks       []place // by entry of bodies
	right, scale place
	size, kept   int    // number of rows, and of the rows in the system
	at           []int8 // by row of the layout: its place; nil if rows stand in the order of the layout
	fullSpare    int    // number of spare rows up to the last that may have six numbers
}

// place returns the place of row i of the layout.
func (r *nodeRows) place(i int) int {
	if r.at == nil {
		return i
	}
	return int(r.at[i])
}

// run returns the number of rows from i on, n at most, that stand one behind the other.
func (r *nodeRows) run(i, n int) int {
	k := 1
	for k < n && r.place(i+k) == r.place(i)+k {
		k++
	}
	return k
}

// putBehind puts the spare rows, which are given in increasing order, behind the others.
func (r *nodeRows) putBehind(spare []int8) {
	if int(spare[0]) == r.kept {
		return // they are the last rows already
	}
	r.at = make([]int8, r.size)
	kept, last := 0, r.kept
	for i := range r.at {
		if n := last - r.kept; n < len(spare) && int(spare[n]) == i {
			r.at[i] = int8(last)
			last++
		} else {
			r.at[i] = int8(kept)
			kept++
		}
	}
}
