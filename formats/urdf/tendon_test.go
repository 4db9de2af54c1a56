package urdf_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/formats/urdf"
	"github.com/rung-mbd/rung/model"
)

// TestTendon: a tendon of Drake without play is an equation, others are dropped with their names.
func TestTendon(t *testing.T) {
	const in = `<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>`
	robot := func(inside string) string {
		return `<robot name="r"><link name="world"/><link name="a">` + in + `<link name="b">` + in + `
		<joint name="x" type="continuous"><parent link="world"/><child link="a"/></joint><joint name="y" type="prismatic"><parent link="a"/><child link="b"/><limit lower="-1" upper="1" effort="0" velocity="0"/></joint>
		<drake:tendon_constraint name="t">` + inside + `</drake:tendon_constraint></robot>`
	}
	part := func(name, value string) string {
		return `<drake:tendon_constraint_` + name + ` value="` + value + `"/>`
	}
	const joints = `<drake:tendon_constraint_joint name="x" a="2"/><drake:tendon_constraint_joint name="y" a="-0.5"/>`
	offset := part("offset", "0.25")
	held := joints + offset + part("lower_limit", "1") + part("upper_limit", "1")
	for _, more := range []string{"", part("stiffness", "inf")} {
		m, _, err := from(robot(held+more), "", source.Options{Strict: true})
		require.NoError(t, err)
		require.Len(t, m.Couplings, 1)
		assert.Equal(t, model.Coupling{Name: "t", Offset: 0.75, Terms: []model.CouplingTerm{
			{Coupled: model.Coupled{Joint: "x"}, Factor: 2}, {Coupled: model.Coupled{Joint: "y"}, Factor: -0.5},
		}}, m.Couplings[0])
	}
	m, _, err := from(robot(joints+part("lower_limit", "0.3")+part("upper_limit", "0.30000000000000004")), "", source.Options{Strict: true})
	require.NoError(t, err)
	require.Len(t, m.Couplings, 1, "limits that are one number, rounded")
	for name, inside := range map[string]string{
		"play": joints + part("lower_limit", "-1") + part("upper_limit", "1"), "soft": held + part("stiffness", "100"), "damped": held + part("damping", "1"), "one limit": joints + part("upper_limit", "1"),
	} {
		m, report, err := from(robot(inside), "", source.Options{})
		require.NoError(t, err, name)
		assert.Empty(t, m.Couplings, name)
		dropped := 0
		for i := range report.Entries {
			if report.Entries[i].Severity == source.Loss {
				dropped++
				assert.Contains(t, report.Entries[i].String(), `tendon "t"`)
			}
		}
		assert.Equal(t, 1, dropped, name)
	}
	for inside, want := range map[string]string{
		held[strings.Index(held, "/>")+2:] + `<drake:tendon_constraint_joint name="z" a="1"/>`: `"z"`,
		offset + part("lower_limit", "1") + part("upper_limit", "1"):                           "has no joints",
		joints + part("offset", "two"):                                                         `"two" is not a number`,
	} {
		_, _, err := from(robot(inside), "", source.Options{})
		require.ErrorContains(t, err, want)
	}
}

// TestEllipsoid: the shapes that Drake adds are read, and written.
func TestEllipsoid(t *testing.T) {
	m, _, err := from(`<robot name="r"><link name="world"/><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
		<visual><geometry><drake:ellipsoid a="1" b="2" c="3"/></geometry></visual><visual><geometry><drake:capsule radius="1" length="2"/></geometry></visual></link>
		<joint name="x" type="continuous"><parent link="world"/><child link="a"/></joint></robot>`, "", source.Options{Strict: true})
	require.NoError(t, err)
	var b strings.Builder
	_, err = urdf.Write(&b, m)
	require.NoError(t, err)
	again, _, err := from(b.String(), "", source.Options{Strict: true})
	require.NoError(t, err)
	require.Len(t, again.Visuals, 2)
	for k := range m.Visuals { // links have the frames of their joints
		assert.Equal(t, m.Visuals[k].Size, again.Visuals[k].Size)
		assert.Equal(t, m.Visuals[k].Kind, again.Visuals[k].Kind)
	}
	assert.Equal(t, model.EllipsoidVisual, again.Visuals[0].Kind)
	assert.Equal(t, [3]float64{1, 2, 3}, again.Visuals[0].Size)
	assert.Equal(t, model.CapsuleVisual, again.Visuals[1].Kind)
}
