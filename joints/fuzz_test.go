package joints_test

import (
	"errors"
	"math"
	"testing"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/spatial"
)

// FuzzJoint checks at any pose and velocity that all numbers are finite, that
// S and T annihilate each other, and that angles and errors are in range.
func FuzzJoint(tf *testing.F) {
	f := check.NewFuzz(tf)
	f.Add(uint8(1), 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 1.0, 2.0)
	f.Add(uint8(5), math.Pi, 0.0, 0.0, 0.0, math.Pi, 0.0, 0.0, -1.0)
	f.Add(uint8(3), 0.0, math.Pi, 0.0, 0.0, 0.0, 0.0, 1e6, 1e-3)
	f.Add(uint8(joints.Composite), 0.3, 0.2, -0.5, 0.4, 0.1, 0.6, 1.0, 2.0)
	f.Add(uint8(joints.Composite), 0.0, 0.0, 1.0, 0.0, 0.4, 0.0, 2.0, 0.1)
	f.Add(uint8(joints.Rolling), 0.3, 0.2, -0.5, 0.4, 0.1, 0.6, 1.0, 2.0)
	f.Add(uint8(joints.Rolling), 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 2.0) // flat
	f.Add(uint8(joints.Rolling), 0.0, 0.0, 0.0, 2e-6, 0.0, 0.0, 1e6, 1e6)
	f.Add(uint8(joints.Rolling), 0.3, 0.2, -0.5, 0.4, 0.1, 1.6, 1.0, 2.0)
	f.Add(uint8(joints.Rolling), 0.0, 0.0, 0.3, 0.0, 0.4, 1e-3, 0.1, 2.0)
	f.Add(uint8(joints.NoSlip), 0.3, 0.2, -0.5, 0.4, 0.1, 0.6, 1.0, 2.0)
	f.Add(uint8(joints.PointOnCurve), 0.3, 0.2, -0.5, 0.4, 0.1, 0.6, 1.0, 2.0)
	f.Add(uint8(joints.PointOnCurve), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0) // at the centre of curvature
	f.Add(uint8(joints.PointOnCurve), 1.0, 0.0, 2.0, 0.0, -1.0, 1e-7, 0.4, 1e6)
	f.Add(uint8(joints.CurveOnCurve), 0.3, 1.2, -0.5, 0.4, 0.1, 0.6, 1.0, 1.0)
	f.Add(uint8(joints.CurveOnCurve), 0.0, 1.0, 2.0, 0.0, 0.5, 0.2, 1.4, 1.6)
	f.Add(uint8(10), 1e-9, 0.0, 0.0, 0.0, 0.0, 1e-9, 1e-300, 0.0)
	f.Fuzz(func(t *testing.T, kind uint8, a, b, c, d, e, g, x, w float64) {
		const most = 1e6 // keeps products of a few numbers in range
		for _, v := range []float64{a, b, c, d, e, g, x, w} {
			if !(math.Abs(v) <= most) {
				return // out of the range tested
			}
		}
		s := &joints.Spec{
			Kind: joints.Kind(kind % uint8(joints.NumKinds)), Pitch: 0.2, Length: 1.5, Radius: 0.7, Tyre: 0.1,
			Motion: &[6]*joints.Motion{nil, joints.NewHarmonic(a, b, 1, c)},
		}
		if s.Kind == joints.Composite {
			axes, err := joints.NewAxes([]joints.Axis{
				{Kind: joints.Revolute, Axis: spatial.Vec3{a, b, c}, Point: spatial.Vec3{d}}, {Kind: joints.Prismatic, Axis: spatial.Vec3{d, e, g}},
				{Kind: joints.Revolute, Axis: spatial.Vec3{e, 1, b}, Point: spatial.Vec3{x, w}},
			}[:1+int(math.Abs(x))%3])
			if err != nil {
				return // no axes
			}
			s.Kind, s.Axes, s.Pitch, s.Length = axes.Kind(), axes, 0, 0
			if s.Motion[1] != nil && !s.Kind.Scalar(1) {
				s.Motion = nil
			}
		}
		if s.Kind == joints.Rolling && g > 0 {
			s.Ground = hills(t)
			if g > 1 {
				s.Tyre = s.Radius
			}
		}
		if s.Kind == joints.PointOnCurve {
			if s.Curve = wire([]float64{a, b, c, d, e, g, x, w}, b > c); s.Curve == nil {
				return // no curve
			}
			s.Kind = joints.PointOnCurveKind(b > c)
		}
		if s.Kind == joints.CurveOnCurve {
			s.Curve, s.SuccessorCurve = wire([]float64{a, b, c, d, e, g, x, w}, true), wire([]float64{e, g, w, x, a, d, b, c}, true)
			if s.Curve == nil || s.SuccessorCurve == nil {
				return // no curves
			}
		}
		EP := spatial.Exp(spatial.Vec3{a, b, c}).Mat()
		fr := &joints.Frames{
			EP: EP, ES: EP.Mul(spatial.Exp(spatial.Vec3{d, e, g}).Mat()),
			R: spatial.Vec3{x, a * b, x - c}, V: spatial.Vec3{w, d, e},
			OmegaP: spatial.Vec3{w, x, a}, OmegaS: spatial.Vec3{b, w, g},
		}
		checkJoint(t, s, fr)
	})
}

