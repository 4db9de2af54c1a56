package objective_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive/objective"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/spatial"
)

const reference = "../../reference/derivatives"

// expected is the content of a reference file.
type expected struct {
	At         string
	Value      float64
	Terms      []float64
	Modes      []struct{ Re, Im float64 }
	Parameters []struct {
		Name, Path      string
		Value, Gradient float64
		Terms           []float64
		Modes           []struct{ Re, Im float64 }
	}
	Initial []struct {
		Name   string
		Bodies []struct {
			Body                                string
			Rotation, Position, Angular, Linear spatial.Vec3
		}
		Derivative float64
		Terms      []float64
	}
}

// gradientOf reads an objective of the reference and differentiates it.
func gradientOf(t *testing.T, path string) *objective.Result {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	o, err := objective.Read(f, path)
	require.NoError(t, err)
	return gradient(t, o, filepath.Join(filepath.Dir(path), o.Model))
}

// gradient differentiates an objective of the model at a path.
func gradient(t *testing.T, o *objective.Objective, path string) *objective.Result {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	p, err := objective.NewProblem(o, "objective", objective.Source{Text: text, Name: path})
	require.NoError(t, err)
	r, err := p.Gradient(context.Background())
	require.NoError(t, err)
	return r
}

// TestReference compares values and gradients with independent data, with the tolerances of its README: runs 1e-6 of the largest term,
// equilibria 1e-8, modes 1e-7.
func TestReference(t *testing.T) {
	list, err := filepath.Glob(filepath.Join(reference, "*.objective.json"))
	require.NoError(t, err)
	require.Len(t, list, 6)
	for _, path := range list {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".objective.json"), func(t *testing.T) {
			r := gradientOf(t, path)
			text, err := os.ReadFile(strings.TrimSuffix(path, "objective.json") + "expected.json")
			require.NoError(t, err)
			var e expected
			require.NoError(t, json.Unmarshal(text, &e))
			require.Len(t, r.Parameters, len(e.Parameters))
			switch e.At {
			case "run":
				compareRun(t, r, &e)
			case "modes":
				for k, p := range e.Parameters {
					for i, m := range p.Modes {
						const tol = 1e-7
						size := math.Hypot(m.Re, m.Im)
						check.CloseVec(t, r.Parameters[k].Terms[2*i:2*i+2], []float64{m.Re, m.Im}, tol, size, "%s", p.Path)
					}
				}
			default:
				for k, p := range e.Parameters {
					const tol = 1e-8
					check.CloseVec(t, r.Parameters[k].Terms, p.Terms, tol, max(check.MaxAbs(p.Terms), 1e-3), "%s", p.Path)
				}
			}
		})
	}
}

// compareRun compares the result of a run.
func compareRun(t *testing.T, r *objective.Result, e *expected) {
	const tol = 1e-6
	for i, x := range e.Terms {
		assert.InDelta(t, x, r.Terms[i].Value, tol*check.MaxAbs(e.Terms))
	}
	assert.InDelta(t, e.Value, r.Value, tol*check.MaxAbs(e.Terms))
	worst := 0.0
	for k, p := range e.Parameters {
		size := check.MaxAbs(p.Terms)
		check.CloseVec(t, r.Parameters[k].Terms, p.Terms, tol, size, "%s", p.Path)
		assert.InDelta(t, p.Gradient, r.Parameters[k].Gradient, tol*size, p.Path)
		assert.InDelta(t, p.Value, r.Parameters[k].Value, 1e-15)
		for i := range p.Terms {
			worst = max(worst, math.Abs(r.Parameters[k].Terms[i]-p.Terms[i])/size)
		}
	}
	for _, d := range e.Initial {
		sum := 0.0
		for i, b := range d.Bodies {
			x := &r.Initial[i]
			require.Equal(t, b.Body, x.Body)
			sum += x.Rotation.Dot(b.Rotation) + x.Position.Dot(b.Position) + x.Angular.Dot(b.Angular) + x.Linear.Dot(b.Linear)
		}
		assert.InDelta(t, d.Derivative, sum, tol*check.MaxAbs(d.Terms), d.Name)
	}
	t.Logf("worst %.2g, %+v", worst, *r.Run)
}
