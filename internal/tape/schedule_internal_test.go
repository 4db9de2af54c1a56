package tape

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/stretchr/testify/require"
)

// differ reports whether two numbers have different bits and are not both no numbers.
func differ(a, b float64) bool {
	return math.Float64bits(a) != math.Float64bits(b) && !(math.IsNaN(a) && math.IsNaN(b))
}

// within reports whether place p is in one of the spans of an instruction.
func within(list *[6]span, o *Op, p int) bool {
	for k, at := range [6]uint32{o.A, o.B, o.C, o.D, o.E, o.F} {
		if first, last := list[k].of(o, at); list[k].used && first <= p && p <= last {
			return true
		}
	}
	return false
}

// TestSpans: an instruction writes nothing but what its spans say, and what it writes depends on nothing but what they
// say.
func TestSpans(t *testing.T) {
	for k, list := range check.Some(programs(), 8) {
		o := &list[0]
		s := &spans[o.Code]
		before, a, b := fill(uint64(k)), fill(uint64(k)), fill(uint64(k))
		other := fill(uint64(k) + 1e6)
		for p := 0; p < size; p++ {
			if !within(&s.reads, o, p) {
				copy(b[p*Lanes:][:Lanes], other[p*Lanes:])
			}
		}
		runGo(a, shared, list)
		runGo(b, shared, list)
		for i := range a {
			if p := i / Lanes; differ(a[i], before[i]) {
				require.True(t, within(&s.writes, o, p), "%v, N = %d, writes place %d", o.Code, o.N, p)
				require.False(t, differ(a[i], b[i]), "%v, N = %d, place %d depends on others", o.Code, o.N, p)
			}
		}
	}
}

// TestScheduleRuns: chains of three codes that do not depend on each other become three runs.
func TestScheduleRuns(t *testing.T) {
	const chains = 8
	codes := []Code{Copy, Add, Sub}
	var list []Op
	for k := range uint32(chains) {
		at := 64 * (8 + 4*k)
		for i, code := range codes {
			from := at + 64*uint32(i)
			list = append(list, Op{Code: code, N: 1, A: from + 64, B: from, C: at})
		}
	}
	got := ScheduleRuns(append(list, Op{Code: End}), size)
	for i, o := range got[:len(list)] {
		require.Equal(t, list[i%chains*len(codes)+i/chains], o)
	}
	require.Equal(t, Op{Code: End}, got[len(list)])
	require.Equal(t, len(codes), Jumps(got))
	require.Equal(t, len(list), Jumps(append(list, Op{Code: End})))
}

// TestScheduleSameBits: a tape in another order does the same.
func TestScheduleSameBits(t *testing.T) {
	const few = 96 // places of operands, so that they overlap often
	rng := rand.New(rand.NewPCG(1, 2))
	changed := 0
	for trial := range check.Few(40, 15) {
		var list []Op
		place := func() uint32 { return uint32(64 * (8 + rng.IntN(few))) }
		n := 120
		if trial == 0 { // more than are put in order together
			n = 2*together + 7
		}
		for range n {
			list = append(list, Op{Code: 1 + Code(rng.IntN(numCodes-1)), N: 1 + uint32(rng.IntN(3)), A: place(), B: place(), C: place(), D: place(), E: place(), F: 64 * uint32(1+rng.IntN(6))})
		}
		list = append(list, Op{Code: End})
		sorted, runs := Schedule(list, size), ScheduleRuns(list, size)
		if !slices.Equal(list, sorted) {
			changed++
		}
		want := fill(uint64(trial))
		runGo(want, shared, list)
		for k, other := range [][]Op{sorted, runs} {
			require.Len(t, other, len(list))
			got := fill(uint64(trial))
			runGo(got, shared, other)
			for i := range got {
				require.False(t, differ(got[i], want[i]), "trial %d, order %d, place %d", trial, k, i/Lanes)
			}
		}
	}
	require.Positive(t, changed)
}