// wire returns a curve of any kind made from numbers, nil if they make none.
func wire(n []float64, flat bool) *curves.Curve {
	v := func(i int) spatial.Vec3 { return spatial.Vec3{n[i%8], n[(i+1)%8], n[(i+3)%8]} }
	c := &curves.Curve{Kind: curves.Kind(int(math.Abs(n[6])) % 4)}
	switch c.Kind {
	case curves.Line:
		c.Ends = [2]spatial.Vec3{v(0), v(1)}
	case curves.Circle:
		c.Center, c.Axis, c.Radius = v(0), v(2), math.Abs(n[1])+0.1
		if n[2] > 0 {
			c.Range = [2]float64{n[0], n[0] + 1}
		}
	case curves.Spline:
		c.Points, c.Closed, c.Natural = []spatial.Vec3{v(0), v(1), v(2), v(4)}, n[0] > 0, n[0] < 0
	case curves.Function:
		c.X, c.Y, c.Z, c.Range = "cos(u)", "sin(2*u)", "u^2", [2]float64{n[0], n[1]}
	}
	fine := true
	c.Faults(flat, func(_, _, _ string) { fine = false })
	if !fine {
		return nil
	}
	p := c.Prepared()
	p.MeasureArc(flat)
	return p
}

func checkJoint(t *testing.T, s *joints.Spec, f *joints.Frames) {
	var (
		rows      joints.Rows
		S         [6]spatial.Motion
		q, qd, de [6]float64
		angles    [6]float64
	)
	free := *s
	free.Motion = nil
	if err := s.EvalTo(&rows, f, 0.3); err != nil {
		if errors.Is(err, joints.ErrFoot) || errors.Is(err, joints.ErrTouch) || errors.Is(err, joints.ErrStand) {
			return
		}
		if errors.Is(err, joints.ErrFlat) {
			if a, n := f.ES.Col(2), f.EP.Col(2); !(a.Cross(n).Norm() < 1.1e-6) {
				t.Fatalf("%v at %v", err, a.Cross(n))
			}
			return
		}
		if f.R.Norm() > 1e-150 && !errors.Is(err, joints.ErrSingular) {
			t.Fatalf("%v: %v at R = %v", s.Kind, err, f.R)
		}
		return
	}
	dof := s.MotionSubspaceTo(&S, f)
	for i := range dof {
		for k := range free.NumRows() {
			if p := S[i].Dot(&rows.T[k]); !(math.Abs(p) < 1e-12*max(1, S[i].Linear().Norm())) {
				t.Fatalf("%v: S%d·T%d = %v", s.Kind, i, k, p)
			}
		}
	}
	s.CoordinatesTo(&q, &qd, f)
	s.PositionErrorTo(&de, f, 0.3)
	if err := s.VelocityErrorTo(&angles, f, 0.3); err != nil {
		t.Fatal(err)
	}
	for i := range q {
		for _, v := range []float64{q[i], qd[i], de[i], angles[i], rows.TDot[i], rows.Sigma[i], rows.SigmaDot[i]} {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("%v: not finite", s.Kind)
			}
		}
		if s.Winds(i) && !(q[i] > -math.Pi && q[i] <= math.Pi) {
			t.Fatalf("%v: angle %v", s.Kind, q[i])
		}
	}
}
