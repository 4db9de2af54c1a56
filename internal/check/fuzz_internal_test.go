package check

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// FuzzCorpus: what is kept of an input is the input.
func FuzzCorpus(tf *testing.F) {
	f := NewFuzz(tf)
	f.Add([]byte("\x00\xff\"'"), "a\n`", byte('\''), true, 0.5)
	f.Add([]byte{}, "\u2028é\xff", byte(255), false, math.Inf(-1))
	f.Fuzz(func(t *testing.T, a []byte, b string, c uint8, d bool, e float64) {
		if e != e {
			return // is not itself
		}
		want := []any{a, b, c, d, e}
		var args []reflect.Value
		for _, v := range want {
			args = append(args, reflect.ValueOf(v))
		}
		got, err := decode(encode(args))
		require.NoError(t, err)
		if len(a) == 0 {
			got[0], want[0] = nil, nil
		}
		require.Equal(t, want, got)
	})
}

// TestDecodeGo reads what go test itself writes, and says what it does not read.
func TestDecodeGo(t *testing.T) {
	got, err := decode([]byte("go test fuzz v1\nbyte('\\x01')\nuint8(7)\n[]byte(\"a\\x02\")\nfloat64(+Inf)\n"))
	require.NoError(t, err)
	require.Equal(t, []any{byte(1), byte(7), []byte("a\x02"), math.Inf(1)}, got)
	for _, bad := range []string{"", "go test fuzz v1\n7", "go test fuzz v1\nint(7)", "go test fuzz v1\n[]byte(", "go test fuzz v1\nbyte(1, 2)"} {
		_, err := decode([]byte(bad))
		require.Error(t, err, bad)
	}
}

// TestInputs: a walk is a function of its seed. Its documents are
// often still documents, and no two are the same for long.
func TestInputs(t *testing.T) {
	seeds := [][]any{{[]byte(`{"format": "rung-model/1", "mass": 1.5, "position": [0, 2e3, -1]}`), byte(3)}, {[]byte("short"), byte(4)}}
	walk := func(seed uint64) (text []string) {
		for k := range uint64(500) {
			in := input(rand.New(rand.NewPCG(seed, k)), seeds)
			text = append(text, string(in[0].([]byte))+string(in[1].(byte)))
		}
		return text
	}
	one := walk(1)
	require.Equal(t, one, walk(1))
	require.NotEqual(t, one, walk(2))
	require.Equal(t, `{"format": "rung-model/1", "mass": 1.5, "position": [0, 2e3, -1]}`, string(seeds[0][0].([]byte)), "seeds stay")
	whole, other := 0, map[string]bool{}
	for _, s := range one {
		other[s] = true
		if strings.HasPrefix(s, `{"`) && strings.Contains(s, "}") {
			whole++
		}
	}
	require.Greater(t, whole, 50)
	require.Greater(t, len(other), 450)
	require.PanicsWithValue(t, "check: a walk has no arguments of type int", func() { mutate(nil, 1, 1) })
}

// failing tells the test binary to be a target that fails, and how.
const failing = "RUNG_TEST_FAILING"

// FuzzFailing fails at inputs with many bits where TestInputIsKept asks for it.
func FuzzFailing(tf *testing.F) {
	f := NewFuzz(tf)
	f.Limit = slow
	f.Add([]byte("seed"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if bytes.IndexByte(b, 0xff) < 0 {
			return
		}
		switch os.Getenv(failing) {
		case "fails":
			t.Fatal("it fails")
		case "panics":
			panic("it panics")
		case "hangs":
			for n := 1; n > 0; n |= 1 {
			}
		}
	})
}

// slow is a limit that is soon over.
const slow = 300 * time.Millisecond

// TestInputIsKept: an input of a walk that fails, panics or takes too long is in the folder, and fails from there.
func TestInputIsKept(t *testing.T) {
	Long(t)
	binary, err := filepath.Abs(os.Args[0])
	require.NoError(t, err)
	for how, says := range map[string]string{"fails": "it fails", "panics": "it panics", "hangs": "a run takes longer than 300ms"} {
		dir := t.TempDir()
		run := func(walk string) string {
			cmd := exec.Command(binary, "-test.run=^FuzzFailing$")
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), failing+"="+how, walkLength+"="+walk)
			out, err := cmd.CombinedOutput()
			require.Error(t, err, "%s", out)
			return string(out)
		}
		out := run("100")
		require.Contains(t, out, says)
		files, err := filepath.Glob(filepath.Join(dir, "testdata", "fuzz", "FuzzFailing", "walk-*"))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		require.Contains(t, out, "input kept in "+filepath.Join("testdata", "fuzz", "FuzzFailing", "walk-"))
		require.Contains(t, run(""), says)
	}
}
