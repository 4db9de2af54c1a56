//rung:race
package check_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/internal/check"
)

// recorder takes the place of a test and keeps what fails.
type recorder struct {
	testing.TB
	failed []string
}

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.failed = append(r.failed, fmt.Sprintf(format, args...))
}

func failures(f func(t testing.TB)) []string {
	r := new(recorder)
	f(r)
	return r.failed
}

func TestClose(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name                  string
		got, want, tol, scale float64
		ok                    bool
	}{
		{"equal", 2, 2, 0, 0, true},
		{"at the bound", 1.5, 1, 0.25, 2, true},
		{"over the bound", 1.5, 1, 0.25, 1.9, false},
		{"below by too much", 0.5, 1, 0.25, 1.9, false},
		{"zero scale", 1, 1 + 1e-15, 1, 0, false},
		{"negative bound", 1, 1, -1, 1, false},
		{"got NaN", nan, 1, 1, 1, false},
		{"want NaN", 1, nan, 1, 1, false},
		{"both NaN", nan, nan, 1, 1, false},
		{"scale NaN", 1, 1, 1, nan, false},
		{"infinite", inf, inf, 1, 1, false},
		{"infinite scale", 1, 2, 1, inf, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			one := failures(func(t testing.TB) { check.Close(t, c.got, c.want, c.tol, c.scale, "x%d", 7) })
			vec := failures(func(t testing.TB) {
				check.CloseVec(t, []float64{1, c.got}, []float64{1, c.want}, c.tol, c.scale, "x%d", 7)
			})
			if c.ok {
				assert.Empty(t, one)
				assert.Empty(t, vec)
				return
			}
			require.Len(t, one, 1)
			assert.Contains(t, one[0], "x7: got ")
			require.Len(t, vec, 1)
			assert.Contains(t, vec[0], "x7: ")
		})
	}
}

func TestCloseVecNamesTheWorstComponent(t *testing.T) {
	nan := math.NaN()
	want := []float64{0, 0, 0}
	for _, c := range []struct {
		got  []float64
		text string
	}{
		{[]float64{1, 3, 2}, "3 of 3 components differ, the worst is [1]"},
		{[]float64{0, 3, nan}, "2 of 3 components differ, the worst is [2]"},
		{[]float64{nan, 3, 0}, "2 of 3 components differ, the worst is [0]"},
		{[]float64{0, 0}, "got 2 components, want 3"},
	} {
		f := failures(func(t testing.TB) { check.CloseVec(t, c.got, want, 1e-3, 1, "v") })
		require.Len(t, f, 1)
		assert.Contains(t, f[0], c.text)
	}
}

func TestMaxAbs(t *testing.T) {
	assert.Zero(t, check.MaxAbs(nil))
	assert.Equal(t, 3.0, check.MaxAbs([]float64{1, -3, 2}))
	assert.True(t, math.IsNaN(check.MaxAbs([]float64{math.NaN(), 5})))
}

func TestResidual(t *testing.T) {
	A := mat.NewDense(2, 2, []float64{1, 2, -3, 4})
	assert.Zero(t, check.Residual(A, []float64{1, 1}, []float64{3, 1}))
	assert.Zero(t, check.Residual(A, []float64{0, 0}, []float64{0, 0}))
	// A·x = (3, 1): residual 1, ‖A‖₁ = 6, ‖x‖∞ = 1, ‖b‖∞ = 2.
	assert.InDelta(t, 1.0/8, check.Residual(A, []float64{1, 1}, []float64{2, 1}), 1e-16)
	assert.True(t, math.IsNaN(check.Residual(A, []float64{math.NaN(), 1}, []float64{2, 1})))
	assert.PanicsWithValue(t, "check: length mismatch", func() { check.Residual(A, []float64{1}, []float64{2, 1}) })
}

func TestRandIsSeeded(t *testing.T) {
	assert.Equal(t, check.Rand(3).Uint64(), check.Rand(3).Uint64())
	assert.NotEqual(t, check.Rand(3).Uint64(), check.Rand(4).Uint64())
}

func TestGolden(t *testing.T) {
	inFolder(t, "a.txt", "one\ntwo 2.5 p1\n")
	for _, c := range []struct {
		name, got, text string
		numbers         bool
	}{
		{"equal", "one\ntwo 2.5 p1\n", "", false},
		{"line ends", "one\r\ntwo 2.5 p1\r\n", "", false},
		{"other line", "one\ntwo 2.6 p1\n", `line 2 is "two 2.6 p1", want "two 2.5 p1"`, false},
		{"longer", "one\ntwo 2.5 p1\n\n", "4 lines, want 3", false},
		{"number within", "one\ntwo 2.5002 p1\n", "", true},
		{"number, other form", "one\ntwo +25.0e-1 p1\n", "", true},
		{"number outside", "one\ntwo 2.6 p1\n", "number 1 is 2.6, want 2.5", true},
		{"digit in a word", "one\ntwo 2.5 p2\n", "with # for numbers, line 2", true},
		{"number missing", "one\ntwo p1\n", "with # for numbers, line 2", true},
		{"number not a number", "one\ntwo NaN p1\n", "with # for numbers, line 2", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := failures(func(t testing.TB) {
				if c.numbers {
					check.GoldenNumbers(t, "a.txt", []byte(c.got), 1e-3, 1)
				} else {
					check.Golden(t, "a.txt", []byte(c.got))
				}
			})
			if c.text == "" {
				assert.Empty(t, f)
				return
			}
			require.Len(t, f, 1)
			assert.Contains(t, f[0], "golden file a.txt: ")
			assert.Contains(t, f[0], c.text)
		})
	}
	f := failures(func(t testing.TB) { check.Golden(t, "none.txt", nil) })
	require.Len(t, f, 1)
	assert.Contains(t, f[0], "-update")
}

func TestGoldenNumbersScale(t *testing.T) {
	inFolder(t, "n.txt", "[0,-1e-20] 1000 .5")
	pass := func(got string, tol, scale float64) bool {
		return len(failures(func(t testing.TB) { check.GoldenNumbers(t, "n.txt", []byte(got), tol, scale) })) == 0
	}
	assert.True(t, pass("[1e-12,3e-13] 1000.0000005 0.5", 1e-9, 1))
	assert.False(t, pass("[1e-12,3e-13] 1000 0.5", 1e-9, 1e-6), "small numbers are compared with the scale")
	assert.False(t, pass("[0,0] 1000.1 0.5", 1e-9, 1))
}

// inFolder moves the test to a folder of its own with one golden file.
func inFolder(t *testing.T, name, text string) {
	t.Helper()
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("testdata", 0o755))
	require.NoError(t, os.WriteFile(filepath.Join("testdata", name), []byte(text), 0o644))
}
