package objective

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/check"
)

// FuzzData: no file makes the reader of data panic, and the data that it accepts ascend and are finite.
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

// TestDataFiles: byte order marks, line ends of other systems and blanks are no part of a name, and a name belongs to one column.
func TestDataFiles(t *testing.T) {
	for _, text := range []string{
		"\ufefftime,y\r\n0,1\r\n0.5,2\r\n", "\ufeff\"time\",\"y\"\n0,1\n0.5,2", "\ufeff# of a sensor\n y ,time\n1, 0\n,0.2\n2,0.5\n\n",
	} {
		r, err := readRecord(strings.NewReader(text), "y")
		require.NoError(t, err)
		require.Equal(t, []float64{0, 0.5}, r.times)
		require.Equal(t, []float64{1, 2}, r.values)
	}
	for text, want := range map[string]string{
		"time,y,y\n0,1,2\n": `two columns "y"`, "time,y,time\n0,1,2\n": `two columns "time"`, "\ufeff": "empty", "t,y\n0,1\n": `no column "time"`,
		"time,y\n0,1\n0,2\n": `line 3, column 1: "0" is not after`, "time,y\n0,NaN\n": "line 2", "time,y\n0,1\n1\n": "line 3", "time,y\n0,\n": "no values",
	} {
		_, err := readRecord(strings.NewReader(text), "y")
		require.ErrorContains(t, err, want)
	}
}
