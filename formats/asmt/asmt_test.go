package asmt_test

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/formats/asmt"
	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/formats/internal/xmltree"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/formatstest"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// tol is rounding of a few rotations, beside files of 16 digits.
const tol = 1e-14

func read(text string, o source.Options) (*source.Result, *source.Report, error) {
	files := source.NewFiles(fstest.MapFS{"a.asmt": {Data: []byte(text)}}, nil)
	return asmt.Read(files, source.Name{Path: "a.asmt"}, &o)
}

// lines indents a text of lines by tabs.
func lines(tabs int, text ...string) string {
	var b strings.Builder
	for _, t := range text {
		for line := range strings.Lines(t) {
			b.WriteString(strings.Repeat("\t", tabs) + strings.TrimRight(line, "\n") + "\n")
		}
	}
	return b.String()
}

func value(name string, of ...string) string { return name + "\n" + lines(1, of...) }

// place writes a position and the rotation of a quaternion.
func place(r spatial.Vec3, q spatial.Quat) string {
	E := q.Normalize().Mat()
	return value("Position3D", fmt.Sprintf("%.17g %.17g %.17g", r[0], r[1], r[2])) + value("RotationMatrix",
		fmt.Sprintf("%.17g \t%.17g \t%.17g", E[0], E[1], E[2]), fmt.Sprintf("%.17g %.17g %.17g", E[3], E[4], E[5]), fmt.Sprintf("%.17g %.17g %.17g", E[6], E[7], E[8]))
}

var one = spatial.IdentityQuat()

// markers writes a reference point away from the origin with some markers in it.
func markers(list ...string) string {
	return "RefPoints\n" + lines(1, "RefPoint", lines(1, place(spatial.Vec3{0, 0, 1}, spatial.Quat{1, 0, 0, 1}), "Markers\n"+lines(1, list...)))
}

func marker(name string, r spatial.Vec3, q spatial.Quat) string {
	// in the frame of the reference point
	inv := spatial.Quat{1, 0, 0, 1}.Normalize().Conj()
	return "Marker\n" + lines(1, value("Name", name), place(inv.Rotate(r.Sub(spatial.Vec3{0, 0, 1})), inv.Mul(q.Normalize())))
}

func part(name string, r spatial.Vec3, q spatial.Quat, list ...string) string {
	return "Part\n" + lines(1, value("Name", name), place(r, q), value("Velocity3D", "0 0 0"), value("Omega3D", "0 0 0"),
		"PrincipalMassMarker\n"+lines(1, value("Name", "MassMarker"), place(spatial.Vec3{0.1, 0.2, 0.3}, spatial.Quat{1, 0.5, 0, 0}), value("Mass", "2"), value("MomentOfInertias", "1 1.25 1.5"), value("Density", "10")),
		markers(list...))
}

// document is an assembly of two parts: a at the origin, b at a place, each with one marker m, and one M on the ground.
func document(joints, motions string, x assembly.Pose, ma, mb spatial.Quat) string {
	return "OndselSolver\nAssembly\n" + lines(1, value("Notes", "()"), value("Name", "A"), place(spatial.Vec3{}, one), value("Velocity3D", "0 0 0"), value("Omega3D", "0 0 0"),
		markers(marker("M", spatial.Vec3{}, one)), "Parts\n"+lines(1, part("a", spatial.Vec3{}, one, marker("m", spatial.Vec3{0.5, 0, 0}, ma)), part("b", x.R, x.Q, marker("m", spatial.Vec3{0, 0.25, 0}, mb))),
		"ConstraintSets\n"+lines(1, "Joints\n"+lines(1, joints), motions, "GeneralConstraintSets"), "ForceTorques", value("ConstantGravity", "0 0 -9.81"))
}

func joint(kind string, more ...string) string {
	return kind + "\n" + lines(1, value("Name", "j"), value("MarkerI", "/A/a/m"), value("MarkerJ", "/A/b/m"), strings.Join(more, ""))
}

