package asmt_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/test/formatstest"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// driftTol is what a run with a tolerance of 1e-10 may leave of an equation that it does not know.
const driftTol = 1e-8

// marked returns the pose in the world of a marker.
func marked(t *testing.T, m *model.Model, name string) assembly.Pose {
	pose := func(p model.Pose) assembly.Pose { return assembly.Pose{R: p.Position, Q: p.Orientation} }
	for i := range m.Frames {
		if f := &m.Frames[i]; f.Name == name {
			for k := range m.Bodies {
				if m.Bodies[k].Name == f.Body {
					return pose(m.Bodies[k].Pose).Mul(pose(f.Pose))
				}
			}
		}
	}
	t.Fatalf("no marker %s", name)
	return assembly.Pose{}
}

// TestEquations: a run from random velocities keeps the equations of the format, which are computed here from the axes and
// origins of the markers.
func TestEquations(t *testing.T) {
	over := spatial.Quat{0, 1, 0, 0}
	tilt := about(0, math.Pi/2)
	ma, mb := spatial.Quat{0.9, 0.1, 0.3, -0.2}.Normalize(), spatial.Quat{0.5, -0.1, 0.3, 0.6}.Normalize()
	for _, c := range []struct {
		name, joint string
		x           assembly.Pose                                  // of J in I
		equations   func(E spatial.Mat3, r spatial.Vec3) []float64 // of E, whose columns are J's axes in I, and J's origin in I
	}{
		{"parallel axes", joint("ParallelAxesJoint"), assembly.Pose{R: spatial.Vec3{3, -1, 2}, Q: about(2, 2)},
			func(E spatial.Mat3, r spatial.Vec3) []float64 { return []float64{E[6], E[7]} }},
		{"no rotation", joint("NoRotationJoint"), assembly.Pose{R: spatial.Vec3{3, -1, 2}, Q: over},
			func(E spatial.Mat3, r spatial.Vec3) []float64 { return []float64{E[3], E[6], E[7]} }},
		{"perpendicular", joint("PerpendicularJoint"), assembly.Pose{R: spatial.Vec3{3, -1, 2}, Q: about(2, 2.5).Mul(tilt).Mul(about(2, -2))},
			func(E spatial.Mat3, r spatial.Vec3) []float64 { return []float64{E[8]} }},
		{"angle", joint("AngleJoint", value("theIzJz", "0.6")), assembly.Pose{R: spatial.Vec3{3, -1, 2}, Q: about(2, -3).Mul(about(1, 0.6)).Mul(about(2, 3))},
			func(E spatial.Mat3, r spatial.Vec3) []float64 { return []float64{E[8] - math.Cos(0.6)} }},
		{"line in plane", joint("LineInPlaneJoint", value("offset", "0.25")), assembly.Pose{R: spatial.Vec3{3, -1, 0.25}, Q: about(2, 3).Mul(tilt).Mul(about(2, 1))},
			func(E spatial.Mat3, r spatial.Vec3) []float64 { return []float64{E[8], r[2] - 0.25} }},
		{"distance from a line", joint("CylSphJoint", value("distanceIJ", "5")), assembly.Pose{R: spatial.Vec3{3, 4, 2}, Q: ma},
			func(E spatial.Mat3, r spatial.Vec3) []float64 { return []float64{math.Hypot(r[0], r[1]) - 5} }},
		{"distance of lines", joint("RevCylJoint", value("distanceIJ", "5")), assembly.Pose{R: spatial.Vec3{-3, 4, 2}, Q: about(2, -3)},
			func(E spatial.Mat3, r spatial.Vec3) []float64 {
				return []float64{math.Hypot(r[0], r[1]) - 5, E[6], E[7]}
			}},
		{"constant velocity", joint("ConstantVelocityJoint"), assembly.Pose{Q: spatial.Quat{1, 0.1, -0.2, 0}.Normalize().Mul(over)},
			func(E spatial.Mat3, r spatial.Vec3) []float64 { return []float64{r[0], r[1], r[2], E[1] + E[3]} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			I, J := assembly.Pose{R: spatial.Vec3{0.5, 0, 0}, Q: ma}, assembly.Pose{R: spatial.Vec3{0, 0.25, 0}, Q: mb}
			r, report, err := read(document(c.joint, "Motions", I.Mul(c.x).Mul(J.Inverse()), ma, mb), source.Options{Strict: true})
			require.NoError(t, err)
			formatstest.Sound(t, report)
			moved := 0.0
			var first assembly.Pose
			formatstest.Along(t, r.Model, 0.5, func(m *model.Model) {
				x := marked(t, m, "a/m").Inverse().Mul(marked(t, m, "b/m"))
				for k, e := range c.equations(x.Q.Mat(), x.R) {
					assert.InDelta(t, 0, e, driftTol, "equation %d", k)
				}
				if first.Q == (spatial.Quat{}) {
					first = x
				}
				moved = max(moved, x.R.Sub(first.R).Norm(), first.Q.Conj().Mul(x.Q).Log().Norm())
			})
			assert.Greater(t, moved, 0.1, "the markers move against each other")
		})
	}
}

