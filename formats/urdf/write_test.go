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
	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/formats/internal/outline"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/formats/urdf"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/formatstest"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/springs"
)

// roundTol is rounding of frames that are computed anew, by angles, relative to the largest acceleration.
const roundTol = 1e-10

// farTol is the tolerance for frames that are differences of poses 1e6 m away, where 1e-10 m are rounding.
const farTol = 2e-8

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
			tol := roundTol
			if strings.HasSuffix(file, "random-10-far.model.json") {
				tol = farTol
			}
			scale := [2]float64{1, 1}
			for i := range want.Bodies {
				scale[0] = max(scale[0], want.Bodies[i].ComAcceleration.Norm())
				scale[1] = max(scale[1], want.Bodies[i].AngularAcceleration.Norm())
			}
			for i := range want.Bodies {
				check.CloseVec(t, got.Bodies[i].ComAcceleration[:], want.Bodies[i].ComAcceleration[:], tol, scale[0], "body %d", i)
				check.CloseVec(t, got.Bodies[i].AngularAcceleration[:], want.Bodies[i].AngularAcceleration[:], tol, scale[1], "body %d", i)
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
	require.ErrorContains(t, err, "the format has linear equations alone")
	require.Len(t, again.Visuals, 1)
	at := func(m *model.Model) spatial.Vec3 {
		b := &m.Bodies[slices.IndexFunc(m.Bodies, func(b model.Body) bool { return b.Name == "a" })]
		return spatial.Vec3(b.Pose.Position).Add(spatial.Quat(b.Pose.Orientation).Rotate(m.Visuals[0].Pose.Position))
	}
	p, q := at(m), at(again)
	check.CloseVec(t, q[:], p[:], 1e-14, 1, "visual")
}

// pair returns a model of two bodies and the ground with a joint between the bodies, at a pose x of S in P which it allows. The
// first body hangs on a ball.
func pair(kind model.JointType, x assembly.Pose) *model.Model {
	r := check.Rand(uint64(kind) + 7)
	pose := func() model.Pose {
		q := spatial.Quat{r.NormFloat64(), r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}.Normalize()
		return model.Pose{Position: [3]float64{r.NormFloat64(), r.NormFloat64(), r.NormFloat64()}, Orientation: q}
	}
	m := model.New("m")
	m.Gravity = [3]float64{0, 0, -9.81}
	for _, name := range []string{"a", "b"} {
		m.Bodies = append(m.Bodies, model.Body{Name: name, Mass: 1.5, Com: [3]float64{0.2, -0.1, 0.3}, Inertia: model.Inertia{XX: 1, YY: 1.2, ZZ: 1.4}, Pose: pose()})
	}
	a := &m.Bodies[0].Pose
	m.Joints = []model.Joint{
		{Name: "base", Type: model.Spherical, Predecessor: "world", Successor: "a", PredecessorFrame: *a},
		{Name: "j", Type: kind, Predecessor: "a", Successor: "b", PredecessorFrame: pose(), SuccessorFrame: pose()},
	}
	j := &m.Joints[1]
	b := outline.Of(*a).Mul(outline.Of(j.PredecessorFrame)).Mul(x).Mul(outline.Of(j.SuccessorFrame).Inverse())
	m.Bodies[1].Pose = model.Pose{Position: b.R, Orientation: b.Q}
	return m
}

// roundTrip writes m and reads it again, without losses, and compares accelerations, mobility and redundant rows.
func roundTrip(t *testing.T, m *model.Model) *model.Model {
	t.Helper()
	require.NoError(t, model.Check(m))
	var b bytes.Buffer
	report, err := urdf.Write(&b, m)
	require.NoError(t, err)
	for _, e := range report.Entries {
		assert.NotEqual(t, source.Loss, e.Severity, e.String())
	}
	r, again, err := urdf.Read(source.NewFiles(fstest.MapFS{"a.urdf": {Data: b.Bytes()}}, nil), source.Name{Path: "a.urdf"}, &source.Options{Strict: true})
	require.NoError(t, err, b.String())
	require.Zero(t, again.Counts.Dropped)
	for _, body := range []string{"a", "b"} {
		want, got := formatstest.Accelerations(t, m, body), formatstest.Accelerations(t, r.Model, body)
		check.CloseVec(t, got, want, roundTol, 1+check.MaxAbs(want), "body %s", body)
	}
	require.Equal(t, formatstest.Mobility(t, m), formatstest.Mobility(t, r.Model))
	return r.Model
}

