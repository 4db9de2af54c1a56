package sim_test

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc64"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
)

// sealed returns the document of a checkpoint, up to its last brace, with the checksum that belongs to it.
func sealed(text string) string {
	sum := crc64.Checksum([]byte(text+"}"), crc64.MakeTable(crc64.ECMA))
	return fmt.Sprintf("%s,\"checksum\":\"%016x\"}\n", text, sum)
}

// unsealed is the other way round.
func unsealed(t testing.TB, c *sim.Checkpoint) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, c.Write(&b))
	text, _, ok := strings.Cut(b.String(), `,"checksum":`)
	require.True(t, ok)
	require.Equal(t, b.String(), sealed(text))
	return text
}

// TestDecodeCheckpoint: a checkpoint can be read by any reader, a run continues from it to the bit, and errors of the reader
// come back.
func TestDecodeCheckpoint(t *testing.T) {
	_, want, fresh := marked(t)
	var b bytes.Buffer
	require.NoError(t, want.Write(&b))
	for _, r := range []io.Reader{bytes.NewReader(b.Bytes()), iotest.OneByteReader(bytes.NewReader(b.Bytes())), iotest.DataErrReader(bytes.NewReader(b.Bytes()))} {
		got, err := sim.DecodeCheckpoint(r)
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.NoError(t, fresh().Restore(got))
	}
	broken := errors.New("the line is dead")
	for _, r := range []io.Reader{iotest.ErrReader(broken), io.MultiReader(bytes.NewReader(b.Bytes()[:200]), iotest.ErrReader(broken))} {
		_, err := sim.DecodeCheckpoint(r)
		require.ErrorIs(t, err, broken)
	}
	require.PanicsWithValue(t, "sim: no reader", func() { _, _ = sim.DecodeCheckpoint(nil) })

	text := unsealed(t, want)
	for says, bad := range map[string]string{
		"its number of numbers of bodies[1], for 13, is 0": replaceOnce(t, text, `],[`, `],[],[`),
		"bodies is string":                 `{"format":"rung-checkpoint/1","bodies":"x"`,
		"time is number 1e999":             `{"format":"rung-checkpoint/1","time":1e999`,
		"kept is string":                   `{"format":"rung-checkpoint/1","kept":"x"`,
		`its format is ""`:                 `{"model":"x"`,
		`its format is "rung-other/1"`:     `{"format":"rung-other/1"`,
		"byte 6: invalid character":        `{"a" "b"`,
		"byte 30010: exceeded max depth":   `{"format":"rung-checkpoint/1","x":` + strings.Repeat("[", 40000),
		"it does not begin with {\"format": strings.Repeat(" ", 1<<17),
	} {
		_, err := sim.DecodeCheckpoint(strings.NewReader(sealed(bad)))
		require.ErrorIs(t, err, sim.ErrCheckpoint, says)
		require.NotContains(t, err.Error(), "Checkpoint.")
		require.NotContains(t, err.Error(), "Mark.")
		if !strings.HasPrefix(says, "byte 3") {
			require.ErrorContains(t, err, says)
		}
	}
}

func replaceOnce(t *testing.T, s, old, new string) string {
	t.Helper()
	out := strings.Replace(s, old, new, 1)
	require.NotEqual(t, s, out)
	return out
}

// endless is a reader that never ends, and counts its bytes.
type endless struct {
	text string
	n    int
}

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = e.text[(e.n+i)%len(e.text)]
	}
	e.n += len(p)
	return len(p), nil
}

// TestCheckpointMemory: lists of nothing, which are short in a file, take no more memory than is said, and what is no
// checkpoint is not read on.
func TestCheckpointMemory(t *testing.T) {
	check.Long(t)
	const most = 128 // times the bytes, garbage of growing lists included
	n := 100_000
	for _, part := range []string{`"bodies":[[]`, `"events":[{}`, `"controllers":[{}`, `"ruts":[{}`, `"kept":[0`, `"angles":[0`, `"x":[{}`} {
		name, entry, _ := strings.Cut(part, "[")
		text := sealed(`{"format":"rung-checkpoint/1",` + name + "[" + strings.Repeat(entry+",", n) + entry + "]")
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, _ = sim.DecodeCheckpoint(strings.NewReader(text))
		runtime.ReadMemStats(&after)
		require.Less(t, (after.TotalAlloc-before.TotalAlloc)/uint64(len(text)), uint64(most), part)
	}
	for _, text := range []string{"x", " ", `{"format":"other",`, "["} {
		e := &endless{text: text}
		_, err := sim.DecodeCheckpoint(e)
		require.ErrorIs(t, err, sim.ErrCheckpoint)
		require.LessOrEqual(t, e.n, 1<<17)
	}
}

// FuzzCheckpoint reads documents with a right checksum, and restores runs from them: it is an error, or a run that has the
// same checkpoint again.
func FuzzCheckpoint(tf *testing.F) {
	f := check.NewFuzz(tf)
	r := golden(f.F, "four-bar")
	fresh := func() *sim.Simulation {
		event := sim.Event{Name: "late", Function: func(st *mechanism.State) float64 { return st.Time - 0.004 }}
		return r.simulate(sim.DormandPrince(), 1e-6, sim.Options{Projector: r.proj, Events: []sim.Event{event}, Recorder: &memory{}, Every: 1e-3})
	}
	s := fresh()
	for _, until := range []float64{0, 0.003, 0.01} {
		require.NoError(f, s.Run(until))
		c, err := s.Checkpoint()
		require.NoError(f, err)
		f.Add(unsealed(f, c))
	}
	f.Add(`{"format":"rung-checkpoint/1","bodies":[[1,2]],"events":[{}],"ruts":[{}]`)
	f.Fuzz(func(t *testing.T, text string) {
		c, err := sim.DecodeCheckpoint(strings.NewReader(sealed(text)))
		if err != nil {
			require.ErrorIs(t, err, sim.ErrCheckpoint)
			return
		}
		var b bytes.Buffer
		require.NoError(t, c.Write(&b), "numbers of a document are finite")
		again, err := sim.DecodeCheckpoint(&b)
		require.NoError(t, err)
		var second bytes.Buffer
		require.NoError(t, again.Write(&second))
		s := fresh()
		if s.Restore(c) != nil {
			return
		}
		got, err := s.Checkpoint()
		require.NoError(t, err)
		require.Equal(t, c.Bodies, got.Bodies)
		require.Equal(t, c.Stats, got.Stats)
	})
}
