package growth

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/rung-mbd/rung/bench"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestRepeated divides by the number of calls.
func TestRepeated(t *testing.T) {
	calls := 0
	ns, err := repeated(t.Context(), func() error { calls++; return nil }, 1, 10*time.Millisecond)
	require.NoError(t, err)
	assert.Less(t, ns, int64(1000), "an empty function")
	assert.Greater(t, calls, 10_000, "a microsecond each, for ten milliseconds")
	_, err = repeated(t.Context(), func() error { return ErrLoops }, 1, 0)
	require.ErrorIs(t, err, ErrLoops)
}

// TestHopeless leaves a size out before its memory is allocated.
func TestHopeless(t *testing.T) {
	f, err := Generated("ladder", 1)
	require.NoError(t, err)
	s := &series{o: &Options{MaxTime: time.Second}, Family: &f, method: sparseMethod}
	assert.False(t, s.hopeless(math.MaxInt64), "nothing measured yet")
	s.last = &Record{Bodies: 10, FactorFlops: 1000, FactorNs: 1000}
	assert.False(t, s.hopeless(sureOver*1e9))
	assert.True(t, s.hopeless(sureOver*1e9+10))
	s.last.FactorNs = math.MaxInt64
	rec, err := s.next(t.Context(), 20)
	require.ErrorIs(t, err, ErrTooLong)
	assert.Nil(t, rec)
	s.o.MaxTime = 0
	assert.False(t, s.hopeless(math.MaxInt64), "no limit")
}

func TestLargest(t *testing.T) {
	for _, family := range bench.Families() {
		for _, size := range []int{1, 2, 7, 100, 12345, bench.MaxBodies} {
			f, err := Generated(family, 1)
			require.NoError(t, err)
			n := f.largest(size)
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

func TestMedians(t *testing.T) {
	assert.Equal(t, timing{4, 2, 8, 13}, medians([]timing{{5, 1, 9, 15}, {3, 2, 8, 13}, {4, 3, 1, 8}}))
	const least = time.Second
	ctx, cancel := context.WithCancel(t.Context())
	assert.True(t, more(ctx, 0, time.Hour, least))
	assert.True(t, more(ctx, 1, time.Second, least))
	assert.True(t, more(ctx, 100, least/2, least))
	assert.False(t, more(ctx, minRuns, least, least))
	assert.False(t, more(ctx, 1, enoughRun, least))
	assert.True(t, more(ctx, 1, enoughRun, time.Hour))
	cancel()
	assert.False(t, more(ctx, 1, 0, least))
}
