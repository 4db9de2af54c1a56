package tape

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestQueue: of what is in a queue, the first one leaves it.
func TestQueue(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	q := queue{before: func(i, j int32) bool { return i < j }}
	var want []int32
	for range 2000 {
		if len(want) > 0 && r.IntN(5) < 2 {
			require.Equal(t, want[0], q.pop())
			want = want[1:]
			continue
		}
		i := r.Int32N(100)
		q.push(i)
		at, _ := slices.BinarySearch(want, i)
		want = slices.Insert(want, at, i)
	}
	for _, i := range want {
		require.Equal(t, i, q.pop())
	}
	require.Empty(t, q.list)
}
