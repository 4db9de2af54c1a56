package mechanics

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	problems "github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/internal/tape"
	"github.com/rung-mbd/rung/internal/tape/places"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// bench is a program and its workspace.
type bench struct {
	plan  *kkt.Plan
	c     *compiler
	stage []tape.Op
	w     []float64
}

// tape returns a tape, for which the workspace has room.
func (w *bench) tape(emit func()) []tape.Op {
	ops := w.c.Tape(emit)
	w.w = w.c.Workspace()
	return ops
}

func (w *bench) lane(p place) []float64 { return w.w[int(p)*tape.Lanes:][:tape.Lanes] }

func (w *bench) run(ops []tape.Op) { tape.Run(w.w, w.c.Numbers(), ops) }

// twoBalls is a ball that turns about its centre in the world, with a pin, and a free one, both of mass and inertia 1.
func twoBalls(t *testing.T) *bench {
	t.Helper()
	d, err := bodies.New(1, spatial.Vec3{}, spatial.Sym3{1, 1, 1})
	require.NoError(t, err)
	b := rung.NewBuilder("balls").Gravity(0, 0, 0)
	b.Spherical("pin", rung.World, b.Body("pinned", d, rung.At(0, 0, 0)), spatial.Vec3{})
	b.Body("free", d, rung.At(1, 0, 0))
	return newBench(t, b)
}

// balls is two balls on hinges to the world, a group each, with a rod between them.
func balls(t *testing.T) *bench {
	t.Helper()
	d, err := bodies.New(1, spatial.Vec3{}, spatial.Sym3{1, 1, 1})
	require.NoError(t, err)
	b := rung.NewBuilder("balls")
	one, other := b.Body("one", d, rung.At(0, 0, 0)), b.Body("other", d, rung.At(1, 0, 0))
	b.Revolute("a", rung.World, one, spatial.Vec3{0, 1, 0}, spatial.Vec3{0, 0, 1})
	b.Revolute("b", rung.World, other, spatial.Vec3{1, 1, 0}, spatial.Vec3{0, 0, 1})
	b.Distance("rod", one, other, spatial.Vec3{}, spatial.Vec3{1, 0, 0})
	return newBench(t, b)
}

func newBench(t *testing.T, b *rung.Builder) *bench {
	t.Helper()
	m, err := b.Model()
	require.NoError(t, err)
	return benchOf(t, m)
}

func benchOf(t *testing.T, m *model.Model) *bench {
	t.Helper()
	p, err := rung.NewPlan(m, kkt.Options{})
	require.NoError(t, err)
	c := newCompiler(p, newReduction(p.Dynamics()), plainState(m), false)
	return &bench{plan: p, c: c, stage: c.stage()}
}

// plainState is the form of states without parameters and forces of their own.
func plainState(m *model.Model) *State {
	freedoms, nb := make([]int, 6*len(m.Joints)), len(m.Bodies)
	return &State{
		Length: Bodies + nb*places.State, Body: make([]int, nb), Joint: make([]int, len(m.Joints)),
		Forces: freedoms, Gear: freedoms, Drive: freedoms,
	}
}

// record is what a solve of a state in lanes has found: what is not given is well.
type record struct{ over, doubt, weak, body, big, bad, size, notFinite, notUnit float64 }

// put stores r in a lane.
func (r record) put(w *bench, lane int) {
	for k, x := range map[int]float64{
		places.OverPivot: r.over, places.Doubt: r.doubt, places.WeakRows: r.weak, places.BodyPivot: r.body, places.BigResidual: r.big,
		places.BadResidual: r.bad, places.Sizes: r.size, places.NotFinite: r.notFinite, places.NotUnit: r.notUnit,
	} {
		w.lane(w.c.sys.record.At(k))[lane] = x
	}
}

