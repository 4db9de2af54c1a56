package model_test

import (
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/formats"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/model"
)

// TestNoFalseAlarms: nothing is said of the models of this repository, whatever folder they are in, nor of the families.
func TestNoFalseAlarms(t *testing.T) {
	check.Long(t)
	read := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		var m *model.Model
		switch {
		case formats.Is(path):
			r, _, err := formats.ReadFile(path, nil, &source.Options{})
			if err != nil {
				return nil
			}
			m = r.Model
		case strings.HasSuffix(path, ".json"):
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			if m, err = model.Read(strings.NewReader(string(text)), path); err != nil {
				return nil // of another format, or one that breaks a rule
			}
		default:
			return nil
		}
		read++
		quiet(t, path, m)
		return nil
	})
	require.NoError(t, err)
	require.Greater(t, read, 180)
	for _, family := range bench.Families() {
		made := 0
		for _, n := range []int{1, 2, 3, 4, 5, 6, 8, 12, 20, 50} {
			m, err := bench.Generate(family, n, 1)
			if err != nil {
				continue
			}
			made++
			quiet(t, family, m)
		}
		assert.Positive(t, made, family)
	}
}

func quiet(t *testing.T, name string, m *model.Model) {
	for _, r := range m.Remarks() {
		assert.Fail(t, "a remark", "%s: %s", name, &r)
	}
}

