package lines

import (
	"fmt"

	"github.com/rung-mbd/rung/internal/tape/places"
)

// factor returns the instructions of the factorization and the solves.
func factor() (list []*Kernel) {
	add := func(name, doc string, body func(k *Kernel)) { define(&list, name, doc, body) }
	for _, zeroed := range []bool{false, true} {
		for r := 1; r <= 3; r++ {
			for c := 1; c <= 6; c++ {
				name, doc := fmt.Sprintf("Tile%dx%d", r, c), "subtracts B·Cᵀ from D, blocks with rows of N, into A: A and D have rows of F bytes."
				if zeroed {
					name, doc = fmt.Sprintf("Fresh%dx%d", r, c), "stores −B·Cᵀ, blocks with rows of N, in A with rows of F bytes."
				}
				add(name, doc, func(k *Kernel) { tile(k, r, c, zeroed) })
				list[len(list)-1].NoAVX2 = r == 3 && c > 4
			}
		}
	}
	const joint, wide = true, true
	for n := 1; n <= 6; n++ {
		doc := "factors the −1 block A into L·D·Lᵀ: B takes 1/D, C are the scales, D the record of pivots."
		add(fmt.Sprintf("Joint%d", n), doc, func(k *Kernel) { pivots(k, n, joint, wide) })
		narrow(list, func(k *Kernel) { pivots(k, n, joint, !wide) })
		add(fmt.Sprintf("Panel%d", n), "stores the N rows X = B·L⁻ᵀ in A, and X/D in E: C is L, D are the 1/D.", func(k *Kernel) {
			k.loop(func() {
				x := make([]Val, n)
				for j := range n {
					x[j] = k.ld(at('B', j))
					for i := range j {
						x[j] = k.fnma(x[i], at('C', j*n+i), x[j])
					}
					k.st(at('A', j), x[j])
					k.st(at('E', j), k.mul(x[j], at('D', j)))
				}
				k.step('A', n)
				k.step('B', n)
				k.step('E', n)
			})
		})
		backs(add, n)
	}
	for _, n := range []int{1, 2, 3, 6} { // groups and bodies
		doc := "factors the +1 block A: B takes 1/D, D the record of pivots."
		add(fmt.Sprintf("Mass%d", n), doc, func(k *Kernel) { pivots(k, n, !joint, wide) })
		narrow(list, func(k *Kernel) { pivots(k, n, !joint, !wide) })
	}
	uppers(add)
	add("Transpose", "stores in A, with rows of F bytes, the rows of N lanes that begin at B as one column: A[i] = B[i].", func(k *Kernel) {
		k.loop(func() {
			k.st(at('A', 0), k.ld(at('B', 0)))
			k.step('B', 1)
			k.stepL('A')
		})
	})
	add("Diagonal", "stores in A the negatives of N numbers: the first one is at B, the others follow F bytes apart.", func(k *Kernel) {
		k.loop(func() {
			k.st(at('A', 0), k.sub(k.null(), at('B', 0)))
			k.step('A', 1)
			k.stepL('B')
		})
	})
	judges(add)
	return list
}

