package spatial_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/spatial"
)

func TestTransformGroup(t *testing.T) {
	r := random(10)
	for range 20 {
		X, Y, m, f := randTransform(r), randTransform(r), randMotion(r), randForce(r)
		XY := X.Mul(Y)
		want, got := X.Motion(Y.Motion(m)), XY.Motion(m)
		near(t, want[:], got[:], 10*roundTol)
		wantF, gotF := X.Force(Y.Force(f)), XY.Force(f)
		near(t, wantF[:], gotF[:], 10*roundTol)

		got = X.Inverse().Motion(X.Motion(m))
		near(t, m[:], got[:], 10*roundTol)
		Xm, Xf := X.Motion(m), X.Force(f)
		g := X.Inverse().Force(Xf)
		near(t, f[:], g[:], 10*roundTol)

		// The dual keeps the power.
		require.InDelta(t, m.Dot(&f), Xm.Dot(&Xf), 100*roundTol)
		mat := mul6(X.Matrix(), m)
		near(t, mat[:], Xm[:], 10*roundTol)

		p := randVec(r)
		near(t, vec(X.Point(Y.Point(p))), vec(XY.Point(p)), 10*roundTol)
	}
	m := randMotion(r)
	require.Equal(t, m, spatial.IdentityTransform().Motion(m))
}

func TestTransformFactors(t *testing.T) {
	r := random(11)
	E, p, m := randRot(r), randVec(r), randMotion(r)
	// X = rot(E)·xlt(r).
	X, Y := spatial.PlaceFrame(E, p), spatial.Rotation(E).Mul(spatial.Translation(p))
	a, b := X.Motion(m), Y.Motion(m)
	near(t, a[:], b[:], roundTol)
	// Translation is the shift of the reference point.
	a, b = spatial.Translation(p).Motion(m), m.Shift(p)
	near(t, a[:], b[:], roundTol)
	f := randForce(r)
	c, d := spatial.Translation(p).Force(f), f.Shift(p)
	near(t, c[:], d[:], roundTol)
	// The frame's own origin is at zero, its axes are the columns of E.
	near(t, []float64{0, 0, 0}, vec(X.Point(p)), roundTol)
	near(t, []float64{0, 1, 0}, vec(X.Point(p.Add(E.Col(1)))), roundTol)
}

func TestCrossProducts(t *testing.T) {
	r := random(13)
	for range 20 {
		X, v, m, f := randTransform(r), randMotion(r), randMotion(r), randForce(r)
		// (v×m)·f = −m·(v×*f), and both are natural under X.
		vm, vf := v.Cross(m), v.CrossForce(f)
		require.InDelta(t, vm.Dot(&f), -m.Dot(&vf), 100*roundTol)
		a, b := X.Motion(vm), X.Motion(v).Cross(X.Motion(m))
		near(t, a[:], b[:], 100*roundTol)
		c, d := X.Force(vf), X.Motion(v).CrossForce(X.Force(f))
		near(t, c[:], d[:], 100*roundTol)
		zero := v.Cross(v)
		near(t, make([]float64, 6), zero[:], roundTol)
	}
	// The derivative of a transform by the motion of B in A: dX/dt·m = −v×(X·m).
	const h, diffTol = 1e-6, 1e-9 // error h², rounding over h
	X, w, u, m := randTransform(r), randVec(r), randVec(r), randMotion(r)
	at := func(s float64) spatial.Motion {
		E := spatial.Exp(w.Scale(s)).Mat().Mul(X.E.T())
		return spatial.PlaceFrame(E, X.R.Add(u.Scale(s))).Motion(m)
	}
	p, n := at(h), at(-h)
	v := X.Motion(spatial.NewMotion(w, u).Shift(X.R.Neg())) // velocity of B in B's coordinates
	want := v.Cross(at(0)).Scale(-1)
	for i := range want {
		require.InDelta(t, want[i], (p[i]-n[i])/(2*h), diffTol)
	}
}

func TestVectorSpaces(t *testing.T) {
	r := random(14)
	m, n, f, g := randMotion(r), randMotion(r), randForce(r), randForce(r)
	require.Equal(t, spatial.Motion{}, m.Sub(m))
	require.Equal(t, m.Add(m), m.Scale(2))
	require.Equal(t, f.Add(f), f.Scale(2))
	require.Equal(t, spatial.Force{}, g.Sub(g))
	a := spatial.Accel(n)
	require.Equal(t, a.Add(a), a.Scale(2))
	require.Equal(t, spatial.Accel{}, a.Sub(a))
	require.Equal(t, m, spatial.NewMotion(m.Angular(), m.Linear()))
	require.Equal(t, f, spatial.NewForce(f.Moment(), f.Linear()))
	require.Equal(t, a, spatial.NewAccel(a.Angular(), a.Linear()))
	c := spatial.ClassicalAccel(a)
	require.Equal(t, c, spatial.NewClassicalAccel(c.Angular(), c.Linear()))
}

func TestClassicalAcceleration(t *testing.T) {
	r := random(15)
	v, a, p := randMotion(r), spatial.Accel(randMotion(r)), randVec(r)
	var c, cp spatial.ClassicalAccel
	var back spatial.Accel
	a.ClassicalTo(&c, &v)
	c.SpatialTo(&back, &v)
	near(t, a[:], back[:], roundTol)
	// Shifting the spatial acceleration as a motion vector and shifting the
	// classical one by its own rule lead to the same point acceleration.
	ap, vp := spatial.Accel(spatial.Motion(a).Shift(p)), v.Shift(p)
	ap.ClassicalTo(&cp, &vp)
	direct := c.Shift(v.Angular(), p)
	near(t, direct[:], cp[:], 10*roundTol)
	// A point on a turntable.
	spin := spatial.NewMotion(spatial.Vec3{0, 0, 2}, spatial.Vec3{0, 6, 0}) // at radius 3 along x
	(&spatial.Accel{}).ClassicalTo(&c, &spin)
	require.Equal(t, spatial.Vec3{-12, 0, 0}, c.Linear())
}

func TestInertia(t *testing.T) {
	r := random(16)
	for range 20 {
		I, J, X, v := randInertia(r), randInertia(r), randTransform(r), randMotion(r)
		h := I.Mul(v)
		want := mul6(I.Matrix(), v)
		near(t, want[:], h[:], 10*roundTol)
		require.InDelta(t, v.Dot(&h)/2, I.Energy(v), roundTol)
		// Momentum is natural: (X*IX⁻¹)(Xv) = X*(Iv).
		a, b := I.Transform(X).Mul(X.Motion(v)), X.Force(h)
		near(t, b[:], a[:], 100*roundTol)
		// Two bodies moving as one.
		s, p := I.Add(J).Mul(v), h.Add(J.Mul(v))
		near(t, p[:], s[:], 100*roundTol)
	}
	sum := spatial.Inertia{}.Add(spatial.Inertia{Central: spatial.Diag3(1, 2, 3)})
	require.Equal(t, spatial.Inertia{Central: spatial.Diag3(1, 2, 3)}, sum)
	point := spatial.Inertia{Mass: 2, Com: spatial.Vec3{0, 3, 0}}
	require.Equal(t, spatial.Diag3(18, 0, 18).Trace(), point.AboutOrigin().Trace())
	require.Equal(t, 18.0, point.AboutOrigin()[0])
}