// TestVerdict: a state stays in lanes up to the limits that Solve names, and what is no number ends it.
func TestVerdict(t *testing.T) {
	w := twoBalls(t)
	verdict := w.tape(w.c.sys.verdict)
	nan := math.NaN()
	for _, c := range []struct {
		record
		holds bool
	}{
		{record{}, true},
		{record{over: 0.99 / 1.1e-9}, true}, {record{over: 1.01 / 1.1e-9}, false}, {record{over: nan}, false},
		{record{doubt: 0.89e-9}, true}, {record{doubt: 0.91e-9}, false}, {record{doubt: nan}, false},
		{record{body: 0.5 + 0.99e-6}, true}, {record{body: 0.5 + 1.01e-6}, false}, {record{body: nan}, false},
		{record{big: 0.98e-26, size: 1}, true}, {record{big: 1.02e-26, size: 1}, false}, {record{big: nan, size: 1}, false}, {record{big: 0, size: nan}, false},
		{record{bad: -1}, true}, {record{bad: 1e-40}, false}, {record{bad: nan}, false},
		{record{notUnit: 1.99e-6}, true}, {record{notUnit: 2.01e-6}, false}, {record{notUnit: nan}, false},
		{record{notFinite: nan}, false},
	} {
		c.put(w, 0)
		w.run(verdict)
		require.Equal(t, c.holds, w.lane(w.c.sys.holds)[0] == 1, "%+v", c.record)
	}

	// A row of a system with groups has to be surer.
	w = balls(t)
	verdict = w.tape(w.c.sys.verdict)
	for doubt, holds := range map[float64]bool{0.99e-12: true, 1.01e-12: false, nan: false} {
		record{doubt: doubt}.put(w, 0)
		w.run(verdict)
		require.Equal(t, holds, w.lane(w.c.sys.holds)[0] == 1, doubt)
	}
}

// mast is a scissor of two crosses, with spare rows at pins.
func mast(t *testing.T) *bench {
	t.Helper()
	m, err := problems.Generate("scissor", 2, 1)
	require.NoError(t, err)
	w := benchOf(t, m)
	require.NotNil(t, w.c.sys.lean)
	return w
}

// TestVerdictWithoutSpareRows: no row may be redundant beside spare ones, and no pivot smaller than a solver accepts.
func TestVerdictWithoutSpareRows(t *testing.T) {
	w := mast(t)
	verdict := w.tape(w.c.sys.verdict)
	least := w.c.sys.lean.Least
	for _, c := range []struct {
		record
		holds bool
	}{
		{record{}, true}, {record{weak: 1}, false},
		{record{over: 0.99 / (1.1 * least)}, true}, {record{over: 1.01 / (1.1 * least)}, false},
	} {
		c.put(w, 0)
		w.run(verdict)
		require.Equal(t, c.holds, w.lane(w.c.sys.holds)[0] == 1, "%+v", c.record)
	}
}

// TestSpareRowsHold: each spare row may be off by 1e-12 of its terms in a solve, and by the root of the bound of a pivot of a
// redundant row at a stage: its load, and the norms of the accelerations of its bodies and 1e-4 of the largest, times that of the row.
func TestSpareRowsHold(t *testing.T) {
	w := mast(t)
	s := w.c.sys
	solve, stage := w.tape(func() { s.askSpare(rowTol(), restTerm) }), w.tape(func() { s.askSpare(w.c.offSpare(), restTerm) })
	tols := []float64{1e-12, 3.1623e-5}
	require.InEpsilonSlice(t, tols, []float64{rowTol(), w.c.offSpare()}, 1e-5)
	const size, load, rows = 5.0, 2.0, 3.0 // of all bodies, of the row, of all rows
	for i, r := range s.spare {
		terms := load + rows*(1e-4*size+size*float64(len(r.bodies)))
		for row := r.kept; row < r.size; row++ {
			for _, tol := range tols {
				for _, c := range []struct {
					off   float64
					holds bool
				}{{0.99, true}, {-0.99, true}, {1.01, false}, {-1.01, false}, {math.NaN(), false}} {
					w.rest(size*size, rows*rows)
					w.lane(r.right.At(row))[0] = load
					// One body has an acceleration of size 1 along the first axis.
					w.lane(s.x[r.bodies[0]])[0], w.lane(r.blocks[0].At(6 * row))[0] = 1, load-c.off*tol*terms
					ops := solve
					if tol > rowTol() {
						ops = stage
					}
					w.run(ops)
					require.Equal(t, c.holds, w.lane(s.record.At(badResidual))[0] <= 0, "node %d, row %d, %g of %g", i, row, c.off, tol)
				}
			}
		}
	}
}

