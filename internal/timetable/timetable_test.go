package timetable_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/timetable"
)

// read reads the times and a column.
func read(text, column string) (times, values []float64, err error) {
	t, err := timetable.NewReader(strings.NewReader(text))
	if err != nil {
		return nil, nil, err
	}
	time, err := t.Column(timetable.Time)
	if err != nil {
		return nil, nil, err
	}
	c, err := t.Column(column)
	if err != nil {
		return nil, nil, err
	}
	for err = t.Next(); err == nil; err = t.Next() {
		at, err := t.After(time)
		if err != nil {
			return nil, nil, err
		}
		x, err := t.Number(c)
		if err != nil {
			return nil, nil, err
		}
		times, values = append(times, at), append(values, x)
	}
	if !errors.Is(err, io.EOF) {
		return nil, nil, err
	}
	return times, values, nil
}

// TestRead: marks of the order of bytes, comments, blanks and ends of lines of other systems are no part of names and numbers.
func TestRead(t *testing.T) {
	for _, text := range []string{
		"time,y\n0,1\n0.5,2\n", "\ufefftime,y\r\n0,1\r\n0.5,2\r\n", "\ufeff\"time\",\"y\"\n0,1\n0.5,2", "# of a sensor\n y ,time\n1, 0 \n# later\n2,0.5\n\n",
	} {
		times, values, err := read(text, "y")
		if err != nil || !slices.Equal(times, []float64{0, 0.5}) || !slices.Equal(values, []float64{1, 2}) {
			t.Errorf("%q: %v, %v, %v", text, times, values, err)
		}
	}
}

// TestFaults: what is wrong is told with line, column and value.
func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		"": "the file is empty: it has no line of names", "\ufeff": "the file is empty: it has no line of names", "# none\n": "the file is empty: it has no line of names",
		"time;y\n0;1\n":           `line 1, column 1: "time;y" is one column: columns are parted by commas`,
		"time,y,y\n":              `the file has two columns "y"`,
		"time,Y\n":                `the file has no column "y", did you mean Y?`,
		"time,y\n0,1\n0,2\n":      `line 3, column 1: "0" is not after the time before it, 0`,
		"time,y\n-1,1\n-2,2\n":    `line 3, column 1: "-2" is not after the time before it, -1`,
		"time,y\n0,1\n0.5,Inf\n":  `line 3, column 5: "Inf" is not a finite number`,
		"time,y\n0,1\n1,0_9\n":    `line 3, column 3: "0_9" is not a finite number`,
		"time,y\n0,1\n1,0x1p-1\n": `line 3, column 3: "0x1p-1" is not a finite number`,
		"time,y\n0,1\n# c\n,2\n":  "line 4, column 1: is not a finite number",
		"time,y\n0,1\n1\n":        "line 3", // too few
		"time,y\n0,\"1\n":         "line",   // a quotation that does not end
	} {
		_, _, err := read(text, "y")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, not %s", text, err, want)
		}
	}
}

// FuzzRead: no file makes a reader panic, and what it takes rises.
func FuzzRead(tf *testing.F) {
	f := check.NewFuzz(tf)
	f.Add("time,y\n0,1\n0.5,2\n")
	f.Add("# a comment\n y , time,z\n1,0,\n,0.5,3\n\"2\",7e-1,\n")
	f.Fuzz(func(t *testing.T, text string) {
		times, values, err := read(text, "y")
		if err != nil {
			if err.Error() == "" {
				t.Fatal("no text")
			}
			return
		}
		if len(values) != len(times) {
			t.Fatalf("%d times, %d values", len(times), len(values))
		}
		for i := range times {
			if i > 0 && times[i] <= times[i-1] {
				t.Fatalf("%v after %v", times[i], times[i-1])
			}
		}
	})
}
