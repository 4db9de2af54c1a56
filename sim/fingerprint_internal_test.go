package sim

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/springs"
)

// everything is a mechanism with something for every setter of Inputs.
func everything(t *testing.T) *mechanism.Mechanism {
	t.Helper()
	x, y, z, o := spatial.Vec3{1}, spatial.Vec3{0, 1}, spatial.Vec3{0, 0, 1}, spatial.Vec3{}
	b := build.New("everything")
	up := build.World
	var rods [6]build.Body
	for i := range rods {
		at := spatial.Vec3{float64(i)}
		rods[i] = b.Rod(string(rune('a'+i)), 1, 0.1, at, at.Add(x))
	}
	plain := b.Revolute("plain", up, rods[0], o, z)
	plain.Armature = []float64{0.5}
	sprung := b.Revolute("sprung", rods[0], rods[1], x, z)
	sprung.Stiffness, sprung.Damping = []float64{3}, []float64{1}
	law := b.Prismatic("law", rods[1], rods[2], x.Scale(2), x)
	law.Springs = []*springs.Law{{Kind: springs.Table, At: []float64{-1, 0, 1}, Forces: []float64{-3, 0, 2}}}
	b.Cylindrical("driven", rods[2], rods[3], x.Scale(3), x).Motion = []*model.Motion{nil, joints.NewPolynomial([]float64{0, 1})}
	b.Helical("screw", rods[3], rods[4], x.Scale(4), x, 0.1)
	b.Distance("rod", rods[4], rods[5], x.Scale(5), x.Scale(5).Add(y))
	b.Wrench("push", rods[1], x, y, z)
	b.SpringDamper("spring", up, rods[1], y, x, build.Spring{Stiffness: 3, Damping: 1, RestLength: 1})
	b.Bushing("bush", up, rods[2], build.At(2, 0, 0), model.Bushing{Stiffness: [6][6]float64{{1}, {0, 1}, {0, 0, 1}, {0, 0, 0, 1}, {0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 1}}})
	b.Cable("cable", build.Spring{Stiffness: 10, RestLength: 1}, 0, build.Through{Body: up, Point: y}, build.Through{Body: rods[3], Point: x.Scale(3)})
	b.Motor("motor", plain, model.Actuator{Law: model.ActuatorSpeed, Value: joints.NewPolynomial([]float64{0.1}), Gain: 2, Integral: 0.3})
	m, err := b.Model()
	require.NoError(t, err)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	return mech
}