// rest stores a solution of zeros of given squared sizes, for rows of zeros with a given square.
func (w *bench) rest(size, scale float64) {
	s := w.c.sys
	for i := range s.pattern.Positive() {
		w.lane(s.square[i])[0] = size
		for k := range 6 {
			w.lane(s.x[i].At(k))[0] = 0
		}
	}
	w.lane(s.record.At(sizes))[0], w.lane(s.record.At(badResidual))[0] = size, 0
	for _, r := range s.spare {
		for k := r.kept; k < r.size; k++ {
			w.lane(r.right.At(k))[0], w.lane(r.scale.At(k))[0] = 0, scale
			for _, at := range r.blocks {
				for j := range 6 {
					w.lane(at.At(6*k + j))[0] = 0
				}
			}
		}
	}
}

// TestRowsInTheirPlaces: rows of the system come first, spare ones behind them, both as the layout has them.
func TestRowsInTheirPlaces(t *testing.T) {
	for _, c := range []struct {
		spare, at []int8
		runs      []int // of all rows from the first, the third and the last one on
	}{
		{[]int8{0}, []int8{4, 0, 1, 2, 3}, []int{1, 3, 1}},
		{[]int8{3, 4}, nil, []int{5, 3, 1}},
		{[]int8{2, 3}, []int8{0, 1, 3, 4, 2}, []int{2, 2, 1}},
		{[]int8{0, 2, 4}, []int8{2, 0, 3, 1, 4}, []int{1, 1, 1}},
		{[]int8{0, 1, 2, 3, 4}, nil, []int{5, 3, 1}},
	} {
		r := &nodeRows{size: 5, kept: 5 - len(c.spare)}
		r.putBehind(c.spare)
		require.Equal(t, c.at, r.at, c.spare)
		require.Equal(t, c.runs, []int{r.run(0, 5), r.run(2, 3), r.run(4, 1)}, c.spare)
	}
}

// TestWant: a first solve is corrected from an estimated error of 5e-15 on, or where pivots are so small that the estimate says
// little; a corrected one from 1e-13 on.
func TestWant(t *testing.T) {
	w := twoBalls(t)
	first, more := w.tape(w.c.sys.wantFirst), w.tape(w.c.sys.wantMore)
	for _, c := range []struct {
		record
		first, more bool
	}{
		{record{size: 1}, false, false},
		{record{big: 24e-30, size: 1}, false, false}, {record{big: 26e-30, size: 1}, true, false},
		{record{big: 0.98e-26, size: 1}, true, false}, {record{big: 1.02e-26, size: 1}, true, true}, {record{big: 0.98e-25, size: 10}, true, false},
		{record{over: 0.99 / 3e-5, size: 1}, false, false}, {record{over: 1.01 / 3e-5, size: 1}, true, false},
	} {
		for _, k := range []struct {
			ops  []tape.Op
			want bool
		}{{first, c.first}, {more, c.more}} {
			c.put(w, 0)
			w.run(k.ops)
			require.Equal(t, k.want, w.lane(w.c.sys.mask)[0] != 0, "%+v", c.record)
		}
	}
}

// TestCorrectedAtOnce: where the first solution at the model's state needs a correction, all lanes are corrected without a look at
// what the first solve has found; elsewhere none is that needs no correction.
func TestCorrectedAtOnce(t *testing.T) {
	for n, corrected := range map[int]bool{2: false, 10: true} {
		m, err := problems.Generate("scissor", n, 1)
		require.NoError(t, err)
		w := benchOf(t, m)
		require.Equal(t, corrected, w.c.sys.lean.Corrected)
		ops := w.tape(w.c.sys.judgeFirst)
		record{size: 1}.put(w, 0)
		w.run(ops)
		require.Equal(t, corrected, w.lane(w.c.sys.mask)[0] == 1, n)
	}
}

