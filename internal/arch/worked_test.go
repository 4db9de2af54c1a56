package arch_test

import (
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sparse"
)

// worked are the numbers of the four-bar in docs/theory.md, as the code
// computes them.
type worked struct {
	t      *testing.T
	layout *assemble.Layout
	sys    *assemble.System
	w      *assemble.Weighted
	res    *rung.Result
}

// Bodies and joints of the model in its order.
const (
	crank, coupler = 0, 1
	jointA         = 1
)

func newWorked(t *testing.T) *worked {
	t.Helper()
	m, err := model.ReadFile(filepath.Join(root(t), "docs/four-bar.model.json"))
	require.NoError(t, err)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	w := &worked{t: t, layout: assemble.NewLayout(mech)}
	w.sys, w.w = w.layout.NewSystem(), w.layout.NewWeighted()
	st := mech.Initial()
	require.NoError(t, w.sys.FillTo(st))
	require.NoError(t, w.w.FillTo(st))
	w.res, err = rung.Accelerate(m, rung.Options{})
	require.NoError(t, err)
	return w
}

// row returns the first scalar row of joint A.
func (w *worked) row() int { return int(w.layout.Pattern.Off[w.layout.JointNode(jointA)]) }

// block returns the six numbers of row k of joint A on a body.
func (w *worked) block(m *sparse.Matrix, k, body int) (v []float64) {
	for i := range 6 {
		v = append(v, m.At(w.row()+k, 6*body+i))
	}
	return v
}

// force returns the force of joint A on the coupler.
func (w *worked) force() []float64 {
	f := w.res.Joints[jointA].ConstraintWrench.Force
	return f[:]
}

// along returns the components of that force along the rows f x and f y.
func (w *worked) along() (lambda []float64) {
	for k := range 2 {
		t, f := w.block(w.sys.Matrix, k, coupler)[3:], w.force()
		lambda = append(lambda, t[0]*f[0]+t[1]*f[1]+t[2]*f[2])
	}
	return lambda
}

// quantities returns the numbers of the table by the names of its rows.
func (w *worked) quantities() map[string][]float64 {
	r := w.row()
	acc, c := w.res.Bodies, w.res.Constraints
	return map[string][]float64{
		"right side of the coupler":      w.sys.Right[6*coupler : 6*coupler+6],
		"row f x of A, coupler":          w.block(w.sys.Matrix, 0, coupler),
		"row f x of A, crank":            w.block(w.sys.Matrix, 0, crank),
		"row f y of A, coupler":          w.block(w.sys.Matrix, 1, coupler),
		"row f y of A, crank":            w.block(w.sys.Matrix, 1, crank),
		"right side of A":                w.sys.Right[r : r+5],
		"weighted row f x of A, coupler": w.block(w.w.Matrix, 0, coupler),
		"weighted row f y of A, crank":   w.block(w.w.Matrix, 1, crank),
		"scales of f x and f y of A":     w.w.Scale[r : r+2],
		"ω̇ of the crank about z":        {acc[crank].AngularAcceleration[2]},
		"c̈ of the coupler":              acc[coupler].ComAcceleration[:],
		"force of A on the coupler":      w.force(),
		"λ of f x and f y of A":          w.along(),
		"rows, rank, mobility, redundant rows": {
			float64(c.Rows), float64(c.Rank), float64(c.Mobility), float64(c.Redundant)},
	}
}

// TestWorkedNumbers recomputes every number of the four-bar in docs/theory.md,
// to the last digit printed.
func TestWorkedNumbers(t *testing.T) {
	want := newWorked(t).quantities()
	for _, cells := range tableRows(t, page(t, "docs/theory.md"), "## A four-bar in numbers") {
		require.Len(t, cells, 3, "row %v", cells)
		values, ok := want[cells[1]]
		require.True(t, ok, "the test does not compute %q", cells[1])
		delete(want, cells[1])
		printed := strings.Split(cells[2], ", ")
		require.Len(t, printed, len(values), "%s", cells[1])
		for i, p := range printed {
			x, unit := number(t, p)
			assert.InDelta(t, x, values[i], 0.51*unit, "%s, number %d", cells[1], i+1)
		}
	}
	assert.Empty(t, want, "not in the table")
}

// number returns a printed number and what its last digit counts, 1e-9 for a
// number without a fraction.
func number(t *testing.T, s string) (x, unit float64) {
	t.Helper()
	s = strings.Replace(s, "−", "-", 1)
	x, err := strconv.ParseFloat(s, 64)
	require.NoError(t, err)
	if _, fraction, ok := strings.Cut(s, "."); ok {
		return x, math.Pow(10, -float64(len(fraction)))
	}
	return x, 1e-9
}
