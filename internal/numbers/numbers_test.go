package numbers_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/numbers"
)

const text = `{"gravity": [0, -9.81], "bodies": [{"name": "1", "mass": 2}, {"name": "b]", "mass": 3e0}, {"mass": 4}]}`

// TestEach lists all numbers, each with a path by which Find finds it. The entry that another one's name hides has none.
func TestEach(t *testing.T) {
	doc, err := numbers.Read([]byte(text))
	require.NoError(t, err)
	var paths []string
	doc.Each(func(string) bool { return true }, func(n *numbers.Number, path string, steps []document.Step) {
		paths = append(paths, path)
		taken, err := document.ParsePath(path)
		require.NoError(t, err)
		at, err := doc.Find(taken)
		require.NoError(t, err)
		assert.Equal(t, n.Place, at.Place)
		assert.Len(t, steps, len(taken))
	})
	assert.Equal(t, []string{"bodies[1].mass", `bodies["b]"].mass`, "bodies[2].mass", "gravity[0]", "gravity[1]"}, paths)
}

// TestSet changes one number and leaves the rest.
func TestSet(t *testing.T) {
	doc, err := numbers.Read([]byte(text))
	require.NoError(t, err)
	at, err := doc.Find([]document.Step{{Key: "gravity"}, {Key: "1", Entry: true}})
	require.NoError(t, err)
	x, err := at.Value()
	require.NoError(t, err)
	assert.Equal(t, -9.81, x)
	at.Set(-1.62)
	out, err := doc.Write()
	require.NoError(t, err)
	assert.JSONEq(t, `{"gravity": [0, -1.62], "bodies": [{"name": "1", "mass": 2}, {"name": "b]", "mass": 3}, {"mass": 4}]}`, string(out))
	_, err = doc.Find([]document.Step{{Key: "gravity"}, {Key: "x", Entry: true}})
	assert.ErrorContains(t, err, `no entry "x" in $.gravity`)
	_, err = doc.Find([]document.Step{{Key: "bodies"}})
	assert.ErrorContains(t, err, "is no number")
	_, err = numbers.Read([]byte("{"))
	assert.ErrorContains(t, err, "numbers: ")
}
