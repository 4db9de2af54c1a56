package assemble_test

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sparse/interop"
	"github.com/rung-mbd/rung/spatial"
)

const (
	// rowTol is for sums of few products, relative to the speeds of a model.
	rowTol = 1e-12
	// farRowTol is the same 1e6 m from the origin, where arms have rounding of
	// 1e-10 m.
	farRowTol = 1e-9
	// step is the time, s, of central differences: truncation h²ω³ and rounding
	// ε/h are then both below 1e-9.
	step = 1e-5
	// differenceTol is their error, with room for fast bodies.
	differenceTol = 1e-7
	// farDifferenceTol is the same 1e6 m from the origin: 1e-10/h.
	farDifferenceTol = 1e-4
)

// tolerance returns near, or far where bodies are far from the origin.
func tolerance(s *mechanism.State, near, far float64) float64 {
	for i := range s.Bodies {
		if s.Bodies[i].Position.Norm() > 1e5 {
			return far
		}
	}
	return near
}

// TestJacobianGivesVelocities compares J·v with T·V̂ and with the velocity errors
// of the joints plus σ.
func TestJacobianGivesVelocities(t *testing.T) {
	mechanisms(t, func(t *testing.T, m *mechanism.Mechanism) {
		s := m.Initial()
		y := filled(t, m, s)
		v := velocities(m, s)
		got, tol := product(y, v), tolerance(s, rowTol, farRowTol)
		each(y, func(j, row, n int) {
			r, rel := rowsOf(t, y, j, s), relative(y, j, s)
			var e [6]float64
			require.NoError(t, m.Joints[j].VelocityErrorTo(&e, kinematics(y, j, s), s.Time))
			require.Equal(t, r.N, n)
			for k := range n {
				check.Close(t, got[row+k], rel.Dot(&r.T[k]), tol, 1+check.MaxAbs(v), "%s, row %d: T·V", m.JointName(j), k)
				check.Close(t, got[row+k], e[k]+r.Sigma[k], tol, 1+check.MaxAbs(v), "%s, row %d: error + σ", m.JointName(j), k)
			}
		})
	})
}

// TestRightSideIsJacobianRate compares σ̇ − B with the difference of J along the
// motion at constant velocities, times these: J̇·v.
func TestRightSideIsJacobianRate(t *testing.T) {
	mechanisms(t, func(t *testing.T, m *mechanism.Mechanism) {
		s := m.Initial()
		y := filled(t, m, s)
		v := velocities(m, s)
		before := product(filled(t, m, drifted(m, s, -step)), v)
		after := product(filled(t, m, drifted(m, s, step)), v)
		nb := 6 * m.NumBodies()
		size := 1 + check.MaxAbs(v)
		tol := tolerance(s, differenceTol, farDifferenceTol)
		each(y, func(j, row, n int) {
			r := rowsOf(t, y, j, s)
			for k := range n {
				want := r.SigmaDot[k] - (after[row+k]-before[row+k])/(2*step)
				check.Close(t, y.Right[nb+row+k], want, tol, size*size, "%s, row %d (%v)", m.JointName(j), k, m.Joints[j].Kind)
			}
		})
	})
}

// TestMatrixIsInertiaAndSubspace rebuilds K entry by entry from world inertias
// and from T shifted to the centres of mass.
func TestMatrixIsInertiaAndSubspace(t *testing.T) {
	mechanisms(t, func(t *testing.T, m *mechanism.Mechanism) {
		if m.NumBodies() > 60 {
			return // dense
		}
		s := m.Initial()
		y := filled(t, m, s)
		nb := 6 * m.NumBodies()
		want := mat.NewSymDense(y.Layout.Pattern.Dim(), nil)
		for i := range m.Bodies {
			I := m.Bodies[i].Inertia.Mat()
			E := s.Bodies[i].Rotation.Mat()
			I = E.Mul(I).MulT(E)
			for a := range 3 {
				for b := a; b < 3; b++ {
					want.SetSym(6*i+a, 6*i+b, I[3*a+b])
				}
				want.SetSym(6*i+3+a, 6*i+3+a, m.Bodies[i].Mass)
			}
		}
		each(y, func(j, row, n int) {
			jt := &m.Joints[j]
			T, rows := y.ForceSubspace(j, s)
			require.Equal(t, n, rows)
			at := origin(s, jt.Succ, &jt.S)
			for k := range n {
				setRow(want, m, s, nb+row+k, jt.Succ, T[k], at)
				setRow(want, m, s, nb+row+k, jt.Pred, T[k].Scale(-1), at)
			}
		})
		requireDense(t, want, interop.Dense(y.Matrix, nil), tolerance(s, rowTol, farRowTol))
		// Both triangles of the stored blocks.
		for i := range m.Bodies {
			d := y.Matrix.Dia[36*i : 36*i+36]
			for k := range d {
				require.Equal(t, d[k], d[k%6*6+k/6], "body %d, entry %d", i, k)
			}
		}
	})
}

