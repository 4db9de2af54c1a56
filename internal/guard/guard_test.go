//rung:race
package guard_test

import (
	"testing"

	"github.com/rung-mbd/rung/internal/guard"
)

func TestGuard(t *testing.T) {
	var g guard.Guard
	for _, free := range []bool{true, false} {
		if g.Enter() != free {
			t.Fatalf("Enter is not %t", free)
		}
	}
	g.Leave()
	if !g.Enter() {
		t.Fatal("Enter is false after Leave")
	}
}

func BenchmarkGuard(b *testing.B) {
	var g guard.Guard
	for b.Loop() {
		if !g.Enter() {
			b.Fatal("busy")
		}
		g.Leave()
	}
}