// judges adds the instructions that compare residuals with the magnitudes of their terms.
func judges(add func(name, doc string, body func(k *Kernel))) {
	add("Judge", "compares N residuals B of rows with the magnitudes of their terms: C the right side, D the 1/D, E the scales. The squared sizes of the bodies are before B, and the multipliers six places behind it. A is the record.", func(k *Kernel) {
		t := k.pin(k.ld(at('B', -1)))
		big, worst, small := k.pin(k.ld(at('A', 0))), k.pin(k.ld(at('A', 1))), k.pin(k.ld(constant(square)))
		z := k.pin(k.null())
		k.loop(func() {
			r := k.ld(at('B', 0))
			q := k.mul(r, r)
			over := k.mul(q, k.sub(z, at('D', 0)))
			k.Lines = append(k.Lines, Line{Op: "most", Dst: big, Args: []any{big, over}, InPlace: true})
			c := k.ld(at('C', 0))
			load := k.mul(k.ld(at('E', 0)), at('B', 6))
			terms := k.fma(load, load, k.fma(c, c, k.mul(t, at('E', 0))))
			k.Lines = append(k.Lines, Line{Op: "most", Dst: worst, Args: []any{worst, k.fnma(terms, small, q)}, InPlace: true})
			k.step('B', 1)
			k.step('C', 1)
			k.step('D', 1)
			k.step('E', 1)
		})
		k.st(at('A', 0), big)
		k.st(at('A', 1), worst)
	})
	doc := "compares N residuals B of spare rows with a part of their terms: E is the part, then its square, C the right side, D the scales, " +
		"before B the sum of the norms of the bodies. A is the largest excess of squares."
	add("Spare", doc, func(k *Kernel) {
		t, worst := k.ld(at('B', -1)), k.pin(k.ld(at('A', 0)))
		part, z := k.pin(k.ld(at('E', 0))), k.pin(k.null())
		most, bad := k.pin(k.mul(k.mul(t, t), at('E', 1))), k.pin(k.null())
		k.loop(func() {
			// |r| ≤ part·(|c| + √d·t), without the root. The sum of 0·r is NaN if a residual r is not finite.
			r := k.ld(at('B', 0))
			k.gather("fma", bad, z, r)
			left := k.max(k.fnma(k.abs(k.ld(at('C', 0))), part, k.abs(r)), z)
			k.Lines = append(k.Lines, Line{Op: "most", Dst: worst, Args: []any{worst, k.fnma(most, at('D', 0), k.mul(left, left))}, InPlace: true})
			k.step('B', 1)
			k.step('C', 1)
			k.step('D', 1)
		})
		k.st(at('A', 0), k.add(worst, bad))
	})
	add("Roots", "stores the roots of N lanes B in A.", func(k *Kernel) {
		k.loop(func() {
			k.st(at('A', 0), k.sqrt(k.ld(at('B', 0))))
			k.step('A', 1)
			k.step('B', 1)
		})
	})
}

// uppers adds the products with L⁻ᵀ for 2 to 6 rows. For one row, L is 1.
func uppers(add func(name, doc string, body func(k *Kernel))) {
	for n := 2; n <= 6; n++ {
		add(fmt.Sprintf("Upper%d", n), "stores L⁻ᵀ·A in A: C is L.", func(k *Kernel) {
			x := k.vec(at('A', 0), n)
			for j := n - 1; j >= 0; j-- {
				for i := j + 1; i < n; i++ {
					x[j] = k.fnma(x[i], at('C', i*n+j), x[j])
				}
			}
			k.put(at('A', 0), x...)
		})
	}
}

// backs adds the products with a transposed block whose rows have n numbers.
func backs(add func(name, doc string, body func(k *Kernel)), n int) {
	doc := "stores D − Bᵀ·C in A: B has N rows."
	add(fmt.Sprintf("Back%d", n), doc, func(k *Kernel) { back(k, n, 1) })
	doc += " There are two vectors A, C and D, one behind the other."
	add(fmt.Sprintf("TwoBack%d", n), doc, func(k *Kernel) { back(k, n, 2) })
}

// back writes Back for one vector, or TwoBack for two.
func back(k *Kernel, n, vectors int) {
	acc := make([]Val, vectors*n)
	for i := range acc {
		acc[i] = k.pin(k.ld(at('D', i)))
	}
	k.loop(func() {
		x := make([]Val, vectors)
		for v := range x {
			x[v] = k.ld(at('C', 0).row('K', v))
		}
		for i := range n {
			for v := range x {
				k.gather("fnma", acc[v*n+i], x[v], at('B', i))
			}
		}
		k.step('B', n)
		k.step('C', 1)
	})
	k.put(at('A', 0), acc...)
}

