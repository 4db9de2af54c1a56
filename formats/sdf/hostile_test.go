package sdf_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/formatstest"
)

// TestLongChains: frames in a row are followed once, however many frames stand at their end.
func TestLongChains(t *testing.T) {
	check.Long(t)
	var b strings.Builder
	b.WriteString(`<link name="l">` + inertial + `</link><frame name="f0" attached_to="l"/>`)
	for k := range 9000 {
		fmt.Fprintf(&b, `<frame name="f%d" attached_to="f%d"/>`, k+1, k)
	}
	b.WriteString(formatstest.Lines(`<frame name="g%d" attached_to="f9000"/>`, 40_000))
	start := time.Now()
	res, _, err := read(model17(b.String()), source.Options{})
	require.NoError(t, err)
	assert.Len(t, res.Model.Frames, 49_001)
	assert.Less(t, time.Since(start), 20*time.Second)
}

// TestMeshOfMany: a file of a mesh counts once, however many links it gives their mass.
func TestMeshOfMany(t *testing.T) {
	const part = `<link name="l%d"><inertial auto="true"/><collision name="c"><geometry><mesh><uri>corner.obj</uri></mesh></geometry></collision></link>`
	text := strings.Replace(model17(formatstest.Lines(part, source.MaxIncludes+1)), "1.7", "1.11", 1)
	res, _, err := read(text, source.Options{}, "corner.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n")
	require.NoError(t, err)
	for _, b := range res.Model.Bodies {
		require.InDelta(t, 1000./6, b.Mass, 1e-9)
	}
}
