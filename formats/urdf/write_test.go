package urdf_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/couplings"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/formats/urdf"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// roundTol is rounding of frames that are computed anew, by angles, relative to the largest acceleration.
const roundTol = 1e-10

// TestRoundTrip: models that go out and come back have the same
// accelerations, moving too, the same mobility and redundant rows.
func TestRoundTrip(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(check.Root(t), "reference", "golden", "*.model.json"))
	require.NoError(t, err)
	done, tried := map[model.JointType]int{}, 0
	for _, file := range files {
		m, err := rung.Open(file)
		require.NoError(t, err)
		if len(m.Bodies) > 100 {
			continue
		}
		gravity := m.Gravity
		m.Gravity = [3]float64{0, 0, -9.81}
		m.Forces, m.Terrains = nil, nil // which the format lacks
		for i := range m.Joints {
			j := &m.Joints[i]
			j.Force, j.Motion, j.Stiffness, j.Rest, j.Damping = nil, nil, nil, nil, nil
		}
		var b bytes.Buffer
		report, err := urdf.Write(&b, m)
		if err != nil { // a type that the format lacks, which the report names
			require.ErrorContains(t, err, "the format has no joint of type")
			require.Empty(t, b.Bytes())
			continue
		}
		tried++
		t.Run(strings.TrimSuffix(filepath.Base(file), ".model.json"), func(t *testing.T) {
			for i := range m.Joints {
				done[m.Joints[i].Type]++
			}
			for _, e := range report.Entries {
				assert.NotEqual(t, source.Loss, e.Severity, e.String())
			}
			m.Gravity = gravity
			r, again, err := urdf.Read(source.NewFiles(fstest.MapFS{"a.urdf": {Data: b.Bytes()}}, nil), source.Name{Path: "a.urdf"}, &source.Options{Strict: true, KeepFixed: true, Gravity: &gravity})
			require.NoError(t, err, b.String())
			require.Zero(t, again.Counts.Dropped)
			require.Len(t, r.Model.Bodies, len(m.Bodies))
			for i := range m.Bodies {
				from, to := &m.Bodies[i], &r.Model.Bodies[i]
				omega := spatial.Vec3(from.Velocity.Angular)
				d := spatial.Vec3(to.Pose.Position).Sub(from.Pose.Position)
				to.Velocity = model.Velocity{Angular: omega, Linear: spatial.Vec3(from.Velocity.Linear).Add(omega.Cross(d))}
			}
			want, err := rung.Accelerate(m, rung.Options{})
			require.NoError(t, err)
			got, err := rung.Accelerate(r.Model, rung.Options{})
			require.NoError(t, err)
			scale := [2]float64{1, 1}
			for i := range want.Bodies {
				scale[0] = max(scale[0], want.Bodies[i].ComAcceleration.Norm())
				scale[1] = max(scale[1], want.Bodies[i].AngularAcceleration.Norm())
			}
			for i := range want.Bodies {
				check.CloseVec(t, got.Bodies[i].ComAcceleration[:], want.Bodies[i].ComAcceleration[:], roundTol, scale[0], "body %d", i)
				check.CloseVec(t, got.Bodies[i].AngularAcceleration[:], want.Bodies[i].AngularAcceleration[:], roundTol, scale[1], "body %d", i)
			}
			assert.Equal(t, want.Constraints.Mobility, got.Constraints.Mobility)
			assert.Equal(t, want.Constraints.Redundant, got.Constraints.Redundant)
		})
	}
	assert.Greater(t, tried, 10)
	for _, k := range []model.JointType{model.Fixed, model.Revolute, model.Prismatic, model.Helical, model.Spherical, model.Universal} {
		assert.Positive(t, done[k], k)
	}
}

// TestWriteOwn: limits, mimics and shapes go out and come back.
func TestWriteOwn(t *testing.T) {
	text := `<robot name="r"><link name="world"/><link name="a"><inertial><origin xyz="1 2 3"/><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0.1" ixz="0" iyz="0"/></inertial>
		<visual><origin xyz="0 0 1" rpy="0.1 0.2 0.3"/><geometry><box size="1 2 3"/></geometry></visual></link>
		<link name="b"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
		<joint name="x" type="revolute"><parent link="world"/><child link="a"/><origin xyz="1 0 0" rpy="0.4 1.5707963267948966 0"/><axis xyz="0 1 0"/><limit lower="-1" upper="2" effort="5" velocity="6"/><dynamics damping="0.5" friction="0.25"/></joint>
		<joint name="y" type="prismatic"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/><limit lower="-1" upper="inf" effort="0" velocity="0"/><mimic joint="x" multiplier="2" offset="0.25"/></joint></robot>`
	read := func(text string) *model.Model {
		r, _, err := urdf.Read(source.NewFiles(fstest.MapFS{"a.urdf": {Data: []byte(text)}}, nil), source.Name{Path: "a.urdf"}, &source.Options{Strict: true})
		require.NoError(t, err, text)
		return r.Model
	}
	m := read(text)
	var b bytes.Buffer
	_, err := urdf.Write(&b, m)
	require.NoError(t, err)
	again := read(b.String())
	require.Len(t, again.Joints, 2)
	for i := range m.Joints {
		a, b := m.Joints[i].Limits[0], again.Joints[i].Limits[0]
		assert.InDelta(t, a.Lower, b.Lower, 1e-14)
		if i == 0 {
			assert.InDelta(t, a.Upper, b.Upper, 1e-14)
		} else {
			assert.Equal(t, a.Upper, b.Upper) // none
		}
		assert.Equal(t, [2]float64{a.Rate, a.Force}, [2]float64{b.Rate, b.Force})
		assert.Equal(t, m.Joints[i].Damping, again.Joints[i].Damping)
		assert.Equal(t, m.Joints[i].Friction, again.Joints[i].Friction)
	}
	require.Equal(t, []model.Friction{{Force: 0.25}}, again.Joints[0].Friction)
	m.Joints[0].Friction[0].Speed = 0.3
	m.Joints[0].Limits[0].Stop.Stiffness = 100
	lost, err := urdf.Write(&bytes.Buffer{}, m)
	require.NoError(t, err)
	require.Len(t, lost.Entries, 2)
	for _, e := range lost.Entries {
		require.Equal(t, source.Loss, e.Severity, e.String())
	}
	require.Len(t, again.Couplings, 1)
	assert.Equal(t, m.Couplings[0].Terms, again.Couplings[0].Terms)
	assert.InDelta(t, m.Couplings[0].Offset, again.Couplings[0].Offset, 1e-14)
	m.Couplings[0].Law = &model.CouplingLaw{Of: []model.Coupled{{Joint: "x"}},
		Law: couplings.Law{Kind: couplings.Function, Spans: make([]couplings.Span, 1), Expression: "0.1*sin(x)"}}
	_, err = urdf.Write(&bytes.Buffer{}, m)
	require.ErrorContains(t, err, "coupling ")
	require.ErrorContains(t, err, "the format has equations between two coordinates")
	require.Len(t, again.Visuals, 1)
	at := func(m *model.Model) spatial.Vec3 {
		b := &m.Bodies[slices.IndexFunc(m.Bodies, func(b model.Body) bool { return b.Name == "a" })]
		return spatial.Vec3(b.Pose.Position).Add(spatial.Quat(b.Pose.Orientation).Rotate(m.Visuals[0].Pose.Position))
	}
	p, q := at(m), at(again)
	check.CloseVec(t, q[:], p[:], 1e-14, 1, "visual")
}
