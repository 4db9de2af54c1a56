package kernel

// Block is a block of rows of six numbers in a vector w, and the places of its rows in two
// vectors y and r.
type Block struct {
	W    int64 // index of its first number in w
	Row  int32 // index of its first row in y
	Res  int32 // index of its first row in r; negative if the rows have no place in r
	Node int32 // index in squares of SolveLeaf and CorrectLeaf
	N    int32 // number of rows
}

// SubBlocksT subtracts from x the products of transposed blocks and a vector,
//
//	x[c] −= Σ_blocks Σ_a w[W+6a+c]·y[Row+a],  0 ≤ a < N, 0 ≤ c < 6.
//
// Shapes: x has length 6.
// Cost: 12 operations a row, no allocation.
func SubBlocksT(x, w, y []float64, blocks []Block) {
	if checking {
		assertBlocks(x, w, y, nil, blocks)
	}
	subBlocksT(active, x, w, y, blocks)
}

// SubBlocks subtracts from r the products of blocks and one vector,
//
//	r[Res+a] −= Σ_c w[W+6a+c]·x[c],  0 ≤ a < N, 0 ≤ c < 6,
//
// for the blocks that have a place in r.
//
// Shapes: x has length 6.
// Cost: 12 operations a row, no allocation.
func SubBlocks(r, w, x []float64, blocks []Block) {
	if checking {
		assertBlocks(x, w, nil, r, blocks)
	}
	subBlocks(active, r, w, x, blocks)
}

// SolveLeaf solves for six unknowns and completes the residuals of the rows that couple them:
//
//	x[c] = b[c] − Σ_blocks Σ_a w[W+6a+c]·y[Row+a],  0 ≤ a < N, 0 ≤ c < 6,
//
// then it calls SubBlocks with x and adds ‖x‖² to squares[Node] of each block that has a place in r. It returns ‖x‖². If r is nil, it
// only computes x.
//
// Shapes: x and b have length 6, and may be the same.
// Cost: 24 operations a row, no allocation.
func SolveLeaf(x, b, w, y, r, squares []float64, blocks []Block) float64 {
	if checking {
		assertBlocks(x, w, y, nil, blocks)
		assertBlocks(b, w, y, nil, blocks)
		if r != nil {
			assertBlocks(x, w, nil, r, blocks)
		}
	}
	return solveLeaf(active, x, b, w, y, r, squares, blocks)
}

// CorrectLeaf adds to x what SolveLeaf would store for b = 0,
//
//	x[c] −= Σ_blocks Σ_a w[W+6a+c]·y[Row+a],  0 ≤ a < N, 0 ≤ c < 6,
//
// and returns the square of what it has added, and ‖x‖² afterwards. If r is not nil, it then calls SubBlocks with x and adds ‖x‖² to
// squares, as SolveLeaf does.
//
// Shapes: x has length 6 and does not overlap y, r and squares.
// Cost: 24 operations a row, no allocation.
func CorrectLeaf(x, w, y, r, squares []float64, blocks []Block) (step, size float64) {
	if checking {
		assertBlocks(x, w, y, nil, blocks)
		if r != nil {
			assertBlocks(x, w, nil, r, blocks)
		}
	}
	return correctLeaf(active, x, w, y, r, squares, blocks)
}

// SpreadBlocks stores blocks by columns,
//
//	dst[Row+a+c·ld] = w[W+6a+c],  0 ≤ a < N, 0 ≤ c < 6.
//
// Shapes: dst has six columns.
// Cost: 6 copies a row, no allocation.
func SpreadBlocks(dst []float64, ld int, w []float64, blocks []Block) {
	if checking {
		assertSpread(dst, ld, w, blocks)
	}
	spreadBlocks(active, dst, ld, w, blocks)
}

// spreadBlocksPlain is SpreadBlocks in Go.
func spreadBlocksPlain(dst []float64, ld int, w []float64, blocks []Block) {
	for i := range blocks {
		b := &blocks[i]
		transposePlain(dst[b.Row:], ld, w[b.W:], int(b.N))
	}
}

// subBlocksTPlain is SubBlocksT in Go.
func subBlocksTPlain(x, w, y []float64, blocks []Block) {
	for i := range blocks {
		b := &blocks[i]
		n := int(b.N)
		subRowsTPlain(x, w[b.W:], n, y[b.Row:][:n])
	}
}

// subBlocksPlain is SubBlocks in Go.
func subBlocksPlain(r, w, x []float64, blocks []Block) {
	for i := range blocks {
		if b := &blocks[i]; b.Res >= 0 {
			n := int(b.N)
			subRowsPlain(r[b.Res:][:n], w[b.W:], n, x)
		}
	}
}

// solveLeafPlain is SolveLeaf in Go.
func solveLeafPlain(x, b, w, y, r, squares []float64, blocks []Block) float64 {
	copy(x, b[:6])
	subBlocksTPlain(x, w, y, blocks)
	q := squareSix(x)
	leafResiduals(x, w, r, squares, q, blocks)
	return q
}

// correctLeafPlain is CorrectLeaf in Go.
func correctLeafPlain(x, w, y, r, squares []float64, blocks []Block) (step, size float64) {
	var v [6]float64
	subBlocksTPlain(v[:], w, y, blocks)
	for i := range v {
		x[i] += v[i]
	}
	step, size = squareSix(v[:]), squareSix(x)
	leafResiduals(x, w, r, squares, size, blocks)
	return step, size
}

// squareSix returns the square of six numbers.
func squareSix(x []float64) float64 {
	return (x[0]*x[0] + x[1]*x[1] + x[2]*x[2]) + (x[3]*x[3] + x[4]*x[4] + x[5]*x[5])
}

// leafResiduals calls SubBlocks with x, and adds q to squares[Node] of each block that has a place in r. It does nothing if r is nil.
func leafResiduals(x, w, r, squares []float64, q float64, blocks []Block) {
	if r == nil {
		return
	}
	subBlocksPlain(r, w, x, blocks)
	for i := range blocks {
		if k := &blocks[i]; k.Res >= 0 {
			squares[k.Node] += q
		}
	}
}
