package sdf_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/test/formatstest"
)

// TestViewers: what viewers alone need refuses no model. What is wrong with it is dropped, with a line.
func TestViewers(t *testing.T) {
	const ball = `<geometry><sphere><radius>0.1</radius></sphere></geometry>`
	sphere := func(radius string) string {
		return `<geometry><sphere><radius>` + radius + `</radius></sphere></geometry>`
	}
	for name, c := range map[string]struct {
		inside, says string
		shapes       int // that are left
	}{
		"no number":        {sphere("wide"), `the text of "radius" "wide" is not a number`, 0},
		"two numbers":      {sphere("1 2"), "has 2 numbers in place of 1", 0},
		"nothing":          {sphere(""), "has 0 numbers in place of 1", 0},
		"not finite":       {sphere("nan"), `"nan" is not a number`, 0},
		"infinite":         {sphere("inf"), "is not finite", 0},
		"negative":         {sphere("-1"), "has a negative size", 0},
		"size":             {`<geometry><box><size>1 2</size></box></geometry>`, "has 2 numbers in place of 3", 0},
		"scale":            {`<geometry><mesh><uri>a.stl</uri><scale>one</scale></mesh></geometry>`, `"one" is not a number`, 0},
		"pose":             {ball + `<pose>1 2 3</pose>`, "has 3 numbers in place of 6", 0},
		"quaternion":       {ball + `<pose rotation_format="quat_xyzw">0 0 0 0 0 0 0</pose>`, "its quaternion is zero", 0},
		"rotation format":  {ball + `<pose rotation_format="matrix">0 0 0 0 0 0</pose>`, `"matrix" is neither`, 0},
		"degrees":          {ball + `<pose degrees="maybe">0 0 0 0 0 0</pose>`, "neither true nor false", 0},
		"frame":            {ball + `<pose relative_to="nowhere">0 0 0 0 0 0</pose>`, `"nowhere", which is no frame here`, 0},
		"colour":           {ball + `<material><diffuse>red</diffuse></material>`, `element diffuse: the text of "diffuse" "red" is not a number`, 1},
		"beyond all reach": {ball + `<pose relative_to="a">1e308 0 0 0 0 0</pose>`, "", 0},
	} {
		for _, kind := range [...]string{"visual", "collision"} {
			t.Run(name+" of a "+kind, func(t *testing.T) {
				text := model17(`<link name="a"><pose>1e308 0 0 0 0 0</pose>` + inertial + `</link><link name="b"><pose>1 2 3 0 0 0</pose>` + inertial +
					`<` + kind + ` name="bad">` + c.inside + `</` + kind + `><visual name="good">` + ball + `</visual></link>`)
				if c.says != "" {
					text = strings.Replace(text, "1e308 0 0", "0 0 0", 1)
				}
				r, report, err := read(text, source.Options{})
				require.NoError(t, err)
				formatstest.Sound(t, report)
				assert.Len(t, r.Model.Bodies, 2)
				assert.Len(t, r.Model.Visuals, 1+c.shapes)
				if c.says == "" {
					return
				}
				require.Equal(t, 1, report.Dropped())
				_, _, err = read(text, source.Options{Strict: true})
				require.ErrorContains(t, err, c.says)
				assert.Equal(t, 1, strings.Count(err.Error(), "dropped: "))
				if c.shapes == 0 {
					assert.ErrorContains(t, err, "element "+kind)
				}
			})
		}
	}
}

// TestViewersOnce: fifty shapes with the same error are one line.
func TestViewersOnce(t *testing.T) {
	text := model17(`<link name="a">` + inertial + strings.Repeat(`<visual name="v"><geometry><sphere><radius>wide</radius></sphere></geometry></visual>`, 50) + `</link>`)
	_, report, err := read(text, source.Options{})
	require.NoError(t, err)
	assert.Equal(t, 50, report.Dropped())
	assert.Equal(t, 250, report.Counts.Dropped)
	_, _, err = read(text, source.Options{Strict: true})
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "\n")
	assert.Contains(t, err.Error(), "(and 49 more like it)")
}

