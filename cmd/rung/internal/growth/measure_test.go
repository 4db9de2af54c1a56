package growth

import (
	"math"
	"testing"
	"time"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMicros(t *testing.T) {
	for ns, want := range map[int64]string{0: "", 1: "0.00", 2345: "2.35", 99_990: "99.99", 100_000: "100", 999_999_000: "999999", 16_700_000_000: "16.7M"} {
		assert.Equal(t, want, micros(ns))
	}
}

// TestRepeated divides by the number of calls.
func TestRepeated(t *testing.T) {
	calls := 0
	ns, err := repeated(func() error { calls++; return nil }, 1, 10*time.Millisecond)
	require.NoError(t, err)
	assert.Less(t, ns, int64(1000), "an empty function")
	assert.Greater(t, calls, 10_000, "a microsecond each, for ten milliseconds")
	_, err = repeated(func() error { return errLoops }, 1, 0)
	require.ErrorIs(t, err, errLoops)
}

// TestBenchHopeless leaves a size out before its memory is allocated.
func TestBenchHopeless(t *testing.T) {
	s := &series{flags: &benchFlags{maxSeconds: 1}, problem: problem{Name: "ladder"}, method: sparseMethod, p: &shell.Progress{}}
	assert.False(t, s.hopeless(math.MaxInt64), "nothing measured yet")
	s.last = &Record{Bodies: 10, FactorFlops: 1000, FactorNs: 1000}
	assert.False(t, s.hopeless(sureOver*1e9))
	assert.True(t, s.hopeless(sureOver*1e9+10))
	s.last.FactorNs = math.MaxInt64
	rec, err := s.next(20)
	require.NoError(t, err)
	assert.Nil(t, rec)
	assert.Equal(t, 20, s.over)
	s.flags.maxSeconds = 0
	assert.False(t, s.hopeless(math.MaxInt64), "no limit")
}

func TestLargest(t *testing.T) {
	for _, family := range bench.Families() {
		for _, size := range []int{1, 2, 7, 100, 12345, bench.MaxBodies} {
			n := largest(family, size)
			at, err := bench.Bodies(family, n)
			require.NoError(t, err)
			if n > 1 {
				assert.LessOrEqual(t, at, size, family)
			}
			if next, err := bench.Bodies(family, n+1); err == nil {
				assert.Greater(t, next, size, family)
			}
		}
	}
}

// TestShare fits the columns of the table.
func TestShare(t *testing.T) {
	assert.Equal(t, "", share(0, 10))
	assert.Equal(t, "12", share(125, 10))
	assert.Equal(t, "999999", share(9999990, 10))
	assert.Equal(t, "16.7M", share(167063520, 10))
	assert.Equal(t, "3.2G", share(3200000000, 1))
}

func TestMedians(t *testing.T) {
	assert.Equal(t, timing{4, 2, 8, 13}, medians([]timing{{5, 1, 9, 15}, {3, 2, 8, 13}, {4, 3, 1, 8}}))
	const least = time.Second
	assert.True(t, more(0, time.Hour, least))
	assert.True(t, more(1, time.Second, least))
	assert.True(t, more(100, least/2, least))
	assert.False(t, more(minRuns, least, least))
	assert.False(t, more(1, enoughRun, least))
	assert.True(t, more(1, enoughRun, time.Hour))
}
