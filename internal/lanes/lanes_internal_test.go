package lanes

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/tape/lines"
	"github.com/rung-mbd/rung/internal/test/linestest"
)

// eachSet runs a test of functions on vectors with each set of instructions of the processor.
func eachSet(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	if !fast {
		t.Skip("no kernels for lanes on this processor, or in this build")
	}
	defer func(before bool) { wide = before }(wide)
	if wide {
		t.Run("AVX-512", f)
	}
	wide = false
	t.Run("AVX2", f)
}

// calls runs the functions on vectors, each on operands at places of a list of numbers, in the order of its parameters.
var calls = map[string]func(p func(i int) unsafe.Pointer, n, step int){
	"load": func(p func(i int) unsafe.Pointer, _, _ int) {
		load((*Body)(p(0)), (*BodyConst)(p(1)), (*[3]float64)(p(2)))
	},
	"Rotate": func(p func(i int) unsafe.Pointer, _, _ int) { Rotate((*Body)(p(0)), (*Body)(p(1))) },
	"HingeBias": func(p func(i int) unsafe.Pointer, _, _ int) {
		HingeBias((*Body)(p(0)), (*BodyConst)(p(1)), (*Body)(p(2)))
	},
	"HingeBiasWorld": func(p func(i int) unsafe.Pointer, _, _ int) { HingeBiasWorld((*Body)(p(0)), (*BodyConst)(p(1))) },
	"Turn": func(p func(i int) unsafe.Pointer, _, _ int) {
		Turn((*[3]Vector)(p(0)), (*[9]Vector)(p(1)), (*[3]Vector)(p(2)))
	},
	"TurnBack": func(p func(i int) unsafe.Pointer, _, _ int) {
		TurnBack((*[3]Vector)(p(0)), (*[9]Vector)(p(1)), (*[3]Vector)(p(2)))
	},
	"Particular": func(p func(i int) unsafe.Pointer, _, _ int) {
		Particular((*[6]Vector)(p(0)), (*Body)(p(1)), (*BodyConst)(p(2)), (*Body)(p(3)))
	},
	"ParticularWorld": func(p func(i int) unsafe.Pointer, _, _ int) {
		ParticularWorld((*[6]Vector)(p(0)), (*Body)(p(1)), (*BodyConst)(p(2)))
	},
	"OwnDirection": func(p func(i int) unsafe.Pointer, _, _ int) {
		OwnDirection((*[6]Vector)(p(0)), (*Body)(p(1)), (*BodyConst)(p(2)))
	},
	"CarriedDirection": func(p func(i int) unsafe.Pointer, _, _ int) {
		CarriedDirection((*[6]Vector)(p(0)), (*Body)(p(1)), (*BodyConst)(p(2)), (*Body)(p(3)))
	},
	"Recover": func(p func(i int) unsafe.Pointer, _, _ int) {
		Recover((*[6]Vector)(p(0)), (*[9]Vector)(p(1)), (*BodyConst)(p(2)), (*[6]Vector)(p(3)))
	},
	"Dot": func(p func(i int) unsafe.Pointer, _, _ int) {
		Dot((*Vector)(p(0)), (*[6]Vector)(p(1)), (*[6]Vector)(p(2)))
	},
	"Sub": func(p func(i int) unsafe.Pointer, _, _ int) {
		Sub((*[6]Vector)(p(0)), (*Vector)(p(1)), (*[6]Vector)(p(2)))
	},
	"Add": func(p func(i int) unsafe.Pointer, _, _ int) {
		Add((*[6]Vector)(p(0)), (*Vector)(p(1)), (*[6]Vector)(p(2)))
	},
	"Scale":       func(p func(i int) unsafe.Pointer, _, _ int) { Scale((*[6]Vector)(p(0)), (*Vector)(p(1))) },
	"InverseRoot": func(p func(i int) unsafe.Pointer, _, _ int) { InverseRoot((*Vector)(p(0))) },
	"products": func(p func(i int) unsafe.Pointer, n, step int) {
		products((*Vector)(p(0)), step, (*Vector)(p(1)), n, (*[6]Vector)(p(2)))
	},
	"subProducts": func(p func(i int) unsafe.Pointer, n, _ int) {
		subProducts((*Vector)(p(0)), (*Vector)(p(1)), n, (*[6]Vector)(p(2)))
	},
	"BallRows":  func(p func(i int) unsafe.Pointer, _, _ int) { BallRows((*Joint)(p(0)), (*JointConst)(p(1))) },
	"HingeRows": func(p func(i int) unsafe.Pointer, _, _ int) { HingeRows((*Joint)(p(0)), (*JointConst)(p(1))) },
	"SweepBody": func(p func(i int) unsafe.Pointer, _, _ int) {
		SweepBody((*[6]Vector)(p(0)), (*Moved)(p(1)), (*BodyAt)(p(2)))
	},
	"SweepJoint":   sweep(SweepJoint),
	"SweepOpening": sweep(SweepOpening),
	"SweepSliding": sweep(SweepSliding),
	"SweepBent":    sweep(SweepBent),
}