// TestStray: signs that stray behind a number are left out, as the library of the format does, and that is said. What
// could be another number or a unit is refused where the motion depends on it.
func TestStray(t *testing.T) {
	text := func(mass, radius string) string {
		return model17(fmt.Sprintf(`<link name="a"><inertial><mass>%s</mass></inertial><visual name="v"><geometry><sphere><radius>%s</radius></sphere></geometry></visual></link>`, mass, radius))
	}
	for _, stray := range [...]string{`"`, `'`, `,`, `;`, `";`} {
		r, report, err := read(text("2.5"+stray, "0.1"+stray), source.Options{Strict: true})
		require.NoError(t, err)
		assert.Equal(t, 2.5, r.Model.Bodies[0].Mass)
		require.Len(t, r.Model.Visuals, 1)
		assert.Equal(t, 0.1, r.Model.Visuals[0].Size[0])
		changes := 0
		for _, e := range report.Entries {
			if e.Severity == source.Change {
				changes++
				assert.Contains(t, e.Consequence, "it is read as ")
			}
		}
		assert.Equal(t, 2, changes)
	}
	for _, mass := range [...]string{"2,5", "2.5kg", `"2.5`, "0x10", `2.5"1`} {
		_, _, err := read(text(mass, "0.1"), source.Options{})
		assert.ErrorContains(t, err, "is not a number", mass)
		_, report, err := read(text("2.5", mass), source.Options{})
		require.NoError(t, err, mass)
		assert.Equal(t, 1, report.Dropped(), mass)
	}
}

// TestEmptyElements: an element without a text has its default, as in the library of the format, and that is reported.
func TestEmptyElements(t *testing.T) {
	text := func(mass, pose, upper, gravity string) string {
		return model17(`<link name="a">` + pose + gravity + `<inertial>` + mass + `</inertial></link><joint name="j" type="revolute"><parent>world</parent><child>a</child>` +
			`<axis><xyz>0 0 1</xyz><limit><lower>-1</lower>` + upper + `</limit></axis></joint>`)
	}
	want, _, err := read(text("", "", "", ""), source.Options{})
	require.NoError(t, err)
	got, report, err := read(text("<mass></mass>", "<pose> </pose>", "<upper/>", "<gravity></gravity>"), source.Options{Strict: true})
	require.NoError(t, err)
	assert.Equal(t, want.Model.Bodies, got.Model.Bodies)
	assert.Equal(t, want.Model.Joints, got.Model.Joints)
	assert.Equal(t, want.Model.Forces, got.Model.Forces)
	said := map[string]bool{}
	for _, e := range report.Entries {
		if e.Severity == source.Change {
			said[e.What+" "+e.Why] = true
		}
	}
	for _, name := range [...]string{"mass", "upper", "gravity"} {
		assert.Contains(t, said, `the text of "`+name+`" is empty`)
	}
}

// TestShapesWithMass: a shape that gives a link its mass is no matter of viewers.
func TestShapesWithMass(t *testing.T) {
	_, _, err := read(model17(`<link name="a"><inertial auto="true"/><collision name="c"><geometry><sphere><radius>wide</radius></sphere></geometry></collision></link>`), source.Options{})
	assert.ErrorContains(t, err, "error: ")
	assert.ErrorContains(t, err, `"wide" is not a number`)
}

// TestLostLimits: the count of what is dropped has what a line below says.
func TestLostLimits(t *testing.T) {
	_, report, err := read(joints17(`<joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz><limit><lower>1</lower><upper>-1</upper><effort>5</effort></limit></axis></joint>`), source.Options{})
	require.NoError(t, err)
	formatstest.Sound(t, report)
	assert.Equal(t, 1, report.Dropped())
	assert.Equal(t, 2, report.Counts.Dropped)
}
