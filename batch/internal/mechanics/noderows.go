package mechanics

// nodeRows are the rows of a node of the layout as they are evaluated: those of the system, and behind them those that are spare
// (docs/theory.md, "Spare rows"), which are only asked whether they hold.
type nodeRows struct {
	node         int32   // of the system; −1 where all rows are spare
	bodies       []int32 // nodes of the system
	blocks       []place // of these
	right, scale place
	size, kept   int    // rows, and how many of them are in the system
	at           []int8 // where each row of the layout stands; nil where each is at its place
	fullSpare    int    // spare rows up to the last that may have six numbers
}

// place returns where row i of the layout stands.
func (r *nodeRows) place(i int) int {
	if r.at == nil {
		return i
	}
	return int(r.at[i])
}

// run returns how many of n rows from i on stand one behind the other.
func (r *nodeRows) run(i, n int) int {
	k := 1
	for k < n && r.place(i+k) == r.place(i)+k {
		k++
	}
	return k
}

// putBehind puts spare rows, increasing, behind the others.
func (r *nodeRows) putBehind(spare []int8) {
	if int(spare[0]) == r.kept {
		return // there they stand
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
