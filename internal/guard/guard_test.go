//rung:race
package guard_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/guard"
)

func TestGuard(t *testing.T) {
	var g guard.Guard
	require.True(t, g.Enter())
	require.False(t, g.Enter())
	g.Leave()
	require.True(t, g.Enter())
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