// TestOwnModel: a parallelogram that leans, one of whose markers points the other way, has its closed form.
func TestOwnModel(t *testing.T) {
	data, err := os.ReadFile(check.Reference(t, "import", "four-bar.asmt"))
	require.NoError(t, err)
	r, report, err := read(string(data), source.Options{Strict: true})
	require.NoError(t, err)
	assert.Equal(t, source.Counts{Used: 141, Ignored: 21}, report.Counts)
	m := r.Model
	assert.Equal(t, 0.25, m.Time)
	got, err := rung.Accelerate(m, rung.Options{})
	require.NoError(t, err)
	assert.InEpsilon(t, 2*9.81*math.Sin(0.4)/(5./3), got.Bodies[0].AngularAcceleration[2], 1e-13)
	assert.Equal(t, 1, got.Constraints.Mobility)
	require.NotNil(t, m.Joints[0].Limits)
	assert.InDelta(t, 2*math.Pi/3, m.Joints[0].Limits[0].Upper, tol)
	assert.True(t, math.IsInf(m.Joints[0].Limits[0].Lower, -1))

	// The crank is driven: its coordinate turns b against a, I to J.
	text := strings.Replace(string(data), "\t\tMotions\n", "\t\tMotions\n\t\t\tRotationalMotion\n"+lines(4, value("Name", "drive"), value("MotionJoint", "/four-bar/a"), value("RotationZ", "pi/2.0d + 0.4 + 3*(time - 0.25d)^2")), 1)
	r, _, err = read(text, source.Options{})
	require.NoError(t, err)
	got, err = rung.Accelerate(r.Model, rung.Options{})
	require.NoError(t, err)
	assert.InDelta(t, 6, got.Bodies[0].AngularAcceleration[2], 1e-12)
	assert.InDelta(t, 0, got.Joints[0].PositionResidual, 1e-12)
}

// about returns the rotation about an axis by its number.
func about(axis int, angle float64) spatial.Quat {
	var e spatial.Vec3
	e[axis] = 1
	return spatial.FromAxisAngle(e, angle)
}