// TestFingerprintIsOfValues: a value that is set and set back, or Reset, leaves no trace in the fingerprint and in
// Values, a value that acts otherwise changes the fingerprint, and setting what is there already changes nothing.
func TestFingerprintIsOfValues(t *testing.T) {
	m := everything(t)
	want := Fingerprint(m)
	require.Equal(t, want, Fingerprint(everything(t)), "two readings of one model")
	other, err := bodies.SolidSphere(2, 0.3)
	require.NoError(t, err)
	number := func(name string) int {
		i, err := m.ForceIndex(name)
		require.NoError(t, err)
		return i
	}
	bush, v := m.Forces[number("bush")], spatial.Vec3{}
	var one, two, none [6][6]float64
	for i := range 6 {
		one[i][i], two[i][i] = 1, 2
	}
	for name, x := range map[string]struct {
		there, back func(in *mechanism.Inputs) error
	}{
		"SetGravity":     {func(in *mechanism.Inputs) error { return in.SetGravity(spatial.Vec3{1}) }, func(in *mechanism.Inputs) error { return in.SetGravity(m.Gravity) }},
		"SetForce":       {func(in *mechanism.Inputs) error { return in.SetForce(0, 0, 1) }, func(in *mechanism.Inputs) error { return in.SetForce(0, 0, 0) }},
		"SetForce to −0": {func(in *mechanism.Inputs) error { return in.SetForce(3, 0, 1) }, func(in *mechanism.Inputs) error { return in.SetForce(3, 0, math.Copysign(0, -1)) }},
		"SetStiffness":   {func(in *mechanism.Inputs) error { return in.SetStiffness(1, 0, 4) }, func(in *mechanism.Inputs) error { return in.SetStiffness(1, 0, 3) }},
		"SetDamping":     {func(in *mechanism.Inputs) error { return in.SetDamping(1, 0, 4) }, func(in *mechanism.Inputs) error { return in.SetDamping(1, 0, 1) }},
		"SetRest":        {func(in *mechanism.Inputs) error { return in.SetRest(1, 0, 4) }, func(in *mechanism.Inputs) error { return in.SetRest(1, 0, 0) }},
		"SetMotion":      {func(in *mechanism.Inputs) error { return in.SetMotion(3, 1, joints.NewHarmonic(0, 1, 2, 3)) }, func(in *mechanism.Inputs) error { return in.SetMotion(3, 1, joints.NewPolynomial([]float64{0, 1})) }},
		"SetActuator":    {func(in *mechanism.Inputs) error { return in.SetActuator(0, joints.NewHarmonic(0.1, 1.7, 2.3, 3)) }, func(in *mechanism.Inputs) error { return in.SetActuator(0, joints.NewPolynomial([]float64{0.1})) }},
		"SetWrench": {func(in *mechanism.Inputs) error { return in.SetWrench(number("push"), v, v) }, func(in *mechanism.Inputs) error {
			return in.SetWrench(number("push"), spatial.Vec3{0, 1}, spatial.Vec3{0, 0, 1})
		}},
		"SetSpringDamper": {func(in *mechanism.Inputs) error { return in.SetSpringDamper(number("spring"), 1, 2, 3) }, func(in *mechanism.Inputs) error { return in.SetSpringDamper(number("spring"), 3, 1, 1) }},
		"SetBushing": {func(in *mechanism.Inputs) error { return in.SetBushing(number("bush"), &two, &one, v, v) }, func(in *mechanism.Inputs) error {
			return in.SetBushing(number("bush"), &one, &none, bush.Force, bush.Torque)
		}},
		"SetCable": {func(in *mechanism.Inputs) error { return in.SetCable(number("cable"), 1, 1, 1, 1) }, func(in *mechanism.Inputs) error { return in.SetCable(number("cable"), 10, 0, 1, 0) }},
		"SetLaw": {func(in *mechanism.Inputs) error { return in.SetLaw(2, 0, nil, nil) }, func(in *mechanism.Inputs) error {
			return in.SetLaw(2, 0, &springs.Law{Kind: springs.Table, At: []float64{-1, 0, 1}, Forces: []float64{-3, 0, 2}}, nil)
		}},
		"SetBody":     {func(in *mechanism.Inputs) error { in.Vary(); return in.SetBody(0, &other) }, func(in *mechanism.Inputs) error { return in.SetBody(0, &m.Bodies[0]) }},
		"SetFrames":   {func(in *mechanism.Inputs) error { in.Vary(); return in.SetFrames(0, &m.Joints[1].P, &m.Joints[1].S) }, func(in *mechanism.Inputs) error { return in.SetFrames(0, &m.Joints[0].P, &m.Joints[0].S) }},
		"SetLength":   {func(in *mechanism.Inputs) error { in.Vary(); return in.SetLength(5, 3) }, func(in *mechanism.Inputs) error { return in.SetLength(5, m.Joints[5].Length) }},
		"SetPitch":    {func(in *mechanism.Inputs) error { in.Vary(); return in.SetPitch(4, 3) }, func(in *mechanism.Inputs) error { return in.SetPitch(4, 0.1) }},
		"SetArmature": {func(in *mechanism.Inputs) error { in.Vary(); return in.SetArmature(0, 0, 3) }, func(in *mechanism.Inputs) error { return in.SetArmature(0, 0, 0.5) }},
	} {
		t.Run(name, func(t *testing.T) {
			in := m.NewInputs()
			values := in.Values()
			require.Equal(t, want, Fingerprint(in.Mechanism()), "untouched")
			require.NoError(t, x.there(in))
			require.NotEqual(t, want, Fingerprint(in.Mechanism()), "another value")
			require.NoError(t, x.back(in))
			require.Equal(t, want, Fingerprint(in.Mechanism()), "set back")
			require.Equal(t, values, in.Values())
			require.NoError(t, x.there(in))
			in.Reset()
			require.Equal(t, want, Fingerprint(in.Mechanism()), "reset")
			require.Equal(t, values, in.Values())
		})
	}
}

// pull is a force of one's own that is never there.
type pull struct{}

func (pull) WrenchesTo([]spatial.Force, []mechanism.BodyMotion, float64) error { return nil }

// TestFingerprintKnowsOwnForces: a run with a force of one's own is not that without it, or on another body.
func TestFingerprintKnowsOwnForces(t *testing.T) {
	m := everything(t)
	seen := map[uint64]bool{Fingerprint(m): true}
	for _, body := range []int{0, 1} {
		in := m.NewInputs()
		_, err := in.AddForce("pull", pull{}, body)
		require.NoError(t, err)
		print := Fingerprint(in.Mechanism())
		require.False(t, seen[print])
		seen[print] = true
	}
}