// tile writes the product of r rows and c rows of N numbers each. It subtracts the product from D, or from zeros if zeroed is set.
func tile(k *Kernel, r, c int, zeroed bool) {
	acc := make([][]Val, r)
	for i := range acc {
		acc[i] = make([]Val, c)
		for j := range acc[i] {
			if zeroed {
				acc[i][j] = k.pin(k.null())
			} else {
				acc[i][j] = k.pin(k.ld(at('D', j).row('L', i)))
			}
		}
	}
	k.loop(func() {
		b := make([]Val, r)
		for i := range b {
			b[i] = k.ld(at('B', 0).row('K', i))
		}
		for j := range c {
			var x any = at('C', 0).row('K', j)
			if r > 1 {
				x = k.ld(x.(Mem))
			}
			for i := range r {
				k.gather("fnma", acc[i][j], b[i], x)
			}
		}
		k.step('B', 1)
		k.step('C', 1)
	})
	for i := range acc {
		for j := range acc[i] {
			k.st(at('A', j).row('L', i), acc[i][j])
		}
	}
}

// pivotRecord has the numbers of the record D that a factorization of a block raises: the first three of a joint, the last of a body.
type pivotRecord struct{ over, doubt, weakRows, body Val }

// weighJoint returns 1/d for row j of a −1 block, whose pivot is p: d = p, or p − scale if the row is weak, −p ≤ 1e3·ε·scale. It stores 1/d
// in B and adds to the record.
func (rec *pivotRecord) weighJoint(k *Kernel, j int, p Val) (inv Val) {
	s := k.ld(at('C', j))
	limit := k.sub(k.null(), k.mul(s, constant(weak)))
	d := k.more(limit, p, p, k.sub(p, s))
	inv = k.div(constant(one), d)
	isWeak := k.more(limit, p, k.null(), constant(one))
	k.st(at('B', j), inv)
	// The largest quotient of scale and pivot, and, among weak rows, of pivot and scale.
	rec.over = k.max(k.mul(k.sub(k.null(), inv), s), rec.over)
	rec.doubt = k.max(k.mul(isWeak, k.abs(k.mul(p, inv))), rec.doubt)
	rec.weakRows = k.add(isWeak, rec.weakRows)
	return inv
}

// weighBody is weighJoint for a +1 block, where d = p.
func (rec *pivotRecord) weighBody(k *Kernel, j int, p Val) (inv Val) {
	inv = k.div(constant(one), p)
	k.st(at('B', j), inv)
	rec.body = k.max(k.abs(k.sub(inv, constant(half))), rec.body)
	return inv
}

// pivots writes the factorization of the lower triangle of a block of n rows, in place: column j of L is x/d with x the column that is
// left, and x·xᵀ/d is subtracted from the rest. joint is set for a −1 block. If wide is set, the whole triangle is in registers.
func pivots(k *Kernel, n int, joint, wide bool) {
	load, store := func(r, c int) Val { return k.ld(at('A', r*n+c)) }, func(r, c int, v Val) { k.st(at('A', r*n+c), v) }
	if wide {
		held := make([]Val, n*n)
		for r := range n {
			for c := range r + 1 {
				held[r*n+c] = k.ld(at('A', r*n+c))
			}
		}
		load, store = func(r, c int) Val { return held[r*n+c] }, func(r, c int, v Val) { held[r*n+c] = v }
	}
	var rec pivotRecord
	weigh := rec.weighBody
	if joint {
		rec.over, rec.doubt, rec.weakRows = k.ld(at('D', places.OverPivot)), k.ld(at('D', places.Doubt)), k.ld(at('D', places.WeakRows))
		weigh = rec.weighJoint
	} else {
		rec.body = k.ld(at('D', places.BodyPivot))
	}
	for j := range n {
		p, x := load(j, j), make([]Val, n)
		inv := weigh(k, j, p)
		if wide {
			store(j, j, p)
			k.st(at('A', j*n+j), p)
		}
		for r := j + 1; r < n; r++ {
			x[r] = load(r, j)
			if r == j+1 { // the next pivot first, directly from x
				store(r, r, k.fnma(k.mul(x[r], x[r]), inv, load(r, r)))
			}
			l := k.mul(x[r], inv)
			for c := j + 1; c <= r; c++ {
				if c != j+1 || r != c {
					store(r, c, k.fnma(l, x[c], load(r, c)))
				}
			}
			k.st(at('A', r*n+j), l)
		}
	}
	if joint {
		k.put(at('D', places.OverPivot), rec.over, rec.doubt, rec.weakRows)
	} else {
		k.st(at('D', places.BodyPivot), rec.body)
	}
}
