package lanes

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rung-mbd/rung/internal/check"
)

// eachNumber calls f with every number of a structure or array.
func eachNumber(v reflect.Value, f func(number reflect.Value)) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			eachNumber(v.Field(i), f)
		}
	case reflect.Array:
		for i := range v.Len() {
			eachNumber(v.Index(i), f)
		}
	default:
		f(v)
	}
}

// fillLanes stores random numbers in all lanes of a structure or array.
func fillLanes(r *rand.Rand, at any) {
	eachNumber(reflect.ValueOf(at).Elem(), func(x reflect.Value) { x.SetFloat(r.NormFloat64()) })
}

// numbersOf lists all numbers of a structure or array.
func numbersOf(at any) (list []float64) {
	eachNumber(reflect.ValueOf(at).Elem(), func(x reflect.Value) { list = append(list, x.Float()) })
	return list
}

// laneWork is what the kernels for lanes read and write.
type laneWork struct {
	T, Up  Body
	C      BodyConst
	J      Joint
	K      JointConst
	Rest   [6]Vector
	A      [6]Vector
	Sum    Vector
	Out    [3]Vector
	Y, Sub [20]Vector
}

// TestLanes compares every kernel for lanes with the plain one, all numbers that it may and may not write.
func TestLanes(t *testing.T) {
	g := [3]float64{0.3, -1, 2}
	kernels := map[string]func(w *laneWork){
		"load":      func(w *laneWork) { Load(&w.T, &w.C, &g) },
		"hinge":     func(w *laneWork) { HingeBias(&w.T, &w.C, &w.Up) },
		"rotate":    func(w *laneWork) { Rotate(&w.T, &w.Up) },
		"world":     func(w *laneWork) { HingeBiasWorld(&w.T, &w.C) },
		"turn":      func(w *laneWork) { Turn(&w.Out, &w.T.R, &w.T.Axis) },
		"back":      func(w *laneWork) { TurnBack(&w.Out, w.T.E(), &w.T.Axis) },
		"rest":      func(w *laneWork) { Particular(&w.Rest, &w.T, &w.C, &w.Up) },
		"restWorld": func(w *laneWork) { ParticularWorld(&w.Rest, &w.T, &w.C) },
		"own":       func(w *laneWork) { OwnDirection(&w.Rest, &w.T, &w.C) },
		"carried":   func(w *laneWork) { CarriedDirection(&w.Rest, &w.T, &w.C, &w.Up) },
		"recover":   func(w *laneWork) { Recover(&w.Rest, w.T.E(), &w.C, &w.A) },
		"add":       func(w *laneWork) { Add(&w.A, &w.Sum, &w.Rest) },
		"dot":       func(w *laneWork) { Dot(&w.Sum, &w.Rest, &w.A) },
		"sub":       func(w *laneWork) { Sub(&w.A, &w.Sum, &w.Rest) },
		"scale":     func(w *laneWork) { Scale(&w.A, &w.Sum) },
		"ball":      func(w *laneWork) { BallRows(&w.J, &w.K) },
		"pinned":    func(w *laneWork) { HingeRows(&w.J, &w.K) },
		"rows":      func(w *laneWork) { Products(w.Y[:], 3, w.J.P[:], 5, &w.A) },
		"one row":   func(w *laneWork) { Products(w.Y[:], 1, w.J.P[:], 1, &w.A) },
		"subRows":   func(w *laneWork) { SubProducts(w.Sub[:], w.J.P[:], 5, &w.A) },
	}
	for name, f := range kernels {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			for range 10 {
				var start, want laneWork
				fillLanes(r, &start)
				want = start
				have := fast
				fast = false
				f(&want)
				fast = have
				assert.NotEqual(t, start, want)
				got := start
				f(&got)
				numbers := numbersOf(&want)
				assert.InDeltaSlice(t, numbers, numbersOf(&got), 1e-14*check.MaxAbs(numbers))
			}
		})
	}
}

// TestInverseRoot: 1/√s to the last bit, and NaN for what is infinite.
func TestInverseRoot(t *testing.T) {
	eachKind(t, func(t *testing.T) {
		s := Vector{4, 3, 1e300, 5e-324, 0, math.Inf(1), math.NaN(), 1}
		InverseRoot(&s)
		for l, x := range []float64{4, 3, 1e300, 5e-324, 0} {
			assert.Equal(t, 1/math.Sqrt(x), s[l], "lane %d", l)
		}
		assert.True(t, math.IsNaN(s[5]))
		assert.True(t, math.IsNaN(s[6]))
		assert.Equal(t, 1.0, s[7])
	})
}

// TestLoadFinds compares what Load says of states, each number of each lane in turn not finite, and
// quaternions around the limit.
func TestLoadFinds(t *testing.T) {
	eachKind(t, func(t *testing.T) {
		var b Body
		var c BodyConst
		for l := range Width {
			b.State[3][l] = 1
		}
		good := b
		check := func(want bool, i, l int, x float64) {
			t.Helper()
			b = good
			b.State[i][l] = x
			assert.Equal(t, want, Load(&b, &c, &[3]float64{}), "number %d, lane %d: %g", i, l, x)
		}
		for l := range Width {
			for i := range good.State {
				for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
					check(false, i, l, x)
				}
			}
			check(true, 0, l, 1e300)
			check(true, 3, l, 1+0.9e-6)
			check(true, 3, l, 1-0.9e-6)
			check(false, 3, l, 1+1.1e-6)
			check(false, 3, l, 1-1.1e-6)
			check(false, 3, l, 0)

			// The largest of the loads, and one that is not a number.
			b = good
			c = BodyConst{}
			for k := range Width {
				c.Root[k] = float64(k + 1)
			}
			Load(&b, &c, &[3]float64{1, -3, 2})
			assert.Equal(t, 3*c.Root[l], b.Free[l])
			for i := range 3 {
				g := [3]float64{1, -3, 2}
				g[i] = math.NaN()
				Load(&b, &c, &g)
				assert.True(t, math.IsNaN(b.Free[l]), "%d", i)
			}
			c = BodyConst{}
		}
	})
}

// TestGather gathers and scatters all numbers of places up to 20, at the very ends of the memory.
func TestGather(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := 1; n <= 20; n++ {
		src := make([]float64, 8*n+5)
		for i := range src {
			src[i] = r.NormFloat64()
		}
		at := [Width]int32{0, int32(len(src) - n), int32(n), int32(2 * n), int32(3 * n), int32(4 * n), int32(5 * n), int32(6 * n)}
		eachKind(t, func(t *testing.T) {
			lanes := make([]Vector, n)
			Gather(lanes, src, &at)
			for l, o := range at {
				for i := range lanes {
					assert.Equal(t, src[int(o)+i], lanes[i][l], "%d of %d", i, n)
				}
			}
			back, want := make([]float64, len(src)), make([]float64, len(src))
			for _, o := range at {
				copy(want[o:int(o)+n], src[o:])
			}
			Scatter(back, &at, lanes)
			assert.Equal(t, want, back, "%d", n)
		})
	}
}
