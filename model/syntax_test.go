package model_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
)

func TestReadSyntax(t *testing.T) {
	for _, c := range []struct{ name, doc, path, rule string }{
		{"empty", "", "$", "the document is empty"},
		{"white space", " \n\t", "$", "the document holds no value"},
		{"word", "hello", "$", "invalid character 'h' at start of value, at line 1, byte 0"},
		{"bracket only", "{", "$", "the document ends early, at line 1, byte 1"},
		{"cut in a string", `{"format": "rung`, "$.format", "ends early"},
		{"cut in a body", "{\n\"bodies\": [\n{\"name\": \"a\",", "$.bodies[0]", "ends early, at line 3"},
		{"missing comma", "{\"bodies\": [\n {} {}]}", "$.bodies", "at line 2, byte 17"},
		{"missing value", `{"bodies": }`, "$.bodies", "syntax error"},
		{"extra comma", `{"bodies": [1,]}`, "$.bodies", "syntax error"},
		{"number as key", `{1: 2}`, "$", "syntax error"},
		{"leading zero", `{"time": 01}`, "$", "syntax error"},
		{"NaN", `{"time": NaN}`, "$.time", "syntax error"},
		{"plus", `{"x y": {"gravity": [+1, 0, 0]}}`, `$["x y"].gravity[0]`, "syntax error"},
		{"comment", "{// no\n}", "$", "syntax error"},
		{"invalid UTF-8", "{\"name\": \"\xff\"}", "$.name", "UTF-8"},
		{"wrong bracket", `{"bodies": [}`, "$.bodies[0]", "syntax error"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := model.Read(strings.NewReader(c.doc), "f.json")
			require.Nil(t, m)
			got := problems(t, err)
			last := got[len(got)-1]
			assert.Contains(t, last.Rule, c.rule)
			assert.Equal(t, c.path, last.Path)
			assert.NotContains(t, last.Error(), "\n")
		})
	}
}

// TestReadTruncated cuts a valid document at every byte: always one clear
// error, never a model.
func TestReadTruncated(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "reference", "golden", "driven-crank.model.json"))
	require.NoError(t, err)
	end := len(bytes.TrimSpace(data))
	step := 1
	if testing.Short() {
		step = 3
	}
	for n := 0; n < end; n += step {
		m, err := model.Read(bytes.NewReader(data[:n]), "cut")
		require.Nil(t, m)
		got := problems(t, err)
		require.Equal(t, "$", got[len(got)-1].Path[:1])
	}
}

func TestReadKeepsProblemsBeforeSyntaxError(t *testing.T) {
	_, err := model.Read(strings.NewReader(`{"a": 1, "time": "x", "bodies": [{]`), "f")
	assert.Equal(t, []string{"$.a", "$.time", "$.bodies[0]"}, paths(problems(t, err)))
}

// repeated yields prefix and then n bytes of text, again and again.
func repeated(prefix, text string, n int64) io.Reader {
	return io.MultiReader(strings.NewReader(prefix), io.LimitReader(&repeater{text: text}, n))
}

type repeater struct {
	text string
	at   int
}

func (r *repeater) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		k := copy(p[n:], r.text[r.at:])
		n += k
		r.at = (r.at + k) % len(r.text)
	}
	return n, nil
}

// TestReadHostile gives 1 GiB of what a small document cannot be; the reader
// ends early, with little memory.
func TestReadHostile(t *testing.T) {
	check.Long(t)
	const maxMemory = 256 << 20 // bytes allocated in all; the token limit is 16 MiB and buffers double
	cases := []struct{ name, prefix, text, rule string }{
		{"brackets", "", "[", "exceeded max depth"},
		{"brackets in bodies", `{"bodies": [`, "[", "exceeded max depth"},
		{"brackets in an unknown field", `{"x": `, "[", "exceeded max depth"},
		{"objects", "", `{"a":`, "exceeded max depth"},
		{"key", `{"`, "x", "longer than 16 MiB"},
		{"string", `{"name": "`, "x", "longer than 16 MiB"},
		{"digits", `{"time": `, "1", "longer than 16 MiB"},
		{"white space", `{"time": `, " \n", "longer than 16 MiB"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := model.Read(repeated(c.prefix, c.text, 1<<30), "huge")
			runtime.ReadMemStats(&after)
			got := problems(t, err)
			assert.Contains(t, got[len(got)-1].Rule, c.rule)
			assert.Less(t, len(err.Error()), 1000)
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(maxMemory))
		})
	}
}

// TestReadManyBadElements: elements of a document that is not valid are not
// stored once enough problems are known.
func TestReadManyBadElements(t *testing.T) {
	check.Long(t)
	const size, maxMemory = 8 << 20, 64 << 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := model.Read(repeated(`{"bodies": [`, `{},`, size), "many")
	runtime.ReadMemStats(&after)
	require.Error(t, err)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(maxMemory))
}

func TestReadErrorOfReader(t *testing.T) {
	broken := errors.New("broken")
	r := io.MultiReader(strings.NewReader(`{"format": "rung-model/1", "x": 1, "bodies": [`), iotest.ErrReader(broken))
	m, err := model.Read(r, "f.json")
	require.Nil(t, m)
	require.ErrorIs(t, err, broken)
	require.ErrorContains(t, err, "f.json")
}

func TestReadSmallPieces(t *testing.T) {
	for _, file := range referenceModels(t)[:5] {
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		want, err := model.Read(bytes.NewReader(data), file)
		require.NoError(t, err)
		got, err := model.Read(iotest.OneByteReader(bytes.NewReader(data)), file)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}
