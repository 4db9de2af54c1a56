package kkt_test

import (
	"fmt"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/kernel"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sparse"
)

// rooflineCases are families with sizes n of package bench, in caches and beyond.
var rooflineCases = []struct {
	family string
	sizes  []int
}{
	{"ladder", []int{1000, 100000, 1000000}},
	{"nfourbar", []int{500, 50000}},
	{"chain", []int{1000, 100000}},
	{"tree", []int{1000, 100000}},
	{"stewart", []int{76, 7692}},
	{"random", []int{1000, 100000}},
	{"grid", []int{32, 100}},
	{"ball-net", []int{10}}, // larger ones are too badly conditioned
	{"revolute-net", []int{22, 70}},
}

// BenchmarkRoofline holds an evaluation and its parts against two limits of the
// machine that the same program measures: arithmetic in registers, and bandwidth
// over as many bytes as the evaluation uses, so in the same cache or in memory
// (Williams, Waterman & Patterson 2009). Medians on one thread; the number of
// iterations says nothing.
//
//	bytes/body   what has to pass between core and caches or memory at least; see traffic
//	flops/body   see flops; without those of assembly and of the way back from
//	             mass-weighted coordinates
//	flop/byte    the arithmetic intensity
//	%bandwidth   bytes a second, of the bandwidth
//	%peak        flops a second, of the arithmetic
//	limits       the two, and the bytes of what is counted
func BenchmarkRoofline(b *testing.B) {
	peak := peakFlops()
	for _, c := range rooflineCases {
		for _, n := range c.sizes {
			if testing.Short() && n > 1000 {
				continue
			}
			b.Run(fmt.Sprintf("model=%s/n=%d", c.family, n), func(b *testing.B) {
				x := newProblem(b, c.family, n)
				bytes, all := traffic(x.p)
				times, work, speed := x.parts(b), flops(x.p), bandwidth(int64(all))
				for k, part := range [...]string{"all", "assemble", "factor", "refine"} {
					b.Run("part="+part, func(b *testing.B) {
						b.ReportMetric(times[k]/x.bodies, "ns/body")
						b.ReportMetric(times[k], "ns/op")
						b.ReportMetric(bytes[k]/x.bodies, "bytes/body")
						b.ReportMetric(bytes[k]/times[k]*1e9/speed*100, "%bandwidth")
						if work[k] > 0 {
							b.ReportMetric(work[k]/x.bodies, "flops/body")
							b.ReportMetric(work[k]/times[k]*1e9/peak*100, "%peak")
							b.ReportMetric(work[k]/bytes[k], "flop/byte")
						}
					})
				}
				b.Run("limits", func(b *testing.B) {
					b.ReportMetric(0, "ns/op") // leaves it out
					b.ReportMetric(speed/1e9, "GB/s")
					b.ReportMetric(peak/1e9, "Gflop/s")
					b.ReportMetric(all/x.bodies, "held-bytes/body")
				})
			})
		}
	}
}

// parts returns the median times of the three parts of an evaluation, ns, after
// their sum.
func (x *problem) parts(b *testing.B) (times [4]float64) {
	var runs [3][]float64
	for begun := time.Now(); len(runs[0]) < 5 || time.Since(begun) < 300*time.Millisecond; {
		for k, step := range [...]func() error{func() error { return x.s.Stages().Assemble(x.st) }, x.s.Stages().Factorize, x.s.Stages().Refine} {
			t := time.Now()
			if err := step(); err != nil {
				b.Fatal(err)
			}
			runs[k] = append(runs[k], float64(time.Since(t).Nanoseconds()))
		}
	}
	for k := range runs {
		slices.Sort(runs[k])
		times[k+1] = runs[k][len(runs[k])/2]
		times[0] += times[k+1]
	}
	return times
}

// best returns how often a second run can be called, at best.
func best(run func()) (rate float64) {
	run() // touches its memory for the first time
	for begun, turns := time.Now(), 0; turns < 5 || time.Since(begun) < 200*time.Millisecond; turns++ {
		n := 1
		for took := time.Duration(0); took < time.Millisecond; n *= 2 {
			t := time.Now()
			for range n {
				run()
			}
			took = time.Since(t)
			rate = max(rate, float64(n)/took.Seconds())
		}
	}
	return rate
}

