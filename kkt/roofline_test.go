package kkt_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/kernel"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
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
//	bytes/body   what passes between core and caches or memory; see passes
//	flops/body   see flops; without those of assembly and of the way back from
//	             mass-weighted coordinates
//	flop/byte    the arithmetic intensity
//	%bandwidth   bytes a second, of the bandwidth
//	%peak        flops a second, of the arithmetic
//	limits       the two, and the bytes that the evaluation's arrays hold
func BenchmarkRoofline(b *testing.B) {
	peak := peakFlops()
	for _, c := range rooflineCases {
		for _, n := range c.sizes {
			if testing.Short() && n > 1000 {
				continue
			}
			b.Run(fmt.Sprintf("model=%s/n=%d", c.family, n), func(b *testing.B) {
				x := newProblem(b, c.family, n)
				bytes, all := traffic(x)
				times, work, speed := x.parts(b), flops(x), bandwidth(all)
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
					b.ReportMetric(float64(all)/x.bodies, "held-bytes/body")
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
		for k, step := range [...]func() error{func() error { return x.s.Assemble(x.st) }, x.s.Factorize, x.s.Refine} {
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

// flops returns the operations of an evaluation and of its three parts:
//
//	factor   Counts.Flops, and 2 a nonzero of L for the right side that goes along
//	refine   2 a nonzero of L backwards, 2 an entry of W for the residual
func flops(x *problem) (f [4]float64) {
	c, w := x.p.Counts(), x.p.Layout().Pattern.Pos
	if g, symbolic := x.p.Ground(); g != nil {
		c, w = symbolic.Counts, g.Pattern.Pos
	}
	f[2] = float64(c.Flops) + 2*float64(c.NonZeros)
	f[3] = 2*float64(c.NonZeros) + 2*float64(w[len(w)-1])
	f[0] = f[2] + f[3]
	return f
}

// pass says how often an array passes between core and caches or memory in each of
// the three parts: once where it is read, twice where it is written, since a line
// comes before it is changed and goes back.
type pass struct {
	array                    string // path of fields from kkt.Solver
	assemble, factor, refine float64
}

// passes lists all arrays that grow with the mechanism and that an evaluation
// without corrections touches. Update matrices and other scratch of the workers are
// used up in the cache they were made in and are not counted.
func passes(p *kkt.Plan, s *shares) []pass {
	joint := 1 - s.body
	list := []pass{
		// State and constants: once for the bodies, once for the joints.
		{"st.Bodies", 2, 0, 0},
		{"plan.mech.Bodies", 2, 0, 1},
		{"plan.mech.Joints", 1, 0, 0},
		{"plan.layout.joint", 1, 0, 0},
		{"plan.layout.Pattern.Ptr", 1, 0, 0},
		{"plan.layout.Pattern.Pos", 1, 0, 0},
		{"plan.layout.Pattern.Off", 1, 0, s.open},
		// The system. Leaves need W in the factor and in the backward sweep, which
		// sums up residuals too; those of open joints take another pass.
		{"sys.Kin.Bodies", 3, 0, 1},
		{"sys.base", 1, 0, 0},
		{"sys.force", 3, 0, 0},
		{"sys.W.Val", 2 * s.written, 1, s.leaf + s.open},
		{"sys.B", 2 + s.body, 1, 1},
		{"sys.Scale", 2 * joint, 1, joint},
		// The factor.
		{"fac.panels", 0, 2, 1},
		{"fac.dinv", 0, 2, 1},
		{"fac.hand", 0, 3, 0},
		{"fac.x", 0, 0, 2},
		{"fac.square", 0, 0, 3},
		{"plan.symbolic.fronts", 0, 1, 1},
		{"plan.symbolic.runs", 0, 1, 1},
		{"plan.symbolic.kids", 0, 1, 0},
		{"plan.symbolic.ents", 0, 1, 0},
		{"plan.symbolic.leaves", 0, 1, 1},
		{"plan.symbolic.blocks", 0, 1, 1},
		{"plan.symbolic.late", 0, 0, 1},
		{"plan.symbolic.node", 0, 0, 1},
		{"plan.symbolic.off", 0, 1, 2},
		{"plan.symbolic.oldOff", 0, 1, 2},
		{"plan.symbolic.sign", 0, 1, 2},
		{"plan.symbolic.open", 0, 0, 1},
		// The solution: stored, and the bodies' part turned; residuals of joints.
		{"x", 0, 0, 2 + 2*s.body},
		{"r", 0, 0, 3 * joint},
	}
	if g, _ := p.Ground(); g == nil {
		return list
	}
	for i := range list {
		list[i].array = reducedPath(list[i].array)
	}
	if kernel.HaveLanes() {
		list = append(list, pass{"plan.ground.ground.parts", 1, 0, 1}, pass{"plan.ground.ground.bondBatches", 1, 0, 0})
	} else {
		list = append(list, pass{"plan.ground.ground.units", 1, 0, 1}, pass{"plan.ground.ground.branches", 2, 0, 1})
	}
	return append(list, []pass{
		{"ground.sys.dirs", 3, 0, 1},
		{"ground.sys.rest", 3, 0, 1},
		{"ground.sys.fixed", 1, 0, 0},
		{"x", 0, 0, 2 * 6 * float64(p.Mechanism().NumBodies()) / float64(p.Layout().Pattern.Dim())}, // accelerations alone
	}...)
}

// reducedPath is the path of an array of the reduced system for that of the whole one.
func reducedPath(array string) string {
	for _, c := range [...][2]string{
		{"sys.", "ground.sys."}, {"fac.", "ground.fac."}, {"r", "ground.r"}, {"x", "ground.x"}, {"plan.symbolic.", "plan.ground.symbolic."},
		{"plan.layout.joint", "plan.ground.ground.bonds"}, {"plan.layout.Pattern.", "plan.ground.ground.Pattern."},
	} {
		if rest, found := strings.CutPrefix(array, c[0]); found && (len(c[0]) > 1 || rest == "") {
			return c[1] + rest
		}
	}
	return array
}

// idle are large arrays that an evaluation does not touch: they are for analysis,
// names, reports and other states, or scratch.
var idle = []string{
	"plan.mech.initial.Bodies", "plan.mech.bodyNames", "plan.mech.jointNames", "plan.mech.Loads", "plan.layout.node", "plan.layout.Pattern.Size",
	"plan.layout.Pattern.Ind", "plan.layout.Pattern.Dia", "plan.layout.Pattern.Sign", "plan.symbolic.perm", "plan.symbolic.leaf", "fac.workers",
}

// idleOf is idle for a plan: with a reduced system, the analysis of the whole one too.
func idleOf(p *kkt.Plan) []string {
	if g, _ := p.Ground(); g == nil {
		return idle
	}
	list := []string{"plan.symbolic", "plan.layout", "plan.ground.ground.nodeOf", "plan.ground.ground.branchOf", "plan.ground.ground.node", "plan.ground.ground.Pattern.Ind",
		"plan.ground.ground.units", "plan.ground.ground.branches", "ground.sys.ends", "ground.sys.batch"}
	for _, array := range idle {
		list = append(list, reducedPath(array))
	}
	return list
}

// shares are parts of arrays, from 0 to 1.
type shares struct {
	body    float64 // of a vector: rows of bodies
	written float64 // of W: what depends on the state, which is all but the block of a pinned joint's predecessor
	leaf    float64 // of W: blocks of leaves, the bodies that are eliminated before their joints
	open    float64 // of W: blocks of joints whose residual takes a pass of its own
}

// sharesOf counts the shares of a plan.
func sharesOf(p *kkt.Plan) *shares {
	l, pat, sequence := p.Layout(), p.Layout().Pattern, p.Order()
	jointOf := func(node int32) *mechanism.Joint { return &p.Mechanism().Joints[l.NodeJoint(int(node))] }
	if g, symbolic := p.Ground(); g != nil {
		pat, sequence = g.Pattern, symbolic.Order()
		jointOf = func(node int32) *mechanism.Joint { return &p.Mechanism().Joints[g.NodeJoint(int(node))] }
	}
	nb := pat.Positive()
	at := make([]int32, pat.Len()) // place in the order
	for i, old := range sequence {
		at[old] = int32(i)
	}
	leaf := make([]bool, nb)
	for i := range leaf {
		leaf[i] = true
	}
	open := openNodes(p, pat.Len())
	each := func(f func(node, body int32, size float64)) {
		for node := int32(nb); int(node) < pat.Len(); node++ {
			for k := pat.Ptr[node]; k < pat.Ptr[node+1]; k++ {
				f(node, pat.Ind[k], float64(pat.Pos[k+1]-pat.Pos[k]))
			}
		}
	}
	each(func(node, body int32, _ float64) { leaf[body] = leaf[body] && at[body] < at[node] })
	s := &shares{body: float64(pat.Off[nb]) / float64(pat.Dim())}
	all := float64(pat.Pos[len(pat.Ind)])
	each(func(node, body int32, size float64) {
		jt := jointOf(node)
		pinned := (jt.Kind == joints.Revolute || jt.Kind == joints.Spherical || jt.Kind == joints.Fixed) && jt.Motion == nil
		if g, _ := p.Ground(); g != nil || !pinned || body != jt.Pred {
			s.written += size / all
		}
		if leaf[body] {
			s.leaf += size / all
		}
		if open[node] {
			s.open += size / all
		}
	})
	return s
}

// openNodes returns the open joints by node (factor.Symbolic).
func openNodes(p *kkt.Plan, nodes int) []bool {
	s := reflect.ValueOf(p).Elem().FieldByName("symbolic").Elem()
	if g, _ := p.Ground(); g != nil {
		s = reflect.ValueOf(p).Elem().FieldByName("ground").Elem().FieldByName("symbolic").Elem()
	}
	node, open := s.FieldByName("node"), s.FieldByName("open")
	out := make([]bool, nodes)
	for c := range node.Len() {
		out[node.Index(c).Int()] = open.Index(c).Bool()
	}
	return out
}

// traffic returns the bytes that pass in an evaluation and in its three parts, and
// those of all arrays that it touches.
func traffic(x *problem) (bytes [4]float64, all int64) {
	held := arrays{}
	held.add("", reflect.ValueOf(x.s), map[unsafe.Pointer]bool{})
	for _, p := range passes(x.p, sharesOf(x.p)) {
		n := float64(held[p.array])
		all += held[p.array]
		for k, times := range [...]float64{p.assemble + p.factor + p.refine, p.assemble, p.factor, p.refine} {
			bytes[k] += times * n
		}
	}
	return bytes, all
}

// arrays are the bytes of slices by path of fields.
type arrays map[string]int64

// add adds the slices that v holds or points to, each once.
func (a arrays) add(path string, v reflect.Value, seen map[unsafe.Pointer]bool) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() && !seen[v.UnsafePointer()] {
			seen[v.UnsafePointer()] = true
			a.add(path, v.Elem(), seen)
		}
	case reflect.Struct:
		for _, slices := range [...]bool{true, false} { // the shortest path counts
			for i := range v.NumField() {
				name := v.Type().Field(i).Name
				if path != "" {
					name = path + "." + name
				}
				if (v.Field(i).Kind() == reflect.Slice) == slices {
					a.add(name, v.Field(i), seen)
				}
			}
		}
	case reflect.Slice:
		if v.Len() == 0 || seen[v.UnsafePointer()] {
			return
		}
		seen[v.UnsafePointer()] = true
		a[path] += int64(v.Len()) * int64(v.Type().Elem().Size())
		if v.Type().Elem().Kind() == reflect.Pointer {
			for i := range v.Len() {
				a.add(path, v.Index(i), seen)
			}
		}
	}
}

// TestRooflineArrays: passes knows all that is large, and nothing that is not there.
func TestRooflineArrays(t *testing.T) {
	const large = 0.005 // of all bytes
	found := map[string]bool{}
	ladder := newPlan(t, generate(t, "ladder", 10, 1), order.Auto)
	wholes := passes(ladder, sharesOf(ladder))
	for _, c := range []struct {
		family string
		n      int
	}{{"ladder", 2000}, {"nfourbar", 500}, {"tree", 1000}, {"grid", 20}, {"stewart", 50}, {"random", 1000}} {
		p := newPlan(t, generate(t, c.family, c.n, 1), order.Auto)
		s := p.NewSolver()
		require.NoError(t, s.Solve(p.Initial()))
		held := arrays{}
		held.add("", reflect.ValueOf(s), map[unsafe.Pointer]bool{})
		share := sharesOf(p)
		known := slices.Clone(idleOf(p))
		for _, x := range passes(p, share) {
			known = append(known, x.array)
			name := x.array
			for _, whole := range wholes {
				if reducedPath(whole.array) == name {
					name = whole.array
				}
			}
			found[name] = found[name] || held[x.array] > 0
		}
		total := int64(0)
		for _, n := range held {
			total += n
		}
		for path, n := range held {
			inside := func(name string) bool { return path == name || len(path) > len(name) && path[:len(name)+1] == name+"." }
			assert.True(t, slices.ContainsFunc(known, inside) || float64(n) < large*float64(total), "%s: %s has %d of %d bytes", c.family, path, n, total)
		}
		for _, x := range []float64{share.body, share.written, share.leaf, share.open} {
			assert.True(t, x >= 0 && x <= 1+1e-12, "%+v", share)
		}
	}
	for array, ok := range found {
		assert.True(t, ok, "no array %s", array)
	}
}

// TestRooflineCountsW: the bytes of the system are those of its pattern.
func TestRooflineCountsW(t *testing.T) {
	p := newPlan(t, generate(t, "ladder", 100, 1), order.Auto)
	held := arrays{}
	held.add("", reflect.ValueOf(p.NewSolver()), map[unsafe.Pointer]bool{})
	pat := p.Layout().Pattern
	assert.Equal(t, 8*pat.Pos[len(pat.Ind)], held["sys.W.Val"])
	assert.Equal(t, int64(8*pat.Dim()), held["sys.B"])
	assert.Equal(t, int64(8*pat.Dim()), held["x"])
	assert.GreaterOrEqual(t, held["fac.panels"], int64(0))
	s := sharesOf(p)
	// Half of the ladder's joints hold a rail to a rung, and two the first rails to
	// the world: half of W, and those, are blocks of successors.
	assert.InDelta(t, 0.5, s.written, 0.02)
	assert.InDelta(t, 600.0/float64(pat.Dim()), s.body, 1e-15)
}
