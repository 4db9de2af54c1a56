package rung_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/motion/compare"
	"github.com/rung-mbd/rung/spatial"
)

// A Watt governor: arms of length l with a point mass at the end of
// each, slender rods from there to a sleeve, a rotor on the spindle.
const (
	armLength, armMass, ballMass    = 0.3, 0.4, 1.5
	sleeveMass, sleeveAxial         = 2, 0.02
	spindleAxial, rotor             = 0.05, 0.7
	governorTorque, governorGravity = 0.9, 9.81
	governorAngle                   = 0.7
	governorSpin, governorOpens     = 6.0, 1.3
)

// TestGovernorWithRotor compares a governor with Lagrange's equations of
// its two freedoms, the angle ψ of the spindle and the angle θ of the arms:
//
//	2T = M_ψ(θ)·ψ̇² + M_θ(θ)·θ̇²,   M_ψ·ψ̈ = τ − M_ψ′·θ̇ψ̇,   M_θ·θ̈ = ½M_ψ′·ψ̇² − ½M_θ′·θ̇² − V′
//
// with rods that have inertia about two axes alone, and the rotor as armature.
func TestGovernorWithRotor(t *testing.T) {
	const l, m, M = armLength, armMass, ballMass
	s, c := math.Sincos(governorAngle)
	b := rung.NewBuilder("governor").Gravity(0, 0, -governorGravity)
	z, y := spatial.Vec3{0, 0, 1}, spatial.Vec3{0, 1}
	// rod is a body of masses on a line through at along d, with the second moment about it, moving with ω and the
	// velocity of one of its points.
	rod := func(name string, mass, second float64, at, d, omega, point, velocity spatial.Vec3) rung.Body {
		I := spatial.Sym3{1 - d[0]*d[0], 1 - d[1]*d[1], 1 - d[2]*d[2], -d[0] * d[1], -d[0] * d[2], -d[1] * d[2]}.Scale(second)
		data, err := bodies.New(mass, at, I)
		require.NoError(t, err)
		body := b.Body(name, data, rung.At(0, 0, 0))
		b.Move(body, velocity.Sub(omega.Cross(point)), omega)
		return body
	}
	solid := func(name string, mass, axial, height, climb float64) rung.Body {
		data, err := bodies.New(mass, spatial.Vec3{0, 0, height}, spatial.Diag3(axial, axial, axial))
		require.NoError(t, err)
		body := b.Body(name, data, rung.At(0, 0, 0))
		b.Move(body, spatial.Vec3{0, 0, climb}, z.Scale(governorSpin))
		return body
	}
	spindle := solid("spindle", 3, spindleAxial, 0, 0)
	sleeve := solid("sleeve", sleeveMass, sleeveAxial, -2*l*c, 2*l*s*governorOpens)
	turn := b.Revolute("bearing", rung.World, spindle, spatial.Vec3{}, z)
	turn.Armature, turn.Force = []float64{rotor}, []float64{governorTorque}
	b.Prismatic("slide", spindle, sleeve, spatial.Vec3{}, z)
	for _, side := range []float64{1, -1} {
		d, back := spatial.Vec3{side * s, 0, -c}, spatial.Vec3{-side * s, 0, -c}
		name := map[float64]string{1: "right", -1: "left"}[side]
		open := z.Scale(governorSpin).Sub(y.Scale(side * governorOpens))
		ball := d.Scale(l)
		middle := (m*l/2 + M*l) / (m + M)
		second := m*l*l/12 + m*(l/2-middle)*(l/2-middle) + M*(l-middle)*(l-middle)
		arm := rod(name+" arm", m+M, second, d.Scale(middle), d, open, spatial.Vec3{}, spatial.Vec3{})
		fold := z.Scale(governorSpin).Add(y.Scale(side * governorOpens))
		low := rod(name+" rod", m, m*l*l/12, ball.Add(back.Scale(l/2)), back, fold, ball, open.Cross(ball))
		b.Revolute(name+" pivot", spindle, arm, spatial.Vec3{}, y)
		b.Revolute(name+" ball", arm, low, ball, y)
		b.Revolute(name+" foot", low, sleeve, spatial.Vec3{0, 0, -2 * l * c}, y)
	}
	doc, err := b.Model()
	require.NoError(t, err)

	spinning := spindleAxial + sleeveAxial + rotor + 2*(M+2*m/3)*l*l*s*s
	spinningRate := 4 * (M + 2*m/3) * l * l * s * c
	opening := 2*(M+m/3)*l*l + 2*m/3*l*l*(1+6*s*s) + 4*sleeveMass*l*l*s*s
	openingRate := 8*m*l*l*s*c + 8*sleeveMass*l*l*s*c
	weight := governorGravity * l * s * (2*(M+m/2) + 3*m + 2*sleeveMass)
	wantSpin := (governorTorque - spinningRate*governorOpens*governorSpin) / spinning
	wantOpen := (spinningRate*governorSpin*governorSpin/2 - openingRate*governorOpens*governorOpens/2 - weight) / opening
	wantClimb := 2 * l * (s*wantOpen + c*governorOpens*governorOpens)
	requireGovernor := func(x *rung.Result, by string) {
		t.Helper()
		check.CloseVec(t, x.Bodies[0].AngularAcceleration[:], []float64{0, 0, wantSpin}, 1e-12, 10, "%s: spindle", by)
		check.CloseVec(t, x.Bodies[1].ComAcceleration[:], []float64{0, 0, wantClimb}, 1e-12, 10, "%s: sleeve", by)
		require.Equal(t, 2, x.Constraints.Mobility, by)
		for j := range x.Joints {
			require.LessOrEqual(t, x.Joints[j].VelocityResidual, fitTol, "%s: %s", by, x.Joints[j].Name)
		}
	}
	for _, o := range orderings {
		x, err := rung.Accelerate(doc, rung.Options{Ordering: o})
		require.NoError(t, err)
		requireGovernor(x, o.String())
	}
	p, err := rung.NewPlan(doc, rung.Options{})
	require.NoError(t, err)
	for _, method := range motion.Methods()[1:] {
		x, err := compare.Accelerate(p, method, p.Initial())
		require.NoError(t, err, "%v", method)
		requireGovernor(x, method.String())
	}
}
