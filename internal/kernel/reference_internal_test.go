package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// eps is the distance from 1 to the next number.
const eps = 0x1p-52

// guard is the bit pattern of a number that stands wherever a kernel may neither
// read nor write, 2²⁵⁰ or so: what reads it gives a wrong result, and what writes
// there changes the bits, which a NaN would survive.
const guard = 0x4f9_d_ead_beef_0001

// margin is the number of guards before and behind a matrix.
const margin = 24

// dense is a matrix stored by columns between guards.
type dense struct {
	memory        []float64 // margin, columns with gaps, margin
	x             []float64 // from the first element to the last
	rows, columns int
	ld            int
}

// at returns a pointer to an element.
func (m *dense) at(i, j int) *float64 { return &m.x[i+j*m.ld] }

// newDense returns a matrix of guards.
func newDense(rows, columns, ld int) *dense {
	length := 0
	if rows > 0 && columns > 0 {
		length = rows + (columns-1)*ld
	}
	m := &dense{memory: make([]float64, length+2*margin), rows: rows, columns: columns, ld: ld}
	for i := range m.memory {
		m.memory[i] = math.Float64frombits(guard)
	}
	m.x = m.memory[margin:][:length:length]
	return m
}

// randomDense returns a matrix with normal elements in the lower trapezoid or
// everywhere, in memory of its own.
func randomDense(r *rand.Rand, rows, columns, ld int, lower bool) *dense {
	m := newDense(rows, columns, ld)
	for j := range columns {
		for i := range rows {
			if i >= j || !lower {
				*m.at(i, j) = r.NormFloat64()
			}
		}
	}
	return m
}

// copy returns a copy in other memory, guards included.
func (m *dense) copy() *dense {
	c := newDense(m.rows, m.columns, m.ld)
	copy(c.memory, m.memory)
	return c
}

// requireGuards fails if an element outside was changed: outside tells which
// of the elements of the matrix count, and all memory around them does.
func (m *dense) requireGuards(t *testing.T, outside func(i, j int) bool, message ...any) {
	t.Helper()
	inside := make([]bool, len(m.memory))
	for j := range m.columns {
		for i := range m.rows {
			inside[margin+i+j*m.ld] = !outside(i, j)
		}
	}
	for i, v := range m.memory {
		if !inside[i] && math.Float64bits(v) != guard {
			require.Fail(t, "wrote outside", "%v: offset %d of %d rows, %d columns, ld %d", message, i-margin, m.rows, m.columns, m.ld)
		}
	}
}

// above and nowhere are the places of a lower trapezoid and of a full matrix
// that may not change.
func above(i, j int) bool   { return i < j }
func nowhere(_, _ int) bool { return false }

// requireSame fails if two matrices differ in a bit.
func requireSame(t *testing.T, want, got *dense, message ...any) {
	t.Helper()
	for i := range want.memory {
		if math.Float64bits(want.memory[i]) != math.Float64bits(got.memory[i]) {
			require.Fail(t, "bits differ", "%v: offset %d: %v, %v", message, i-margin, want.memory[i], got.memory[i])
		}
	}
}

// requireClose fails unless |got − want| ≤ bound.
func requireClose(t *testing.T, want, got, bound float64, message ...any) {
	t.Helper()
	if !(math.Abs(got-want) <= bound) {
		require.Fail(t, "not close", "%v: want %v, got %v, bound %v", message, want, got, bound)
	}
}

// eachVariant runs a test for every set of kernels of this machine.
func eachVariant(t *testing.T, run func(t *testing.T, v variant)) {
	for _, v := range variants() {
		t.Run(v.String(), func(t *testing.T) { run(t, v) })
	}
}

// newRand returns the random numbers of a test.
func newRand() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// size is one call.
type size struct{ n, m, k int }

func (s size) String() string { return fmt.Sprintf("n=%d m=%d k=%d", s.n, s.m, s.k) }
