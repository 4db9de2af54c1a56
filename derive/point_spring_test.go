package derive_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// TestPointSpring: where the ends of a spring coincide, its force has derivatives only if it is linear in the line between them: a rest
// length or a damper has no direction to act in. A spring without stiffness has a force of zero for any rest length.
func TestPointSpring(t *testing.T) {
	for _, c := range []struct {
		name            string
		stiffness, rest float64
		parameter       string
		refused         bool
	}{
		{"state", 3, 0, "", false},
		{"stiffness", 3, 0, "forces[at pin].stiffness", false},
		{"rest length", 3, 0, "forces[at pin].rest_length", true},
		{"damper", 3, 0, "forces[at pin].damping", true},
		{"slack", 0, 0.2, "", false},
		{"stiffness of a slack one", 0, 0.2, "forces[at pin].stiffness", true},
		{"with a rest length", 3, 0.2, "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := model.ReadFile("../reference/golden/pendulum.model.json")
			require.NoError(t, err)
			m.Forces = append(m.Forces, model.ForceElement{
				Name: "at pin", Type: model.SpringDamper, A: model.Attachment{Body: "world"}, B: model.Attachment{Body: "link1"},
				Stiffness: c.stiffness, RestLength: c.rest,
			})
			mech, err := mechanism.New(m)
			require.NoError(t, err)
			plan := kkt.NewPlan(mech, kkt.Options{})
			d := derive.New(plan, m)
			var p *derive.Parameter
			if c.parameter != "" {
				p, err = d.Parameter(c.parameter)
				require.NoError(t, err)
			}
			in, out := d.NewDirections(1), d.NewChanges(1)
			if p != nil {
				in.AddParameter(0, p, 1)
			} else {
				in.Body(0, 0).Rotation[2] = 1
				in.SetFollow(0, true)
			}
			if err = d.At(plan.Initial()); err == nil {
				err = d.ForwardTo(out, in, derive.Options{})
			}
			if c.refused {
				require.ErrorContains(t, err, `"at pin"`)
			} else {
				require.NoError(t, err)
			}
		})
	}
}