// origin returns the origin of a joint frame in the world.
func origin(s *mechanism.State, body int32, f *mechanism.Frame) spatial.Vec3 {
	if body < 0 {
		return f.Origin
	}
	b := &s.Bodies[body]
	return b.Position.Add(b.Rotation.Rotate(f.Origin))
}

// setRow writes the wrench w at a point, taken about the centre of mass of a
// body, into row i.
func setRow(K *mat.SymDense, m *mechanism.Mechanism, s *mechanism.State, i int, body int32, w spatial.Force, at spatial.Vec3) {
	if body < 0 {
		return
	}
	b := &s.Bodies[body]
	com := b.Position.Add(b.Rotation.Rotate(m.Bodies[body].Com))
	for c, x := range w.Shift(com.Sub(at)) {
		K.SetSym(i, 6*int(body)+c, x)
	}
}

func requireDense(t *testing.T, want, got mat.Symmetric, tol float64) {
	t.Helper()
	n := want.SymmetricDim()
	require.Equal(t, n, got.SymmetricDim())
	for i := range n {
		for j := range i + 1 {
			if !(math.Abs(want.At(i, j)-got.At(i, j)) <= tol*(1+math.Abs(want.At(i, j)))) {
				t.Fatalf("entry %d, %d: got %g, want %g", i, j, got.At(i, j), want.At(i, j))
			}
		}
	}
}

// TestScale compares the scales with the diagonal of J·M⁻¹·Jᵀ.
func TestScale(t *testing.T) {
	check.Long(t)
	mechanisms(t, func(t *testing.T, m *mechanism.Mechanism) {
		if m.NumBodies() > 60 {
			return // dense
		}
		requireScale(t, filled(t, m, m.Initial()))
	})
}

// TestLengths compares the lengths of the metric of Weighted.GeometricTo with their definition.
func TestLengths(t *testing.T) {
	mechanisms(t, func(t *testing.T, m *mechanism.Mechanism) {
		length := make([]float64, m.NumBodies())
		assemble.NewLayout(m).LengthsTo(length)
		for i, l := range length {
			b := &m.Bodies[i]
			l2 := b.Inertia.Trace() / (2 * b.Mass)
			for j := range m.Joints {
				jt := &m.Joints[j]
				if int(jt.Pred) == i {
					l2 = max(l2, square(jt.P.Origin.Sub(b.Com)))
				}
				if int(jt.Succ) == i {
					l2 = max(l2, square(jt.S.Origin.Sub(b.Com)))
				}
			}
			check.Close(t, l, math.Sqrt(l2), rowTol, l, "length of %s", m.BodyName(i))
		}
	})
}

func square(v spatial.Vec3) float64 { return v.Dot(v) }

func requireScale(t *testing.T, y *assemble.System) {
	t.Helper()
	nb := 6 * y.Layout.Mech.NumBodies()
	for _, e := range y.Scale[:nb] {
		require.Zero(t, e)
	}
	n := y.Layout.Pattern.Dim()
	if n == nb {
		return
	}
	K := interop.Dense(y.Matrix, nil)
	var chol mat.Cholesky
	require.True(t, chol.Factorize(K.SliceSym(0, nb)))
	row, x := mat.NewVecDense(nb, nil), mat.NewVecDense(nb, nil)
	for i := nb; i < n; i++ {
		for k := range nb {
			row.SetVec(k, K.At(i, k))
		}
		require.NoError(t, chol.SolveVecTo(x, row))
		want := mat.Dot(row, x)
		check.Close(t, y.Scale[i], want, rowTol, want, "row %d", i)
	}
}