// TestJoints: what each joint becomes holds in the pose of the file, with the freedoms that its constraints leave, as
// it is and with a marker turned over.
func TestJoints(t *testing.T) {
	over, around := spatial.Quat{0, 1, 0, 0}, spatial.Quat{0, 0, 0, 1}
	tilt := spatial.Quat{math.Cos(math.Pi / 4), math.Sin(math.Pi / 4), 0, 0} // z to −y
	ma := spatial.Quat{0.9, 0.1, 0.3, -0.2}.Normalize()
	for _, c := range []struct {
		joint string
		x     assembly.Pose // of J in I
		mb    spatial.Quat
		want  []model.JointType
		free  int
	}{
		{joint("RevoluteJoint"), assembly.Pose{Q: spatial.Quat{1, 0, 0, 0.3}}, one, []model.JointType{model.Revolute}, 1},
		{joint("RevoluteJoint"), assembly.Pose{Q: over}, one, []model.JointType{model.Revolute}, 1},
		{joint("CylindricalJoint"), assembly.Pose{R: spatial.Vec3{0, 0, 2}, Q: spatial.Quat{1, 0, 0, 0.3}}, over, []model.JointType{model.Cylindrical}, 2},
		{joint("TranslationalJoint"), assembly.Pose{R: spatial.Vec3{0, 0, 2}, Q: around}, one, []model.JointType{model.Prismatic}, 1},
		{joint("TranslationalJoint"), assembly.Pose{R: spatial.Vec3{0, 0, -1}, Q: over}, one, []model.JointType{model.Prismatic}, 1},
		{joint("TranslationalJoint"), assembly.Pose{R: spatial.Vec3{0, 0, -1}, Q: spatial.Quat{0, 0, 1, 0}}, one, []model.JointType{model.Prismatic}, 1},
		{joint("ScrewJoint", value("pitch", "0.5")), assembly.Pose{R: spatial.Vec3{0, 0, 0.7}, Q: spatial.Quat{1, 0, 0, 0.3}}, one, []model.JointType{model.Helical}, 1},
		{joint("ScrewJoint", value("pitch", "0")), assembly.Pose{R: spatial.Vec3{0, 0, 0.7}, Q: spatial.Quat{1, 0, 0, 0.3}}, one, []model.JointType{model.Revolute}, 1},
		{joint("SphericalJoint"), assembly.Pose{Q: ma}, ma, []model.JointType{model.Spherical}, 3},
		{joint("UniversalJoint"), assembly.Pose{Q: tilt}, one, []model.JointType{model.Universal}, 2},
		{joint("FixedJoint"), assembly.Pose{Q: one}, ma, nil, 0},
		{joint("FixedJoint"), assembly.Pose{Q: over}, one, nil, 0},
		{joint("PlanarJoint", value("offset", "0.25")), assembly.Pose{R: spatial.Vec3{3, -1, 0.25}, Q: over}, one, []model.JointType{model.Planar}, 3},
		{joint("PointInPlaneJoint", value("offset", "-0.25")), assembly.Pose{R: spatial.Vec3{3, -1, -0.25}, Q: ma}, one, []model.JointType{model.PointOnPlane}, 5},
		{joint("PointInLineJoint"), assembly.Pose{R: spatial.Vec3{0, 0, 4}, Q: ma}, one, []model.JointType{model.SphereInCylinder}, 4},
		{joint("SphSphJoint", value("distanceIJ", "5")), assembly.Pose{R: spatial.Vec3{3, 4, 0}, Q: ma}, one, []model.JointType{model.Distance}, 5},
		{joint("RevRevJoint", value("distanceIJ", "5")), assembly.Pose{R: spatial.Vec3{3, 4, 0}, Q: around}, one, []model.JointType{model.Distance, model.Planar}, 2},
		{joint("ParallelAxesJoint"), assembly.Pose{R: spatial.Vec3{3, -1, 2}, Q: spatial.Quat{1, 0, 0, -2}}, one, []model.JointType{model.Composite}, 4},
		{joint("ParallelAxesJoint"), assembly.Pose{R: spatial.Vec3{3, -1, 2}, Q: over}, ma, []model.JointType{model.Composite}, 4},
		{joint("NoRotationJoint"), assembly.Pose{R: spatial.Vec3{3, -1, 2}, Q: one}, ma, []model.JointType{model.Composite}, 3},
		{joint("NoRotationJoint"), assembly.Pose{R: spatial.Vec3{3, -1, 2}, Q: around}, one, []model.JointType{model.Composite}, 3},
		{joint("PerpendicularJoint"), assembly.Pose{R: spatial.Vec3{3, -1, 2}, Q: about(2, 2.5).Mul(tilt).Mul(about(2, -2))}, ma, []model.JointType{model.Composite}, 5},
		{joint("AngleJoint", value("theIzJz", "0.6")), assembly.Pose{R: spatial.Vec3{3, -1, 2}, Q: about(2, -3).Mul(about(1, 0.6)).Mul(about(2, 3))}, one, []model.JointType{model.Composite}, 5},
		{joint("AngleJoint", value("theIzJz", "-2.8")), assembly.Pose{R: spatial.Vec3{3, -1, 2}, Q: about(2, 1).Mul(about(0, 2.8))}, one, []model.JointType{model.Composite}, 5},
		{joint("LineInPlaneJoint", value("offset", "0.25")), assembly.Pose{R: spatial.Vec3{3, -1, 0.25}, Q: about(2, 3).Mul(tilt).Mul(about(2, 1))}, ma, []model.JointType{model.Composite}, 4},
		{joint("CylSphJoint", value("distanceIJ", "5")), assembly.Pose{R: spatial.Vec3{3, 4, 2}, Q: ma}, one, []model.JointType{model.PointOnCurve}, 5},
		{joint("RevCylJoint", value("distanceIJ", "5")), assembly.Pose{R: spatial.Vec3{-3, 4, 2}, Q: about(2, -3)}, one, []model.JointType{model.Composite}, 3},
		{joint("RevCylJoint", value("distanceIJ", "-5")), assembly.Pose{R: spatial.Vec3{-3, -4, 2}, Q: over}, ma, []model.JointType{model.Composite}, 3},
		{joint("ConstantVelocityJoint"), assembly.Pose{Q: spatial.Quat{1, 0.3, -0.4, 0}.Normalize().Mul(over)}, ma, []model.JointType{model.Composite}, 2},
		{joint("ConstantVelocityJoint"), assembly.Pose{Q: spatial.Quat{1, 0.3, 0.2, 0}.Normalize().Mul(spatial.Quat{0, 0, 1, 0})}, one, []model.JointType{model.Composite}, 2},
	} {
		// b so that its marker is at x in the marker of a.
		I, J := assembly.Pose{R: spatial.Vec3{0.5, 0, 0}, Q: ma}, assembly.Pose{R: spatial.Vec3{0, 0.25, 0}, Q: c.mb}
		c.x.Q = c.x.Q.Normalize()
		at := I.Mul(c.x).Mul(J.Inverse())
		r, _, err := read(document(c.joint, "Motions", at, ma, c.mb), source.Options{})
		if !assert.NoError(t, err, c.joint) {
			continue
		}
		var kinds []model.JointType
		for i := range r.Model.Joints {
			kinds = append(kinds, r.Model.Joints[i].Type)
		}
		assert.Equal(t, c.want, kinds, c.joint)
		if c.want == nil {
			require.Len(t, r.Model.Bodies, 1)
			continue
		}
		got, err := rung.Accelerate(r.Model, rung.Options{})
		require.NoError(t, err, c.joint)
		assert.Equal(t, 6+c.free, got.Constraints.Mobility, c.joint)
		for _, j := range got.Joints {
			assert.InDelta(t, 0, j.PositionResidual, 1e-13, c.joint)
		}
		if c.want[0] == model.Helical {
			assert.InDelta(t, 0.5/(2*math.Pi), r.Model.Joints[0].Pitch, tol)
		}
	}
}

