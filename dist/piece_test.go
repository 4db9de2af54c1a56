package dist_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/dist"
	"github.com/rung-mbd/rung/model"
)

// leg is a thigh and a shank whose hinges a belt couples, with a wrench and a motor.
func leg() *model.Model {
	at := func(joint string) model.Coupled { return model.Coupled{Joint: joint} }
	return &model.Model{
		Bodies: []model.Body{{Name: "thigh"}, {Name: "shank"}},
		Joints: []model.Joint{
			{Name: "hip", Type: model.Revolute, Predecessor: model.World, Successor: "thigh"},
			{Name: "knee", Type: model.Revolute, Predecessor: "thigh", Successor: "shank"},
		},
		Couplings: []model.Coupling{{
			Name: "belt", Terms: []model.CouplingTerm{{Coupled: at("hip"), Factor: 1}, {Coupled: at("knee"), Factor: 1}},
			Polynomial: &model.CouplingPolynomial{Of: at("hip"), Coefficients: []float64{1}},
		}},
		Forces: []model.ForceElement{
			{Name: "pull", Type: model.Wrench, A: model.Attachment{Body: "thigh"}},
			{Name: "motor", Type: model.ActuatorForce, Actuator: &model.Actuator{Joint: "knee"}},
		},
	}
}

// TestCutNames: a name that does not exist is told with the element that has it, and with the name that may be meant.
func TestCutNames(t *testing.T) {
	for want, change := range map[string]func(m *model.Model){
		`joint "hip": there is no body "wrld", did you mean world?`:           func(m *model.Model) { m.Joints[0].Predecessor = "wrld" },
		`joint "hip": there is no body "tigh", did you mean thigh?`:           func(m *model.Model) { m.Joints[0].Successor = "tigh" },
		`force element "pull": there is no body "Thigh", did you mean thigh?`: func(m *model.Model) { m.Forces[0].A.Body = "Thigh" },
		`force element "motor": there is no joint "nee", did you mean knee?`:  func(m *model.Model) { m.Forces[1].Actuator.Joint = "nee" },
		`coupling "belt": there is no joint "heel"`:                           func(m *model.Model) { m.Couplings[0].Terms[1].Joint = "heel" },
		`coupling "belt": there is no joint "hips", did you mean hip?`:        func(m *model.Model) { m.Couplings[0].Polynomial.Of.Joint = "hips" },
	} {
		m := leg()
		change(m)
		_, err := dist.Cut(m, []int32{0, 0}, 0)
		require.EqualError(t, err, "dist: "+want)
	}
	_, err := dist.Cut(leg(), []int32{0, 0}, 0)
	require.NoError(t, err)
	_, err = dist.Cut(leg(), []int32{0, 1}, 0)
	require.EqualError(t, err, `dist: coupling "belt" is cut: its bodies have to be of one rank`)
	_, err = dist.Cut(leg(), []int32{0}, 0)
	require.EqualError(t, err, "dist: 1 parts of 2 bodies")
}