// TestResidualsOfBodiesAtRest: the residual of a row may be 1e-12 of its terms, among which 1e-4 of the largest acceleration
// counts, as it is rounding of that where the bodies of the row are at rest.
func TestResidualsOfBodiesAtRest(t *testing.T) {
	w := twoBalls(t)
	judge, stage := w.tape(func() { w.c.sys.judge(restTerm) }), w.stage
	for l := range w.lane(w.c.input.At(Bodies)) {
		for i, b := range w.plan.Initial().Bodies {
			w.lane(w.c.input.At(Bodies + places.State*i + places.Position))[l] = b.Position[0]
			w.lane(w.c.input.At(Bodies + places.State*i + places.Rotation))[l] = 1
		}
	}
	w.run(w.c.OfConstants())
	w.run(stage)
	for _, c := range []struct {
		moves float64 // each number of the pinned ball, the norm of those of the free one being 1
		bad   bool
	}{{0, false}, {0.9e-16, false}, {1.1e-16, true}, {1, true}} {
		for i, x := range [2]float64{c.moves, 1 / math.Sqrt(6)} {
			for k := range 6 {
				w.lane(w.c.sys.x[i].At(k))[0] = x
			}
		}
		w.run(judge)
		require.Equal(t, c.bad, w.lane(w.c.sys.record.At(badResidual))[0] > 0, "%g", c.moves)
	}
}

// TestLeastPivot: a step in lanes may come to a quarter of the distance from a singular pose at which it begins, but no nearer
// than rows tell from redundant ones.
func TestLeastPivot(t *testing.T) {
	for near, want := range map[float64]float64{1: 1e-6, 1e-2: 1e-6, 1e-3: 1e-6 / 16, 1e-5: 1.1e-9, 0: 1.1e-9} {
		require.InEpsilon(t, want, leastOf(near), 1e-15, "%g", near)
	}
}

// TestOrders: the tapes of a solve have the order with more runs where together they have more jumps than a processor foresees, and the
// tapes of steps by their own jumps.
func TestOrders(t *testing.T) {
	seen := map[[3]bool]bool{} // whether a solve, a step of RK4 and one of Euler stand in runs
	for _, c := range []struct {
		family string
		n      int
	}{{"scissor", 2}, {"miura", 3}, {"scissor", 6}} {
		m, err := problems.Generate(c.family, c.n, 1)
		require.NoError(t, err)
		p, err := rung.NewPlan(m, kkt.Options{})
		require.NoError(t, err)
		x := Compile(p, plainState(m), false)
		parts := [3][]*[]tape.Op{x.solve(), {&x.Steps.Stages[0], &x.Steps.Stages[1], &x.Steps.Stages[2], &x.Steps.Stages[3]}, {&x.Steps.Euler}}
		var want [3][][]tape.Op
		var runs [3]bool
		for k, list := range parts {
			first, jumps := 0, 0
			if k == 1 { // the last stage is the longest, and the others begin like it
				first = 3
			}
			for _, ops := range list[first:] {
				jumps += tape.Jumps(tape.Schedule(*ops, x.Places()))
			}
			order := tape.Schedule
			if runs[k] = jumps > 1600; runs[k] {
				order = tape.ScheduleRuns
			}
			for _, ops := range list {
				want[k] = append(want[k], order(*ops, x.Places()))
			}
		}
		x.Schedule()
		for k, list := range parts {
			for i, ops := range list {
				require.True(t, slices.Equal(want[k][i], *ops), "%s %d: tape %d of %d", c.family, c.n, i, k)
			}
		}
		seen[runs] = true
	}
	require.Equal(t, map[[3]bool]bool{{}: true, {false, true, true}: true, {true, true, true}: true}, seen)
}