// TestFillErrors checks what FillTo refuses, with the names.
func TestFillErrors(t *testing.T) {
	dist := golden(t, "type-distance")
	spring := golden(t, "islands")
	cases := []struct {
		name string
		m    *mechanism.Mechanism
		edit func(m *mechanism.Mechanism, s *mechanism.State)
		is   error
		text string
	}{
		{"position NaN", dist, func(_ *mechanism.Mechanism, s *mechanism.State) { s.Bodies[1].Position[2] = math.NaN() }, mechanism.ErrNotFinite, `body "b"`},
		{"rate infinite", dist, func(_ *mechanism.Mechanism, s *mechanism.State) { s.Bodies[0].Omega[0] = math.Inf(-1) }, mechanism.ErrNotFinite, `body "a"`},
		{"time NaN", dist, func(_ *mechanism.Mechanism, s *mechanism.State) { s.Time = math.NaN() }, mechanism.ErrNotFinite, "time"},
		{"not unit", dist, func(_ *mechanism.Mechanism, s *mechanism.State) { s.Bodies[0].Rotation[0] *= 2 }, mechanism.ErrNotFinite, `body "a"`},
		{"distance ends", dist, meet, joints.ErrNoDirection, "joint "},
		{"spring ends", spring, meetSpring, mechanism.ErrNoDirection, "force "},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			l := assemble.NewLayout(c.m)
			y, w := l.NewSystem(), l.NewWeighted()
			s := c.m.Initial()
			require.NoError(t, y.FillTo(s))
			require.NoError(t, w.FillTo(s))
			c.edit(c.m, s)
			err := y.FillTo(s)
			require.ErrorIs(t, err, c.is)
			require.ErrorContains(t, err, c.text)
			err2 := w.FillTo(s)
			require.ErrorIs(t, err2, c.is)
			require.EqualError(t, err2, err.Error())
			require.NoError(t, y.FillTo(c.m.Initial()), "filled again")
			require.NoError(t, w.FillTo(c.m.Initial()), "filled again")
		})
	}
	require.False(t, errors.Is(joints.ErrNoDirection, mechanism.ErrNoDirection))
	y := assemble.NewLayout(dist).NewSystem()
	require.PanicsWithValue(t, "mechanism: foreign state: Mechanism.Adopt takes one of another mechanism over", func() { _ = y.FillTo(spring.Initial()) })
	w := assemble.NewLayout(dist).NewWeighted()
	require.PanicsWithValue(t, "mechanism: foreign state: Mechanism.Adopt takes one of another mechanism over", func() { _ = w.FillTo(spring.Initial()) })
}

// meet moves the successor of the first distance joint so that the two origins
// are one point.
func meet(m *mechanism.Mechanism, s *mechanism.State) {
	for j := range m.Joints {
		jt := &m.Joints[j]
		if jt.Kind == joints.Distance && jt.Succ >= 0 {
			b := &s.Bodies[jt.Succ]
			// At rest, unturned and with exact differences.
			b.Rotation = spatial.IdentityQuat()
			if jt.Pred >= 0 {
				s.Bodies[jt.Pred].Rotation, s.Bodies[jt.Pred].Position = b.Rotation, spatial.Vec3{}
			}
			jt.P.Origin, jt.S.Origin, b.Position = spatial.Vec3{}, spatial.Vec3{}, spatial.Vec3{}
			return
		}
	}
}

// meetSpring does the same for the first spring-damper.
func meetSpring(m *mechanism.Mechanism, s *mechanism.State) {
	for i := range m.Forces {
		f := &m.Forces[i]
		if f.Kind != model.SpringDamper {
			continue
		}
		f.A.Point, f.B.Point = spatial.Vec3{}, spatial.Vec3{}
		for _, b := range []int32{f.A.Body, f.B.Body} {
			if b >= 0 {
				s.Bodies[b].Position = spatial.Vec3{}
			}
		}
		return
	}
}
