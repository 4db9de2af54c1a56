package kernel

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rung-mbd/rung/internal/algebra"
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
	T, Up  LaneBody
	C      LaneConst
	J      LaneJoint
	K      LaneJointConst
	Rest   [6]Lane
	A      [6]Lane
	Sum    Lane
	Out    [3]Lane
	Y, Sub [20]Lane
}

// TestLanes compares every kernel for lanes with the plain one, all numbers that it may and may not write.
func TestLanes(t *testing.T) {
	g := [3]float64{0.3, -1, 2}
	kernels := map[string]func(v variant, w *laneWork){
		"load":      func(v variant, w *laneWork) { laneLoad(v, &w.T, &w.C, &g) },
		"hinge":     func(v variant, w *laneWork) { laneHinge(v, &w.T, &w.C, &w.Up) },
		"rotate":    func(v variant, w *laneWork) { laneRotate(v, &w.T, &w.Up) },
		"world":     func(v variant, w *laneWork) { laneHingeWorld(v, &w.T, &w.C) },
		"turn":      func(v variant, w *laneWork) { laneTurn(v, &w.Out, &w.T.R, &w.T.Axis) },
		"back":      func(v variant, w *laneWork) { laneTurnBack(v, &w.Out, w.T.E(), &w.T.Axis) },
		"rest":      func(v variant, w *laneWork) { laneRest(v, &w.Rest, &w.T, &w.C, &w.Up) },
		"restWorld": func(v variant, w *laneWork) { laneRestWorld(v, &w.Rest, &w.T, &w.C) },
		"own":       func(v variant, w *laneWork) { laneOwn(v, &w.Rest, &w.T, &w.C) },
		"carried":   func(v variant, w *laneWork) { laneCarried(v, &w.Rest, &w.T, &w.C, &w.Up) },
		"recover":   func(v variant, w *laneWork) { laneRecover(v, &w.Rest, w.T.E(), &w.C, &w.A) },
		"add":       func(v variant, w *laneWork) { laneAdd(v, &w.A, &w.Sum, &w.Rest) },
		"dot":       func(v variant, w *laneWork) { laneDot(v, &w.Sum, &w.Rest, &w.A) },
		"sub":       func(v variant, w *laneWork) { laneSub(v, &w.A, &w.Sum, &w.Rest) },
		"scale":     func(v variant, w *laneWork) { laneScale(v, &w.A, &w.Sum) },
		"ball":      func(v variant, w *laneWork) { laneBall(v, &w.J, &w.K) },
		"pinned":    func(v variant, w *laneWork) { lanePinned(v, &w.J, &w.K) },
		"rows":      func(v variant, w *laneWork) { laneRows(v, w.Y[:], 3, w.J.P[:], 5, &w.A) },
		"one row":   func(v variant, w *laneWork) { laneRows(v, w.Y[:], 1, w.J.P[:], 1, &w.A) },
		"subRows":   func(v variant, w *laneWork) { laneSubRows(v, w.Sub[:], w.J.P[:], 5, &w.A) },
	}
	for name, f := range kernels {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			for range 10 {
				var start, want laneWork
				fillLanes(r, &start)
				want = start
				f(plain, &want)
				assert.NotEqual(t, start, want)
				for _, v := range variants() {
					got := start
					f(v, &got)
					numbers := numbersOf(&want)
					assert.InDeltaSlice(t, numbers, numbersOf(&got), 1e-14*algebra.MaxAbs(numbers), "%v", v)
				}
			}
		})
	}
}

// TestLaneLoadFinds compares what LaneLoad says of states, each number of each lane in turn not finite, and
// quaternions around the limit.
func TestLaneLoadFinds(t *testing.T) {
	for _, v := range variants() {
		var b LaneBody
		var c LaneConst
		for l := range Lanes {
			b.State[3][l] = 1
		}
		good := b
		check := func(want bool, i, l int, x float64) {
			t.Helper()
			b = good
			b.State[i][l] = x
			assert.Equal(t, want, laneLoad(v, &b, &c, &[3]float64{}), "%v: number %d, lane %d: %g", v, i, l, x)
		}
		for l := range Lanes {
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
			c = LaneConst{}
			for k := range Lanes {
				c.Root[k] = float64(k + 1)
			}
			laneLoad(v, &b, &c, &[3]float64{1, -3, 2})
			assert.Equal(t, 3*c.Root[l], b.Free[l], "%v", v)
			for i := range 3 {
				g := [3]float64{1, -3, 2}
				g[i] = math.NaN()
				laneLoad(v, &b, &c, &g)
				assert.True(t, math.IsNaN(b.Free[l]), "%v: %d", v, i)
			}
			c = LaneConst{}
		}
	}
}

// TestGather gathers and scatters all numbers of places up to 20, at the very ends of the memory.
func TestGather(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for n := 1; n <= 20; n++ {
		src := make([]float64, 8*n+5)
		for i := range src {
			src[i] = r.NormFloat64()
		}
		at := [Lanes]int32{0, int32(len(src) - n), int32(n), int32(2 * n), int32(3 * n), int32(4 * n), int32(5 * n), int32(6 * n)}
		for _, v := range variants() {
			lanes := make([]Lane, n)
			laneGather(v, lanes, src, &at)
			for l, o := range at {
				for i := range lanes {
					assert.Equal(t, src[int(o)+i], lanes[i][l], "%v: %d of %d", v, i, n)
				}
			}
			back, want := make([]float64, len(src)), make([]float64, len(src))
			for _, o := range at {
				copy(want[o:int(o)+n], src[o:])
			}
			laneScatter(v, back, &at, lanes)
			assert.Equal(t, want, back, "%v: %d", v, n)
		}
	}
}