// peakFlops returns the flops a second of the largest tile of kernel.Update, its
// operands in the first cache.
func peakFlops() float64 {
	const n, m, k = 24, 6, 96
	c, x, y := make([]float64, n*m), make([]float64, n*k), make([]float64, m*k)
	return k * m * (2*n - m + 1) * best(func() { kernel.Update(c, n, x, n, y, m, n, m, k) })
}

// bandwidth returns the bytes a second of x −= a·y over two vectors of together so
// many bytes: both are read, and x goes back.
func bandwidth(bytes int64) float64 {
	const most = 1 << 28 // beyond any cache
	n := int(min(bytes, most) / 16)
	x, a, y := make([]float64, n), make([]float64, n), []float64{1e-30}
	for i := range a {
		x[i], a[i] = 1, 1 // else all pages of a would be one
	}
	return 24 * float64(n) * best(func() { kernel.SubMul(x, a, n, n, 1, y) })
}

// system returns the pattern of the system that p factors first, whole or reduced, and its nonzeros and flops.
func system(p *kkt.Plan) (*sparse.Pattern, factor.Counts) {
	if g, symbolic := p.Groups(); g != nil {
		return g.Pattern, symbolic.Counts
	}
	return p.Layout().Pattern, p.Counts()
}

// flops returns the operations of an evaluation and of its three parts:
//
//	factor   Counts.Flops, and 2 a nonzero of L for the right side that goes along
//	refine   2 a nonzero of L backwards, 2 an entry of W for the residual
func flops(p *kkt.Plan) (f [4]float64) {
	pattern, c := system(p)
	f[2] = float64(c.Flops) + 2*float64(c.NonZeros)
	f[3] = 2*float64(c.NonZeros) + 2*float64(pattern.Pos[len(pattern.Ind)])
	f[0] = f[2] + f[3]
	return f
}

// traffic returns the bytes that have to pass between core and caches or memory in an evaluation and in its three
// parts, if each number is read once in a part, and twice where it is written, since a line comes before it is changed
// and goes back; and the bytes of all these numbers. Positions, and what is read again, come on top.
//
//	assemble   state, bodies and joints; kinematics, W, the right side and the scales, which are written
//	factor     W and the right side; L, which is written
//	refine     W, the right side, L, scales and kinematics; solution and residuals, which are written
func traffic(p *kkt.Plan) (bytes [4]float64, all float64) {
	m := p.Mechanism()
	pattern, c := system(p)
	const number = 8
	rows := number * float64(pattern.Dim()-int(pattern.Off[pattern.Positive()]))
	vector, W, L := number*float64(pattern.Dim()), number*float64(pattern.Pos[len(pattern.Ind)]), number*float64(c.NonZeros)
	nb, nj := float64(m.NumBodies()), float64(m.NumJoints())
	kin := nb * float64(unsafe.Sizeof(mechanism.BodyKinematics{}))
	given := nb*float64(unsafe.Sizeof(mechanism.BodyState{})+unsafe.Sizeof(bodies.Body{})) + nj*float64(unsafe.Sizeof(mechanism.Joint{}))
	bytes[1] = given + 2*(kin+W+vector+rows)
	bytes[2] = W + vector + 2*L
	bytes[3] = W + vector + L + rows + kin + 2*(vector+rows)
	bytes[0] = bytes[1] + bytes[2] + bytes[3]
	return bytes, given + kin + W + L + 2*vector + 2*rows
}

// TestRoofline: where cost is linear, bytes and flops of a body do not depend on the number of bodies; a system with
// more in it has more of both.
func TestRoofline(t *testing.T) {
	for _, family := range []string{"ladder", "nfourbar", "chain"} {
		var each [2][2]float64
		for i, n := range []int{200, 1000} {
			p := newPlan(t, generate(t, family, n, 1), order.Auto)
			bytes, all := traffic(p)
			work := flops(p)
			for k := 1; k < 4; k++ {
				assert.Positive(t, bytes[k], "%s, part %d", family, k)
				assert.Less(t, bytes[k], 2*all, "%s, part %d", family, k)
			}
			each[i] = [2]float64{bytes[0] / float64(n), work[0] / float64(n)}
		}
		assert.InEpsilon(t, each[0][0], each[1][0], 0.05, "%s, bytes", family)
		assert.InEpsilon(t, each[0][1], each[1][1], 0.05, "%s, flops", family)
	}
}
