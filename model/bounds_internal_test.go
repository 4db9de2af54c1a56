package model

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMostElements: of a list with more elements than may be, one problem is left.
func TestMostElements(t *testing.T) {
	body := func(name string) string {
		return `{"name": "` + name + `", "mass": 1, "inertia": {"xx": 1, "yy": 1, "zz": 1}}`
	}
	doc := `{"format": "rung-model/1", "bodies": [` + body("a") + "," + body("b") + "," + body("c") + "," + body("d") + "]}"
	_, err := read(t.Context(), strings.NewReader(doc), "f", nil, 4)
	require.NoError(t, err)
	_, err = read(t.Context(), strings.NewReader(doc), "f", nil, 2)
	require.EqualError(t, err, "f: $.bodies[2]: more than 2 entries")
}
