package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// rotation returns a matrix of three random orthonormal columns.
func rotation(r *rand.Rand) (E [9]float64) {
	unit := func(v [3]float64) [3]float64 {
		s := 1 / math.Sqrt(v[0]*v[0]+v[1]*v[1]+v[2]*v[2])
		return [3]float64{s * v[0], s * v[1], s * v[2]}
	}
	a := unit(vector(r))
	b := unit(cross(a, vector(r)))
	c := cross(a, b)
	for i := range 3 {
		E[3*i], E[3*i+1], E[3*i+2] = a[i], b[i], c[i]
	}
	return E
}

func vector(r *rand.Rand) [3]float64 {
	return [3]float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
}

// column returns column k of a matrix.
func column(E *[9]float64, k int) [3]float64 { return [3]float64{E[k], E[3+k], E[6+k]} }

// times returns E·v.
func times(E *[9]float64, v [3]float64) (u [3]float64) {
	for i := range 3 {
		u[i] = E[3*i]*v[0] + E[3*i+1]*v[1] + E[3*i+2]*v[2]
	}
	return u
}

func inner(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }

func minus(a, b [3]float64) [3]float64 { return [3]float64{a[0] - b[0], a[1] - b[1], a[2] - b[2]} }

// TestPinRows compares PinRows with its definition in world axes.
func TestPinRows(t *testing.T) {
	const tol = 1e-13 // some dozens of operations on numbers up to about ten
	eachVariant(t, func(t *testing.T, v variant) {
		r := newRand()
		for range 200 {
			EP, ES, axes := rotation(r), rotation(r), rotation(r)
			wp, ws, op, os, cp, cs := vector(r), vector(r), vector(r), vector(r), vector(r), vector(r)
			L := [6]float64{1 + r.Float64(), 1 + r.Float64(), 1 + r.Float64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}
			for _, kind := range []Pins{Ball, Hinge, {Force: 3, Moments: 3}, {Moment: 3, Moments: 1}} {
				n := kind.Rows()
				base, block := randomDense(r, n, 1, n, false), newDense(6, n, 6)
				scale, b := newDense(n, 1, n), newDense(n, 1, n)
				p := Pin{
					EP: &EP, ES: &ES, OmegaP: &wp, OmegaS: &ws, Axes: &axes, OriginP: &op, OriginS: &os,
					ComP: &cp, ComS: &cs, Weight: &L, Root: 0.5 + r.Float64(), Base: base.x,
				}
				pinRows(v, block.x, scale.x, b.x, &p, kind)
				block.requireGuards(t, nowhere, kind)
				scale.requireGuards(t, nowhere, kind)
				b.requireGuards(t, nowhere, kind)

				rP, rS := times(&EP, minus(op, cp)), times(&ES, minus(os, cs))
				bias := minus(cross(ws, cross(ws, rS)), cross(wp, cross(wp, rP)))
				row := func(at int, moment [3]float64, force [3]float64, right float64) {
					q, mS := [6]float64{}, [3]float64{}
					for i := range 3 { // to the axes of S
						mS[i] = inner(column(&ES, i), moment)
						q[3+i] = p.Root * inner(column(&ES, i), force)
					}
					q[0] = L[0] * mS[0]
					q[1] = L[3]*mS[0] + L[1]*mS[1]
					q[2] = L[4]*mS[0] + L[5]*mS[1] + L[2]*mS[2]
					norm := *base.at(at, 0)
					for c := range 6 {
						requireClose(t, q[c], *block.at(c, at), tol*(1+math.Abs(q[c])), "%v row %d column %d", kind, at, c)
						norm += q[c] * q[c]
					}
					require.InDelta(t, norm, *scale.at(at, 0), tol*(1+math.Abs(norm)), "%v row %d", kind, at)
					require.InDelta(t, right, *b.at(at, 0), tol*100, "%v row %d", kind, at)
				}
				for k := range 3 {
					a := times(&EP, column(&axes, k))
					row(kind.Force+k, cross(rS, a), a, -inner(a, bias))
					if k < kind.Moments {
						row(kind.Moment+k, a, [3]float64{}, -inner(a, cross(ws, wp)))
					}
				}
			}
		}
	})
}

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
