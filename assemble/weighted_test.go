package assemble_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// weightedTol is for sums of few products through the Cholesky factor of an
// inertia and back.
const weightedTol = 1e-11

// weighted returns the weighted system of m at s.
func weighted(t testing.TB, m *mechanism.Mechanism, s *mechanism.State) *assemble.Weighted {
	t.Helper()
	y := assemble.NewLayout(m).NewWeighted()
	require.NoError(t, y.FillTo(s))
	return y
}

// root returns C of body i at s, row-major, with M = C·Cᵀ: diag(E·L, √m·E).
func root(t *testing.T, m *mechanism.Mechanism, s *mechanism.State, i int) (c [36]float64) {
	t.Helper()
	var L spatial.Chol3
	b := &m.Bodies[i]
	require.NoError(t, b.Inertia.CholeskyTo(&L))
	E := s.Bodies[i].Rotation.Mat()
	EL := E.Mul(spatial.Mat3{L[0], 0, 0, L[3], L[1], 0, L[4], L[5], L[2]})
	for r := range 3 {
		for k := range 3 {
			c[6*r+k] = EL[3*r+k]
			c[6*(3+r)+3+k] = math.Sqrt(b.Mass) * E[3*r+k]
		}
	}
	return c
}

// times returns C·v, or Cᵀ·v.
func times(c *[36]float64, v []float64, transposed bool) (out [6]float64) {
	for r := range 6 {
		for k := range 6 {
			if transposed {
				out[r] += c[6*k+r] * v[k]
			} else {
				out[r] += c[6*r+k] * v[k]
			}
		}
	}
	return out
}

// requireRoots checks that the C·Cᵀ of the bodies are the inertias of y.
func requireRoots(t *testing.T, y *assemble.System, s *mechanism.State) {
	t.Helper()
	for i := range y.Layout.Mech.Bodies {
		c := root(t, y.Layout.Mech, s, i)
		size := check.MaxAbs(y.Matrix.Dia[36*i : 36*i+36])
		for k := range 6 {
			// Column k of Cᵀ is row k of C.
			col := times(&c, c[6*k:6*k+6], false)
			for r := range 6 {
				check.Close(t, col[r], y.Matrix.Dia[36*i+6*r+k], weightedTol, size, "body %d, entry %d, %d", i, r, k)
			}
		}
	}
}

// TestWeightedIsSystem compares W·Cᵀ with J, C·B with B, and the scales.
func TestWeightedIsSystem(t *testing.T) {
	mechanisms(t, func(t *testing.T, m *mechanism.Mechanism) {
		s := m.Initial()
		y, w := filled(t, m, s), weighted(t, m, s)
		require.Nil(t, w.Matrix.Dia)
		requireRoots(t, y, s)
		p := y.Layout.Pattern
		requireJacobian(t, y, w, s)
		for i := range m.Bodies {
			c := root(t, m, s, i)
			f := times(&c, w.Right[6*i:6*i+6], false)
			for k := range f {
				half := y.Right[6*i+k/3*3 : 6*i+k/3*3+3] // moments or forces
				check.Close(t, f[k], y.Right[6*i+k], weightedTol, math.Max(1e-6, check.MaxAbs(half)), "load %d of body %d", k, i)
				require.Zero(t, w.Scale[6*i+k])
			}
		}
		size := 1 + check.MaxAbs(velocities(m, s))
		tol := tolerance(s, rowTol, farRowTol)
		for i := 6 * m.NumBodies(); i < p.Dim(); i++ {
			check.Close(t, w.Right[i], y.Right[i], tol, size*size, "right side of row %d", i)
			check.Close(t, w.Scale[i], y.Scale[i], math.Max(tol, weightedTol), y.Scale[i], "scale of row %d", i)
		}
		free := 0.0
		for i := range m.Bodies {
			load := y.Right[6*i : 6*i+6]
			free = max(free, check.MaxAbs(load[:3])/m.Bodies[i].Inertia.Trace(), check.MaxAbs(load[3:])/m.Bodies[i].Mass)
		}
		require.InEpsilon(t, 1+free, 1+w.FreeAcceleration(), weightedTol)
		require.Equal(t, check.MaxAbs(w.Right[:6*m.NumBodies()]), w.FreeSize())
		for j := range m.Joints {
			T, n := y.ForceSubspace(j, s)
			T2, n2 := w.ForceSubspace(j, s)
			require.Equal(t, n, n2)
			require.Equal(t, T, T2)
		}
	})
}

