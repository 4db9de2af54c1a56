package sdf_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/test/formatstest"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// drakes has links a and b on hinges about x, which more is said of, and more in the model.
func drakes(jb, more string) string {
	const mass = `<inertial><pose>0.1 0.2 0.3 0 0 0</pose><mass>2</mass><inertia><ixx>0.3</ixx><iyy>0.4</iyy><izz>0.5</izz></inertia></inertial>`
	return `<sdf xmlns:drake="d" version="1.9"><model name="m"><link name="a">` + mass + `</link><link name="b"><pose>0 5 0 0 0 0</pose>` + mass + `</link>` +
		`<joint name="ja" type="revolute"><parent>world</parent><child>a</child><axis><xyz>1 0 0</xyz></axis></joint>` +
		`<joint name="jb" type="revolute"><parent>world</parent><child>b</child><axis><xyz>1 0 0</xyz></axis>` + jb + `</joint>` + more + `</model></sdf>`
}

const (
	inertiaX = 0.3 + 2*(0.2*0.2+0.3*0.3)
	torqueX  = -2 * 9.8 * 0.2
)

// strict reads a document without losses.
func strict(t *testing.T, text string) *model.Model {
	t.Helper()
	r, report, err := read(text, source.Options{Strict: true})
	require.NoError(t, err, text)
	formatstest.Sound(t, report)
	return r.Model
}

// TestDrakeEquations: mimics and tendons of Drake are equations between coordinates: with the ratio r the balance of the power
// comes from both weights and a rotor.
func TestDrakeEquations(t *testing.T) {
	tendon := func(inside string) string { return `<drake:tendon_constraint>` + inside + `</drake:tendon_constraint>` }
	limits := `<drake:tendon_constraint_lower_limit>0.5</drake:tendon_constraint_lower_limit><drake:tendon_constraint_upper_limit>0.5</drake:tendon_constraint_upper_limit><drake:tendon_constraint_offset>0.5</drake:tendon_constraint_offset>`
	terms := `<drake:tendon_constraint_joint name="ja" a="2"/><drake:tendon_constraint_joint name="jb" a="-4"/>`
	for _, c := range []struct {
		jb, more string
		ratio    float64
		rotor    float64
	}{
		{`<drake:mimic joint="ja" multiplier="-2" offset="0"/>`, "", -2, 0},
		{`<drake:mimic joint="ja"/><drake:rotor_inertia>0.25</drake:rotor_inertia><drake:gear_ratio>3</drake:gear_ratio>`, "", 1, 2.25},
		{"", tendon(terms + limits), 0.5, 0},
		{"", tendon(terms + limits + `<drake:tendon_constraint_stiffness>inf</drake:tendon_constraint_stiffness>`), 0.5, 0},
	} {
		m := strict(t, drakes(c.jb, c.more))
		require.Len(t, m.Couplings, 1)
		want := torqueX * (1 + c.ratio) / (inertiaX + c.ratio*c.ratio*(inertiaX+c.rotor))
		assert.InDelta(t, want, formatstest.Accelerations(t, m, "a")[0], 1e-12)
		assert.InDelta(t, c.ratio*want, formatstest.Accelerations(t, m, "b")[0], 1e-12)
		formatstest.Along(t, m, 0.1, func(*model.Model) {}) // which is closed at the start
	}
	_, report, err := read(drakes("", tendon(terms+`<drake:tendon_constraint_upper_limit>1</drake:tendon_constraint_upper_limit>`)), source.Options{})
	require.NoError(t, err)
	formatstest.Sound(t, report)
	assert.Equal(t, 1, report.Dropped())
	for text, message := range map[string]string{
		drakes(`<drake:mimic joint="jc"/>`, ""):                                                          `joint "jc": does not exist, or has no single coordinate`,
		drakes(`<drake:mimic joint="jb"/>`, ""):                                                          "cannot mimic itself",
		drakes(`<drake:mimic multiplier="2"/>`, ""):                                                      `"joint": is missing`,
		drakes(`<drake:mimic joint="ja" multiplier="nan"/>`, ""):                                         `"nan" is not a number`,
		drakes("", tendon(limits)):                                                                       "has no joints",
		drakes("", tendon(`<drake:tendon_constraint_joint name="jx" a="1"/>`+limits)):                    `"jx"`,
		drakes("", tendon(`<drake:tendon_constraint_joint name="ja"/>`+limits)):                          `"a": is missing`,
		drakes("", tendon(terms+`<drake:tendon_constraint_offset>two</drake:tendon_constraint_offset>`)): `"two" is not a number`,
	} {
		_, report, err := read(text, source.Options{})
		require.ErrorContains(t, err, message, text)
		require.ErrorContains(t, err, "main.sdf:1:")
		require.True(t, report.Failed())
	}
}

