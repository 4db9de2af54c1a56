package derive_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// TestAbsentNumbers: numbers of stops, friction, integrals and limits that the model does not have are refused. Their derivatives used to
// be zero, although friction that begins to act changes accelerations.
func TestAbsentNumbers(t *testing.T) {
	const pin = "joints[pin1]."
	friction := []string{"friction[0].force", "friction[0].speed"}
	reaction := []string{"friction[0].coefficient", "friction[0].radius"}
	static := []string{"friction[0].static", "friction[0].stribeck"}
	bristles := []string{"friction[0].hold.travel", "friction[0].hold.damping"}
	ends := []string{"limits[0].lower", "limits[0].upper"}
	stop := []string{
		"limits[0].stop.stiffness", "limits[0].stop.exponent", "limits[0].stop.dissipation", "limits[0].stop.damping", "limits[0].stop.restitution",
	}
	motor := []string{"integral", "limit"}
	all := [][]string{friction, reaction, static, bristles, ends, stop}
	for name, c := range map[string]struct {
		change func(m *model.Model)
		there  [][]string
		motor  []string
	}{
		"nothing":  {func(*model.Model) {}, nil, nil},
		"friction": {func(m *model.Model) { m.Joints[0].Friction = []model.Friction{{Force: 1}} }, [][]string{friction}, nil},
		"bearing": {func(m *model.Model) { m.Joints[0].Friction = []model.Friction{{Coefficient: 0.1, Radius: 0.1}} },
			[][]string{{friction[1]}, reaction}, nil},
		"static friction": {func(m *model.Model) {
			m.Joints[0].Friction = []model.Friction{{Force: 1, Static: 1.5, Stribeck: 0.1}}
		}, [][]string{friction, static}, nil},
		"limits": {func(m *model.Model) { m.Joints[0].Limits = []*model.Limit{{Lower: -1, Upper: 1}} }, [][]string{ends}, nil},
		"stop": {func(m *model.Model) {
			m.Joints[0].Limits = []*model.Limit{{Lower: -1, Upper: 1}}
			m.Joints[0].Limits[0].Stop.Stiffness = 10
		}, [][]string{ends, stop}, nil},
		"integral": {func(m *model.Model) { m.Forces[0].Actuator.Integral = 1 }, nil, motor[:1]},
		"limit":    {func(m *model.Model) { m.Forces[0].Actuator.Limit = 1 }, nil, motor[1:]},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := model.ReadFile("../reference/golden/pendulum.model.json")
			require.NoError(t, err)
			value := &model.Motion{Kind: joints.Polynomial, Coefficients: []float64{2}}
			m.Forces = []model.ForceElement{{
				Name: "motor", Type: model.ActuatorForce, Actuator: &model.Actuator{Joint: "pin1", Law: model.ActuatorSpeed, Gain: 1, Value: value},
			}}
			c.change(m)
			mech, err := mechanism.New(m)
			require.NoError(t, err)
			there := map[string]bool{}
			for _, list := range c.there {
				for _, path := range list {
					there[pin+path] = true
				}
			}
			for _, path := range c.motor {
				there["forces[motor]."+path] = true
			}
			ask := func(path string) {
				_, err := derive.New(kkt.NewPlan(mech, kkt.Options{}), m).Parameter(path)
				if there[path] {
					require.NoError(t, err, path)
				} else {
					require.ErrorIs(t, err, derive.ErrParameter, path)
				}
			}
			for _, list := range all {
				for _, path := range list {
					ask(pin + path)
				}
			}
			for _, path := range motor {
				ask("forces[motor]." + path)
			}
		})
	}
}
