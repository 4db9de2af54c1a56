package source

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// TestTooLarge: of a file that is too large the error says which bound it breaks. All files together have the bound that is left of theirs.
func TestTooLarge(t *testing.T) {
	f := NewFiles(fstest.MapFS{"a": {Data: make([]byte, MaxFile+1)}, "b": {Data: make([]byte, 1<<10)}}, nil)
	_, err := f.Read(Name{Path: "a"})
	require.EqualError(t, err, `formats/source: "a" is larger than the 64 MiB that are read`)
	require.EqualValues(t, maxTotal, f.left)
	_, err = f.Read(Name{Path: "b"})
	require.NoError(t, err)
	require.EqualValues(t, maxTotal-1<<10, f.left)
	f.left = 2<<10 - 1
	_, err = f.Read(Name{Path: "b"})
	require.NoError(t, err)
	_, err = f.Read(Name{Path: "b"})
	require.EqualError(t, err, `formats/source: "b": the files of the model are together larger than the 256 MiB that are read`)
}