// TestRemarks takes a four-bar linkage and writes parts of it in other units.
func TestRemarks(t *testing.T) {
	base := func() *model.Model {
		m, err := bench.NFourBar(3, bench.DefaultAngle, 1)
		require.NoError(t, err)
		return m
	}
	for _, c := range []struct {
		name   string
		change func(m *model.Model)
		want   string // "": nothing
	}{
		{"as it is", func(*model.Model) {}, ""},
		{"limits in degrees", func(m *model.Model) { m.Joints[0].Limits = []*model.Limit{{Lower: -90, Upper: 90}} },
			"$.joints[0].limits[0]: 90 rad are 14.3 turns; degrees? (value -90, 90)"},
		{"one bound in degrees", func(m *model.Model) {
			m.Joints[1].Limits = []*model.Limit{{Lower: math.Inf(-1), Upper: 180}}
			m.Joints[2].Limits = []*model.Limit{{Lower: 0, Upper: 45}}
		}, "$.joints[1].limits[0]: 180 rad are 28.6 turns; degrees? (value 180; and 1 more)"},
		{"limits in radians", func(m *model.Model) { m.Joints[0].Limits = []*model.Limit{{Lower: -math.Pi / 2, Upper: 10}} }, ""},
		{"a drum", func(m *model.Model) { m.Joints[0].Limits = []*model.Limit{{Lower: 0, Upper: 94.25}} }, ""},
		{"many turns", func(m *model.Model) { m.Joints[0].Limits = []*model.Limit{{Lower: 0, Upper: 1000}} }, ""},
		{"rest in degrees", func(m *model.Model) { m.Joints[0].Stiffness, m.Joints[0].Rest = []float64{1}, []float64{-90} },
			"$.joints[0].rest[0]: 90 rad are 14.3 turns; degrees? (value -90)"},
		{"wound up", func(m *model.Model) {
			m.Joints[0].Stiffness, m.Joints[0].Rest, m.Joints[0].Turns = []float64{1}, []float64{90}, []int64{14}
		}, ""},
		{"a swing in degrees", func(m *model.Model) { m.Joints[0].Motion = []*model.Motion{joints.NewHarmonic(0.5, 45, 1, 0)} },
			"$.joints[0].motion[0].amplitude: 45 rad are 7.16 turns; degrees? (value 45)"},
		{"a path in degrees", func(m *model.Model) {
			m.Joints[0].Motion = []*model.Motion{{Kind: model.Spline, Times: []float64{0, 1, 2}, Values: []float64{0, -90, 30}}}
		}, "$.joints[0].motion[0].values: 90 rad are 14.3 turns; degrees? (value -90)"},
		{"a crank that turns on", func(m *model.Model) { m.Joints[0].Motion = []*model.Motion{joints.NewPolynomial([]float64{90, 10})} }, ""},
		{"a servo in degrees", func(m *model.Model) {
			m.Forces = append(m.Forces, model.ForceElement{Name: "s", Type: model.ActuatorForce, Actuator: &model.Actuator{
				Joint: m.Joints[0].Name, Law: model.ActuatorPosition, Gain: 1, Value: joints.NewPolynomial([]float64{180})}})
		}, "$.forces[0].value.coefficients[0]: 180 rad are 28.6 turns; degrees? (value 180)"},
		{"gravity in mm", func(m *model.Model) { m.Gravity = [3]float64{0, -9806.65, 0} }, "$.gravity: is 1000 times that of the earth; mm/s²? (value [0, -9806.65, 0])"},
		{"gravity in cm", func(m *model.Model) { m.Gravity = [3]float64{0, 0, -981} }, "$.gravity: is 100 times that of the earth; cm/s²? (value [0, 0, -981])"},
		{"gravity of the sun", func(m *model.Model) { m.Gravity = [3]float64{0, -274, 0} }, ""},
		{"inertia in kg mm²", func(m *model.Model) { scaleInertia(&m.Bodies[1], 1e6) },
			"$.bodies[1].inertia: 3.3e+05 times as much as 1 kg within 1 m mostly have; kg mm², or a mass in t? (value 83333.33333333333)"},
		{"inertias of masses in g", func(m *model.Model) {
			for i := range m.Bodies {
				m.Bodies[i].Mass *= 1000
			}
		}, "$.bodies[0].inertia: 0.001 times as much as 1000 kg within 1 m mostly have; a mass in g? (value 0.08333333333333333; and 6 more)"},
		{"all lengths in mm", func(m *model.Model) {
			for i := range m.Bodies {
				scale(&m.Bodies[i].Com, 1000)
				scale(&m.Bodies[i].Pose.Position, 1000)
			}
			for i := range m.Joints {
				scale(&m.Joints[i].PredecessorFrame.Position, 1000)
				scale(&m.Joints[i].SuccessorFrame.Position, 1000)
			}
		}, "$.bodies[0].inertia: 1e-06 times as much as 1 kg within 1e+03 m mostly have; lengths in mm? (value 0.08333333333333333; and 6 more)"},
		{"a bob", func(m *model.Model) { m.Bodies[1].Inertia = model.Inertia{XX: 1e-6, YY: 1e-6, ZZ: 1e-6} }, ""},
		{"a point", func(m *model.Model) { m.Bodies[1].Inertia = model.Inertia{} }, ""},
		{"a flywheel", func(m *model.Model) { scaleInertia(&m.Bodies[1], 100) }, ""},
		{"a body in mm", func(m *model.Model) {
			for i := range m.Joints {
				if m.Joints[i].Predecessor == m.Bodies[1].Name {
					scale(&m.Joints[i].PredecessorFrame.Position, 1000)
				}
				if m.Joints[i].Successor == m.Bodies[1].Name {
					scale(&m.Joints[i].SuccessorFrame.Position, 1000)
				}
			}
		}, "its ends are 1e+03 m off each other, 1e+03 times the size of the bodies; mm?"},
		{"poses in mm", func(m *model.Model) {
			for i := range m.Bodies {
				scale(&m.Bodies[i].Pose.Position, 1000)
			}
		}, "times the size of the bodies; mm?"},
		{"a centre of mass in mm", func(m *model.Model) { m.Bodies[2].Com[0] = 500 }, "$.bodies[2].com: is 5e+02 m from the joints, 5e+02 times the size of the bodies; mm? (value [500, 0, 0])"},
		{"a spring in mm", func(m *model.Model) {
			m.Forces = append(m.Forces, model.ForceElement{Name: "s", Type: model.SpringDamper, A: model.Attachment{Body: model.World},
				B: model.Attachment{Body: m.Bodies[1].Name}, Stiffness: 1, RestLength: 400})
		}, "$.forces[0].rest_length: is 4e+02 m, "},
		{"open loops", func(m *model.Model) {
			for i := range m.Bodies {
				m.Bodies[i].Pose.Position = [3]float64{}
			}
		}, ""},
		{"far away", func(m *model.Model) {
			for i := range m.Bodies {
				m.Bodies[i].Pose.Position[0] += 1e9
			}
			for i := range m.Joints {
				if m.Joints[i].Predecessor == model.World {
					m.Joints[i].PredecessorFrame.Position[0] += 1e9
				}
				if m.Joints[i].Successor == model.World {
					m.Joints[i].SuccessorFrame.Position[0] += 1e9
				}
			}
		}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := base()
			c.change(m)
			require.NoError(t, model.Check(m))
			list := m.Remarks()
			if c.want == "" {
				require.Empty(t, list)
				return
			}
			require.Len(t, list, 1)
			require.Contains(t, list[0].String(), c.want)
		})
	}
}

func scale(p *[3]float64, by float64) {
	for k := range p {
		p[k] *= by
	}
}

func scaleInertia(b *model.Body, by float64) {
	I := &b.Inertia
	for _, x := range []*float64{&I.XX, &I.YY, &I.ZZ, &I.XY, &I.XZ, &I.YZ} {
		*x *= by
	}
}