// TestWriteRows: joints of several motions are chains of joints with links without mass, and come back as what they were.
func TestWriteRows(t *testing.T) {
	turn := func(axis spatial.Vec3, q float64) assembly.Pose {
		return assembly.Pose{Q: spatial.FromAxisAngle(axis, q)}
	}
	at := func(x, y, z float64) assembly.Pose { return assembly.Pose{R: spatial.Vec3{x, y, z}} }
	X, Y, Z := spatial.Vec3{1, 0, 0}, spatial.Vec3{0, 1, 0}, spatial.Vec3{0, 0, 1}
	limit := func(lower, upper float64) *model.Limit {
		return &model.Limit{Lower: lower, Upper: upper, Force: 3, Rate: 4}
	}
	for _, c := range []struct {
		kind model.JointType
		x    assembly.Pose
		with func(j *model.Joint)
		back model.JointType
	}{
		{model.Cylindrical, at(0, 0, 0.4).Mul(turn(Z, 0.7)), func(j *model.Joint) {
			j.Damping, j.Limits = []float64{0.1, 0.2}, []*model.Limit{limit(-1, 2), limit(0, 1)}
			j.Armature, j.Friction = []float64{0.3, 0.4}, []model.Friction{{Force: 0.5}, {}}
		}, model.Cylindrical},
		{model.Planar, at(0.4, -0.3, 0).Mul(turn(Z, 0.7)), func(j *model.Joint) { j.Damping = []float64{0.1, 0.2, 0.3} }, model.Planar},
		{model.SphereInCylinder, at(0, 0, 0.4).Mul(turn(X, 0.7)), func(j *model.Joint) { j.Damping = []float64{0.2, 0.2, 0.2, 0.1} }, model.SphereInCylinder},
		{model.PointOnPlane, at(0.4, 0.2, 0).Mul(turn(X, 0.7)), func(*model.Joint) {}, model.PointOnPlane},
		{model.Universal, turn(X, 0.7).Mul(turn(Y, 0.4)), func(j *model.Joint) { j.Armature = []float64{0.1, 0.2} }, model.Universal},
		{model.PointOnCurve, at(0.3, 0.4, 0).Mul(turn(X, 0.7)), func(j *model.Joint) {
			j.Curve = &model.PointCurve{Curve: curves.Curve{Kind: curves.Circle, Radius: 0.5}}
		}, model.PointOnCurve},
		{model.PointOnCurve, at(0.3, 0.4, 0.2).Mul(turn(X, 0.7)), func(j *model.Joint) {
			j.Curve = &model.PointCurve{Curve: curves.Curve{Kind: curves.Circle, Radius: 0.5}, Planar: true}
		}, model.PointOnCurve},
		{model.Distance, at(0.3, 0.4, 0.2).Mul(turn(X, 0.7)), func(j *model.Joint) { j.Length = spatial.Vec3{0.3, 0.4, 0.2}.Norm() }, model.Distance},
		{model.Composite, at(0, 0.4, 0).Mul(at(0.3, 0, 0)).Mul(turn(Z, 0.7)).Mul(at(-0.3, 0, 0)).Mul(at(-0.05, 0.1, 0.2)).Mul(turn(X, -0.5)).Mul(at(0, -0.1, -0.2)), func(j *model.Joint) {
			j.Axes = []model.Axis{{Kind: joints.Prismatic, Axis: Y}, {Kind: joints.Revolute, Axis: Z, Point: spatial.Vec3{0.3, 0, 0}}, {Kind: joints.Helical, Axis: X, Point: spatial.Vec3{0, 0.1, 0.2}, Pitch: 0.1}}
			j.Limits, j.Damping = []*model.Limit{limit(0, 1), limit(-1, 1), nil}, []float64{0.1, 0.2, 0.3}
		}, model.Composite},
	} {
		m := pair(c.kind, c.x)
		c.with(&m.Joints[1])
		back := roundTrip(t, m)
		j := &back.Joints[slices.IndexFunc(back.Joints, func(j model.Joint) bool { return strings.HasPrefix(j.Name, "j") })]
		require.Equal(t, c.back, j.Type)
		assert.Equal(t, m.Joints[1].Damping, j.Damping, c.kind)
		assert.Equal(t, m.Joints[1].Armature, j.Armature, c.kind)
		assert.Equal(t, m.Joints[1].Friction, j.Friction, c.kind)
		assert.Len(t, j.Limits, len(m.Joints[1].Limits), c.kind)
		for k, l := range j.Limits { // which count from the pose of the file
			if l != nil {
				w := m.Joints[1].Limits[k]
				assert.InDelta(t, w.Upper-w.Lower, l.Upper-l.Lower, 1e-13)
				assert.Equal(t, [2]float64{w.Force, w.Rate}, [2]float64{l.Force, l.Rate})
			}
		}
	}
	// Such joints close no loops, and ways along circles are no coordinates.
	m := pair(model.Cylindrical, at(0, 0, 0.4))
	second := m.Joints[1]
	second.Name = "k"
	m.Joints = append(m.Joints, second)
	_, err := urdf.Write(&bytes.Buffer{}, m)
	require.ErrorContains(t, err, `joint "k": closes a loop, where the format has no joint of type cylindrical`)
	m = pair(model.PointOnCurve, at(0.3, 0.4, 0))
	m.Joints[1].Curve = &model.PointCurve{Curve: curves.Curve{Kind: curves.Circle, Radius: 0.5}}
	m.Joints[1].Damping = []float64{0, 0, 0, 1}
	_, err = urdf.Write(&bytes.Buffer{}, m)
	require.ErrorContains(t, err, `joint "j": the format has no joint of type point_on_curve`)
}

