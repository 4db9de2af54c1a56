package objective

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/check"
)

// FuzzData: no file makes the reader of data panic, and what it takes ascends and is finite.
func FuzzData(tf *testing.F) {
	f := check.NewFuzz(tf)
	f.Add("time,y\n0,1\n0.5,2\n")
	f.Add("# a comment\n y , time,z\n1,0,\n,0.5,3\n\"2\",7e-1,\n")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := readRecord(strings.NewReader(text), "y")
		if err != nil {
			require.Nil(t, r)
			return
		}
		require.NotEmpty(t, r.times)
		require.Len(t, r.values, len(r.times))
		for i, x := range r.times {
			require.True(t, algebra.Finite(x) && algebra.Finite(r.values[i]))
			require.True(t, i == 0 || x > r.times[i-1])
		}
		_ = r.within(0, 1)
	})
}
