package ground_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/internal/check"
)

// Tolerances of reference/ground/README.md.
const refTol, refTol2 = 1e-11, 1e-9

// setup is terrain.setup.json.
type setup struct {
	Origin, Spacing [2]float64
	Size            [2]int
	PNG             struct{ Lowest, Highest float64 }
	Random          struct {
		NX, NY              int
		DX, DY, Length, RMS float64
		Seed                uint64
	}
}

func readSetup(t *testing.T) (s setup) {
	t.Helper()
	b, err := os.ReadFile(check.Reference(t, "ground", "terrain.setup.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, &s))
	return s
}

// readTable returns the lines of a file with a head, by the names of its columns.
func readTable(t *testing.T, name string) (lines []map[string]float64) {
	t.Helper()
	f, err := os.Open(check.Reference(t, "ground", name))
	require.NoError(t, err)
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	for _, cells := range all[1:] {
		line := map[string]float64{}
		for i, cell := range cells {
			line[all[0][i]], err = strconv.ParseFloat(cell, 64)
			require.NoError(t, err)
		}
		lines = append(lines, line)
	}
	require.NotEmpty(t, lines)
	return lines
}

// readField reads a file of reference/ground.
func readField(t *testing.T, name string, format ground.Format) *ground.Field {
	t.Helper()
	f, err := ground.ReadFile(context.Background(), os.DirFS(check.Reference(t, "ground")), name, format)
	require.NoError(t, err)
	return f
}

// referenceField is field.csv.
func referenceField(t *testing.T) *ground.Field {
	s := readSetup(t)
	f := readField(t, "field.csv", &ground.CSV{Origin: s.Origin, Spacing: s.Spacing})
	require.Equal(t, s.Size, f.Size)
	return f
}

func newGrid(t testing.TB, f *ground.Field, o ground.Options) *ground.Surface {
	t.Helper()
	s, err := ground.NewGrid(context.Background(), f, o)
	require.NoError(t, err)
	return s
}

// TestReferenceAt compares heights, slopes, second derivatives and normals with results of other programs.
func TestReferenceAt(t *testing.T) {
	f := referenceField(t)
	for name, o := range map[string]ground.Options{
		"spline": {}, "hermite": {Interpolation: ground.Hermite}, "linear": {Interpolation: ground.Linear},
	} {
		s := newGrid(t, f, o)
		for k, want := range readTable(t, "field.at.csv") {
			p, err := s.At(want["x"], want["y"])
			require.NoError(t, err)
			near := func(got float64, column string, tol float64) {
				w, ok := want[name+"."+column]
				require.True(t, ok, column)
				check.Close(t, got, w, tol, 1, "%s.%s at place %d", name, column, k)
			}
			near(p.Z, "f", refTol)
			near(p.X, "fx", refTol)
			near(p.Y, "fy", refTol)
			if name == "linear" {
				continue
			}
			near(p.XX, "fxx", refTol2)
			near(p.XY, "fxy", refTol2)
			near(p.YY, "fyy", refTol2)
			if name == "spline" {
				n := p.Normal()
				near(n[0], "nx", refTol)
				near(n[1], "ny", refTol)
				near(n[2], "nz", refTol)
			}
		}
	}
}

// TestReferenceNodes compares slopes at the nodes, by differences and of the spline.
func TestReferenceNodes(t *testing.T) {
	f := referenceField(t)
	s := newGrid(t, f, ground.Options{})
	gx, gy := make([]float64, len(f.Heights)), make([]float64, len(f.Heights))
	f.GradientTo(gx, gy)
	for k, want := range readTable(t, "field.nodes.csv") {
		check.Close(t, gx[k], want["difference.fx"], refTol, 1, "node %d", k)
		check.Close(t, gy[k], want["difference.fy"], refTol, 1, "node %d", k)
		p, err := s.At(want["x"], want["y"])
		require.NoError(t, err)
		check.Close(t, p.Z, want["f"], refTol, 1, "node %d", k)
		check.Close(t, p.X, want["spline.fx"], refTol, 1, "node %d", k)
		check.Close(t, p.Y, want["spline.fy"], refTol, 1, "node %d", k)
		check.Close(t, p.XY, want["spline.fxy"], refTol2, 1, "node %d", k)
	}
}

// TestReferencePoints reads the same field from points in any order.
func TestReferencePoints(t *testing.T) {
	f, g := referenceField(t), readField(t, "field-points.csv", &ground.CSV{Layout: ground.Points})
	require.Equal(t, f.Size, g.Size)
	require.Equal(t, f.Heights, g.Heights)
	check.CloseVec(t, g.Origin[:], f.Origin[:], 1e-15, 1, "origin")
	check.CloseVec(t, g.Spacing[:], f.Spacing[:], 1e-15, 1, "spacing")
}

// TestReferencePicture reads a picture of 16 bits.
func TestReferencePicture(t *testing.T) {
	s := readSetup(t)
	f := readField(t, "field16.png", &ground.PNG{Spacing: [2]float64{1, 1}, Lowest: s.PNG.Lowest, Highest: s.PNG.Highest})
	want := readTable(t, "field16.heights.csv")
	require.Len(t, want, len(f.Heights))
	for _, w := range want {
		check.Close(t, f.Heights[int(w["line_from_south"])*f.Size[0]+int(w["column"])], w["height"], refTol, 1, "line %v, column %v", w["line_from_south"], w["column"])
	}
}

// TestReferenceRandom compares noise and heights of a random field.
func TestReferenceRandom(t *testing.T) {
	r := readSetup(t).Random
	f, err := ground.Random(context.Background(), ground.RandomGround{
		Spacing: [2]float64{r.DX, r.DY}, Size: [2]int{r.NX, r.NY}, RMS: r.RMS, Length: r.Length, Seed: r.Seed,
	})
	require.NoError(t, err)
	lines := readTable(t, "random.csv")
	require.Len(t, lines, len(f.Heights))
	for _, w := range lines {
		k := int(w["line"])*r.NX + int(w["column"])
		check.Close(t, f.Heights[k], w["height"], refTol, 1, "node %d", k)
	}
	assert.NotEmpty(t, lines)
}
