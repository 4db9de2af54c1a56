package main

import (
	"bufio"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

// matrixFile is a MatrixMarket file as a test reads it.
type matrixFile struct {
	head     string
	comments []string
	rows     int
	entries  map[[2]int]float64 // coordinate files, from 0
	values   []float64          // array files
}

func readMatrix(t *testing.T, text string) (m matrixFile) {
	t.Helper()
	in := bufio.NewScanner(strings.NewReader(text))
	require.True(t, in.Scan())
	m.head = in.Text()
	for in.Scan() && strings.HasPrefix(in.Text(), "%") {
		m.comments = append(m.comments, strings.TrimPrefix(in.Text(), "% "))
	}
	coordinate := strings.Contains(m.head, "coordinate")
	var cols, nz int
	_, err := fmt.Sscan(in.Text()+" 0", &m.rows, &cols, &nz)
	require.NoError(t, err)
	m.entries = map[[2]int]float64{}
	for in.Scan() {
		var i, j int
		var x float64
		if !coordinate {
			_, err = fmt.Sscan(in.Text(), &x)
			m.values = append(m.values, x)
		} else {
			_, err = fmt.Sscan(in.Text(), &i, &j, &x)
			m.entries[[2]int{i - 1, j - 1}] = x
		}
		require.NoError(t, err)
	}
	if coordinate {
		require.Len(t, m.entries, nz)
	}
	return m
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(b)
}

// requireXML checks that a text is a well-formed SVG document.
func requireXML(t *testing.T, text string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	elements := 0
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		if e, ok := tok.(xml.StartElement); ok {
			if elements == 0 {
				assert.Equal(t, "svg", e.Name.Local)
			}
			elements++
		}
	}
	assert.Greater(t, elements, 5)
}

// solveFile solves the system of two files by a dense factorization.
func solveFile(t *testing.T, k, b matrixFile) []float64 {
	t.Helper()
	A := mat.NewDense(k.rows, k.rows, nil)
	for ij, x := range k.entries {
		assert.GreaterOrEqual(t, ij[0], ij[1], "lower triangle")
		A.Set(ij[0], ij[1], x)
		A.Set(ij[1], ij[0], x)
	}
	var x mat.VecDense
	require.NoError(t, x.SolveVec(A, mat.NewVecDense(len(b.values), b.values)))
	return x.RawVector().Data
}

// rowsOf returns the first row, from 0, that the comments name for a node.
func rowsOf(t *testing.T, m matrixFile, node string) int {
	t.Helper()
	for _, c := range m.comments {
		var first, last int
		if n, _ := fmt.Sscanf(c, "rows %d-%d ", &first, &last); n == 2 && strings.HasSuffix(c, node) {
			return first - 1
		}
	}
	t.Fatalf("no rows of %s", node)
	return 0
}

// TestMatrix solves the written systems of a mechanism without redundant
// constraints: they give the accelerations of rung accel.
func TestMatrix(t *testing.T) {
	const tol = 1e-9 // of accelerations of order 10: a dense LU of 87 rows
	model := generated(t, "ladder", "8")
	want := accelJSON(t, model)
	for _, permuted := range []bool{false, true} {
		dir := t.TempDir()
		path := filepath.Join(dir, "K.mtx")
		args := []string{"matrix", model, "-o", path, "--ordering", "min-degree"}
		if permuted {
			args = append(args, "--permuted")
		}
		assert.Empty(t, ok(t, args...))
		k, b := readMatrix(t, readFile(t, path)), readMatrix(t, readFile(t, filepath.Join(dir, "K.rhs.mtx")))
		assert.Equal(t, "%%MatrixMarket matrix coordinate real symmetric", k.head)
		assert.Equal(t, "%%MatrixMarket matrix array real general", b.head)
		assert.Equal(t, want.Solve.Unknowns, k.rows)
		x := solveFile(t, k, b)
		for _, body := range want.Bodies {
			o := rowsOf(t, k, fmt.Sprintf("body %q", body.Name))
			for i := range 3 {
				assert.InDelta(t, body.AngularAcceleration[i], x[o+i], tol)
				assert.InDelta(t, body.ComAcceleration[i], x[o+3+i], tol)
			}
		}
		assert.Equal(t, permuted, strings.Contains(strings.Join(k.comments, "\n"), "elimination order min-degree"))
	}
}

func TestMatrixFiles(t *testing.T) {
	dir := t.TempDir()
	model := golden("four-bar")
	in := func(name string) string { return filepath.Join(dir, name) }
	ok(t, "matrix", model, "-o", in("K.mtx"), "--rhs", in("b.mtx"), "--spy", in("K.svg"))
	assert.FileExists(t, in("K.mtx"))
	assert.FileExists(t, in("b.mtx"))
	assert.NoFileExists(t, in("K.rhs.mtx"))
	requireXML(t, readFile(t, in("K.svg")))
	assert.Equal(t, readFile(t, in("K.mtx")), ok(t, "matrix", model, "-o", "-"))
	assert.Equal(t, readFile(t, in("b.mtx")), ok(t, "matrix", model, "--rhs", "-"))
	requireXML(t, ok(t, "matrix", model, "--spy", "-", "--ordering", "natural"))
	assert.Equal(t, shell.ExitUse, rungRun("matrix", filepath.Join(reference, "invalid", "format-wrong.model.json"), "-o", "-").Status)
}