// TestConstantVelocity: both shafts turn by the same angle, in opposite senses about z axes that point against each other,
// also with a bend.
func TestConstantVelocity(t *testing.T) {
	bend := 0.5
	in, out := spatial.Vec3{0, 0, 1}, spatial.Vec3{math.Sin(bend), 0, math.Cos(bend)}
	// Marker I has its z axis along the first shaft, J against the second one.
	ji := spatial.Quat{math.Cos(bend / 2), 0, math.Sin(bend / 2), 0}.Mul(spatial.Quat{0, 1, 0, 0})
	shaft := func(name string, axis spatial.Vec3) string {
		return part(name, spatial.Vec3{}, one, marker("m", spatial.Vec3{}, map[string]spatial.Quat{"a": one, "b": ji}[name]), marker("s", spatial.Vec3{}, assembly.Least(unitZ, axis)))
	}
	bearing := func(name string) string {
		return "CylindricalJoint\n" + lines(1, value("Name", "bearing "+name), value("MarkerI", "/A/M"+name), value("MarkerJ", "/A/"+name+"/s"))
	}
	text := assemblyOf([]string{marker("Ma", spatial.Vec3{}, one), marker("Mb", spatial.Vec3{}, assembly.Least(unitZ, out))},
		[]string{shaft("a", in), shaft("b", out)},
		"RevoluteJoint\n"+lines(1, value("Name", "drive"), value("MarkerI", "/A/Ma"), value("MarkerJ", "/A/a/s"))+bearing("b")+joint("ConstantVelocityJoint"),
		"Motions\n"+lines(1, "RotationalMotion\n"+lines(1, value("Name", "turn"), value("MotionJoint", "/A/drive"), value("RotationZ", "3*time + 2*time^2"))))
	r, _, err := read(text, source.Options{})
	require.NoError(t, err)
	a := formatstest.Accelerations(t, r.Model, "b")
	for k := range 3 {
		assert.InDelta(t, 4*out[k], a[k], 1e-11, "the second shaft turns as the first one does")
	}
}

// TestOpen: joints that the pose of the file does not close are said to be open, and by how much; what is off by rounding is
// taken out.
func TestOpen(t *testing.T) {
	for _, c := range []struct {
		joint           string
		x               assembly.Pose
		linear, angular float64
	}{
		{joint("CylSphJoint", value("distanceIJ", "4.5")), assembly.Pose{R: spatial.Vec3{3, 4, 2}, Q: one}, 0.5, 0},
		{joint("SphSphJoint", value("distanceIJ", "4.5")), assembly.Pose{R: spatial.Vec3{3, 4, 0}, Q: one}, 0.5, 0},
		{joint("PointInPlaneJoint"), assembly.Pose{R: spatial.Vec3{3, 4, 0.25}, Q: one}, 0.25, 0},
		{joint("PointInLineJoint"), assembly.Pose{R: spatial.Vec3{3, 4, 0.25}, Q: one}, 5, 0},
		{joint("PlanarJoint"), assembly.Pose{R: spatial.Vec3{3, 4, 0.25}, Q: about(0, 0.3)}, 0.25, 0.3},
		{joint("UniversalJoint"), assembly.Pose{R: spatial.Vec3{3, 4, 0}, Q: about(0, math.Pi/2-0.3)}, 5, 0.3},
		{joint("AngleJoint", value("theIzJz", "0.5")), assembly.Pose{Q: about(0, 0.7)}, 0, 0.2},
	} {
		I, J := assembly.Pose{R: spatial.Vec3{0.5, 0, 0}, Q: one}, assembly.Pose{R: spatial.Vec3{0, 0.25, 0}, Q: one}
		r, _, err := read(document(c.joint, "Motions", I.Mul(c.x).Mul(J.Inverse()), one, one), source.Options{})
		require.NoError(t, err, c.joint)
		assert.InDelta(t, c.linear, r.Linear, 1e-9, c.joint)
		assert.InDelta(t, c.angular, r.Angular, 1e-9, c.joint)
		assert.Equal(t, "j", r.Worst)
	}
	r, report, err := read(document(joint("CylSphJoint", value("distanceIJ", "5.0000001")), "Motions", assembly.Pose{R: spatial.Vec3{3.5, 4 - 0.25, 2}, Q: one}, one, one), source.Options{})
	require.NoError(t, err)
	assert.InDelta(t, 5, r.Model.Joints[0].Curve.Radius, 1e-12)
	assert.True(t, slices.ContainsFunc(report.Entries, func(e source.Entry) bool {
		return e.Severity == source.Change && strings.Contains(e.String(), "does not quite close")
	}))
}

