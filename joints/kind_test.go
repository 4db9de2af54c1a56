package joints_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/spatial"
)

func TestKindFacts(t *testing.T) {
	for _, c := range []struct {
		kind          joints.Kind
		name          string
		dof, freedoms int
		scalar, turns string // columns, as digits
	}{
		{joints.Fixed, "fixed", 0, 0, "", ""},
		{joints.Revolute, "revolute", 1, 1, "0", "0"},
		{joints.Prismatic, "prismatic", 1, 1, "0", ""},
		{joints.Helical, "helical", 1, 1, "0", "0"},
		{joints.Cylindrical, "cylindrical", 2, 2, "01", "0"},
		{joints.Universal, "universal", 2, 2, "01", "01"},
		{joints.Planar, "planar", 3, 3, "012", "0"},
		{joints.Spherical, "spherical", 3, 3, "", "012"},
		{joints.SphereInCylinder, "sphere_in_cylinder", 4, 4, "3", "012"},
		{joints.PointOnPlane, "point_on_plane", 5, 0, "", "012"},
		{joints.Distance, "distance", 5, 0, "", "012"},
		{joints.Free, "free", 6, 0, "", "012"},
		{joints.Rolling, "rolling", 3, 0, "", "012"},
		{joints.NoSlip, "no_slip", 5, 0, "", "012"},
		{joints.Composite, "composite", 0, 0, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var scalar, turns string
			for i := -1; i < 20; i++ {
				if c.kind.Scalar(i) {
					scalar += string(rune('0' + i))
				}
				if c.kind.Rotational(i) {
					turns += string(rune('0' + i))
				}
			}
			assert.Equal(t, c.scalar, scalar)
			assert.Equal(t, c.turns, turns)
			assert.Equal(t, c.dof, c.kind.Dof())
			assert.Equal(t, 6-c.dof, c.kind.Constraints())
			assert.Equal(t, c.freedoms, c.kind.Freedoms())
			assert.Equal(t, c.name, c.kind.String())
			angles := 0
			for i := range c.kind.Freedoms() {
				if c.kind.Scalar(i) && c.kind.Rotational(i) {
					assert.Equal(t, angles, i, "angles come first")
					angles++
				}
			}
			assert.Equal(t, angles, c.kind.Turns())
			assert.True(t, c.kind.Valid())
			k, err := joints.ParseKind(c.name)
			assert.NoError(t, err)
			assert.Equal(t, c.kind, k)
		})
	}
	for _, name := range []string{"", "Revolute", "ball", "Kind(200)"} {
		_, err := joints.ParseKind(name)
		require.ErrorIs(t, err, joints.ErrKind)
	}
	require.Equal(t, "Kind(200)", joints.Kind(200).String())
	require.False(t, joints.Kind(200).Valid())
	require.Equal(t, "Slip(4)", joints.Slip(4).String())
	require.False(t, joints.Slip(4).Valid())
	require.Equal(t, "harmonic", joints.Harmonic.String())
	require.Equal(t, "MotionKind(9)", joints.MotionKind(9).String())
	require.False(t, joints.MotionKind(9).Valid())
}

// TestSlides: Rows.Arm and Rows.Slip are the parts of R and V that Slides says, and other parts for types that slide otherwise.
func TestSlides(t *testing.T) {
	R, V := spatial.Vec3{1, 2, 3}, spatial.Vec3{0.5, -0.25, 0.75}
	f := &joints.Frames{EP: spatial.Identity3(), ES: spatial.Identity3(), R: R, V: V}
	for k := range joints.Rolling { // what follows takes R and V as its contact, curve or axes say
		s := &joints.Spec{Kind: k, Pitch: 0.3, Length: 2}
		var out joints.Rows
		require.NoError(t, s.EvalTo(&out, f, 0))
		part := func(v spatial.Vec3) (p spatial.Vec3) {
			onZ, offZ := k.Slides()
			if offZ {
				p[0], p[1] = v[0], v[1]
			}
			if onZ {
				p[2] = v[2]
			}
			return p
		}
		if k == joints.Distance { // the length is fixed, and not a direction of P
			require.InDelta(t, 2, out.Arm.Norm(), 1e-15)
			require.InDelta(t, 0, out.Slip.Dot(R), 1e-15)
			continue
		}
		require.Equal(t, part(R), out.Arm, "%v", k)
		require.Equal(t, part(V), out.Slip, "%v", k)
	}
	for k := joints.Distance; k.Valid(); k++ {
		onZ, offZ := k.Slides()
		require.True(t, onZ && offZ, "%v", k)
	}
}

// bendTol bounds the errors of the derivatives of TestBends, of numbers of order 10: differences of order diffTol, of wrenches whose
// changes have the errors of the velocities of two curves (path.speedTol) times curvatures.
const bendTol = 1e-6

// bent is the least derivative of a generalized force, of numbers of order 1, that is no rounding.
const bent = 1e-2