// TestMassAndFrames: the principal moments are turned, and markers are frames.
func TestMassAndFrames(t *testing.T) {
	r, _, err := read(document("", "Motions", assembly.Pose{R: spatial.Vec3{1, 2, 3}, Q: one}, one, one), source.Options{})
	require.NoError(t, err)
	b := &r.Model.Bodies[0]
	E := spatial.Quat{1, 0.5, 0, 0}.Normalize().Mat()
	I := spatial.Diag3(1, 1.25, 1.5).Rotate(E)
	check.CloseVec(t, []float64{b.Inertia.XX, b.Inertia.YY, b.Inertia.ZZ, b.Inertia.YZ}, []float64{I[0], I[1], I[2], I[5]}, tol, 1, "inertia")
	assert.Equal(t, [3]float64{0.1, 0.2, 0.3}, b.Com)
	require.Len(t, r.Model.Frames, 2)
	assert.Equal(t, "a/m", r.Model.Frames[0].Name)
	check.CloseVec(t, r.Model.Frames[0].Pose.Position[:], []float64{0.5, 0, 0}, tol, 1, "marker")
}

// TestMotions: expressions of time are polynomials or one sine, in the model as in the file.
func TestMotions(t *testing.T) {
	at := assembly.Pose{R: spatial.Vec3{0.5, -0.25, 0}, Q: one}
	for text, want := range map[string]model.Motion{
		"2.0d*pi*time":                     {Kind: model.Polynomial, Coefficients: []float64{0, 2 * math.Pi}},
		"-time^2 + (1 - 2)/4":              {Kind: model.Polynomial, Coefficients: []float64{-0.25, 0, -1}},
		"1.5e1 - 2.5d-1*time*(time - 1)^2": {Kind: model.Polynomial, Coefficients: []float64{15, -0.25, 0.5, -0.25}},
		"0.1*sin(2*pi*time + 1)+3":         {Kind: model.Harmonic, Offset: 3, Amplitude: 0.1, Frequency: 1, Phase: 1},
		"cos(time)/2":                      {Kind: model.Harmonic, Amplitude: 0.5, Frequency: 1 / (2 * math.Pi), Phase: math.Pi / 2},
		"sin(pi/6) + 2^3^0.0":              {Kind: model.Polynomial, Coefficients: []float64{2.5}},
		"time - time + 1":                  {Kind: model.Polynomial, Coefficients: []float64{1}},
	} {
		r, _, err := read(document(joint("CylindricalJoint"), "Motions\n"+lines(1, "TranslationalMotion\n"+lines(1, value("Name", "p"), value("MotionJoint", "/A/j"), value("TranslationZ", text))), at, one, one), source.Options{})
		require.NoError(t, err, text)
		got := r.Model.Joints[0].Motion
		require.Len(t, got, 2, text)
		require.Nil(t, got[0])
		for _, x := range []float64{0, 0.7, 3} {
			va, _, _ := want.At(x)
			vb, _, _ := got[1].At(x)
			assert.InDelta(t, va, vb, 1e-12, text)
		}
		assert.Equal(t, want.Kind, got[1].Kind, text)
	}
	for text, message := range map[string]string{
		"":                        "there is no number",
		"2*":                      "there is no number",
		"(1":                      "a parenthesis does not end",
		"sin 1":                   "sin without parentheses",
		"sin(1":                   "a parenthesis does not end",
		"1 2":                     "unexpected",
		"x":                       `"x" is not read`,
		"1/0":                     "division by zero",
		"1/time":                  "division by zero or by a function",
		"time^-1":                 "to the power -1",
		"time^0.5":                "to the power 0.5",
		"2^time":                  "powers of functions",
		"time*sin(time)":          "times a function of time",
		"sin(time^2)":             "not linear in time",
		"sin(sin(time))":          "not linear in time",
		"time^600*time^600":       "above 1000",
		"sin(time) + time":        "neither a polynomial in time nor one sine",
		"sin(time) + cos(2*time)": "neither a polynomial in time nor one sine",
		"1e400":                   "there is no number",
		"1e300*1e300":             "is not finite",
		strings.Repeat("sin(time)+", 100_000) + "0": "a sum of more than 100 sines and cosines is not read",
		strings.Repeat("(", 1000):                   "nested more than 100",
		strings.Repeat("-", 1000) + "1":             "nested more than 100",
		strings.Repeat("2^", 1000) + "1":            "nested more than 100",
	} {
		_, _, err := read(document(joint("RevoluteJoint"), "Motions\n"+lines(1, "RotationalMotion\n"+lines(1, value("Name", "p"), value("MotionJoint", "/A/j"), value("RotationZ", text))), at, one, one), source.Options{})
		assert.ErrorContains(t, err, message, text)
	}
}

