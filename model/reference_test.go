package model_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/model"
)

// referenceModels returns the valid models of the reference data.
func referenceModels(t testing.TB) []string {
	t.Helper()
	var all []string
	for _, dir := range []string{"golden", "standard"} {
		files, err := filepath.Glob(filepath.Join("..", "reference", dir, "*.model.json"))
		require.NoError(t, err)
		require.NotEmpty(t, files, dir)
		all = append(all, files...)
	}
	return all
}

// problems returns the problems in err, which must be *model.Problems.
func problems(t testing.TB, err error) []*model.Problem {
	t.Helper()
	var all *model.Problems
	require.ErrorAs(t, err, &all)
	return all.List
}

func paths(list []*model.Problem) []string {
	var p []string
	for _, q := range list {
		p = append(p, q.Path)
	}
	return p
}

func TestReferenceRoundTrip(t *testing.T) {
	for _, file := range referenceModels(t) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			m, err := model.ReadFile(file)
			require.NoError(t, err)
			require.NoError(t, model.Check(m))
			var first, second bytes.Buffer
			require.NoError(t, model.Write(&first, m))
			again, err := model.Read(bytes.NewReader(first.Bytes()), "again")
			require.NoError(t, err)
			require.Equal(t, m, again)
			require.NoError(t, model.Write(&second, again))
			require.Equal(t, first.String(), second.String())
		})
	}
}

// TestReferenceNumbers compares with a reading by encoding/json: what a
// document says reaches the model unchanged.
func TestReferenceNumbers(t *testing.T) {
	for _, file := range referenceModels(t) {
		m, err := model.ReadFile(file)
		require.NoError(t, err)
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		var doc struct {
			Name    string
			Gravity [3]float64
			Bodies  []struct {
				Name    string
				Mass    float64
				Com     [3]float64
				Inertia model.Inertia
				Pose    struct{ Position [3]float64 }
			}
			Joints []struct {
				Name, Type, Predecessor, Successor string
				Pitch, Length                      float64
				Force                              []float64
			}
		}
		require.NoError(t, json.Unmarshal(data, &doc))
		assert.Equal(t, doc.Name, m.Name)
		assert.Equal(t, doc.Gravity, m.Gravity)
		require.Len(t, m.Bodies, len(doc.Bodies))
		for i, b := range doc.Bodies {
			got := &m.Bodies[i]
			assert.Equal(t, b.Name, got.Name)
			assert.Equal(t, b.Mass, got.Mass)
			assert.Equal(t, b.Com, got.Com)
			assert.Equal(t, b.Inertia, got.Inertia)
			assert.Equal(t, b.Pose.Position, got.Pose.Position)
		}
		require.Len(t, m.Joints, len(doc.Joints))
		for i, j := range doc.Joints {
			got := &m.Joints[i]
			assert.Equal(t, j.Name, got.Name)
			assert.Equal(t, j.Type, got.Type.String())
			assert.Equal(t, j.Predecessor, got.Predecessor)
			assert.Equal(t, j.Successor, got.Successor)
			assert.Equal(t, j.Pitch, got.Pitch)
			assert.Equal(t, j.Length, got.Length)
			if got.Force != nil {
				assert.Equal(t, j.Force, got.Force)
			}
		}
	}
}

func TestReferenceInvalid(t *testing.T) {
	dir := filepath.Join("..", "reference", "invalid")
	data, err := os.ReadFile(filepath.Join(dir, "index.json"))
	require.NoError(t, err)
	var index []struct {
		File      string   `json:"file"`
		JSONPath  string   `json:"json_path"`
		JSONPaths []string `json:"json_paths"`
	}
	require.NoError(t, json.Unmarshal(data, &index))
	files, err := filepath.Glob(filepath.Join(dir, "*.model.json"))
	require.NoError(t, err)
	require.Len(t, index, len(files))
	for _, c := range index {
		t.Run(c.File, func(t *testing.T) {
			file := filepath.Join(dir, c.File)
			m, err := model.ReadFile(file)
			require.Nil(t, m)
			got := problems(t, err)
			want := c.JSONPaths
			if want == nil {
				want = []string{c.JSONPath}
			}
			assert.ElementsMatch(t, want, paths(got))
			for _, p := range got {
				assert.Equal(t, file, p.File)
				assert.NotContains(t, p.Error(), "\n")
			}
		})
	}
}

func TestReadFileMissing(t *testing.T) {
	_, err := model.ReadFile(filepath.Join(t.TempDir(), "none.json"))
	require.ErrorIs(t, err, os.ErrNotExist)
}
