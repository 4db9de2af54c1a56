package document_test

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/document"
)

// read goes through a document with a flag, a count and members of free names, and returns what is wrong.
func read(t *testing.T, text string) (flag bool, count int64, names, faults []string) {
	t.Helper()
	d := document.NewReader(strings.NewReader(text))
	if d.Begin("test/1") {
		var seen uint32
		fields := []string{"format", "flag", "count", "of"}
		for k := range d.Members(fields, &seen) {
			switch k {
			case 0:
				d.Format("test/1")
			case 1:
				flag = d.Bool()
			case 2:
				if !d.Null() {
					count = d.Integer()
				}
			case 3:
				if !d.OpenObject() {
					continue
				}
				known := map[string]bool{}
				for {
					key, ok := d.Key(known)
					if !ok {
						break
					}
					names = append(names, key)
					if d.NextIsList() {
						d.Numbers(nil, 2)
					} else {
						d.Skip()
					}
				}
			}
		}
		d.Require(fields, seen, 0)
		if !d.Fatal {
			d.End()
		}
	}
	require.NoError(t, d.Err())
	list, more := d.Sorted()
	assert.Zero(t, more)
	for _, f := range list {
		faults = append(faults, f.Path+": "+f.Rule)
	}
	return flag, count, names, faults
}

// TestReader: what is right is read, and everything that is wrong is found at once.
func TestReader(t *testing.T) {
	flag, count, names, faults := read(t, `{"format": "test/1", "flag": true, "count": 1e3, "of": {"a b": [1, 2], "c": null}}`)
	assert.True(t, flag)
	assert.Equal(t, int64(1000), count)
	assert.Equal(t, []string{"a b", "c"}, names)
	assert.Empty(t, faults)
	_, _, names, faults = read(t, `{"flag": 1, "count": null, "of": {"a b": [1, "x", 3], "c": {}, "c": 1}, "flag": true, "Of": 2} 3`)
	assert.Equal(t, []string{"a b", "c"}, names)
	assert.Equal(t, []string{
		"$.flag: is not true or false", `$.of["a b"][1]: is not a number`, `$.of["a b"]: wrong length 3, must have at most 2 entries`,
		"$.of.c: duplicate key", "$.flag: duplicate key", "$.Of: unknown field, did you mean of?", "$.format: missing field",
		"$: there is more after the end of the document, at line 1, byte 94",
	}, faults)
	_, _, _, faults = read(t, `{"of": {"a": [1, `)
	assert.Equal(t, []string{"$.of.a: the document ends early, at line 1, byte 17"}, faults)
	_, _, _, faults = read(t, `7`)
	assert.Equal(t, []string{"$: is not an object, so not a test/1 document"}, faults)
}

// TestReaderOfBrokenInput: an error of the input is no fault of the document.
func TestReaderOfBrokenInput(t *testing.T) {
	broken := errors.New("broken")
	d := document.NewReader(iotest.ErrReader(broken))
	if d.Begin("test/1") {
		t.Error("there is no object")
	}
	require.ErrorIs(t, d.Err(), broken)
	assert.Zero(t, d.Len())
}

// TestPaths: keys that are no plain names are in brackets and quotes.
func TestPaths(t *testing.T) {
	assert.Equal(t, "$.a_1", document.Key("$", "a_1"))
	assert.Equal(t, `$["1a"]`, document.Key("$", "1a"))
	assert.Equal(t, `$["slide.0"]`, document.Key("$", "slide.0"))
	assert.Equal(t, "$.a[3]", document.Entry("$.a", 3))
}