// TestTurns: a motion of many turns begins at its value, not at one turn less.
func TestTurns(t *testing.T) {
	at := assembly.Pose{R: spatial.Vec3{0.5, -0.25, 0}, Q: one}
	r, _, err := read(document(joint("RevoluteJoint"), "Motions\n"+lines(1, "RotationalMotion\n"+lines(1, value("Name", "p"), value("MotionJoint", "/A/j"), value("RotationZ", "6*pi + time"))), at, one, one), source.Options{})
	require.NoError(t, err)
	assert.Equal(t, []int64{3}, r.Model.Joints[0].Turns)
	plan, err := rung.NewPlan(r.Model, rung.Options{})
	require.NoError(t, err)
	st := plan.Initial()
	c := closing.NewCloser(plan, closing.Options{Nearest: true})
	require.NoError(t, c.ClosePositions(st))
	assert.Less(t, c.Closing().Before, 1e-13)
}

// TestRefused: what is wrong is said with its place.
func TestRefused(t *testing.T) {
	at := assembly.Pose{R: spatial.Vec3{0.5, -0.25, 0}, Q: one}
	good := document(joint("RevoluteJoint"), "Motions", at, one, one)
	change := func(from, to string) string {
		require.Contains(t, good, from)
		return strings.Replace(good, from, to, 1)
	}
	limit := func(sense, text string) string {
		return document(joint("RevoluteJoint"), "Motions\nLimits\n"+lines(1, "RotationLimit\n"+lines(1, value("Name", "l"), value("MotionJoint", "/A/j"), value("limit", text), value("type", sense))), at, one, one)
	}
	for _, c := range []struct{ text, message string }{
		{"", "there is no Assembly"},
		{"hello", `no ASMT file: it begins with "hello"`},
		{"OndselSolver\nPart\n", `a.asmt:2:1: "Part" in place of Assembly`},
		{"OndselSolver\n\tAssembly\n", "in place of Assembly"},
		{"OndselSolver\nAssembly\n\t\tName\n", "a.asmt:3:1: the line is indented by more than one tab"},
		{"OndselSolver\nAssembly\nAssembly\n", `a second element, "Assembly"`},
		{"OndselSolver\nAssembly\n\tNa\xffme\n", "is not UTF-8"},
		{"OndselSolver\nAssembly\n" + strings.Repeat("\t", 100) + "x", "more than 64 times"},
		{change("\tA\n", "\tA/B\n"), "has slashes"},
		{change("Velocity3D\n\t\t0 0 0\n", "Velocity3D\n\t\t0 1 0\n"), "moves, and is the world"},
		{change("\tMass\n", "\tWeight\n"), "is not zero although the mass is"},
		{change("\tPrincipalMassMarker\n", "\tMassMarker\n"), "has no mass marker"},
		{change("1 1.25 1.5", "1 1.25"), "has 2 numbers in place of 3"},
		{change("1 1.25 1.5", "1 1.25 3"), "two together"},
		{change("1 \t0 \t0\n", "1 \t0.1 \t0\n"), "is no rotation"},
		{change("1 \t0 \t0\n", "-1 \t0 \t0\n"), "is no rotation"},
		{change("/A/a/m", "/A/a/n"), `there is no marker "/A/a/n"`},
		{change("/A/a/m", "/A/b/m"), "both markers are on"},
		{document(joint("RevoluteJoint")+joint("RevoluteJoint"), "Motions", at, one, one), "has the name of another"},
		{document(joint("MagicJoint"), "Motions", at, one, one), "no joint of this format that is known"},
		{document(joint("SphSphJoint"), "Motions", at, one, one), "its distance is 0"},
		{document(joint("SphericalJoint"), "Motions\n"+lines(1, "RotationalMotion\n"+lines(1, value("Name", "p"), value("MotionJoint", "/A/j"), value("RotationZ", "time"))), at, one, one), "has no revolute freedom"},
		{document(joint("RevoluteJoint"), "Motions\n"+lines(1, "RotationalMotion\n"+lines(1, value("Name", "p"), value("MotionJoint", "/A/k"), value("RotationZ", "time"))), at, one, one), `there is no joint "/A/k"`},
		{document(joint("RevoluteJoint"), "Motions\n"+lines(1, "RotationalMotion\n"+lines(1, value("Name", "p"), value("RotationZ", "time"))), at, one, one), "names no joint"},
		{document(joint("RevoluteJoint"), "Motions\n"+lines(1, "GeneralMotion\n"+lines(1, value("Name", "p"))), at, one, one), "motions of this kind are not read"},
		{document(joint("RevoluteJoint"), "Motions", at, one, one) + "\tConstraintSets\n", ""},
		{strings.Replace(good, "\t\tGeneralConstraintSets\n", "\t\tGeneralConstraintSets\n\t\t\tThing\n", 1), "constraints of a general kind"},
		{limit("=<", "time"), "the limit is a function of time"},
		{limit("~", "1"), `"~" is no sense`},
	} {
		if c.message == "" {
			continue
		}
		r, report, err := read(c.text, source.Options{})
		if assert.Error(t, err, c.message) {
			assert.Nil(t, r)
			assert.NotNil(t, report)
			assert.Contains(t, err.Error(), c.message)
		}
	}
	r, report, err := read(strings.Replace(good, "\tForceTorques\n", "\tForceTorques\n\t\tForceTorque\n\t\t\tName\n\t\t\t\tf\n\tFrob\n", 1), source.Options{})
	require.NoError(t, err)
	require.NotNil(t, r)
	assert.Equal(t, 3, report.Counts.Dropped)
	for _, o := range []source.Options{{Key: "home"}, {Pose: map[string]float64{"j": 1}}} {
		_, _, err := read(good, o)
		assert.ErrorContains(t, err, "this format has the state of its parts")
	}
	_, _, err = read(limit("=>", "-1"), source.Options{})
	require.NoError(t, err)
}

