package urdf_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/formats/urdf"
	"github.com/rung-mbd/rung/internal/test/formatstest"
	"github.com/rung-mbd/rung/model"
)

// TestBushing reads bushings of Drake: one that pulls its origins
// together is a spring without a length, others are dropped.
func TestBushing(t *testing.T) {
	const robot = `<robot name="r"><link name="world"/><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
 <joint name="slide" type="prismatic"><parent link="world"/><child link="a"/><axis xyz="1 0 0"/><dynamics damping="0.1" friction="0.3"/><limit lower="-1" upper="1" effort="5" velocity="2"/></joint>
 <frame name="post" link="world" xyz="2 0 1" rpy="0.1 0.2 0.3"/><frame name="eye" link="a" xyz="0 1 0"/>
 <drake:linear_bushing_rpy><drake:bushing_frameA name="post"/><drake:bushing_frameC name="eye"/><drake:bushing_torque_stiffness value="%s"/>
  <drake:bushing_torque_damping value="0 0 0"/><drake:bushing_force_stiffness value="%s"/><drake:bushing_force_damping value="%s"/></drake:linear_bushing_rpy></robot>`
	read := func(torque, force, damping string) (*model.Model, *source.Report) {
		text := fmt.Sprintf(robot, torque, force, damping)
		r, report, err := urdf.Read(source.NewFiles(fstest.MapFS{"m.urdf": {Data: []byte(text)}}, nil), source.Name{Path: "m.urdf"}, &source.Options{})
		require.NoError(t, err)
		return r.Model, report
	}
	m, report := read("0 0 0", "80 80 80", "0 0 0")
	require.Zero(t, report.Counts.Dropped)
	require.Equal(t, []model.Friction{{Force: 0.3}}, m.Joints[0].Friction)
	require.Equal(t, []*model.Limit{{Lower: -1, Upper: 1, Rate: 2, Force: 5}}, m.Joints[0].Limits)
	want := *m
	want.Forces = []model.ForceElement{{
		Name: "spring", Type: model.SpringDamper, Stiffness: 80, A: model.Attachment{Body: "world", Point: [3]float64{2, 0, 1}},
		B: model.Attachment{Body: "a", Point: [3]float64{0, 1, 0}},
	}}
	formatstest.Same(t, m, &want)
	rounded, report := read("0 1e-19 0", "80 80.00000000000001 80", "0 0 -1e-18")
	require.Zero(t, report.Counts.Dropped)
	require.Equal(t, m.Forces, rounded.Forces)
	for _, c := range [][3]string{{"1 0 0", "80 80 80", "0 0 0"}, {"0 0 0", "80 80 70", "0 0 0"}, {"0 0 0", "80 80 80", "1 1 1"}} {
		m, report := read(c[0], c[1], c[2])
		require.Empty(t, m.Forces)
		require.NotZero(t, report.Counts.Dropped)
	}
	text := strings.Replace(robot, `"eye"/><drake`, `"nose"/><drake`, 1)
	_, _, err := urdf.Read(source.NewFiles(fstest.MapFS{"m.urdf": {Data: []byte(text)}}, nil), source.Name{Path: "m.urdf"}, &source.Options{})
	require.ErrorContains(t, err, "nose")
}
