package mjcf_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/formats/mjcf"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/formatstest"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// read reads one of this project's own models.
func read(t *testing.T, name string, o source.Options) (*source.Result, *source.Report) {
	t.Helper()
	r, report, err := mjcf.Read(formatstest.Own(t), source.Name{Path: name}, &o)
	require.NoError(t, err)
	return r, report
}

// TestShapes compares masses and inertias of shapes with closed forms, and of surfaces with sums over small patches.
func TestShapes(t *testing.T) {
	r, report := read(t, "shapes.xml", source.Options{})
	require.Zero(t, report.Counts.Dropped)
	diag := func(m, x, y, z float64) [4]float64 { return [4]float64{m, x, y, z} }
	ball := func(m, radius float64) float64 { return 2.0 / 5 * m * radius * radius }
	sphere := 500 * 4 * math.Pi / 3 * 1e-3
	core, ends := 500*math.Pi*0.01*0.6, 500*4*math.Pi/3*1e-3
	steel := 7800 * math.Pi * 0.01 * 0.6
	egg := 500 * 4 * math.Pi / 3 * 0.1 * 0.2 * 0.3
	// A half ball is 3/8 of its radius off its flat side.
	h := 3.0 / 8 * 0.1
	half := ball(ends, 0.1) - ends*h*h + ends*(0.3+h)*(0.3+h)
	capsule := core*(0.01/4+0.36/12) + half
	for name, want := range map[string]struct {
		mass    [4]float64
		x, y, z float64
	}{
		"sphere":    {diag(sphere, ball(sphere, 0.1), ball(sphere, 0.1), ball(sphere, 0.1)), 0.2, 0, 0},
		"capsule":   {diag(core+ends, capsule, capsule, core*0.01/2+ball(ends, 0.1)), 0, 0, 0},
		"cylinder":  {diag(steel, steel*0.01/2, steel*(0.01/4+0.36/12), steel*(0.01/4+0.36/12)), 0.3, 0, 0},
		"box":       {diag(6, 6*(0.16+0.36)/12, 6*(0.04+0.36)/12, 6*(0.04+0.16)/12), 0, 0, 0},
		"ellipsoid": {diag(egg, egg*(0.04+0.09)/5, egg*(0.01+0.09)/5, egg*(0.01+0.04)/5), 0, 0, 0},
		"two":       {diag(4, ball(4, 0.1), ball(4, 0.1)+0.75, ball(4, 0.1)+0.75), 0.25, 0, 0},
	} {
		b := body(t, r.Model, name)
		check.CloseVec(t, []float64{b.Mass, b.Inertia.XX, b.Inertia.YY, b.Inertia.ZZ}, want.mass[:], 1e-13, want.mass[0], "%s", name)
		check.CloseVec(t, b.Com[:], []float64{want.x, want.y, want.z}, 1e-14, 1, "com of %s", name)
	}
	const n = 400
	for name, patches := range map[string][]patch{"shells": boxPatches(0.1, 0.2, 0.3, n), "tube": capsulePatches(0.1, 0.3, n), "can": canPatches(0.1, 0.3, n)} {
		area, sum := 0.0, spatial.Sym3{}
		for _, p := range patches {
			area += p.area
			sum = sum.Add(assembly.Steiner(p.area, p.at))
		}
		b := body(t, r.Model, name)
		got := []float64{b.Inertia.XX, b.Inertia.YY, b.Inertia.ZZ}
		want := sum.Scale(2 / area)
		check.CloseVec(t, got, want[:3], 1e-4, want[0], "%s", name) // patches of 1/400
	}
	// The corner: volume 1/6 of 1·2·3 m³, its centre a quarter along each edge.
	w := body(t, r.Model, "wedge")
	check.Close(t, w.Mass, 1000, 1e-13, 1000, "mass of the wedge")
	check.CloseVec(t, w.Com[:], []float64{0.25, 0.5, 0.75 + 0.5}, 1e-14, 1, "com of the wedge")
	check.Close(t, w.Inertia.XX, 1000*3.0/80*(4+9), 1e-13, 1000, "inertia of the wedge")
}

type patch struct {
	area float64
	at   spatial.Vec3
}

func boxPatches(a, b, c float64, n int) (out []patch) {
	for _, axes := range [3][3]int{{0, 1, 2}, {1, 2, 0}, {2, 0, 1}} {
		half := [3]float64{a, b, c}
		u, v := half[axes[1]], half[axes[2]]
		for i := range n {
			for j := range n {
				for _, side := range [2]float64{-1, 1} {
					var p spatial.Vec3
					p[axes[0]] = side * half[axes[0]]
					p[axes[1]] = u * (2*float64(i)/float64(n) - 1 + 1/float64(n))
					p[axes[2]] = v * (2*float64(j)/float64(n) - 1 + 1/float64(n))
					out = append(out, patch{4 * u * v / float64(n*n), p})
				}
			}
		}
	}
	return out
}

// turned returns patches of a surface of revolution about z: rings of given radius, height and width.
func turned(ring func(k int) (radius, height, width float64), n int) (out []patch) {
	const around = 64
	for k := range n {
		radius, height, width := ring(k)
		for i := range around {
			s, c := math.Sincos(2 * math.Pi * float64(i) / around)
			out = append(out, patch{2 * math.Pi * radius * width / around, spatial.Vec3{radius * c, radius * s, height}})
		}
	}
	return out
}

func canPatches(a, b float64, n int) []patch {
	step := 1 / float64(n)
	out := turned(func(k int) (float64, float64, float64) { return a, b * (2*(float64(k)+0.5)*step - 1), 2 * b * step }, n)
	for _, end := range [2]float64{-b, b} {
		out = append(out, turned(func(k int) (float64, float64, float64) { return a * (float64(k) + 0.5) * step, end, a * step }, n)...)
	}
	return out
}

func capsulePatches(a, b float64, n int) []patch {
	step := 1 / float64(n)
	out := turned(func(k int) (float64, float64, float64) { return a, b * (2*(float64(k)+0.5)*step - 1), 2 * b * step }, n)
	for _, end := range [2]float64{-1, 1} {
		out = append(out, turned(func(k int) (float64, float64, float64) {
			s, c := math.Sincos(math.Pi / 2 * (float64(k) + 0.5) * step)
			return a * s, end * (b + a*c), a * math.Pi / 2 * step
		}, n)...)
	}
	return out
}

func body(t *testing.T, m *model.Model, name string) *model.Body {
	t.Helper()
	for i := range m.Bodies {
		if m.Bodies[i].Name == name {
			return &m.Bodies[i]
		}
	}
	t.Fatalf("no body %s", name)
	return nil
}
