package families

import (
	"strings"
	"testing"
	"time"

	"github.com/rung-mbd/rung/bench/growth"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFitTable fills all columns of the lines after the records.
func TestFitTable(t *testing.T) {
	exponent, bodies := 2.8334, 26.7
	var out strings.Builder
	page := sheet.NewPage(&out, 80)
	printFits(page, &growth.Document{
		Fits: []growth.Fit{
			{Family: "ladder", Method: sparseMethod, Exponent: &exponent, PerBody: 1883.4},
			{Family: "ladder", Method: "tree-direct", Exponent: &exponent, PerBody: 17609941},
			{Family: "revolute-net", Method: "tree-projection", Exponent: &exponent, PerBody: 123456.7},
			{Family: "chain", Method: growth.Articulated, PerBody: 203},
		},
		Crossovers: []growth.Crossover{
			{Family: "ladder", Method: "tree-direct", Bodies: &bodies, Always: true},
			{Family: "revolute-net", Method: "tree-projection", Bodies: &bodies},
			{Family: "chain", Method: growth.Articulated},
		},
	})
	require.NoError(t, page.Flush())
	assert.Equal(t, []string{
		"",
		"family       method          growth        ns a body   sparse is faster",
		"ladder       sparse          bodies^2.833       1883",
		"ladder       tree-direct     bodies^2.833      17.6M   at all sizes from 27",
		"revolute-net tree-projection bodies^2.833     123457   from about 27 bodies",
		"chain        tree-aba        one size only       203   not at the largest size",
		"",
	}, strings.Split(out.String(), "\n"))
}

func TestMicros(t *testing.T) {
	for ns, want := range map[int64]string{0: "", 1: "0.00", 2345: "2.35", 99_990: "99.99", 100_000: "100", 999_999_000: "999999", 16_700_000_000: "16.7M"} {
		assert.Equal(t, want, micros(ns))
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

func TestBusyText(t *testing.T) {
	made := func(cpu time.Duration, busy bool) growth.Record {
		r := growth.Record{Family: "ladder", Bodies: 10, Method: sparseMethod, Ordering: "banded", Threads: 1}
		ns, others := cpu.Nanoseconds(), (1500*time.Millisecond - cpu).Seconds()
		r.WallNs, r.CPUNs, r.Others, r.Busy = time.Second.Nanoseconds(), &ns, &others, &busy
		return r
	}
	calm, busy := made(time.Second, false), made(time.Second/2, true)
	var unknown growth.Record
	require.Empty(t, busyText([]growth.Record{calm, calm}))
	text := busyText([]growth.Record{calm, busy})
	require.True(t, strings.HasPrefix(text, "the machine was busy: 1 of 2 measurements"), text)
	require.Contains(t, text, "50 % at worst, while others used 1.0 of ")
	require.Equal(t, "whether the machine was busy is not known on this system", busyText([]growth.Record{calm, unknown}))
}