// requireJacobian checks W·Cᵀ = J block by block.
func requireJacobian(t *testing.T, y *assemble.System, w *assemble.Weighted, s *mechanism.State) {
	t.Helper()
	m, p := y.Layout.Mech, y.Layout.Pattern
	tol := tolerance(s, weightedTol, farRowTol)
	for node := m.NumBodies(); node < p.Len(); node++ {
		for k := p.Ptr[node]; k < p.Ptr[node+1]; k++ {
			c := root(t, m, s, int(p.Ind[k]))
			for o := p.Pos[k]; o < p.Pos[k+1]; o += 6 {
				row := times(&c, w.Matrix.Val[o:o+6], false)
				for i := range row {
					check.Close(t, row[i], y.Matrix.Val[o+int64(i)], tol, 1+check.MaxAbs(y.Matrix.Val[o:o+6]),
						"%s, body %d, row %d, column %d", y.Layout.NodeName(node), p.Ind[k], (o-p.Pos[k])/6, i)
				}
			}
		}
	}
}

// TestWeightedCoordinates takes accelerations there and back.
func TestWeightedCoordinates(t *testing.T) {
	mechanisms(t, func(t *testing.T, m *mechanism.Mechanism) {
		s := m.Initial()
		w := weighted(t, m, s)
		n := 6 * m.NumBodies()
		rng := rand.New(rand.NewPCG(3, uint64(n)))
		a, x, back := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range a {
			a[i] = rng.NormFloat64()
		}
		w.WeighTo(x, a)
		for i := range m.Bodies {
			c := root(t, m, s, i)
			want := times(&c, a[6*i:6*i+6], true)
			for k, e := range want {
				check.Close(t, x[6*i+k], e, weightedTol, check.MaxAbs(want[k/3*3:k/3*3+3]), "Cᵀa of body %d, entry %d", i, k)
			}
		}
		w.AccelerationsTo(back, x)
		for i := range a {
			check.Close(t, back[i], a[i], weightedTol, check.MaxAbs(a), "entry %d", i)
		}
		inPlace := append([]float64(nil), a...)
		w.WeighTo(inPlace, inPlace)
		require.Equal(t, x, inPlace)
		w.AccelerationsTo(inPlace, inPlace)
		require.Equal(t, back, inPlace)
		if n > 0 {
			require.PanicsWithValue(t, "assemble: length mismatch", func() { w.WeighTo(x[1:], a) })
			require.PanicsWithValue(t, "assemble: length mismatch", func() { w.AccelerationsTo(x, a[1:]) })
		}
	})
}

// TestWeightedGeometric compares the blocks with J of the system over the lengths,
// turned to body axes, and checks that filling again restores everything.
func TestWeightedGeometric(t *testing.T) {
	mechanisms(t, func(t *testing.T, m *mechanism.Mechanism) {
		s := m.Initial()
		y, w := filled(t, m, s), weighted(t, m, s)
		val, b, scale := slices.Clone(w.Matrix.Val), slices.Clone(w.Right), slices.Clone(w.Scale)
		length := make([]float64, m.NumBodies())
		w.GeometricTo(length)
		require.Equal(t, b, w.Right, "right side")
		p, tol := y.Layout.Pattern, tolerance(s, weightedTol, farRowTol)
		for i, e := range geometricScale(y, length) {
			check.Close(t, w.Scale[i], e, tol, e, "scale of row %d", i)
		}
		for node := m.NumBodies(); node < p.Len(); node++ {
			for k := p.Ptr[node]; k < p.Ptr[node+1]; k++ {
				body := p.Ind[k]
				E := s.Bodies[body].Rotation.Mat()
				for o := p.Pos[k]; o < p.Pos[k+1]; o += 3 {
					v := E.TMulVec(spatial.Vec3(y.Matrix.Val[o : o+3]))
					if (o-p.Pos[k])%6 == 0 {
						v = v.Scale(1 / length[body])
					}
					for i := range v {
						check.Close(t, w.Matrix.Val[o+int64(i)], v[i], tol, 1+v.Norm(), "%s, body %d", y.Layout.NodeName(node), body)
					}
				}
			}
		}
		require.NoError(t, w.FillTo(s))
		require.Equal(t, val, w.Matrix.Val)
		require.Equal(t, b, w.Right)
		require.Equal(t, scale, w.Scale)
	})
}

