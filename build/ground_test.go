package build_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// TestGround builds a wheel that stands on a surface of Go, turned and moved, with a motor.
func TestGround(t *testing.T) {
	const r, depth, k = 0.3, 0.01, 1e4
	s, err := ground.NewPlane(spatial.Vec3{}, spatial.Vec3{0, 0, 1})
	require.NoError(t, err)
	b := build.New("wheel")
	d, err := bodies.Rod(2, 0.5, 0.1)
	require.NoError(t, err)
	centre := spatial.Vec3{1, 2, r - depth}
	wheel := b.Body("wheel", d, build.At(0.7, 1.9, 0.4).WithX(spatial.Vec3{1, 1, 0.2}))
	field := b.Surface("field", s)
	axis := spatial.Vec3{1, 0, 0}
	b.Contact("tyre", wheel, field, contact.Shape{Type: contact.Disc, Radius: r, Center: centre, Axis: axis}, contact.Law{
		Normal: contact.Normal{Stiffness: k}, Friction: contact.Friction{Type: contact.Coulomb, Coefficient: [2]float64{0.5, 0.5}},
	})
	pin := b.Revolute("pin", build.World, wheel, centre, axis)
	b.Motor("motor", pin, model.Actuator{Law: model.ActuatorTorque, Value: &model.Motion{Kind: model.Polynomial, Coefficients: []float64{3}}})
	m, err := b.Model()
	require.NoError(t, err)
	require.Equal(t, model.DefaultSlipSpeed, m.Forces[0].Contact.Law.Friction.SlipSpeed)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	kin, st := mech.NewKinematics(), mech.Initial()
	require.NoError(t, mech.KinematicsTo(kin, st))
	c, err := mech.ContactAt(0, kin, st)
	require.NoError(t, err)
	require.Len(t, c.Touches, 1)
	assert.InDelta(t, k*depth, c.Touches[0].Force.N, 1e-9)
	for i, x := range (spatial.Vec3{1, 2, -depth}) {
		assert.InDelta(t, x, c.Touches[0].P[i], 1e-12)
	}
	assert.Equal(t, 3.0, mech.ActuatorForce(0, kin, st))

	b = build.New("wrong")
	b.Contact("tyre", build.Body{}, build.Ground{}, contact.Shape{}, contact.Law{})
	b.Motor("motor", pin, model.Actuator{})
	_, err = b.Model()
	assert.ErrorContains(t, err, `force "tyre": the terrain is not of this builder`)
	assert.ErrorContains(t, err, `force "tyre": the handle of the body is the zero value`)
	assert.ErrorContains(t, err, `force "motor": no joint of this builder`)
}
