package fault_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/fault"
)

func TestPricesAreSaidInOneWay(t *testing.T) {
	for _, c := range []struct {
		x    float64
		unit string
		want string
	}{
		{0, "B", "0 B"}, {999, "B", "999 B"}, {999.9, "B", "1 kB"}, {1 << 30, "B", "1.07 GB"}, {2.1e10, "flops", "21 Gflops"},
		{1e9, "rows", "1e+09 rows"}, {1e30, "B", "1e+12 EB"},
	} {
		require.Equal(t, c.want, fault.Amount(c.x, c.unit))
	}
	require.Equal(t, "takes 3.2 GB, more than 1.07 GB: choose fewer", fault.TooDear(3.2e9, 1<<30, "B", "choose fewer"))
}
