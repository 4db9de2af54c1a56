package curves_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/spatial"
)

func TestReadTable(t *testing.T) {
	square := []spatial.Vec3{{0, 0, 0}, {1, 0, 0}, {1, 2, 0.5}}
	for name, c := range map[string]struct {
		text       string
		closed     bool
		parameters []float64
	}{
		"x y z":       {"0 0 0\n1 0 0\n\n# a comment\n1 2 0.5\n", false, nil},
		"commas":      {"0,0,0\r\n1, 0,0\r\n1,2,5e-1", true, nil},
		"names":       {"z; y; x\n0; 0; 0\n0;0;1\n0.5;2;1", false, nil},
		"u x y z":     {"-1\t0\t0\t0\n0\t1\t0\t0\n2\t1\t2\t0.5\n", false, []float64{-1, 0, 2}},
		"u by name":   {"x y z u\n0 0 0 -1\n1 0 0 0\n1 2 0.5 2", false, []float64{-1, 0, 2}},
		"u of a lap":  {"-1 0 0 0\n0 1 0 0\n2 1 2 0.5\n7 0 0 0\n", true, []float64{-1, 0, 2, 7}},
		"byte order":  {"\ufeffx, y, z,\n0, 0, 0,\n1, 0, 0,\n1, 2, 0.5,", true, nil},
		"names twice": {"# track\nx y z\n0 0 0\n1 0 0\n1 2 0.5", true, nil},
	} {
		points, parameters, err := curves.ReadTable(strings.NewReader(c.text), c.closed)
		require.NoError(t, err, name)
		require.Equal(t, square, points, name)
		require.Equal(t, c.parameters, parameters, name)
	}
	points, _, err := curves.ReadTable(strings.NewReader("0 1\n2 3\n"), false)
	require.NoError(t, err)
	require.Equal(t, []spatial.Vec3{{0, 1, 0}, {2, 3, 0}}, points)
	points, parameters, err := curves.ReadTable(strings.NewReader("\n# nothing\n"), true)
	require.NoError(t, err)
	require.Empty(t, points)
	require.Nil(t, parameters)
}

func TestReadTableProblems(t *testing.T) {
	for text, want := range map[string]string{
		"0 0\n1 0 0":             "line 2: has 3 numbers, the others have 2",
		"0 0\n1 NaN":             `line 2: "NaN" is no finite number`,
		"0 0\n1 two":             `line 2: "two" is no finite number`,
		"0 0\n1 1e999":           `line 2: "1e999" is no finite number`,
		"1":                      "line 1: is neither 2 to 4 numbers nor the names of columns",
		"1 2 3 4 5":              "line 1: is neither",
		"x z\n1 2":               "line 1: is neither",
		"x y w\n1 2 3":           "line 1: is neither",
		"x y x\n1 2 3":           "line 1: is neither",
		",":                      `line 1: has an empty field: ","`,
		"1,,2\n3,,4\n5,,7":       `line 1: has an empty field: "1,,2"`,
		"x,y\n0,0\n; 1":          `line 3: has an empty field: "; 1"`,
		"0 0 0 0\n1 1 0 0":       "the last line is not the first point again",
		strings.Repeat("1", 5e3): "a line of more than 4096 bytes",
	} {
		_, _, err := curves.ReadTable(strings.NewReader(text), true)
		require.ErrorIs(t, err, curves.ErrTable, text)
		require.ErrorContains(t, err, want)
	}
	broken := errors.New("broken")
	_, _, err := curves.ReadTable(io.MultiReader(strings.NewReader("0 0\n"), iotest.ErrReader(broken)), false)
	require.ErrorIs(t, err, broken)
	_, _, err = curves.ReadTable(strings.NewReader(strings.Repeat("1 2\n", curves.MaxPoints+2)), false)
	require.ErrorContains(t, err, "line 100002: more than 100000 points")
}