// assemblyOf is an assembly of parts with joints, and motions and limits.
func assemblyOf(ground, parts []string, joints, motions string) string {
	return "OndselSolver\nAssembly\n" + lines(1, value("Notes", "()"), value("Name", "A"), place(spatial.Vec3{}, one), value("Velocity3D", "0 0 0"), value("Omega3D", "0 0 0"),
		markers(ground...), "Parts\n"+lines(1, parts...), "ConstraintSets\n"+lines(1, "Joints\n"+lines(1, joints), motions, "GeneralConstraintSets"), "ForceTorques", value("ConstantGravity", "0.3 0.2 -9.81"))
}

var unitZ = spatial.Vec3{0, 0, 1}

// TestNothingToHold: equations that hold nothing where the file is are refused, with the place.
func TestNothingToHold(t *testing.T) {
	for _, c := range []struct {
		joint, message string
		x              assembly.Pose
	}{
		{joint("AngleJoint"), "its angle is 0 rad", assembly.Pose{Q: one}},
		{joint("AngleJoint", value("theIzJz", "3.14159265358979")), "a ParallelAxesJoint does", assembly.Pose{Q: spatial.Quat{0, 1, 0, 0}}},
		{joint("AngleJoint", value("theIzJz", "nan")), "nan", assembly.Pose{Q: one}},
		{joint("CylSphJoint"), "its distance is 0", assembly.Pose{Q: one}},
		{joint("CylSphJoint", value("distanceIJ", "inf")), "inf", assembly.Pose{Q: one}},
		{joint("RevCylJoint", value("distanceIJ", "0")), "its distance is 0", assembly.Pose{Q: one}},
		{joint("ConstantVelocityJoint"), "do not point against each other", assembly.Pose{Q: one}},
		{joint("ParallelAxesJoint") + joint("GearJoint", value("radiusI", "1"), value("radiusJ", "1")), "has the name of another", assembly.Pose{Q: one}},
	} {
		_, report, err := read(document(c.joint, "Motions", assembly.Pose{R: spatial.Vec3{0.5, -0.25, 0}, Q: one}.Mul(c.x), one, one), source.Options{})
		if assert.Error(t, err, c.message) {
			assert.ErrorContains(t, err, c.message)
			assert.ErrorContains(t, err, "a.asmt:")
			assert.True(t, report.Failed())
		}
	}
	motion := func(kind, field, on string) string {
		return document(on, "Motions\n"+lines(1, kind+"\n"+lines(1, value("Name", "d"), value("MotionJoint", "/A/j"), value(field, "time"))),
			assembly.Pose{R: spatial.Vec3{0.5, -0.25, 0}.Add(spatial.Vec3{3, 4, 0}), Q: one}, one, one)
	}
	_, _, err := read(motion("RotationalMotion", "RotationZ", joint("RevCylJoint", value("distanceIJ", "5"))), source.Options{})
	assert.ErrorContains(t, err, "has no revolute freedom", "of two angles none is that of the markers")
	r, _, err := read(motion("RotationalMotion", "RotationZ", joint("ParallelAxesJoint")), source.Options{})
	require.NoError(t, err)
	assert.NotNil(t, r.Model.Joints[0].Motion[3])
	r, _, err = read(motion("TranslationalMotion", "TranslationZ", joint("ParallelAxesJoint")), source.Options{})
	require.NoError(t, err)
	assert.Nil(t, r.Model.Joints[0].Motion[0])
	assert.NotNil(t, r.Model.Joints[0].Motion[2])
}
