package mjcf_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/test/formatstest"
	"github.com/rung-mbd/rung/model"
)

// driven is three with actuators and a keyframe in motion.
func driven(actuators, ctrl string) map[string]string {
	f := three(`<fixed name="one"><joint joint="b" coef="-2"/></fixed><fixed name="two"><joint joint="b" coef="1"/><joint joint="c" coef="3"/></fixed>`, "")
	f["main.xml"] = strings.Replace(f["main.xml"], `</mujoco>`, fmt.Sprintf(`<actuator>%s</actuator><keyframe><key name="k" qpos="0.1 0.7 0.9" qvel="1 -2 3" ctrl="%s"/></keyframe></mujoco>`, actuators, ctrl), 1)
	return f
}

// TestServos: actuators exert gain·u + b₀ + b₁·L + b₂·L̇ times dL/dq, with the control of the keyframe and the length L of
// what they act on: the accelerations differ by that over the inertia.
func TestServos(t *testing.T) {
	q, v := [3]float64{0.1, 0.7, 0.9}, [3]float64{1, -2, 3} // as the file counts
	inertia := func(k int) float64 { x := float64(k+1) / 10; return 1 + 1 + x*x }
	key := source.Options{Key: "k"}
	free, _, err := from(driven("", ""), source.Options{Key: "k"})
	require.NoError(t, err)
	for _, c := range []struct {
		actuator string
		u        float64
		want     [3]float64 // forces on the coordinates
	}{
		{`<motor joint="b"/>`, 2, [3]float64{0, 2, 0}},
		{`<motor joint="b" gear="-3" ctrlrange="-1 1"/>`, 2, [3]float64{0, -3, 0}},
		{`<motor jointinparent="b" gear="4" forcerange="-0.5 0.5"/>`, 2, [3]float64{0, 2, 0}},
		{`<motor tendon="two" gear="2"/>`, 2, [3]float64{0, 4, 12}},
		{`<position joint="b"/>`, 2, [3]float64{0, 2 - q[1], 0}},
		{`<position joint="b" kp="30" kv="4"/>`, 2, [3]float64{0, 30*(2-q[1]) - 4*v[1], 0}},
		{`<position joint="b" kp="30" kv="4" gear="-2"/>`, 2, [3]float64{0, -2 * (30*(2+2*q[1]) + 4*2*v[1]), 0}},
		{`<position tendon="one" kp="30" kv="4"/>`, 2, [3]float64{0, -2 * (30*(2+2*q[1]) + 4*2*v[1]), 0}},
		{`<velocity joint="a" kv="5"/>`, 2, [3]float64{5 * (2 - v[0]), 0, 0}},
		{`<general joint="a" gainprm="7" biastype="affine" biasprm="1 -2 -3" gear="0.5"/>`, 2, [3]float64{0.5 * (14 + 1 - 2*0.5*q[0] - 3*0.5*v[0]), 0, 0}},
		{`<general joint="a" gainprm="7" biastype="affine" biasprm="1"/>`, 2, [3]float64{15, 0, 0}},
		{`<general joint="a" gaintype="fixed" biastype="none" biasprm="1 2 3" dyntype="none"/>`, 2, [3]float64{2, 0, 0}},
		{`<position joint="c" kp="30" forcerange="-6 5"/>`, 2, [3]float64{0, 0, 30 * (2 - q[2])}},
	} {
		m, report, err := from(driven(c.actuator, fmt.Sprint(c.u)), key)
		require.NoError(t, err, c.actuator)
		formatstest.Sound(t, report)
		assert.Zero(t, report.Dropped(), c.actuator)
		for k, name := range []string{"a", "b", "c"} {
			more := formatstest.Accelerations(t, m, name)[1] - formatstest.Accelerations(t, free, name)[1]
			assert.InDelta(t, c.want[k]/inertia(k), more, 1e-11, "%s on %s", c.actuator, name)
		}
		w, back := same(t, m, roundTol)
		assert.Empty(t, losses(w))
		assert.Less(t, back, roundTol)
		if strings.Contains(c.actuator, "-6 5") {
			assert.Equal(t, 6.0, m.Joints[2].Limits[0].Force)
		}
	}
	// Classes of the same kind count.
	classes := driven(`<position class="arm" joint="b"/><position joint="c" kp="2"/>`, "2 1")
	classes["main.xml"] = strings.Replace(classes["main.xml"], `<worldbody>`, `<default><position kp="30"/><default class="arm"><position kv="4"/></default></default><worldbody>`, 1)
	m, _, err := from(classes, key)
	require.NoError(t, err)
	require.Len(t, m.Forces, 2)
	assert.Equal(t, model.Actuator{Joint: "b", Law: model.ActuatorPosition, Gain: 30, Damping: 4, Value: m.Forces[0].Actuator.Value}, *m.Forces[0].Actuator)
	assert.InDelta(t, 2-0.5, m.Forces[0].Actuator.Value.Coefficients[0], 1e-15)
	assert.Equal(t, 2.0, m.Forces[1].Actuator.Gain)
	for actuator, why := range map[string]string{
		`<muscle joint="a"/>`:                                  "of the kind muscle are not read",
		`<motor site="s"/>`:                                    "its attribute site is not read",
		`<motor joint="a" dyntype="filter"/>`:                  "its attribute dyntype",
		`<position joint="a" timeconst="0.1"/>`:                "its attribute timeconst",
		`<position tendon="two"/>`:                             "a sum of several coordinates",
		`<general joint="a" gaintype="affine"/>`:               "a gain that is not fixed",
		`<general joint="a" biastype="muscle"/>`:               "a bias that is not affine",
		`<general joint="a" biastype="affine" biasprm="0 2"/>`: "grows with the coordinate",
		`<position joint="a" kp="-1"/>`:                        "grows with the coordinate",
		`<motor gear="1"/>`:                                    "acts on no joint",
	} {
		m, report, err := from(driven(actuator, "2"), key)
		require.NoError(t, err, actuator)
		formatstest.Sound(t, report)
		assert.Empty(t, m.Forces)
		assert.Positive(t, report.Counts.Dropped)
		_, _, err = from(driven(actuator, "2"), source.Options{Key: "k", Strict: true})
		assert.ErrorContains(t, err, why)
	}
	for actuator, message := range map[string]string{
		`<motor joint="d"/>`:             `does not exist: "d"`,
		`<motor tendon="d"/>`:            `does not exist: "d"`,
		`<position joint="a" kp="nan"/>`: `"nan" is not a number`,
		`<motor joint="a" class="x"/>`:   `is unknown: "x"`,
	} {
		_, _, err := from(driven(actuator, "2"), key)
		require.ErrorContains(t, err, message)
		require.ErrorContains(t, err, "main.xml:1:")
	}
	_, _, err = from(driven(`<motor joint="a"/>`, "1 2"), key)
	require.ErrorContains(t, err, "has 2 numbers, the model has 1")
}

// TestDisabledActuators: the reason why actuators are dropped is what disables them, not a control that is missing.
func TestDisabledActuators(t *testing.T) {
	for more, why := range map[string]string{
		`<option actuatorgroupdisable="1"/>`:                    "disables groups of actuators",
		`<option><flag actuation="disable"/></option>`:          "the file disables actuators",
		`<default><position kp="30"/></default>`:                "defaults of position change actuators of other kinds",
		`<option><flag actuation="enable"/></option><default/>`: "",
	} {
		f := driven(`<motor joint="a"/>`, "2")
		f["main.xml"] = strings.Replace(f["main.xml"], `<worldbody>`, more+`<worldbody>`, 1)
		_, _, err := from(f, source.Options{Key: "k", Strict: true})
		if why == "" {
			assert.NoError(t, err)
			continue
		}
		assert.ErrorContains(t, err, why)
	}
}