// TestNamesOfVersions: limits are spelt in two ways, and forces have
// two names; what the model lacks is counted with all in it.
func TestNamesOfVersions(t *testing.T) {
	at := assembly.Pose{R: spatial.Vec3{0.5, -0.25, 0}, Q: one}
	for _, names := range [][3]string{{"limit", "type", "tol"}, {"Limit", "Type", "Tol"}} {
		list := func(name string, of ...string) string {
			return "RotationLimit\n" + lines(1, value("Name", name), value("MotionJoint", "/A/j"), value(names[0], of[1]), value(names[1], of[0]), value(names[2], "1e-9"))
		}
		r, report, err := read(document(joint("RevoluteJoint"), "Motions\nLimits\n"+lines(1, list("u", "=<", "pi/4"), list("l", "=>", "-0.5")), at, one, one), source.Options{Strict: true})
		require.NoError(t, err)
		assert.Zero(t, report.Counts.Dropped)
		require.NotNil(t, r.Model.Joints[0].Limits)
		assert.Equal(t, math.Pi/4, r.Model.Joints[0].Limits[0].Upper)
		assert.Equal(t, -0.5, r.Model.Joints[0].Limits[0].Lower)
	}
	force := "InLineForceTorque\n" + lines(1, value("Name", "f"), value("MarkerI", "/A/a/m"), value("MarkerJ", "/A/b/m"), value("tension", "10.0"), value("twist", "0.0"))
	text := strings.Replace(document(joint("RevoluteJoint"), "Motions", at, one, one), "\tForceTorques\n", "\tForceTorques\n"+lines(2, force), 1)
	_, report, err := read(text, source.Options{})
	require.NoError(t, err)
	assert.Equal(t, 6, report.Counts.Dropped)
	assert.Equal(t, 1, report.Dropped())
	_, _, err = read(text, source.Options{Strict: true})
	assert.ErrorContains(t, err, "forces as functions of markers are not read")
}

