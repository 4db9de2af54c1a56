package beside_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/bench/internal/beside"
)

// asPeer is the variable of the environment that makes the test a peer, which prints what the variable holds.
const asPeer = "BESIDE_TEST_PEER"

func TestMain(m *testing.M) {
	if text := os.Getenv(asPeer); text != "" {
		os.Stdout.WriteString(text)
		return
	}
	os.Exit(m.Run())
}

// answer is what a program prints.
type answer struct {
	Version string
	Points  [][3]float64
}

// TestCall: answers of a program, and what is no answer.
func TestCall(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	for text, want := range map[string]string{
		`{"error": "over"}`:     beside.ErrOver.Error(),
		`{"error": "unstable"}`: "unstable",
		`nothing`:               "invalid character",
		`{"version": 7}`:        "cannot unmarshal",
		`{"version": "1.2", "points": [[1, 2, 3]]}`: "",
	} {
		t.Setenv(asPeer, text)
		var a answer
		_, err := beside.Call(&a, self, "version")
		if want != "" {
			require.ErrorContains(t, err, want)
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, answer{Version: "1.2", Points: [][3]float64{{1, 2, 3}}}, a)
	}
}

// TestFind: a program tells its version, and one that is not there why.
func TestFind(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	name := filepath.Base(self)
	e := beside.Engine{Name: "Simbody"}
	t.Setenv(asPeer, `{"version": "1.2"}`)
	assert.Equal(t, self, e.Find(filepath.Dir(self), name, "libsimbody-dev", "-x"))
	assert.Equal(t, beside.Engine{Name: "Simbody", Version: "1.2"}, e)
	t.Setenv(asPeer, `{"error": "no library"}`)
	assert.Empty(t, e.Find(filepath.Dir(self), name, "libsimbody-dev", "-x"))
	assert.Contains(t, e.Missing, "no library")
	assert.Empty(t, e.Find(t.TempDir(), name, "libsimbody-dev", "-x"))
	assert.Equal(t, "not built, package libsimbody-dev", e.Missing)
	assert.Empty(t, e.Find("", name, "libsimbody-dev", "-x"))
	assert.Contains(t, e.Missing, "run.sh -x builds it")
}

// TestNumbers: numbers as they are printed.
func TestNumbers(t *testing.T) {
	assert.Equal(t, []string{"1e-3", "3e-12", "2e0", "0"},
		[]string{beside.Power(1e-3), beside.Power(2.6e-12), beside.Power(2), beside.Power(0)})
	assert.Equal(t, []string{"0.0123", "1.23", "123", "1235"},
		[]string{beside.Plain(1.234e-2), beside.Plain(1.234), beside.Plain(123.4), beside.Plain(1234.6)})
}

// TestTreeText: bodies come after those that they hang on, with the joints that they hang on; the others close loops.
func TestTreeText(t *testing.T) {
	m, err := bench.Stewart(1, 1)
	require.NoError(t, err)
	w, err := beside.NewTreeText(m, false)
	require.NoError(t, err)
	assert.Len(t, w.Joints, 13)
	assert.Len(t, w.Loops, 5)
	seen := map[string]bool{"world": true}
	for k, i := range w.Bodies {
		assert.True(t, seen[w.Joints[k].Predecessor], w.Joints[k].Name)
		assert.Equal(t, m.Bodies[i].Name, w.Joints[k].Successor)
		assert.Equal(t, k, w.Number(m.Bodies[i].Name))
		seen[m.Bodies[i].Name] = true
	}
	assert.Equal(t, 1+1+13+1+5+1, strings.Count(w.String(), "\n"))
}
