package mechanism_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// TestNumbersOutOfRange: the number of a joint, body, force element or actuator that is not there is a named panic in
// every setter, and nothing has changed.
func TestNumbersOutOfRange(t *testing.T) {
	m := driven(t)
	in := m.NewInputs()
	in.Vary()
	before := in.Values()
	var frame mechanism.Frame
	var matrix [6][6]float64
	for _, i := range []int{-1, 4, 999, math.MinInt} {
		for name, x := range map[string]struct {
			want string
			use  func() error
		}{
			"SetForce":        {"joint", func() error { return in.SetForce(i, 0, 1) }},
			"SetStiffness":    {"joint", func() error { return in.SetStiffness(i, 0, 1) }},
			"SetDamping":      {"joint", func() error { return in.SetDamping(i, 0, 1) }},
			"SetRest":         {"joint", func() error { return in.SetRest(i, 0, 1) }},
			"SetMotion":       {"joint", func() error { return in.SetMotion(i, 0, m.Joints[2].Motion[1]) }},
			"SetLaw":          {"joint", func() error { return in.SetLaw(i, 0, nil, nil) }},
			"SetFrames":       {"joint", func() error { return in.SetFrames(i, &frame, &frame) }},
			"SetLength":       {"joint", func() error { return in.SetLength(i, 1) }},
			"SetPitch":        {"joint", func() error { return in.SetPitch(i, 1) }},
			"SetArmature":     {"joint", func() error { return in.SetArmature(i, 0, 1) }},
			"Sprung":          {"joint", func() error { in.Mechanism().Sprung(i, 0); return nil }},
			"Prescribe":       {"joint", func() error { _, err := m.Prescribe([]mechanism.Freedom{{Joint: i}}); return err }},
			"Release":         {"joint", func() error { _, err := m.Release([]mechanism.Freedom{{Joint: i}}); return err }},
			"SetBody":         {"body", func() error { return in.SetBody(i, &m.Bodies[0]) }},
			"SetActuator":     {"actuator", func() error { return in.SetActuator(i, m.Joints[2].Motion[1]) }},
			"SetWrench":       {"force element", func() error { return in.SetWrench(i, spatial.Vec3{}, spatial.Vec3{}) }},
			"SetSpringDamper": {"force element", func() error { return in.SetSpringDamper(i, 1, 1, 1) }},
			"SetBushing":      {"force element", func() error { return in.SetBushing(i, &matrix, &matrix, spatial.Vec3{}, spatial.Vec3{}) }},
			"SetCable":        {"force element", func() error { return in.SetCable(i, 1, 1, 1, 1) }},
			"SetSpringLaw":    {"force element", func() error { return in.SetSpringLaw(i, nil, nil) }},
		} {
			require.PanicsWithValue(t, "mechanism: "+x.want+" out of range", func() { _ = x.use() }, "%s(%d)", name, i)
		}
	}
	for want, use := range map[string]func(){
		"mechanism: no motion": func() { _ = in.SetMotion(2, 1, nil) },
		"mechanism: no frame":  func() { _ = in.SetFrames(0, nil, &frame) },
		"mechanism: no matrix": func() { _ = in.SetBushing(0, nil, &matrix, spatial.Vec3{}, spatial.Vec3{}) },
	} {
		require.PanicsWithValue(t, want, use)
	}
	require.Equal(t, before, in.Values())
}
