package dd_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/dd"
)

// digits bounds the relative error of an operation: a few times dd.Epsilon, for division and root.
const digits = 8 * dd.Epsilon

func exact(a dd.Num) *big.Float {
	f := new(big.Float).SetPrec(400).SetFloat64(a.Hi)
	return f.Add(f, new(big.Float).SetFloat64(a.Lo))
}

func requireClose(t *testing.T, got dd.Num, want *big.Float) {
	t.Helper()
	if !(math.Abs(got.Lo) <= math.Abs(got.Hi)*0x1p-52) { // true of NaN
		t.Fatalf("parts overlap: %v", got)
	}
	d := exact(got)
	d.Sub(d, want)
	e, _ := d.Quo(d, want).Float64()
	if !(math.Abs(e) < digits) {
		t.Fatalf("%v is off by %g", got, e)
	}
}

// TestOperations compares with 400 bits on numbers of many sizes.
func TestOperations(t *testing.T) {
	check.Long(t)
	rng := rand.New(rand.NewPCG(1, 1))
	random := func() dd.Num {
		a := dd.Of(math.Ldexp(rng.Float64()-0.5, rng.IntN(80)-40))
		return dd.Add(a, dd.Of(a.Hi*0x1p-53*(rng.Float64()-0.5)))
	}
	op := func() *big.Float { return new(big.Float).SetPrec(400) }
	for range 20000 {
		a, b := random(), random()
		x, y := exact(a), exact(b)
		requireClose(t, dd.Add(a, b), op().Add(x, y))
		requireClose(t, dd.Sub(a, b), op().Sub(x, y))
		requireClose(t, dd.Mul(a, b), op().Mul(x, y))
		requireClose(t, dd.Div(a, b), op().Quo(x, y))
		requireClose(t, dd.MulFloat(a, b.Hi), op().Mul(x, op().SetFloat64(b.Hi)))
		if a.Hi < 0 {
			a, x = dd.Neg(a), op().Neg(x)
		}
		requireClose(t, dd.Sqrt(a), op().Sqrt(x))
	}
}

// TestExact: products and differences of doubles have no error at all.
func TestExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for range 20000 {
		a, b := rng.NormFloat64(), rng.NormFloat64()*1e-9
		x, y := new(big.Float).SetPrec(400).SetFloat64(a), new(big.Float).SetFloat64(b)
		if exact(dd.Product(a, b)).Cmp(new(big.Float).SetPrec(400).Mul(x, y)) != 0 {
			t.Fatalf("product of %g and %g", a, b)
		}
		if exact(dd.Difference(a, b)).Cmp(new(big.Float).SetPrec(400).Sub(x, y)) != 0 {
			t.Fatalf("difference of %g and %g", a, b)
		}
	}
	if root := dd.Sqrt(dd.Num{}); root != (dd.Num{}) {
		t.Errorf("the root of 0 is %v", root)
	}
	if x := dd.Float(dd.Of(3.5)); x != 3.5 {
		t.Errorf("3.5 is %g", x)
	}
}