// TestThroughput: 10 MB are read in linear time; the log says how long that takes.
func TestThroughput(t *testing.T) {
	if testing.Short() {
		t.Skip("timed")
	}
	var parts, list strings.Builder
	for k := 0; parts.Len() < 10<<20; k++ {
		parts.WriteString(lines(2, part(fmt.Sprint("p", k), spatial.Vec3{float64(k)}, one, marker("m", spatial.Vec3{}, one), marker("n", spatial.Vec3{1}, one))))
		if k > 0 {
			list.WriteString(lines(3, "RevoluteJoint\n"+lines(1, value("Name", fmt.Sprint("j", k)), value("MarkerI", fmt.Sprintf("/A/p%d/n", k-1)), value("MarkerJ", fmt.Sprintf("/A/p%d/m", k)))))
		}
	}
	text := "OndselSolver\nAssembly\n" + lines(1, value("Name", "A")) + "\tParts\n" + parts.String() + "\tConstraintSets\n\t\tJoints\n" + list.String()
	start := time.Now()
	_, _, err := read(text, source.Options{})
	took := time.Since(start)
	require.NoError(t, err)
	t.Logf("%d MB in %v", len(text)>>20, took)
	assert.Less(t, took, 10*time.Second) // it takes less than one where nobody else works; the square of its elements would take hours
}

// TestLongValue: many lines of a value take no time.
func TestLongValue(t *testing.T) {
	text := "OndselSolver\nAssembly\n\tNotes\n" + strings.Repeat("\t\tx\n", 1_000_000) + "\tName\n\t\tA\n"
	start := time.Now()
	_, _, err := read(text, source.Options{})
	require.NoError(t, err)
	assert.Less(t, time.Since(start), 5*time.Second) // the square of a million lines would take hours
}