// geometricScale returns the diagonal of J·G⁻¹·Jᵀ, G = diag(ℓ²·1, 1), by the rows of y.
func geometricScale(y *assemble.System, length []float64) []float64 {
	p := y.Layout.Pattern
	scale := make([]float64, p.Dim())
	for node := p.Positive(); node < p.Len(); node++ {
		for k := p.Ptr[node]; k < p.Ptr[node+1]; k++ {
			l := length[p.Ind[k]]
			for i, v := range y.Matrix.Val[p.Pos[k]:p.Pos[k+1]] {
				if i%6 < 3 {
					v /= l
				}
				scale[int(p.Off[node])+i/6] += v * v
			}
		}
	}
	return scale
}

// TestSetBodies compares a system with other inertias with that of a mechanism that has them,
// and checks that nil restores everything.
func TestSetBodies(t *testing.T) {
	mechanisms(t, func(t *testing.T, m *mechanism.Mechanism) {
		s := m.Initial()
		w := weighted(t, m, s)
		val, b, scale := slices.Clone(w.Matrix.Val), slices.Clone(w.Right), slices.Clone(w.Scale)
		other := *m
		other.Bodies = slices.Clone(m.Bodies)
		for i := range other.Bodies {
			body := &other.Bodies[i]
			I := body.Inertia.Add(spatial.Diag3(body.Mass, body.Mass, body.Mass))
			heavy, err := bodies.New(body.Mass, body.Com, I)
			require.NoError(t, err)
			*body = heavy
		}
		want := weighted(t, &other, s)
		x := make([]float64, len(w.Right))
		for i := range x {
			x[i] = float64(i % 7)
		}
		y := slices.Clone(x)
		want.WeighTo(x, x)
		for range 2 {
			w.SetBodies(other.Bodies)
			w.GeometricTo(make([]float64, m.NumBodies()))
			require.NoError(t, w.FillTo(s))
			require.Equal(t, want.Matrix.Val, w.Matrix.Val)
			require.Equal(t, want.Right, w.Right)
			require.Equal(t, want.Scale, w.Scale)
			require.Equal(t, want.FreeAcceleration(), w.FreeAcceleration())
			w.WeighTo(y, y)
			require.Equal(t, x, y)
			w.AccelerationsTo(y, y)
			want.AccelerationsTo(x, x)
			require.Equal(t, x, y)
			want.WeighTo(x, x)

			w.SetBodies(nil)
			require.NoError(t, w.FillTo(s))
			require.Equal(t, val, w.Matrix.Val)
			require.Equal(t, b, w.Right)
			require.Equal(t, scale, w.Scale)
		}
		require.PanicsWithValue(t, "assemble: length mismatch", func() { w.SetBodies(make([]bodies.Body, m.NumBodies()+1)) })
	})
}

// TestWeightedDoesNotAllocate covers all steps, on models with and without drives
// and force elements.
func TestWeightedDoesNotAllocate(t *testing.T) {
	for _, family := range []string{"ladder", "nfourbar", "random"} {
		m := generate(t, family, 40, 1)
		s := m.Initial()
		w := weighted(t, m, s)
		n := 6 * m.NumBodies()
		x, r := make([]float64, len(w.Right)), make([]float64, len(w.Right))
		length := make([]float64, m.NumBodies())
		x[0], r[n] = 1, 1
		other := slices.Clone(m.Bodies)
		require.Zero(t, testing.AllocsPerRun(10, func() {
			w.GeometricTo(length)
			w.GeometricTo(length) // nothing more
			if err := w.FillTo(s); err != nil {
				t.Error(err)
			}
			w.SetBodies(other)
			w.SetBodies(nil)
			w.WeighTo(x, x)
			w.AccelerationsTo(x, x)
			w.FreeAcceleration()
			w.FreeSize()
		}), family)
	}
}