// TestBends: wrenches keep their generalized forces Sᵀw along a motion of the joint if they turn with P and change by Spec.BendTo. Without
// BendTo, wrenches of types that do not bend keep them, and for each type that bends there is one that does not.
func TestBends(t *testing.T) {
	most := map[joints.Kind]float64{} // by type: the largest derivative of a generalized force without BendTo
	forPaths(t, func(t *testing.T, p *path, seed uint64) {
		const time = 0.1
		s, f := &p.spec, p.frames(time)
		if s.Kind == joints.Universal || s.Kind == joints.Distance { // their lines that move are written out by those who use them
			require.False(t, s.Kind.Bends())
			return
		}
		var freedoms joints.Rows
		s.FreedomRowsTo(&freedoms, f)
		r := rand.New(rand.NewPCG(3, seed))
		var w spatial.Force
		for _, of := range []*joints.Rows{eval(t, s, f, time), &freedoms} {
			for _, line := range of.T[:of.N] {
				w = w.Add(line.Scale(2*r.Float64() - 1))
			}
		}
		var B [36]float64
		require.Equal(t, s.Kind.Bends(), s.BendTo(&B, &w, f))
		v := velocity(f)
		var change spatial.Force // of w a second, besides the turning with P
		for i := range change {
			change[i] = -algebra.Dot(B[6*i:][:6], v[:])
		}
		for j := range s.Kind.Dof() {
			rate := func(change spatial.Force) float64 {
				return diff(func(t0 float64) float64 {
					g := p.frames(t0)
					var S [6]spatial.Motion
					s.MotionSubspaceTo(&S, g)
					at := turned(g.EP.MulT(f.EP), w.Add(change.Scale(t0-time)))
					return S[j].Dot(&at)
				}, time)
			}
			require.InDelta(t, 0, rate(change), bendTol, "column %d", j)
			most[s.Kind.Type()] = max(most[s.Kind.Type()], math.Abs(rate(spatial.Force{})))
		}
	})
	for k, x := range most {
		require.Equal(t, k.Bends(), x > bent, "%v: %v", k, x)
	}
	for k := joints.Kind(0); k.Valid(); k++ {
		require.Equal(t, k.Type().Bends(), k.Bends(), "a variant of %v", k)
	}
}

// turned returns the wrench w turned by Q.
func turned(Q spatial.Mat3, w spatial.Force) spatial.Force {
	return spatial.NewForce(Q.MulVec(w.Moment()), Q.MulVec(w.Linear()))
}

// TestPlain: the rows of plain types, and of no others, are the same along the axes of P wherever the frames are.
func TestPlain(t *testing.T) {
	for k := range joints.NumKinds - 1 { // but Composite
		s := &joints.Spec{Kind: k, Pitch: 0.3, Length: 2, Radius: 0.5, Tyre: 0.1}
		if k == joints.PointOnCurve || k == joints.CurveOnCurve {
			s = &specs[slices.IndexFunc(specs, func(s joints.Spec) bool { return s.Kind == k })]
		}
		var along [2][6]spatial.Force
		constant := s.NumRows() > 0
		for i := range along {
			x := float64(i + 1)
			f := &joints.Frames{EP: spatial.Exp(spatial.Vec3{0.3 * x, -x, 0.2}).Mat(), ES: spatial.Exp(spatial.Vec3{1, 0.4 * x, x}).Mat(),
				R: spatial.Vec3{x, 0.2, -0.3 * x}, OmegaP: spatial.Vec3{1, x, 2}, OmegaS: spatial.Vec3{-x, 2, 1}, V: spatial.Vec3{0.5, -x, x}}
			var out joints.Rows
			require.NoError(t, s.EvalTo(&out, f, 0))
			for r := range out.N {
				n, l := f.EP.TMulVec(out.T[r].Moment()), f.EP.TMulVec(out.T[r].Linear())
				along[i][r] = spatial.Force{n[0], n[1], n[2], l[0], l[1], l[2]}
				constant = constant && out.TDot[r] == 0
			}
			constant = constant && out.Arm == spatial.Vec3{} && out.Slip == spatial.Vec3{}
		}
		for r := range along[0] {
			for c := range 6 {
				constant = constant && math.Abs(along[0][r][c]-along[1][r][c]) < 1e-15
			}
		}
		require.Equal(t, constant, k.Plain(), "%v", k)
	}
}

func TestUnknownKindPanics(t *testing.T) {
	s := &joints.Spec{Kind: 200}
	f := still(spatial.Identity3(), spatial.Vec3{})
	var x, y [6]float64
	for name, call := range map[string]func(){
		"Dof":              func() { s.Kind.Dof() },
		"Plain":            func() { s.Kind.Plain() },
		"NumRows":          func() { s.NumRows() },
		"EvalTo":           func() { _ = s.EvalTo(new(joints.Rows), f, 0) },
		"WrenchTo":         func() { s.WrenchTo(new(spatial.Force), &x, f) },
		"MotionSubspaceTo": func() { s.MotionSubspaceTo(new([6]spatial.Motion), f) },
		"CoordinatesTo":    func() { s.CoordinatesTo(&x, &y, f) },
		"PositionErrorTo":  func() { s.PositionErrorTo(&x, f, 0) },
		"VelocityErrorTo":  func() { _ = s.VelocityErrorTo(&x, f, 0) },
	} {
		require.PanicsWithValue(t, "joints: unknown kind", call, name)
	}
}

