package rung_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/motion/compare"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// Of the shaft with two universal joints: the bend at each, rad, the
// speed of the input, rad/s, inertia and load of the output.
const cardanBend, cardanSpeed, cardanInertia, cardanLoad = 0.6, 3.0, 0.4, -1.7

// cardan is an input shaft driven at a constant rate, a slender rod without inertia about its axis, and an output shaft
// that may slide. The axes of the three lie in the xy plane. At θ = 0 the pin of the input does, too. The yokes of the
// rod are in line or turned by 90°.
func cardan(t *testing.T, theta float64, crossed bool) *model.Model {
	t.Helper()
	sin, cos := math.Sincos(cardanBend)
	a1, a2, a3 := spatial.Vec3{cos, sin}, spatial.Vec3{1}, spatial.Vec3{cos, -sin}
	p1, p2 := spatial.Vec3{-0.5}, spatial.Vec3{0.5}
	s, c := math.Sincos(theta)
	u := a1.Cross(axis).Scale(c).Sub(axis.Scale(s))
	v := a2.Cross(u)
	w := v
	if crossed {
		w = a2.Cross(v)
	}
	shaft, err := bodies.New(1, spatial.Vec3{}, spatial.Diag3(cardanInertia, cardanInertia, cardanInertia))
	require.NoError(t, err)
	slender, err := bodies.New(2, spatial.Vec3{}, spatial.Diag3(0, 1./6, 1./6))
	require.NoError(t, err)
	b := rung.NewBuilder("cardan").Gravity(0, 0, 0)
	in, rod, out := b.Body("in", shaft, rung.At(p1[0], 0, 0)), b.Body("rod", slender, rung.At(0, 0, 0)), b.Body("out", shaft, rung.At(p2[0], 0, 0))
	_, rate, _ := yoke(theta, 1/cos)
	b.Move(rod, spatial.Vec3{}, a2.Scale(rate))
	_, rate, _ = yoke(theta, outputRatio(crossed))
	b.Move(out, spatial.Vec3{}, a3.Scale(rate))
	b.Move(in, spatial.Vec3{}, a1.Scale(cardanSpeed))
	b.Revolute("drive", rung.World, in, p1, a1).Motion = []*model.Motion{{Kind: model.Polynomial, Coefficients: []float64{0, cardanSpeed}}}
	b.Universal("first", in, rod, p1, u, v)
	b.Universal("second", rod, out, p2, w, a3.Cross(w))
	b.Cylindrical("output", rung.World, out, p2, a3).Force = []float64{cardanLoad, 0}
	m, err := b.Model()
	require.NoError(t, err)
	return m
}

// outputRatio is tan φ/tan θ of the output: 1/cos²β, or 1 where the second joint cancels the error of the first.
func outputRatio(crossed bool) float64 {
	if !crossed {
		return 1
	}
	return 1 / (math.Cos(cardanBend) * math.Cos(cardanBend))
}

// yoke returns φ of tan φ = k·tan θ on the branch of θ, and its derivatives at constant speed.
func yoke(theta, k float64) (phi, rate, acceleration float64) {
	s, c := math.Sincos(theta)
	d := c*c + k*k*s*s
	phi = theta + math.Atan2((k-1)*s*c, c*c+k*s*s)
	return phi, k * cardanSpeed / d, -k * cardanSpeed * cardanSpeed * (k*k - 1) * 2 * s * c / (d * d)
}

// TestCardanError: two universal joints with a rod of rank two between them. With the yokes of the rod turned by 90°,
// tan φ = tan θ/cos²β; in line, the errors cancel. The torque of the drive follows from the power.
func TestCardanError(t *testing.T) {
	for _, crossed := range []bool{false, true} {
		for _, theta := range []float64{0, 0.4, 1.3, math.Pi / 2, 2.5, 4} {
			m := cardan(t, theta, crossed)
			_, _, spin := yoke(theta, 1/math.Cos(cardanBend))
			_, rate, acceleration := yoke(theta, outputRatio(crossed))
			torque := (cardanInertia*acceleration - cardanLoad) * rate / cardanSpeed
			requireCardan := func(x *rung.Result, by string) {
				t.Helper()
				sin, cos := math.Sincos(cardanBend)
				check.CloseVec(t, x.Bodies[0].AngularAcceleration[:], make([]float64, 3), 1e-11, 10, "%s: input", by)
				check.CloseVec(t, x.Bodies[1].AngularAcceleration[:], []float64{spin, 0, 0}, 1e-11, 10, "%s: rod at %g", by, theta)
				check.CloseVec(t, x.Bodies[2].AngularAcceleration[:], []float64{acceleration * cos, -acceleration * sin, 0}, 1e-11, 10, "%s: output at %g", by, theta)
				require.Zero(t, x.Constraints.Mobility)
				require.Zero(t, x.Constraints.Redundant)
				for j := range x.Joints {
					require.LessOrEqual(t, x.Joints[j].PositionResidual, fitTol, "%s: %s", by, x.Joints[j].Name)
					require.LessOrEqual(t, x.Joints[j].VelocityResidual, fitTol, "%s: %s", by, x.Joints[j].Name)
				}
				moment := spatial.Vec3(x.Joints[0].TotalWrench.Moment).Dot(spatial.Vec3{cos, sin})
				check.Close(t, moment, torque, 1e-11, 10, "%s: torque of the drive at %g", by, theta)
			}
			for _, o := range orderings {
				x, err := rung.Accelerate(m, rung.Options{Ordering: o})
				require.NoError(t, err)
				requireCardan(x, o.String())
			}
			p, err := rung.NewPlan(m, rung.Options{})
			require.NoError(t, err)
			for _, method := range motion.Methods()[1:] {
				x, err := compare.Accelerate(p, method, p.Initial())
				require.NoError(t, err, "%v", method)
				requireCardan(x, method.String())
			}
		}
	}
}

// TestCardanErrorInARun turns the input by 2 rad and compares the angle of the output.
func TestCardanErrorInARun(t *testing.T) {
	const T = 2 / cardanSpeed
	for _, crossed := range []bool{false, true} {
		p, err := rung.NewPlan(cardan(t, 0, crossed), rung.Options{})
		require.NoError(t, err)
		d := motion.NewDynamics(p)
		mech := p.Mechanism()
		s := sim.New(mech, sim.NewRungeKutta(mech, d, sim.DormandPrince(), sim.Tolerance{Relative: 1e-10}), p.Initial(), sim.Options{Projector: d})
		require.NoError(t, s.Run(T))
		phi, rate, _ := yoke(2, outputRatio(crossed))
		sin, cos := math.Sincos(cardanBend)
		q := s.State().Bodies[2].Rotation
		want := spatial.FromAxisAngle(spatial.Vec3{cos, -sin}, phi)
		r := q.Mul(want.Conj())
		require.Less(t, 2*math.Sqrt(r[1]*r[1]+r[2]*r[2]+r[3]*r[3]), 1e-8)
		omega := s.State().Bodies[2].Omega
		check.CloseVec(t, omega[:], []float64{rate * cos, -rate * sin, 0}, 1e-8, 1, "rate of the output")
	}
}
