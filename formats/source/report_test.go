package source_test

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/formats/source"
)

// TestEqualEntries: what is equal but for its place is one line, with the place of the first and the number of the others.
func TestEqualEntries(t *testing.T) {
	r := &source.Report{File: "f"}
	for k := range 50 {
		r.Refuse(source.Location{Line: k + 1, Column: 1}, "radius", "is not a number")
		r.Drop(source.Location{Line: k + 1, Column: 2}, "spring", "is not read", "")
	}
	r.Refuse(source.Location{Line: 60, Column: 1}, "mass", "is not a number")
	require.True(t, r.Failed())
	assert.Equal(t, 50, r.Dropped())
	assert.EqualError(t, r.Err(false), "f:1:1: error: radius: is not a number (and 49 more like it)\nf:60:1: error: mass: is not a number")
	assert.EqualError(t, r.Err(true), "f:1:1: error: radius: is not a number (and 49 more like it)\nf:1:2: dropped: spring: is not read (and 49 more like it)\nf:60:1: error: mass: is not a number")

	// Of different entries some are kept, and the others are counted.
	r = &source.Report{File: "f"}
	for k := range 500 {
		r.Refuse(nil, fmt.Sprint("radius ", k/2), "is not a number")
	}
	lines := strings.Split(r.Err(false).Error(), "\n")
	require.Len(t, lines, 101)
	assert.Equal(t, "f: error: radius 0: is not a number (and 1 more like it)", lines[0])
	assert.Equal(t, "300 more errors", lines[100])
	for k := range source.MaxEntries + 10 {
		r.Note(nil, fmt.Sprint("note ", k), "")
	}
	assert.Len(t, r.Entries, source.MaxEntries+100)
	assert.Equal(t, 10, r.More)
}

// TestSpare: what is wrong within Spare is one loss, also where one is called within another.
func TestSpare(t *testing.T) {
	r := &source.Report{File: "f"}
	assert.Equal(t, source.Refused, r.Bad())
	assert.True(t, r.Spare(nil, "shape", "it is left out", func() {}))
	outer := r.Spare(nil, "shape", "it is left out", func() {
		assert.Equal(t, source.Dropped, r.Bad())
		assert.False(t, r.Spare(nil, "color", "", func() { r.Refuse(nil, "rgba", "is too short") }))
	})
	assert.True(t, outer, "only its color is wrong")
	assert.False(t, r.Spare(nil, "shape", "it is left out", func() {
		r.Refuse(nil, "radius", "is not a number")
		r.Refuse(nil, "length", "is not a number")
	}))
	assert.False(t, r.Failed())
	assert.Equal(t, 2, r.Dropped())
	require.NoError(t, r.Err(false))
	assert.EqualError(t, r.Err(true), "f: dropped: color: rgba is too short\nf: dropped: shape: radius is not a number; it is left out")
	r.Refuse(nil, "mass", "is missing")
	assert.True(t, r.Failed())
}

// TestStrictBeyondTheReport: what was dropped is an error with strict, however much else the report has room for.
func TestStrictBeyondTheReport(t *testing.T) {
	r := &source.Report{File: "f"}
	for k := range source.MaxEntries + 1 {
		r.Change(nil, fmt.Sprint("joint ", k), "has another name", "")
	}
	r.Drop(nil, "spring", "is not read", "")
	require.Equal(t, 1, r.Dropped())
	require.NoError(t, r.Err(false))
	require.EqualError(t, r.Err(true), "f: dropped: spring: is not read")
	require.Equal(t, 1, r.More)
}

// TestKnown: package:///PATH has no package, and so none that is missing.
func TestKnown(t *testing.T) {
	f := source.NewFiles(fstest.MapFS{}, map[string]fs.FS{"arm": fstest.MapFS{}})
	for text, known := range map[string]bool{
		"a.sdf": true, "file://a.sdf": true, "package://arm/a.sdf": true, "model://arm": true, "package:///a.sdf": true,
		"package://leg/a.sdf": false, "https://arm/a.sdf": false,
	} {
		require.Equal(t, known, f.Known(text), text)
	}
}
