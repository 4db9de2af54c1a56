package sparse_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/sparsetest"
	"github.com/rung-mbd/rung/sparse"
)

// readMatrixMarket reads "coordinate real symmetric" and "array real general"
// into a dense matrix, and returns the comment lines. It is strict about what
// the format leaves to the writer: canonical order and no zeros.
func readMatrixMarket(t *testing.T, text string) (d *mat.Dense, entries int, comments []string) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	kind, ok := strings.CutPrefix(lines[0], "%%MatrixMarket matrix ")
	require.True(t, ok, lines[0])
	lines = lines[1:]
	for len(lines) > 0 && strings.HasPrefix(lines[0], "%") {
		comments = append(comments, strings.TrimPrefix(lines[0], "% "))
		lines = lines[1:]
	}
	var rows, cols int
	if kind == "array real general" {
		_, err := fmt.Sscanf(lines[0], "%d %d", &rows, &cols)
		require.NoError(t, err)
		require.Len(t, lines[1:], rows*cols)
		d = mat.NewDense(rows, cols, nil)
		for k, line := range lines[1:] {
			var x float64
			_, err := fmt.Sscanf(line, "%g", &x)
			require.NoError(t, err, line)
			d.Set(k%rows, k/rows, x)
		}
		return d, rows * cols, comments
	}
	require.Equal(t, "coordinate real symmetric", kind)
	_, err := fmt.Sscanf(lines[0], "%d %d %d", &rows, &cols, &entries)
	require.NoError(t, err)
	require.Equal(t, rows, cols)
	require.Len(t, lines[1:], entries)
	d = mat.NewDense(rows, cols, nil)
	last := -1
	for _, line := range lines[1:] {
		var i, j int
		var x float64
		_, err := fmt.Sscanf(line, "%d %d %g", &i, &j, &x)
		require.NoError(t, err, line)
		require.True(t, 1 <= j && j <= i && i <= rows, "lower triangle: %s", line)
		require.Greater(t, j*(rows+1)+i, last, "column order: %s", line)
		require.NotZero(t, x, line)
		last = j*(rows+1) + i
		d.Set(i-1, j-1, x)
		d.Set(j-1, i-1, x)
	}
	return d, entries, comments
}

func TestMatrixMarketRoundTrip(t *testing.T) {
	sparsetest.EachMatrix(t, func(t *testing.T, seed uint64, m *sparse.Matrix) {
		var b bytes.Buffer
		require.NoError(t, m.WriteMatrixMarket(&b))
		d, entries, _ := readMatrixMarket(t, b.String())
		assert.True(t, mat.Equal(sparsetest.Dense(m, nil), d))
		assert.Equal(t, m.Pattern.NonZeros(), int64(entries))

		perm := sparsetest.Perm(check.Rand(seed), m.Pattern.Len())
		b.Reset()
		require.NoError(t, m.View(perm).WriteMatrixMarket(&b))
		d, _, _ = readMatrixMarket(t, b.String())
		assert.True(t, mat.Equal(sparsetest.Dense(m, perm), d))
	})
}

// pair is one body of two rows and one joint row.
func pair() *sparse.Matrix {
	m := sparse.NewMatrix(sparse.NewPattern([]int8{2, 1}, []int8{1, -1}, []int32{0, 0, 1}, []int32{0}))
	copy(m.Dia, []float64{2, 0, 0, 1.0 / 3})
	copy(m.Val, []float64{-1e-300, math.Copysign(0, -1)})
	return m
}

func TestMatrixMarketText(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, pair().WriteMatrixMarket(&b, "a pair", "two\nlines\r\n", "%done"))
	assert.Equal(t, `%%MatrixMarket matrix coordinate real symmetric
% a pair
% two
% lines
% %done
3 3 3
1 1 2
3 1 -1e-300
2 2 0.33333333333333331
`, b.String(), "zeros, a negative one too, are left out")

	b.Reset()
	require.NoError(t, sparse.NewMatrix(sparse.NewPattern(nil, nil, []int32{0}, nil)).WriteMatrixMarket(&b))
	assert.Equal(t, "%%MatrixMarket matrix coordinate real symmetric\n0 0 0\n", b.String())
}

func TestVectorRoundTrip(t *testing.T) {
	x := sparsetest.Vec(check.Rand(1), 20)
	x = append(x, 0, math.MaxFloat64, math.SmallestNonzeroFloat64, 1e23, math.Pi)
	var b bytes.Buffer
	require.NoError(t, sparse.WriteVector(&b, x, "right side"))
	d, _, comments := readMatrixMarket(t, b.String())
	assert.Equal(t, x, d.RawMatrix().Data)
	assert.Equal(t, []string{"right side"}, comments)
	b.Reset()
	require.NoError(t, sparse.WriteVector(&b, nil))
	assert.Equal(t, "%%MatrixMarket matrix array real general\n0 1\n", b.String())
}

func TestMatrixMarketRefusesWhatIsNotFinite(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		m := pair()
		m.Val[1] = bad
		var b bytes.Buffer
		err := m.WriteMatrixMarket(&b)
		require.ErrorIs(t, err, sparse.ErrNotFinite)
		assert.ErrorContains(t, err, "entry (3, 2) is ")
		err = sparse.WriteVector(&b, []float64{0, bad})
		require.ErrorIs(t, err, sparse.ErrNotFinite)
		assert.ErrorContains(t, err, "entry 2 is ")
		assert.Zero(t, b.Len())
	}
}

var errFull = errors.New("full")

// full takes so many bytes and then fails.
type full int

func (f *full) Write(p []byte) (int, error) {
	if len(p) > int(*f) {
		n := int(*f)
		*f = 0
		return n, errFull
	}
	*f -= full(len(p))
	return len(p), nil
}

func TestWritersReportTheErrorOfTheFile(t *testing.T) {
	m := sparsetest.Matrix(6, 8, 14)
	for name, write := range map[string]func(io.Writer) error{
		"matrix": func(w io.Writer) error { return m.WriteMatrixMarket(w) },
		"vector": func(w io.Writer) error { return sparse.WriteVector(w, make([]float64, 9000)) },
		"spy":    func(w io.Writer) error { return sparse.WriteSpy(w, m.Pattern, nil, sparse.SpyOptions{Title: "t"}) },
	} {
		for _, room := range []full{0, 5000} {
			t.Run(fmt.Sprintf("%s/%d", name, room), func(t *testing.T) {
				if name == "spy" {
					room /= 4
				}
				require.ErrorIs(t, write(&room), errFull)
			})
		}
	}
}