func TestCheck(t *testing.T) {
	on := func(i int) *[6]*joints.Motion {
		m := new([6]*joints.Motion)
		m[i] = joints.NewHarmonic(0, 1, 1, 0)
		return m
	}
	for _, s := range specs {
		require.NoError(t, s.Check(), "%v", s.Kind)
	}
	for _, c := range []struct {
		spec joints.Spec
		want error
	}{
		{joints.Spec{Kind: 200}, joints.ErrKind},
		{joints.Spec{Kind: joints.Composite}, joints.ErrAxes},
		{joints.Spec{Kind: joints.PointOnCurve}, joints.ErrCurve},
		{joints.Spec{Kind: joints.PointOnCurveKind(true)}, joints.ErrCurve},
		{joints.Spec{Kind: joints.Fixed, Curve: new(curves.Curve)}, joints.ErrCurve},
		{joints.Spec{Kind: joints.Helical}, joints.ErrPitch},
		{joints.Spec{Kind: joints.Helical, Pitch: math.NaN()}, joints.ErrPitch},
		{joints.Spec{Kind: joints.Helical, Pitch: math.Inf(-1)}, joints.ErrPitch},
		{joints.Spec{Kind: joints.Distance}, joints.ErrLength},
		{joints.Spec{Kind: joints.Distance, Length: -1}, joints.ErrLength},
		{joints.Spec{Kind: joints.Distance, Length: math.Inf(1)}, joints.ErrLength},
		{joints.Spec{Kind: joints.Rolling}, joints.ErrWheel},
		{joints.Spec{Kind: joints.Rolling, Radius: -1}, joints.ErrWheel},
		{joints.Spec{Kind: joints.Rolling, Radius: math.NaN()}, joints.ErrWheel},
		{joints.Spec{Kind: joints.RollingKind(joints.SlipBoth), Radius: math.Inf(1)}, joints.ErrWheel},
		{joints.Spec{Kind: joints.Rolling, Radius: 1, Tyre: -0.1}, joints.ErrWheel},
		{joints.Spec{Kind: joints.Rolling, Radius: 1, Tyre: 1.1}, joints.ErrWheel},
		{joints.Spec{Kind: joints.Rolling, Radius: 1, Tyre: math.NaN()}, joints.ErrWheel},
		{joints.Spec{Kind: joints.RollingKind(joints.SlipAlong), Radius: 1, Tyre: 1}, joints.ErrWheel},
		{joints.Spec{Kind: joints.RollingKind(joints.SlipAcross), Radius: 1, Tyre: 1}, joints.ErrWheel},
		{joints.Spec{Kind: joints.RollingKind(joints.SlipBoth), Radius: 1, Tyre: 1}, nil},
		{joints.Spec{Kind: joints.Revolute, Motion: on(1)}, joints.ErrMotion},
		{joints.Spec{Kind: joints.Spherical, Motion: on(0)}, joints.ErrMotion},
		{joints.Spec{Kind: joints.SphereInCylinder, Motion: on(2)}, joints.ErrMotion},
		{joints.Spec{Kind: joints.SphereInCylinder, Motion: on(3)}, nil},
		{joints.Spec{Kind: joints.Free, Motion: on(5)}, joints.ErrMotion},
	} {
		require.ErrorIs(t, c.spec.Check(), c.want, "%v", c.spec.Kind)
	}
}

func TestMotion(t *testing.T) {
	for name, m := range map[string]*joints.Motion{
		"none":     new(joints.Motion),
		"harmonic": joints.NewHarmonic(0.3, -1.2, 0.9, 0.4),
		"constant": joints.NewPolynomial([]float64{2.5}),
		"empty":    joints.NewPolynomial(nil),
		"quintic":  joints.NewPolynomial([]float64{1, -2, 0.5, 3, -1, 0.25}),
	} {
		t.Run(name, func(t *testing.T) {
			for _, at := range []float64{-1.3, 0, 0.7} {
				_, qd, qdd := m.At(at)
				require.InDelta(t, diff(func(t float64) float64 { q, _, _ := m.At(t); return q }, at), qd, diffTol)
				require.InDelta(t, diff(func(t float64) float64 { _, qd, _ := m.At(t); return qd }, at), qdd, diffTol)
			}
		})
	}
	q, qd, qdd := (&joints.Motion{Kind: joints.Polynomial, Coefficients: []float64{1, 2, 3}}).At(2)
	require.Equal(t, []float64{17, 14, 6}, []float64{q, qd, qdd})

	// A quarter of a period after many whole ones.
	m := joints.NewHarmonic(1, 2, 4, 0)
	q, _, _ = m.At(1e9 + 1.0/16)
	require.InDelta(t, 3, q, roundTol)

	c := []float64{1}
	m = joints.NewPolynomial(c)
	c[0] = 5
	q, _, _ = m.At(0)
	require.Equal(t, 1.0, q, "the coefficients are copied")
}
