package kernel

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestBlocks compares SubBlocks, SubBlocksT and SpreadBlocks with SubRows, SubRowsT
// and Transpose block by block.
func TestBlocks(t *testing.T) {
	eachVariant(t, func(t *testing.T, v variant) {
		r := newRand()
		for count := range 6 {
			for range 40 {
				w := randomDense(r, 6, 40, 6, false)
				x, y, res := randomDense(r, 6, 1, 6, false), randomDense(r, 30, 1, 30, false), randomDense(r, 30, 1, 30, false)
				x1, res1 := x.copy(), res.copy()
				var blocks []Block
				for range count {
					n := int32(r.IntN(7))
					at := int32(r.IntN(31 - int(n)))
					blocks = append(blocks, Block{W: 6 * int64(r.IntN(40-int(n))), Row: int32(r.IntN(31 - int(n))), Res: at, N: n})
					if r.IntN(3) == 0 {
						blocks[len(blocks)-1].Res = -1
					}
				}
				subBlocks(v, res.x, w.x, x.x, blocks)
				for _, b := range blocks {
					if n := int(b.N); b.Res >= 0 {
						subRowsPlain(res1.x[b.Res:][:n], w.x[b.W:], n, x.x)
					}
				}
				res.requireGuards(t, nowhere, blocks)
				for i := range res.x {
					require.InDelta(t, res1.x[i], res.x[i], 1e-13, "%+v row %d", blocks, i)
				}
				spread, spread1 := newDense(30, 6, 32), newDense(30, 6, 32)
				spreadBlocks(v, spread.x, 32, w.x, blocks)
				for _, b := range blocks {
					transposePlain(spread1.x[b.Row:], 32, w.x[b.W:], int(b.N))
				}
				requireSame(t, spread1, spread, blocks)
				subBlocksT(v, x.x, w.x, y.x, blocks)
				for _, b := range blocks {
					subRowsTPlain(x1.x, w.x[b.W:], int(b.N), y.x[b.Row:][:b.N])
				}
				x.requireGuards(t, nowhere, blocks)
				for i := range x.x {
					require.InDelta(t, x1.x[i], x.x[i], 1e-13, "%+v row %d", blocks, i)
				}
			}
		}
	})
}

// TestSolveLeaf compares SolveLeaf with SubBlocksT and SubBlocks, with and without residuals.
func TestSolveLeaf(t *testing.T) {
	eachVariant(t, func(t *testing.T, v variant) {
		r := newRand()
		for count := range 6 {
			for range 40 {
				w, b := randomDense(r, 6, 40, 6, false), randomDense(r, 6, 1, 6, false)
				y, res := randomDense(r, 30, 1, 30, false), randomDense(r, 30, 1, 30, false)
				x, squares := newDense(6, 1, 6), randomDense(r, 8, 1, 8, false)
				x1, res1, squares1 := b.copy(), res.copy(), squares.copy()
				var blocks []Block
				for range count {
					n := int32(r.IntN(7))
					blocks = append(blocks, Block{
						W: 6 * int64(r.IntN(40-int(n))), Row: int32(r.IntN(31 - int(n))), Res: int32(r.IntN(31 - int(n))), Node: int32(r.IntN(8)), N: n,
					})
					if r.IntN(3) == 0 {
						blocks[len(blocks)-1].Res = -1
					}
				}
				subBlocksT(v, x1.x, w.x, y.x, blocks)
				subBlocks(v, res1.x, w.x, x1.x, blocks)
				q := 0.0
				for _, c := range x1.x {
					q += c * c
				}
				for _, c := range blocks {
					if c.Res >= 0 {
						squares1.x[c.Node] += q
					}
				}
				require.InDelta(t, q, solveLeaf(v, x.x, b.x, w.x, y.x, nil, nil, blocks), 1e-13*q)
				requireSame(t, x1, x, blocks)
				require.InDelta(t, q, solveLeaf(v, b.x, b.x, w.x, y.x, res.x, squares.x, blocks), 1e-13*q)
				requireSame(t, x1, b, blocks)
				requireSame(t, res1, res, blocks)
				squares.requireGuards(t, nowhere, blocks)
				require.InDeltaSlice(t, squares1.x, squares.x, 1e-12*(1+q), blocks)
			}
		}
	})
}

// TestCorrectLeaf: CorrectLeaf adds to x what SolveLeaf stores for b = 0, with and without residuals.
func TestCorrectLeaf(t *testing.T) {
	eachVariant(t, func(t *testing.T, v variant) {
		r := newRand()
		for count := range 6 {
			for range 40 {
				w, x := randomDense(r, 6, 40, 6, false), randomDense(r, 6, 1, 6, false)
				y, res, squares := randomDense(r, 30, 1, 30, false), randomDense(r, 30, 1, 30, false), randomDense(r, 8, 1, 8, false)
				was, x1, res1, squares1 := x.copy(), x.copy(), res.copy(), squares.copy()
				var blocks []Block
				for range count {
					n := int32(r.IntN(7))
					blocks = append(blocks, Block{
						W: 6 * int64(r.IntN(40-int(n))), Row: int32(r.IntN(31 - int(n))), Res: int32(r.IntN(31 - int(n))), Node: int32(r.IntN(8)), N: n,
					})
					if r.IntN(3) == 0 {
						blocks[len(blocks)-1].Res = -1
					}
				}
				var change [6]float64
				step1 := solveLeaf(v, change[:], make([]float64, 6), w.x, y.x, nil, nil, blocks)
				size1 := 0.0
				for i, c := range change {
					x1.x[i] += c
					size1 += x1.x[i] * x1.x[i]
				}
				subBlocks(v, res1.x, w.x, x1.x, blocks)
				for _, c := range blocks {
					if c.Res >= 0 {
						squares1.x[c.Node] += size1
					}
				}
				for _, residuals := range []bool{false, true} {
					copy(x.x, was.x)
					to, sums := res.x, squares.x
					if !residuals {
						to, sums = nil, nil
					}
					step, size := correctLeaf(v, x.x, w.x, y.x, to, sums, blocks)
					require.Equal(t, step1, step, blocks)
					require.InDelta(t, size1, size, 1e-13*size1, blocks)
					requireSame(t, x1, x, blocks)
				}
				requireSame(t, res1, res, blocks)
				squares.requireGuards(t, nowhere, blocks)
				require.InDeltaSlice(t, squares1.x, squares.x, 1e-12*(1+size1), blocks)
			}
		}
	})
}