// TestDrakeElements: balls hold two points together, springs pull between points, and a planar joint leaves three motions.
func TestDrakeElements(t *testing.T) {
	end := func(kind, a, b string) string {
		return `<drake:` + kind + `_body_A>` + a + `</drake:` + kind + `_body_A><drake:` + kind + `_p_AP>0 1 0</drake:` + kind + `_p_AP>` +
			`<drake:` + kind + `_body_B>` + b + `</drake:` + kind + `_body_B><drake:` + kind + `_p_BQ>0 -4 0</drake:` + kind + `_p_BQ>`
	}
	ball := func(a, b string) string {
		return `<drake:ball_constraint>` + end("ball_constraint", a, b) + `</drake:ball_constraint>`
	}
	spring := func(a, b, more string) string {
		return `<drake:linear_spring_damper>` + end("linear_spring_damper", a, b) + more + `</drake:linear_spring_damper>`
	}
	numbers := `<drake:linear_spring_damper_free_length>0.5</drake:linear_spring_damper_free_length><drake:linear_spring_damper_stiffness>3</drake:linear_spring_damper_stiffness><drake:linear_spring_damper_damping>0.25</drake:linear_spring_damper_damping>`
	m := strict(t, drakes("", ball("a", "b")))
	require.Equal(t, model.Spherical, m.Joints[2].Type)
	// The point is 1 from the axis of a and −4 from that of b, on the line between, so that its height is that of both.
	ratio := -1. / 4
	want := torqueX * (1 + ratio) / (inertiaX * (1 + ratio*ratio))
	assert.InDelta(t, want, formatstest.Accelerations(t, m, "a")[0], 1e-12)
	assert.InDelta(t, ratio*want, formatstest.Accelerations(t, m, "b")[0], 1e-12)
	m = strict(t, drakes("", `<frame name="f" attached_to="b"><pose>0 0 7 0 0 0</pose></frame>`+spring("world", "f", numbers)))
	require.Len(t, m.Forces, 1)
	f := &m.Forces[0]
	assert.Equal(t, model.World, f.A.Body)
	assert.Equal(t, "b", f.B.Body)
	assert.InDeltaSlice(t, []float64{0, -4, 7}, f.B.Point[:], 1e-15)
	assert.Equal(t, [3]float64{3, 0.25, 0.5}, [3]float64{f.Stiffness, f.Damping, f.RestLength})
	// The distance is that from (0, 1, 0) to (0, 1, 7): a tension of 3·6.5 at y = −4 of b turns it about x.
	assert.InDelta(t, (torqueX+3*6.5*4)/inertiaX, formatstest.Accelerations(t, m, "b")[0], 1e-12)
	planar := func(kind, inside string) string {
		return `<sdf xmlns:drake="d" version="1.9"><model name="m"><link name="a"><inertial><mass>2</mass></inertial></link>` +
			`<drake:joint name="j" type="` + kind + `"><drake:parent>world</drake:parent><drake:child>a</drake:child><pose>0 0 0 0 1.5707963267948966 0</pose>` + inside + `</drake:joint></model></sdf>`
	}
	m = strict(t, planar("planar", `<drake:damping>1 2 3</drake:damping>`))
	require.Equal(t, model.Planar, m.Joints[0].Type)
	require.Equal(t, []float64{3, 1, 2}, m.Joints[0].Damping, "about z, along x and y")
	assert.Equal(t, 3, formatstest.Mobility(t, m))
	// z of the joint is along x of the world: gravity along z falls freely, that along x does not.
	r, _, err := read(planar("planar", ""), source.Options{Gravity: &[3]float64{1, 0, -2}})
	require.NoError(t, err)
	near := spatial.Vec3(formatstest.Accelerations(t, r.Model, "a")[3:]).Sub(spatial.Vec3{0, 0, -2}).Norm()
	assert.Less(t, near, 1e-14)
	for text, message := range map[string]string{
		planar("curvilinear", ""): "the curvature jumps",
		planar("ball", ""):        `"ball" is no type of a joint`,
		planar("planar", `<drake:damping>1 2</drake:damping>`):           "has 2 numbers in place of 3",
		planar("planar", `<drake:rotor_inertia>1</drake:rotor_inertia>`): "not one coordinate",
		drakes("", ball("a", "a")):                                       "joins a link to itself",
		drakes("", ball("a", "c")):                                       `its body_B "c" is no frame here`,
		drakes("", ball("", "b")):                                        `its body_A "" is no frame here`,
		drakes("", spring("a", "b", "")):                                 "drake:linear_spring_damper_stiffness: is missing",
	} {
		_, report, err := read(text, source.Options{})
		require.ErrorContains(t, err, message, text)
		require.True(t, report.Failed())
	}
}
