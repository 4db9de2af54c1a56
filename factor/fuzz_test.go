package factor_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/sparsetest"
	"github.com/rung-mbd/rung/sparse"
)

// tape reads numbers from the bytes of a fuzz input; after the end all are zero.
type tape struct {
	data []byte
	wild bool // a number was not finite, or of another order than the others
}

func (r *tape) next() int {
	if len(r.data) == 0 {
		return 0
	}
	x := r.data[0]
	r.data = r.data[1:]
	return int(x)
}

// number returns a multiple of 1/16 up to 8, or seldom something extreme.
func (r *tape) number() float64 {
	x := r.next()
	if x != 128 {
		return float64(int8(x)) / 16
	}
	r.wild = true
	extreme := [...]float64{math.NaN(), math.Inf(1), math.Inf(-1), 0x1p20, -0x1p20, 0x1p-20, 1e300, 1e-300}
	return extreme[r.next()%len(extreme)]
}

// pattern reads up to six bodies and as many joints as max says.
func (r *tape) pattern(most int) *sparse.Pattern {
	nb := 1 + r.next()%6
	nj := r.next() % (most + 1)
	var joints []sparsetest.Joint
	for range nj {
		j := sparsetest.Joint{Rows: int8(1 + r.next()%6)}
		for range r.next() % 4 {
			j.Bodies = append(j.Bodies, int32(r.next()%nb))
		}
		joints = append(joints, j)
	}
	p := sparsetest.New(nb, joints)
	size := append([]int8{}, p.Size...)
	for b := range nb {
		size[b] = int8(1 + r.next()%6)
	}
	return sparse.NewPattern(size, p.Sign, p.Ptr, p.Ind)
}

// matrix reads values for p: +1 blocks G·Gᵀ + 1, or as they come if raw.
func (r *tape) matrix(p *sparse.Pattern, raw bool) *sparse.Matrix {
	m := sparse.NewMatrix(p)
	for b := range p.Positive() {
		s := int(p.Size[b])
		d := m.Dia[p.Dia[b]:p.Dia[b+1]]
		g := make([]float64, s*s)
		for k := range g {
			g[k] = r.number()
		}
		for i := range s {
			for j := range i + 1 {
				t := g[i*s+j]
				if !raw {
					t = 0
					for k := range s {
						t += g[i*s+k] * g[j*s+k]
					}
				}
				d[i*s+j], d[j*s+i] = t, t
			}
			if !raw {
				d[i*s+i]++
			}
		}
	}
	for k := range m.Val {
		m.Val[k] = r.number()
	}
	return m
}

// FuzzFactor makes a small system of any bytes. Factorize returns a factor of
// the right signs whose solution has a small residual, or a PivotError; a tame
// quasi-definite system always has a factor.
func FuzzFactor(tf *testing.F) {
	f := check.NewFuzz(tf)
	f.Add([]byte{})
	f.Add([]byte{0, 0, 0, 3, 1, 2, 4, 1, 0, 5, 16, 32, 48})
	rng := rand.New(rand.NewPCG(1, 71))
	for range 40 {
		seed := make([]byte, 500)
		for k := range seed {
			seed[k] = byte(rng.Uint32())
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := &tape{data: data}
		policy := factor.Policy(r.next() % 2)
		digits := r.next() % 16
		raw := r.next()%4 == 3
		how := r.next()
		p := r.pattern(8)
		scale := make([]float64, p.Dim())
		weakest := 1.0
		for i := positiveRows(p); i < len(scale); i++ {
			scale[i] = math.Abs(1 + r.number())
			weakest = math.Min(weakest, scale[i])
		}
		m := r.matrix(p, raw)
		eps := math.Pow(10, -float64(digits))
		var perm []int32
		if how < 128 {
			perm = order.Of(p, order.All()[how%len(order.All())])
		} else {
			perm = shuffled(p.Len(), rand.New(rand.NewPCG(2, uint64(how))))
		}
		fac := factor.Analyze(p, perm).NewFactor()
		if err := fac.Factorize(m, scale, eps, policy); err != nil {
			var pivot *factor.PivotError
			require.True(t, errors.As(err, &pivot), "%v", err)
			bad := pivot.Value*float64(p.Sign[pivot.Node]) <= 0 || !algebra.Finite(pivot.Value)
			require.True(t, bad, "%v", pivot)
			requireInvalid(t, fac, m)
			tame := !r.wild && !raw && policy == factor.Everywhere && weakest*eps > 1e-4
			require.False(t, tame, "%v", pivot)
			return
		}
		requireInertia(t, p, pivotsOf(fac))
		b := make([]float64, p.Dim())
		for i := range b {
			b[i] = 1 + float64(i%7)
		}
		x := make([]float64, len(b))
		fac.SolveTo(x, b)
		requireBackward(t, fac, m, scale, eps, policy, x, b)
		fac.SolveRefinedTo(x, make([]float64, len(b)), b, m, 0)
	})
}

// blockGrowth turns growth of the matrix with unit +1 blocks into a bound for m:
// a row of C·L is a sum over at most six rows of L, with |C|·|C|ᵀ at most the
// diagonal of the block.
func blockGrowth(m *sparse.Matrix, g []float64) {
	p := m.Pattern
	for i := range p.Positive() {
		worst := 0.0
		for k := p.Off[i]; k < p.Off[i+1]; k++ {
			worst = math.Max(worst, g[k])
		}
		for k := p.Off[i]; k < p.Off[i+1]; k++ {
			g[k] = float64(p.Size[i]) * worst * m.At(int(k), int(k))
		}
	}
}

// requireBackward requires that x solves (m − E)·x = b row by row up to the
// rounding that |L|·|D|·|Lᵀ| allows. An entry (i, j) of that matrix is at most
// the root of the product of its diagonal entries. A −1 row has its term or,
// where weak, may have none. A pivot that rounding has lost is set to its term
// (Factorize), and E then has what was lost on the diagonal: it is the rounding of
// the rows before times how far they reach into this one, for which growth is no
// bound. So as many −1 rows as pivots were corrected may be off by more.
func requireBackward(t *testing.T, f *factor.Factor, m *sparse.Matrix, scale []float64, eps float64, policy factor.Policy, x, b []float64) {
	t.Helper()
	const unit = 0x1p-53
	n := len(b)
	slack := 8 * unit * float64(n+6) // of factor and two triangular solves (Higham 2002, §10.1)
	g := growthOf(f)
	blockGrowth(m, g)
	size := 0.0
	for j, v := range x {
		if !algebra.Finite(v) {
			return // overflow, which needs numbers at the ends of the range
		}
		size += math.Sqrt(g[j]) * math.Abs(v)
	}
	r := make([]float64, n)
	m.ResidualTo(r, b, x)
	beyond := 0
	for i := range r {
		off := math.Abs(r[i])
		if i >= positiveRows(m.Pattern) {
			switch policy {
			case factor.Everywhere:
				off = math.Abs(r[i] + eps*scale[i]*x[i])
			case factor.WhereWeak:
				off = min(off, math.Abs(r[i]+scale[i]*x[i]))
			}
		}
		bound := slack * (math.Sqrt(g[i])*size + math.Abs(b[i]))
		if math.IsInf(bound, 0) {
			continue
		}
		if off > bound && i >= positiveRows(m.Pattern) && beyond < f.Corrected {
			beyond++
			continue
		}
		require.LessOrEqual(t, off, bound, "row %d", i)
	}
}