// TestTooManyLines: of a file of short lines there are no more elements than of one in XML.
func TestTooManyLines(t *testing.T) {
	_, _, err := read("OndselSolver\nAssembly\n"+strings.Repeat("\tx\n", xmltree.MaxNodes), source.Options{})
	require.ErrorContains(t, err, "a.asmt:2097154:1: there are more than 2097152 elements")
}

// FuzzRead: no document panics or hangs; what is read is a model.
func FuzzRead(tf *testing.F) {
	f := check.NewFuzz(tf)
	f.Limit = 10 * time.Second
	data, err := os.ReadFile(check.Reference(f, "import", "four-bar.asmt"))
	require.NoError(f, err)
	f.Add(data)
	f.Add([]byte(document(joint("CylindricalJoint"), "Motions\n"+lines(1, "TranslationalMotion\n"+lines(1, value("Name", "p"), value("MotionJoint", "/A/j"), value("TranslationZ", "2*sin(pi*time)^1"))), assembly.Identity(), one, one)))
	f.Add([]byte(wheels(one, one, false, between("GearJoint", "mesh", "a/m", "b/m", radii(1, 2))+between("ConstantVelocityJoint", "cv", "a/m", "b/m"), "Motions")))
	f.Add([]byte(rackAndPinion(one, between("RackPinionJoint", "mesh", "a/m", "b/m", value("pitchRadius", "0.5"))+between("AngleJoint", "angle", "a/m", "b/m", value("theIzJz", "1")))))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, report, err := read(string(data), source.Options{})
		require.NotNil(t, report)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		require.NoError(t, model.Check(r.Model))
		formatstest.Sound(t, report)
	})
}

// TestAtRest: an assembly with the velocity of rounding is the world; one that moves is not.
func TestAtRest(t *testing.T) {
	data, err := os.ReadFile(check.Reference(t, "import", "four-bar.asmt"))
	require.NoError(t, err)
	want, _, err := read(string(data), source.Options{})
	require.NoError(t, err)
	for _, field := range [...]string{"Velocity3D", "Omega3D"} {
		with := func(v string) string {
			before, after, ok := strings.Cut(string(data), "\t"+field+"\n\t\t0 \t0 \t0")
			require.True(t, ok)
			return before + "\t" + field + "\n\t\t" + v + after
		}
		got, report, err := read(with("0.0 \t2.4015135522991e-20\t0.0 "), source.Options{Strict: true})
		require.NoError(t, err)
		formatstest.Sound(t, report)
		assert.Equal(t, want.Model.Bodies, got.Model.Bodies)
		notes := 0
		for k := range report.Entries {
			if strings.Contains(report.Entries[k].String(), "/Assembly/"+field+": the assembly: counts as at rest") {
				notes++
			}
		}
		assert.Equal(t, 1, notes)
		_, _, err = read(with("0 0 -0.9e-12"), source.Options{})
		require.NoError(t, err)
		_, _, err = read(with("0 0 1e-9"), source.Options{})
		require.ErrorContains(t, err, "moves, and is the world of the model")
	}
}

// TestEmptyRange: limits between which nothing is are dropped, and counted.
func TestEmptyRange(t *testing.T) {
	data, err := os.ReadFile(check.Reference(t, "import", "four-bar.asmt"))
	require.NoError(t, err)
	limit := "\t\t\tRotationLimit\n" + lines(4, value("Name", "low"), value("MotionJoint", "/four-bar/a"), value("limit", "3"), value("type", "=>"))
	r, report, err := read(strings.Replace(string(data), "\t\tLimits\n", "\t\tLimits\n"+limit, 1), source.Options{})
	require.NoError(t, err)
	formatstest.Sound(t, report)
	assert.Equal(t, 1, report.Dropped())
	assert.Empty(t, r.Model.Joints[0].Limits)
}
