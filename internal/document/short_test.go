package document_test

import (
	"bytes"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/document"
)

// TestShortTexts: a short text takes little memory, and one of any length is read whole.
func TestShortTexts(t *testing.T) {
	read := func(text string) {
		d := document.NewReader(bytes.NewReader([]byte(text)))
		x := 0.0
		d.Object([]string{"step"}, nil, func(int) { d.Number(&x) })
		d.End()
		list, more := d.Sorted()
		require.Empty(t, list)
		require.Zero(t, more)
		require.InDelta(t, 0.5, x, 0)
	}
	for n := range 300 {
		read(strings.Repeat(" ", n) + `{"step": 0.5}` + strings.Repeat("\n", n%3))
	}
	var before, after runtime.MemStats
	const times = 100
	runtime.ReadMemStats(&before)
	for range times {
		read(`{"step": 0.5}`)
	}
	runtime.ReadMemStats(&after)
	assert.Less(t, (after.TotalAlloc-before.TotalAlloc)/times, uint64(1<<15))
}
