package sets_test

import (
	"math/rand/v2"
	"testing"

	"github.com/rung-mbd/rung/internal/sets"
)

// TestUnion compares with sets that are painted over one by one.
func TestUnion(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 60
	s := sets.New(n)
	var colour [n]int32
	for i := range colour {
		colour[i] = int32(i)
	}
	for range n {
		a, b := rng.Int32N(n), rng.Int32N(n)
		from, to := max(colour[a], colour[b]), min(colour[a], colour[b])
		if joined := s.Union(a, b); joined != (from != to) {
			t.Fatalf("Union(%d, %d) = %t", a, b, joined)
		}
		for i := range colour {
			if colour[i] == from {
				colour[i] = to
			}
		}
		for i := range colour {
			if root := s.Find(int32(i)); root != colour[i] {
				t.Fatalf("Find(%d) = %d, not %d", i, root, colour[i])
			}
		}
	}
}
