package mjcf_test

import (
	"bytes"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/couplings"
	"github.com/rung-mbd/rung/formats/mjcf"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/formats/urdf"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/formatstest"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// roundTol is rounding of frames that are computed anew, relative to the largest acceleration.
const roundTol = 1e-12

// rough are models that make more of the same rounding.
var rough = map[string]float64{
	"golden/random-10":         1e-11, // difference of the sparse solution from the solution by trees, which agree to 3e-14
	"golden/random-10-far":     1e-8,  // the same a thousand kilometres away, where positions are rounded to 1e-10 m
	"joints/gripper-mimic":     3e-12, // the same
	"standard/a03-andrews-ivp": 1e-11, // levers of millimetres: accelerations change by 6e7 times what the frames do, relative
}

// losses returns what a report says is lost.
func losses(r *source.Report) (list []string) {
	for i := range r.Entries {
		if e := &r.Entries[i]; e.Severity == source.Loss || e.Severity == source.Error {
			list = append(list, e.String())
		}
	}
	return list
}

// again writes m and reads what was written, in the state of m.
func again(t *testing.T, m *model.Model) (*model.Model, *source.Report) {
	t.Helper()
	var b bytes.Buffer
	report, err := mjcf.Write(&b, m)
	require.NoError(t, err)
	o := source.Options{KeepFixed: true, Snap: -1}
	if strings.Contains(b.String(), "<keyframe>") {
		o.Key = "state"
	}
	back, read, err := from(map[string]string{"main.xml": b.String()}, o)
	require.NoError(t, err, b.String())
	assert.Empty(t, losses(read))
	return back, report
}

// same compares accelerations, mobility and redundant rows of m and of what is written and read.
func same(t *testing.T, m *model.Model, tol float64) (*source.Report, float64) {
	t.Helper()
	back, report := again(t, m)
	more := 0 // rows that are redundant in the file only
	for i := range report.Entries {
		if strings.Contains(report.Entries[i].Consequence, "of which one is redundant") {
			more++
		}
	}
	want, err := rung.Accelerate(m, rung.Options{})
	require.NoError(t, err)
	got, err := rung.Accelerate(back, rung.Options{})
	require.NoError(t, err)
	number := map[string]int{}
	for i := range got.Bodies {
		number[got.Bodies[i].Name] = i
	}
	scale := [2]float64{1, 1}
	for i := range want.Bodies {
		scale[0] = max(scale[0], want.Bodies[i].ComAcceleration.Norm())
		scale[1] = max(scale[1], want.Bodies[i].AngularAcceleration.Norm())
	}
	worst := 0.0
	for i := range want.Bodies {
		k, ok := number[want.Bodies[i].Name]
		require.True(t, ok, want.Bodies[i].Name)
		worst = max(worst, got.Bodies[k].ComAcceleration.Sub(want.Bodies[i].ComAcceleration).Norm()/scale[0],
			got.Bodies[k].AngularAcceleration.Sub(want.Bodies[i].AngularAcceleration).Norm()/scale[1])
	}
	assert.Less(t, worst, tol)
	assert.Equal(t, want.Constraints.Mobility, got.Constraints.Mobility)
	assert.Equal(t, want.Constraints.Redundant+more, got.Constraints.Redundant)
	return report, worst
}

// plain takes out of m what the format lacks.
func plain(m *model.Model) {
	m.Terrains = nil
	m.Forces = slices.DeleteFunc(m.Forces, func(f model.ForceElement) bool {
		return f.Type != model.SpringDamper || f.Spring != nil || f.Damper != nil
	})
	for i := range m.Joints {
		j := &m.Joints[i]
		j.Motion, j.Springs, j.Dampers = nil, nil, nil
		if j.Type == model.Spherical || j.Type == model.SphereInCylinder {
			j.Force = nil // of balls they do not come back
		}
		for k := range j.Friction {
			j.Friction[k] = model.Friction{Force: j.Friction[k].Force}
		}
		for _, l := range j.Limits {
			if l != nil {
				l.Rate, l.Stop = 0, model.Stop{}
			}
		}
	}
}

// TestRoundTrip: models that go out and come back have the same accelerations, moving too, and the same mobility;
// redundant rows are the rows of the model and one for each hinge that is held at two points.
func TestRoundTrip(t *testing.T) {
	check.Long(t)
	done := map[model.JointType]int{}
	try := func(name string, m *model.Model) {
		t.Run(name, func(t *testing.T) {
			plain(m)
			for i := range m.Joints {
				done[m.Joints[i].Type]++
			}
			tol := roundTol
			if x, ok := rough[name]; ok {
				tol = x
			}
			report, worst := same(t, m, tol)
			assert.Empty(t, losses(report))
			t.Logf("worst %.1e", worst)
		})
	}
	for _, folder := range []string{"golden", "joints", "standard"} {
		files, err := filepath.Glob(filepath.Join(check.Root(t), "reference", folder, "*.model.json"))
		require.NoError(t, err)
		for _, file := range files {
			m, err := rung.Open(file)
			require.NoError(t, err)
			if len(m.Bodies) <= 100 {
				try(folder+"/"+strings.TrimSuffix(filepath.Base(file), ".model.json"), m)
			}
		}
	}
	for _, family := range []string{"ladder", "nfourbar", "scissor", "chain", "tree", "grid", "ball-net", "revolute-net", "stewart", "random", "rocker-bogie", "gear-train", "belt"} {
		m, err := bench.Generate(family, 3, 1)
		require.NoError(t, err)
		try(fmt.Sprint(family, 3), m)
	}
	for _, name := range []string{"mechanisms.xml", "shapes.xml", "gripper.urdf", "dialects.urdf"} {
		read := mjcf.Read
		if strings.HasSuffix(name, ".urdf") {
			read = urdf.Read
		}
		r, _, err := read(formatstest.Own(t), source.Name{Path: name}, &source.Options{})
		require.NoError(t, err)
		try("import/"+name, r.Model)
	}
	for k := model.Fixed; k <= model.Composite; k++ {
		if k != model.Rolling && k != model.NoSlip && k != model.PointOnCurve && k != model.CurveOnCurve { // refused, ../wheels_test.go
			assert.Positive(t, done[k], k)
		}
	}
}

// massOf returns a body of 1 kg at rest.
func massOf(name string, x, y, z float64) model.Body {
	return model.Body{Name: name, Mass: 1, Com: [3]float64{0.1, 0, 0}, Inertia: model.Inertia{XX: 0.1, YY: 0.2, ZZ: 0.2, XY: 0.01}, Pose: model.Pose{Position: [3]float64{x, y, z}}}
}

// TestWriteForces: springs, cables, weights that are made up for and
// coordinates that are held go out and come back, in loops too.
func TestWriteForces(t *testing.T) {
	m := model.New("forces")
	m.Bodies = []model.Body{massOf("a", 0, 0, 0), massOf("b", 0.5, 0, 0), massOf("c", 1, 0, 0), massOf("free", 0, 3, 0)}
	m.Bodies[3].Velocity = model.Velocity{Linear: [3]float64{1, 2, 3}, Angular: [3]float64{0.1, -0.4, 0.2}}
	hinge := func(name, p, s string, px, sx float64) model.Joint {
		tilt := [4]float64{0.6, 0.8, 0, 0}
		return model.Joint{Name: name, Type: model.Revolute, Predecessor: p, Successor: s,
			PredecessorFrame: model.Pose{Position: [3]float64{px, 0, 0}, Orientation: tilt}, SuccessorFrame: model.Pose{Position: [3]float64{sx, 0, 0}, Orientation: tilt}}
	}
	m.Joints = []model.Joint{hinge("one", "world", "a", 0, 0), hinge("two", "a", "b", 0.5, 0), hinge("three", "b", "c", 0.5, 0), hinge("four", "c", "world", 0.5, 1.5)}
	for i := range m.Joints {
		m.Joints[i].Stiffness, m.Joints[i].Rest, m.Joints[i].Damping, m.Joints[i].Armature = []float64{3 + float64(i)}, []float64{0.2}, []float64{0.1}, []float64{0.3}
		m.Joints[i].Turns = []int64{int64(i) - 1}
	}
	m.Joints[0].Motion = []*model.Motion{{Kind: joints.Polynomial, Coefficients: []float64{0.25}}}
	m.Joints[1].Limits = []*model.Limit{{Lower: -9, Upper: math.Inf(1), Force: 7}}
	m.Joints[1].Friction = []model.Friction{{Force: 0.5}}
	at := func(body string, x, y, z float64) model.Attachment {
		return model.Attachment{Body: body, Point: [3]float64{x, y, z}}
	}
	m.Forces = []model.ForceElement{
		{Name: "spring", Type: model.SpringDamper, A: at("world", 0, 0, 2), B: at("b", 0.2, 0, 0), Stiffness: 40, Damping: 2, RestLength: 1.5},
		{Name: "damper", Type: model.SpringDamper, A: at("a", 0, 0.1, 0), B: at("free", 0.2, 0, 0), Damping: 2},
		{Name: "rope", Type: model.CableForce, Stiffness: 30, RestLength: 1, Cable: &model.Cable{Points: []model.Attachment{at("a", 0, 0, 0.1), at("world", 0, 1, 1), at("free", 0, 0, 0)}}},
		{Name: "light", Type: model.Wrench, A: at("free", 0.1, 0, 0), Force: [3]float64{0, 0, 9.81 * 0.75}},
	}
	require.NoError(t, model.Check(m))
	report, _ := same(t, m, roundTol)
	assert.Empty(t, losses(report))
	back, _ := again(t, m)
	kinds := map[model.ForceType]int{}
	for i := range back.Forces {
		kinds[back.Forces[i].Type]++
	}
	assert.Equal(t, map[model.ForceType]int{model.SpringDamper: 2, model.CableForce: 1, model.Wrench: 1}, kinds)
	j := back.Joints[slices.IndexFunc(back.Joints, func(j model.Joint) bool { return j.Name == "two" })]
	check.Close(t, j.Limits[0].Lower, -9, 1e-14, 1, "lower limit: the coordinate is 0 in the pose, with no turn")
	assert.Equal(t, model.Limit{Lower: j.Limits[0].Lower, Upper: math.Inf(1), Force: 7}, *j.Limits[0])
	assert.Equal(t, []model.Friction{{Force: 0.5}}, j.Friction)

	// One joint of the loop is half of a body, all four keep what acts on them.
	assert.Len(t, back.Bodies, 5)
	springs := 0
	for i := range back.Joints {
		if j := &back.Joints[i]; j.Stiffness != nil {
			springs++
			k := slices.IndexFunc(m.Joints, func(a model.Joint) bool { return a.Name == j.Name })
			require.GreaterOrEqual(t, k, 0, j.Name)
			check.Close(t, j.Rest[0], 0.2-2*math.Pi*float64(k-1), 1e-14, 10, "rest of %s", j.Name)
			assert.Equal(t, m.Joints[k].Stiffness, j.Stiffness)
			assert.Equal(t, m.Joints[k].Armature, j.Armature)
		}
	}
	assert.Equal(t, 4, springs)
}

// TestWriteMotors: forces of joints and actuators are motors with the control of the keyframe, forces of balls in the
// frame that the simulator wants.
func TestWriteMotors(t *testing.T) {
	m := model.New("motors")
	m.Bodies = []model.Body{massOf("a", 0, 0, 0), massOf("b", 1, 0, 0)}
	m.Bodies[1].Pose.Orientation = [4]float64{0, 0, 0, 1} // half a turn about z
	m.Joints = []model.Joint{
		{Name: "h", Type: model.Revolute, Predecessor: "world", Successor: "a", Force: []float64{2}},
		{Name: "ball", Type: model.Spherical, Predecessor: "a", Successor: "b", PredecessorFrame: model.Pose{Position: [3]float64{1, 0, 0}}, Force: []float64{3, 4, 5}},
	}
	constant := &model.Motion{Kind: joints.Polynomial, Coefficients: []float64{0.5}}
	m.Forces = []model.ForceElement{
		{Name: "servo", Type: model.ActuatorForce, Actuator: &model.Actuator{Joint: "h", Law: model.ActuatorPosition, Value: constant, Gain: 10, Damping: 0.5, Limit: 3}},
		{Name: "drive", Type: model.ActuatorForce, Actuator: &model.Actuator{Joint: "h", Law: model.ActuatorSpeed, Value: constant, Gain: 10, Integral: 1}},
		{Name: "push", Type: model.ActuatorForce, Actuator: &model.Actuator{Joint: "h", Value: &model.Motion{Kind: joints.Polynomial, Coefficients: []float64{1, 2}}}},
	}
	require.NoError(t, model.Check(m))
	var b bytes.Buffer
	report, err := mjcf.Write(&b, m)
	require.NoError(t, err)
	for _, line := range []string{
		`<motor name="h" joint="h"/>`,
		`<motor name="ball" jointinparent="ball" gear="-3 -4 5 0 0 0"/>`, // the same torque in the child's axes
		`<general name="servo" joint="h" biastype="affine" gainprm="10" biasprm="0 -10 -0.5"/>`,
		`<general name="drive" joint="h" biastype="affine" gainprm="10" biasprm="0 0 -10"/>`,
		`ctrl="2 1 0.5 0.5 1"`,
	} {
		assert.Contains(t, b.String(), line)
	}
	assert.Len(t, losses(report), 3, "%q", losses(report)) // limit, integral, change with time
	_, read, err := from(map[string]string{"main.xml": b.String()}, source.Options{Key: "state"})
	require.NoError(t, err)
	assert.Positive(t, read.Counts.Dropped) // all but the motors of the hinge
	back, _, err := from(map[string]string{"main.xml": b.String()}, source.Options{Key: "state"})
	require.NoError(t, err)
	assert.Equal(t, []float64{2 + 1}, back.Joints[0].Force)
	still, read, err := from(map[string]string{"main.xml": b.String()}, source.Options{})
	require.NoError(t, err)
	assert.Empty(t, still.Joints[0].Force)
	assert.Greater(t, read.Counts.Dropped, 10)
	for _, text := range []string{ // whose forces are others
		strings.Replace(b.String(), `<motor name="h"`, `<motor name="h" ctrllimited="true" ctrlrange="-1 1"`, 1),
		strings.Replace(b.String(), `<option`, `<option><flag actuation="disable"/></option><option`, 1),
		strings.Replace(b.String(), `<default>`, `<default><general gear="3"/>`, 1),
	} {
		other, _, err := from(map[string]string{"main.xml": text}, source.Options{Key: "state"})
		require.NoError(t, err)
		assert.NotEqual(t, back.Joints[0].Force, other.Joints[0].Force)
	}
	_, _, err = from(map[string]string{"main.xml": strings.Replace(b.String(), `ctrl="2 `, `ctrl="`, 1)}, source.Options{Key: "state"})
	require.ErrorContains(t, err, "has 4 numbers, the model has 5")
}

// TestWriteShapes: shapes and frames go out and come back; names that the format has not, or twice, are changed.
func TestWriteShapes(t *testing.T) {
	m := model.New("q\"<&>\n")
	m.Bodies = []model.Body{massOf("a\x01", 0, 0, 0), massOf("a\x02", 1, 0, 0), massOf(`'"<&>`, 2, 0, 0)}
	m.Joints = []model.Joint{{Name: "j\n", Type: model.Prismatic, Predecessor: "a\x01", Successor: "a\x02"}, {Name: "j\r", Type: model.Fixed, Predecessor: "a\x02", Successor: `'"<&>`}}
	m.Bodies[1].Pose, m.Bodies[2].Pose = m.Bodies[0].Pose, m.Bodies[0].Pose
	at := model.Pose{Position: [3]float64{1, 2, 3}, Orientation: [4]float64{0.6, 0, 0.8, 0}}
	color := [4]float64{0.1, 0.2, 0.3, 1}
	body := "a\x02"
	m.Visuals = []model.Visual{
		{Body: body, Pose: at, Kind: model.BoxVisual, Size: [3]float64{1, 2, 3}, Color: color},
		{Body: body, Kind: model.SphereVisual, Size: [3]float64{0.5}, Collision: true},
		{Body: body, Kind: model.CylinderVisual, Size: [3]float64{0.5, 3}},
		{Body: body, Kind: model.CapsuleVisual, Size: [3]float64{0.5, 3}},
		{Body: body, Kind: model.EllipsoidVisual, Size: [3]float64{0.5, 3, 1}},
		{Body: body, Pose: at, Kind: model.MeshVisual, File: "m & n.STL", Scale: [3]float64{1, -2, 3}},
		{Body: body, Kind: model.MeshVisual, File: "x.dae", Scale: [3]float64{1, 1, 1}},
		{Body: model.World, Kind: model.BoxVisual, Size: [3]float64{1, 2, 3}},
	}
	m.Frames = []model.Frame{{Name: "tool\x03", Body: body, Pose: at}, {Name: "wall", Body: model.World, Pose: at}}
	require.NoError(t, model.Check(m))
	var b bytes.Buffer
	report, err := mjcf.Write(&b, m)
	require.NoError(t, err)
	assert.Empty(t, losses(report))
	back, _, err := from(map[string]string{"main.xml": b.String()}, source.Options{KeepFixed: true})
	require.NoError(t, err, b.String())
	assert.Equal(t, m.Name, back.Name)
	assert.Equal(t, []string{"a_", "a__2", `'"<&>`}, []string{back.Bodies[0].Name, back.Bodies[1].Name, back.Bodies[2].Name})
	require.Len(t, back.Visuals, 6)
	for k := range back.Visuals {
		want := m.Visuals[k]
		got := back.Visuals[k]
		check.CloseVec(t, got.Pose.Position[:], want.Pose.Position[:], 1e-15, 1, "visual %d", k)
		want.Body, want.Pose, got.Pose = "a__2", model.Pose{}, model.Pose{}
		assert.Equal(t, want, got)
	}
	require.Len(t, back.Frames, 1)
	assert.Equal(t, "tool_", back.Frames[0].Name)
}

// TestWriteBallDampers: a ball has one damper in the format. Three that are equal come back; of others the first is
// written and the difference listed. So it is where a ball closes a loop.
func TestWriteBallDampers(t *testing.T) {
	hinge := model.Joint{Name: "h", Type: model.Revolute, Predecessor: "world", Successor: "a"}
	ball := func(name, from, to string, damping ...float64) model.Joint {
		j := model.Joint{Name: name, Type: model.Spherical, Predecessor: from, Successor: to, Damping: damping}
		if name == "loop" {
			j.PredecessorFrame.Position, j.SuccessorFrame.Position = [3]float64{0, 0.5, 0}, [3]float64{0, 0.5, 0}
		}
		return j
	}
	for _, c := range []struct {
		joints []model.Joint
		back   []float64 // of the first ball
		lost   []string
	}{
		{[]model.Joint{hinge, ball("s", "a", "b", 2, 2, 2)}, []float64{2, 2, 2}, nil},
		{[]model.Joint{hinge, ball("s", "a", "b", 1, 2, 3)}, []float64{1, 1, 1}, []string{`the difference of the dampers of joint "s": the format has one for a ball; it is 1`}},
		{[]model.Joint{hinge, ball("s", "a", "b", 1, 1, 3)}, []float64{1, 1, 1}, []string{`the difference of the dampers of joint "s": the format has one for a ball; it is 1`}},
		{[]model.Joint{hinge, ball("s", "a", "b", 0, 0, 3)}, nil, []string{`the difference of the dampers of joint "s": the format has one for a ball; it is 0`}},
		{[]model.Joint{hinge, ball("s", "a", "b", 2, 2, 2), ball("loop", "a", "b", 4, 4, 4)}, []float64{2, 2, 2}, nil},
		{[]model.Joint{hinge, ball("s", "a", "b", 2, 2, 2), ball("loop", "a", "b", 4, 5, 6)}, []float64{2, 2, 2}, []string{`the difference of the dampers of joint "loop": the format has one for a ball; it is 4`}},
	} {
		m := model.New("balls")
		m.Bodies = []model.Body{massOf("a", 0, 0, 0), massOf("b", 0, 0, 0)}
		m.Bodies[1].Velocity.Angular = [3]float64{0, 2, 0} // about the line of the two balls
		m.Joints = c.joints
		require.NoError(t, model.Check(m))
		back, report := again(t, m)
		list := losses(report)
		require.Len(t, list, len(c.lost), "%v", list)
		for k := range c.lost {
			assert.Contains(t, list[k], c.lost[k])
		}
		k := slices.IndexFunc(back.Joints, func(j model.Joint) bool { return j.Name == "s" })
		require.GreaterOrEqual(t, k, 0)
		assert.Equal(t, c.back, back.Joints[k].Damping)
		if len(c.lost) == 0 {
			report, _ := same(t, m, roundTol)
			assert.Empty(t, losses(report))
		}
	}
}

// TestWriteLosses: what the format lacks is listed, and equations that it lacks are refused with nothing written.
func TestWriteLosses(t *testing.T) {
	m := model.New("losses")
	m.Bodies = []model.Body{massOf("a", 0, 0, 0), massOf("b", 0, 0, 0)}
	m.Joints = []model.Joint{
		{Name: "h", Type: model.Revolute, Predecessor: "world", Successor: "a", Motion: []*model.Motion{{Kind: joints.Harmonic, Amplitude: 1, Frequency: 1}},
			Friction: []model.Friction{{Force: 1, Speed: 2}}, Limits: []*model.Limit{{Lower: -1, Upper: 1, Rate: 3, Stop: model.Stop{Normal: contact.Normal{Stiffness: 5, Exponent: 1}}}}},
		{Name: "s", Type: model.Spherical, Predecessor: "a", Successor: "b", Damping: []float64{1, 2, 3}},
	}
	m.Forces = []model.ForceElement{
		{Name: "push", Type: model.Wrench, A: model.Attachment{Body: "a"}, Force: [3]float64{1, 0, 0}},
		{Name: "rope", Type: model.CableForce, Stiffness: 30, Damping: 1, RestLength: 1, Cable: &model.Cable{Tension: 2, Points: []model.Attachment{{Body: "a"}, {Body: "world", Point: [3]float64{0, 0, 5}}}}},
	}
	require.NoError(t, model.Check(m))
	var b bytes.Buffer
	report, err := mjcf.Write(&b, m)
	require.NoError(t, err)
	list := strings.Join(losses(report), "\n")
	for _, what := range []string{"limits of rates", "all of friction but its size", "stops", "motion of joint", "the difference of the dampers", `force "push" of type wrench`, `tension of force "rope"`, `damping of force "rope"`} {
		assert.Contains(t, list, what)
	}
	assert.Equal(t, 7, strings.Count(list, "\n"), list)

	m.Couplings = []model.Coupling{{Name: "square", Terms: []model.CouplingTerm{{Coupled: model.Coupled{Joint: "h"}, Factor: 1}},
		Polynomial: &model.CouplingPolynomial{Of: model.Coupled{Joint: "h"}, Coefficients: []float64{0, 0, 1}}}}
	m.Joints[0].Motion = nil
	b.Reset()
	_, err = mjcf.Write(&b, m)
	require.ErrorContains(t, err, `coupling "square": the format has no equations of the powers of one coordinate`)
	assert.Empty(t, b.Bytes())

	m.Couplings[0].Polynomial = nil
	m.Couplings[0].Law = &model.CouplingLaw{Of: []model.Coupled{{Joint: "h"}},
		Law: couplings.Law{Kind: couplings.Function, Spans: make([]couplings.Span, 1), Expression: "sin(x)"}}
	_, err = mjcf.Write(&b, m)
	require.ErrorContains(t, err, `coupling "square": the format has no law of coordinates but a polynomial`)
	assert.Empty(t, b.Bytes())
}

// TestWriteCouplings: equations of any number of coordinates, with powers, count from the pose that is written.
func TestWriteCouplings(t *testing.T) {
	m := model.New("couplings")
	names := []string{"a", "b", "c", "d"}
	q := []float64{0.3, -0.2, 0.5, 0.1}
	for i, name := range names {
		b := massOf(name, float64(i), 0, 0)
		b.Pose.Orientation = spatial.FromAxisAngle(spatial.Vec3{0, 0, 1}, q[i])
		b.Velocity.Angular[2] = 0
		m.Bodies = append(m.Bodies, b)
		m.Joints = append(m.Joints, model.Joint{Name: "j" + name, Type: model.Revolute, Predecessor: "world", Successor: name, PredecessorFrame: model.Pose{Position: b.Pose.Position}})
	}
	m.Gravity = [3]float64{1, -9, 0}
	term := func(k int, f float64) model.CouplingTerm {
		return model.CouplingTerm{Coupled: model.Coupled{Joint: "j" + names[k]}, Factor: f}
	}
	poly := func(k int, c ...float64) *model.CouplingPolynomial {
		return &model.CouplingPolynomial{Of: model.Coupled{Joint: "j" + names[k]}, Coefficients: c}
	}
	p := func(x float64, c ...float64) (s float64) {
		for k := len(c) - 1; k >= 0; k-- {
			s = s*x + c[k]
		}
		return s
	}
	for name, c := range map[string]model.Coupling{
		"one":            {Terms: []model.CouplingTerm{term(0, 2)}, Offset: 2 * q[0]},
		"two":            {Terms: []model.CouplingTerm{term(0, 2), term(1, 3)}, Offset: 2*q[0] + 3*q[1]},
		"twice":          {Terms: []model.CouplingTerm{term(0, 2), term(0, 1), term(1, 3)}, Offset: 3*q[0] + 3*q[1]},
		"three":          {Terms: []model.CouplingTerm{term(0, 2), term(1, 3), term(2, -1)}, Offset: 2*q[0] + 3*q[1] - q[2]},
		"line":           {Terms: []model.CouplingTerm{term(0, 2)}, Polynomial: poly(1, 1, 4), Offset: 2*q[0] - 1 - 4*q[1]},
		"powers":         {Terms: []model.CouplingTerm{term(0, 2)}, Polynomial: poly(3, 1, 4, -2, 0.5, 3), Offset: 2*q[0] - p(q[3], 1, 4, -2, 0.5, 3)},
		"sum and powers": {Terms: []model.CouplingTerm{term(0, 2), term(1, -1), term(3, 1)}, Polynomial: poly(2, 0, 4, -2), Offset: 2*q[0] - q[1] + q[3] - p(q[2], 0, 4, -2)},
	} {
		t.Run(name, func(t *testing.T) {
			w := *m
			c.Name = name
			w.Couplings = []model.Coupling{c}
			require.NoError(t, model.Check(&w))
			report, worst := same(t, &w, roundTol)
			assert.Empty(t, losses(report))
			t.Logf("worst %.1e", worst)
		})
	}
}

// TestWriteDeep: bodies may stand in each other as deep as the reader goes.
func TestWriteDeep(t *testing.T) {
	m, err := bench.Generate("chain", 2000, 1)
	require.NoError(t, err)
	back, report := again(t, m)
	assert.Len(t, back.Bodies, 2000)
	var all []string
	for i := range report.Entries {
		all = append(all, report.Entries[i].String())
	}
	assert.Contains(t, strings.Join(all, "\n"), "bodies stand 2000 deep in each other: the parser of MuJoCo 2.2.2 takes 96")
}
