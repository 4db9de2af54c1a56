package ground_test

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/ground"
)

// loadFile is the variable of the environment that names the picture which a separate process loads, so that its peak
// of memory belongs to loading.
const loadFile = "RUNG_LOAD_PNG"

// TestLoadBig: a picture of 4096 × 4096 pixels of 16 bits, rough so that it hardly
// compresses, is read and made a spline within 0.5 GB, the largest the process ever was.
// The time depends on the machine; with RUNG_REALTIME=png it has to be below a second.
func TestLoadBig(t *testing.T) {
	if path := os.Getenv(loadFile); path != "" {
		begun := time.Now()
		f, err := ground.ReadFile(context.Background(), os.DirFS(filepath.Dir(path)), filepath.Base(path), &ground.PNG{Spacing: [2]float64{0.1, 0.1}, Highest: 30})
		require.NoError(t, err)
		s := newGrid(t, f, ground.Options{})
		p := at(t, s, 100.03, 200.07)
		took := time.Since(begun)
		var used syscall.Rusage
		require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
		t.Logf("processor: %v", time.Duration(used.Utime.Nano()+used.Stime.Nano()))
		require.InDelta(t, 30*(0.5+0.4*math.Sin(1000.3/70)*math.Cos(2000.7/50)), p.Z, 0.5)
		status, err := os.ReadFile("/proc/self/status")
		require.NoError(t, err)
		for line := range strings.Lines(string(status)) {
			if strings.HasPrefix(line, "VmHWM:") {
				require.NoError(t, os.WriteFile(path+".load", []byte(strings.Fields(line)[1]+" "+num(took.Seconds())), 0o600))
			}
		}
		return
	}
	if testing.Short() {
		t.Skip("a picture of 33 MB")
	}
	const n, limit = 4096, 0.5e9
	f := &ground.Field{Spacing: unit, Size: [2]int{n, n}, Heights: make([]float64, n*n)}
	r := rand.New(rand.NewPCG(1, 1))
	for k := range f.Heights {
		f.Heights[k] = 0.5 + 0.4*math.Sin(float64(k%n)/70)*math.Cos(float64(k/n)/50) + 0.01*r.Float64()
	}
	path := filepath.Join(t.TempDir(), "big.png")
	out, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, f.WritePNG(context.Background(), out, 0, 1))
	require.NoError(t, out.Close())
	size, err := os.Stat(path)
	require.NoError(t, err)
	c := exec.Command(os.Args[0], "-test.run=^TestLoadBig$", "-test.v")
	c.Env = append(os.Environ(), loadFile+"="+path)
	text, err := c.CombinedOutput()
	require.NoError(t, err, string(text))
	t.Logf("%s", text)
	load, err := os.ReadFile(path + ".load")
	require.NoError(t, err)
	kB, err := strconv.ParseFloat(strings.Fields(string(load))[0], 64)
	require.NoError(t, err)
	seconds, err := strconv.ParseFloat(strings.Fields(string(load))[1], 64)
	require.NoError(t, err)
	t.Logf("%.1f MB: %.2f s, at most %.0f MB", float64(size.Size())/1e6, seconds, kB*1024/1e6)
	assert.Less(t, kB*1024, limit)
	if os.Getenv("RUNG_REALTIME") == "png" {
		assert.Less(t, seconds, 1.0)
	}
}