// TestWriteDrake: springs between bodies and equations of any number of coordinates are elements of Drake; springs with laws or
// without a length are lost, equations with powers refused.
func TestWriteDrake(t *testing.T) {
	at := assembly.Pose{R: spatial.Vec3{0, 0, 0.4}, Q: spatial.FromAxisAngle(spatial.Vec3{0, 0, 1}, 0.7)}
	m := pair(model.Cylindrical, at)
	m.Joints[0].Type, m.Joints[0].PredecessorFrame = model.Revolute, m.Bodies[0].Pose
	m.Forces = []model.ForceElement{
		{Name: "s", Type: model.SpringDamper, A: model.Attachment{Body: "world", Point: [3]float64{1, 2, 3}}, B: model.Attachment{Body: "b", Point: [3]float64{0.1, 0.2, 0.3}}, Stiffness: 30, Damping: 2, RestLength: 0.4},
		{Name: "u", Type: model.SpringDamper, A: model.Attachment{Body: "a", Point: [3]float64{1, 2, 3}}, B: model.Attachment{Body: "b", Point: [3]float64{0.1, 0.2, 0.3}}, Stiffness: 20, RestLength: 0.1},
	}
	roundTrip(t, m)
	term := func(joint string, freedom int, factor float64) model.CouplingTerm {
		return model.CouplingTerm{Coupled: model.Coupled{Joint: joint, Freedom: freedom}, Factor: factor}
	}
	three := []model.CouplingTerm{term("base", 0, 2), term("j", 0, -1), term("j", 1, 3)}
	for _, list := range [][]model.Coupling{
		{{Name: "three", Terms: three, Offset: -0.7 + 3*0.4}},
		{{Name: "one", Terms: three[1:2], Offset: -0.7}},
		{{Name: "two", Terms: three[1:], Offset: -0.7 + 3*0.4}},
		{{Name: "two", Terms: three[:2], Offset: -0.7}, {Name: "other", Terms: []model.CouplingTerm{three[0], three[2]}, Offset: 3 * 0.4}},
	} {
		m.Couplings = list
		back := roundTrip(t, m)
		require.Len(t, back.Couplings, len(list))
	}
	m.Couplings = []model.Coupling{{Name: "bent", Terms: three[:1], Polynomial: &model.CouplingPolynomial{Of: three[1].Coupled, Coefficients: []float64{0, 0, 1}}}}
	_, err := urdf.Write(&bytes.Buffer{}, m)
	require.ErrorContains(t, err, `coupling "bent": the format has linear equations alone`)
	m.Couplings = nil
	m.Forces[0].RestLength = 0
	m.Forces[1].Spring = &model.SpringLaw{Kind: springs.Function, Expression: "x^3"}
	report, err := urdf.Write(&bytes.Buffer{}, m)
	require.NoError(t, err)
	lost := 0
	for _, e := range report.Entries {
		if e.Severity == source.Loss {
			lost++
		}
	}
	assert.Equal(t, 2, lost)
}