// sweep runs SweepJoint or one of its other forms.
func sweep(f func(t *JointSweep, P, S *Moved, j *JointAt, yP, yS *[6]Vector)) func(p func(i int) unsafe.Pointer, n, step int) {
	return func(p func(i int) unsafe.Pointer, _, _ int) {
		f((*JointSweep)(p(0)), (*Moved)(p(1)), (*Moved)(p(2)), (*JointAt)(p(3)), (*[6]Vector)(p(4)), (*[6]Vector)(p(5)))
	}
}

// TestFunctions: each function on vectors has the bits of its lines, with each set of instructions, and writes nothing but
// its results.
func TestFunctions(t *testing.T) {
	// Numbers of an operand, operands, and shared numbers: the largest structures have 113 lanes and 81 shared numbers.
	const apart, operands, shared = 120 * Width, 6, 81
	list := lines.Functions()
	require.Len(t, list, len(calls))
	eachSet(t, func(t *testing.T) {
		for i, f := range list {
			for n := 1; n <= 6; n++ {
				w := make([]float64, operands*apart+shared)
				for r, k := rand.New(rand.NewPCG(uint64(i), uint64(n))), 0; k < len(w); k++ {
					w[k] = r.NormFloat64()
				}
				m := linestest.Machine{Lanes: slices.Clone(w), Shared: append([]float64{0, 1, 0.5, 2}, w[operands*apart:]...), N: n, F: 3 * Width}
				for k := range operands {
					m.Place[k] = k * apart
					if strings.IndexByte(f.Shared, byte('A'+k)) >= 0 {
						m.Place[k] = 4
					}
				}
				m.Run(f.Kernel)
				calls[f.Name](func(k int) unsafe.Pointer {
					if strings.IndexByte(f.Shared, byte('A'+k)) >= 0 {
						return unsafe.Pointer(&w[operands*apart])
					}
					return unsafe.Pointer(&w[k*apart])
				}, n, 3)
				for k, want := range m.Lanes {
					if math.Float64bits(want) != math.Float64bits(w[k]) {
						require.Equal(t, want, w[k], "%s, operand %d, vector %d, lane %d", f.Name, k/apart, k%apart/Width, k%Width)
					}
				}
			}
		}
	})
}

// TestInverseRoot: 1/√s to the last bit, and NaN for what is infinite.
func TestInverseRoot(t *testing.T) {
	eachSet(t, func(t *testing.T) {
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
	eachSet(t, func(t *testing.T) {
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
		eachSet(t, func(t *testing.T) {
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

// BenchmarkHingeRows measures the rows of eight hinges.
func BenchmarkHingeRows(b *testing.B) {
	if !fast {
		b.Skip("no kernels for lanes on this processor, or in this build")
	}
	defer func(before bool) { wide = before }(wide)
	var joint Joint
	var fixed JointConst
	for range 2 {
		b.Run(map[bool]string{false: "avx2", true: "avx512"}[wide], func(b *testing.B) {
			for b.Loop() {
				HingeRows(&joint, &fixed)
			}
		})
		if !wide {
			break
		}
		wide = false
	}
}
