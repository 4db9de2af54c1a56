package usd_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/test/formatstest"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// driftTol is what a run with a tolerance of 1e-10 may leave of an equation that it does not know.
const driftTol = 1e-8

const (
	// inertiaX is the inertia of a body about the x axis through its origin, and torqueX the torque of its weight.
	inertiaX = 0.3 + 2*(0.2*0.2+0.3*0.3)
	torqueX  = -2 * 9.81 * 0.2
	massOf   = 2.0
	rad      = math.Pi / 180
)

// angleX returns the angle about x of the k-th body of m, which turns about that axis alone.
func angleX(m *model.Model, k int) float64 {
	q := m.Bodies[k].Pose.Orientation
	return 2 * math.Atan2(q[1], q[0])
}

// follows is a stage with two bodies on hinges about x, the first with frame P turned by an angle, degrees. The second
// joint follows the first; it is of a kind and has more.
func follows(kind, apis, inside string) string {
	text := scene(body("a", spatial.Vec3{}, inertial) + body("b", spatial.Vec3{0, 5, 0}, inertial) +
		joint("PhysicsRevoluteJoint", "ja", "", "/a", spatial.Vec3{}, spatial.Vec3{}, "") +
		joint(kind, "jb", "", "/b", spatial.Vec3{0, 5, 0}, spatial.Vec3{}, inside))
	return strings.Replace(text, fmt.Sprintf("def %s \"jb\" {", kind), fmt.Sprintf("def %s \"jb\" (prepend apiSchemas = [%s]) {", kind, apis), 1)
}

// TestMimic: a hinge that follows another one with the ratio r has r times its acceleration, and the weights of both are in
// the balance of the power. All schemas say the same; angles and ways along a slide are in degrees and units of length.
func TestMimic(t *testing.T) {
	const hinge, slide = "PhysicsRevoluteJoint", "PhysicsPrismaticJoint"
	turned := "quatf physics:localRot0 = (0.99619469809174555, -0.087155742747658166, 0, 0)\n" // by −10°
	for _, c := range []struct {
		kind, apis, inside string
		ratio              float64
	}{
		{hinge, `"NewtonMimicAPI"`, "rel newton:mimicJoint = </ja>", 1},
		{hinge, `"NewtonMimicAPI"`, "rel newton:mimicJoint = </ja>\nfloat newton:mimicCoef1 = -2", -2},
		{hinge, `"NewtonMimicAPI"`, turned + "rel newton:mimicJoint = </ja>\nfloat newton:mimicCoef0 = 10\nfloat newton:mimicCoef1 = 0.5", 0.5},
		{slide, `"NewtonMimicAPI"`, "uniform token physics:axis = \"Z\"\nrel newton:mimicJoint = </ja>\nfloat newton:mimicCoef1 = 0.001", 0.001 / rad},
		{hinge, `"PhysxMimicJointAPI:rotX"`, "rel physxMimicJoint:rotX:referenceJoint = </ja>\nfloat physxMimicJoint:rotX:gearing = 2", -2},
		{hinge, `"PhysxMimicJointAPI:rotZ"`, turned + "rel physxMimicJoint:rotZ:referenceJoint = </ja>\nfloat physxMimicJoint:rotZ:gearing = -0.5\nfloat physxMimicJoint:rotZ:offset = -10\nuniform token physxMimicJoint:rotZ:referenceJointAxis = \"rotX\"\n" +
			"float physxMimicJoint:rotZ:naturalFrequency = 25\nfloat physxMimicJoint:rotZ:dampingRatio = 0.5", 0.5},
		{slide, `"PhysxMimicJointAPI:rotX"`, "uniform token physics:axis = \"Z\"\nrel physxMimicJoint:rotX:referenceJoint = </ja>\nfloat physxMimicJoint:rotX:gearing = -0.001", 0.001 / rad},
		{hinge, `"MjcEqualityJointAPI"`, turned + "rel mjc:target = </ja>\ndouble mjc:coef0 = 0.17453292519943295\ndouble mjc:coef1 = 0.5", 0.5},
		{slide, `"MjcEqualityJointAPI"`, "uniform token physics:axis = \"Z\"\nrel mjc:target = </ja>\ndouble mjc:coef1 = 0.1", 0.1},
		{hinge, `"MjcEqualityJointAPI", "NewtonMimicAPI"`, "rel newton:mimicJoint = </ja>\nfloat newton:mimicCoef1 = -2\ndouble mjc:coef1 = -2", -2},
		{hinge, `"NewtonMimicAPI", "PhysxMimicJointAPI:rotX"`, "rel newton:mimicJoint = </ja>\nfloat newton:mimicCoef1 = -2\nrel physxMimicJoint:rotX:referenceJoint = </ja>\nfloat physxMimicJoint:rotX:gearing = 2", -2},
		{hinge, `"NewtonMimicAPI", "PhysxMimicJointAPI:rotX"`, "bool newton:mimicEnabled = 0\nrel newton:mimicJoint = </ja>\nrel physxMimicJoint:rotX:referenceJoint = </ja>\nfloat physxMimicJoint:rotX:gearing = 2", -2},
	} {
		m, report := must(t, follows(c.kind, c.apis, c.inside))
		assert.Zero(t, report.Dropped(), c.inside)
		formatstest.Sound(t, report)
		require.Len(t, m.Couplings, 1, c.inside)
		inertia, force, at := inertiaX, torqueX, 0
		if c.kind == slide {
			inertia, force, at = massOf, -massOf*9.81, 5
		}
		want := (torqueX + c.ratio*force) / (inertiaX + c.ratio*c.ratio*inertia)
		tol := 1e-7 // numbers of the files are single
		if !strings.Contains(c.inside, "localRot") {
			tol = exact * 100
		}
		assert.InDelta(t, want, formatstest.Accelerations(t, m, "a")[0], tol, c.inside)
		assert.InDelta(t, c.ratio*want, formatstest.Accelerations(t, m, "b")[at], tol, c.inside)
		assert.Equal(t, 1, formatstest.Mobility(t, m))
		formatstest.Along(t, m, 0.1, func(*model.Model) {}) // which is closed at the start
	}
	// In centimetres the same way along the slide is a hundred times the number.
	m, _ := must(t, strings.Replace(follows(slide, `"NewtonMimicAPI"`, "uniform token physics:axis = \"Z\"\nrel newton:mimicJoint = </ja>\nfloat newton:mimicCoef1 = 0.5"), "metersPerUnit = 1", "metersPerUnit = 0.01", 1))
	assert.InDelta(t, 0.005/rad, -m.Couplings[0].Terms[1].Factor, 1e-15)
	_, report := must(t, follows(hinge, `"NewtonMimicAPI"`, "rel newton:mimicJoint = </ja>\nfloat newton:mimicCoef0 = 10"))
	formatsNote(t, report, `equation "jb#mimic": is open by 0.175 in this pose`)
	m, report = must(t, follows(hinge, `"NewtonMimicAPI"`, "bool newton:mimicEnabled = 0\nrel newton:mimicJoint = </ja>"))
	assert.Empty(t, m.Couplings)
	formatsNote(t, report, "its mimicEnabled is false")
}

// TestMimicPowers: with the coefficients of MuJoCo a coordinate follows a polynomial of another, in radians and metres.
func TestMimicPowers(t *testing.T) {
	for _, first := range []string{"double mjc:coef1 = 0.5", "float newton:mimicCoef1 = 0.5"} {
		m, _ := must(t, follows("PhysicsRevoluteJoint", `"MjcEqualityJointAPI"`, "rel mjc:target = </ja>\n"+first+"\ndouble mjc:coef2 = 0.3\ndouble mjc:coef3 = -0.2\ndouble mjc:coef4 = 0.1"))
		most := 0.0
		formatstest.Along(t, m, 0.5, func(m *model.Model) {
			x := angleX(m, 0)
			assert.InDelta(t, 0.5*x+0.3*x*x-0.2*x*x*x+0.1*x*x*x*x, angleX(m, 1), driftTol)
			most = max(most, math.Abs(x))
		})
		assert.Greater(t, most, 0.1)
	}
}

// meshes are two hinges about x whose joints have some orientations, and a joint that meshes.
func meshes(rotA, rotB, inside string) string {
	return scene(body("a", spatial.Vec3{}, inertial) + body("b", spatial.Vec3{0, 5, 0}, inertial) +
		joint("PhysicsRevoluteJoint", "ja", "", "/a", spatial.Vec3{}, spatial.Vec3{}, rotA) +
		joint("PhysicsRevoluteJoint", "jb", "", "/b", spatial.Vec3{0, 5, 0}, spatial.Vec3{}, rotB) +
		joint("PhysxPhysicsGearJoint", "mesh", "/a", "/b", spatial.Vec3{}, spatial.Vec3{}, inside))
}

// TestGears: gears with the ratio r turn in opposite senses about the x axes of the frames of their joint, from the pose of
// the file on, wherever their hinges count from.
func TestGears(t *testing.T) {
	const both = "rel physics:hinge0 = </ja>\nrel physics:hinge1 = </jb>\n"
	half := "quatf physics:localRot%d = (0, 1, 0, 0)\n"    // by half a turn about x
	over := "quatf physics:localRot%d = (0, 0, 1, 0)\n"    // x against x
	some := "quatf physics:localRot1 = (0.8, 0.6, 0, 0)\n" // about x
	for _, c := range []struct {
		rotA, rotB, inside string
		ratio              float64 // of b to a
	}{
		{"", "", both, -1},
		{"", "", both + "float physics:gearRatio = 0.5", -0.5},
		{fmt.Sprintf(half, 0), some, both + "float physics:gearRatio = 0.5", -0.5},
		{fmt.Sprintf(over, 0) + fmt.Sprintf(over, 1), "", both + "float physics:gearRatio = 0.5", -0.5},
		{"", "", both + "float physics:gearRatio = 0.5\n" + fmt.Sprintf(over, 1), 0.5},
		{"", "", both + "float physics:gearRatio = -3\n" + fmt.Sprintf(over, 0) + fmt.Sprintf(over, 1), 3},
	} {
		m, report := must(t, meshes(c.rotA, c.rotB, c.inside))
		assert.Zero(t, report.Dropped(), c.inside)
		formatstest.Sound(t, report)
		want := torqueX * (1 + c.ratio) / (inertiaX * (1 + c.ratio*c.ratio))
		assert.InDelta(t, want, formatstest.Accelerations(t, m, "a")[0], exact*100, c.inside)
		assert.InDelta(t, c.ratio*want, formatstest.Accelerations(t, m, "b")[0], exact*100, c.inside)
		formatstest.Along(t, m, 0.5, func(m *model.Model) {
			assert.InDelta(t, c.ratio*angleX(m, 0), angleX(m, 1), driftTol)
		})
	}
	// What counts from the pose of the file moves along: limits, drives, and other equations of the hinges.
	m, _ := must(t, strings.Replace(meshes(some+"float physics:upperLimit = 90\nfloat drive:angular:physics:stiffness = 1\nfloat drive:angular:physics:targetPosition = 20", "", both)+
		body("c", spatial.Vec3{0, 9, 0}, inertial)+joint("PhysicsRevoluteJoint", "jc", "", "/c", spatial.Vec3{0, 9, 0}, spatial.Vec3{}, "rel mjc:target = </ja>\ndouble mjc:coef0 = 0.1\ndouble mjc:coef1 = 0.2\ndouble mjc:coef2 = 0.3"),
		`"jc" {`, `"jc" (prepend apiSchemas = ["MjcEqualityJointAPI"]) {`, 1))
	q := -2 * math.Atan2(0.6, 0.8) // of the hinge in the pose of the file: S is turned forward in the body
	j := &m.Joints[0]
	assert.InDelta(t, math.Pi/2+q, j.Limits[0].Upper, 1e-7)
	assert.InDelta(t, 20*rad+q, j.Rest[0], 1e-7)
	p := m.Couplings[1].Polynomial.Coefficients
	for _, x := range []float64{0, 0.4} {
		y := x - q
		assert.InDelta(t, 0.1+0.2*y+0.3*y*y, p[0]+p[1]*x+p[2]*x*x, 1e-7)
	}
}

// racks is a wheel about x, and a rack that slides along y, above it or below.
func racks(above float64, inside string) string {
	return scene(body("a", spatial.Vec3{}, inertial) + body("b", spatial.Vec3{0, 0, above}, inertial) +
		joint("PhysicsRevoluteJoint", "ja", "", "/a", spatial.Vec3{}, spatial.Vec3{}, "") +
		joint("PhysicsPrismaticJoint", "jb", "", "/b", spatial.Vec3{0, 0, above}, spatial.Vec3{}, "uniform token physics:axis = \"Y\"") +
		joint("PhysxPhysicsRackAndPinionJoint", "mesh", "/a", "/b", spatial.Vec3{}, spatial.Vec3{}, "rel physics:hinge = </ja>\nrel physics:prismatic = </jb>\n"+inside))
}

// TestRack: a rack rolls on its wheel: above it moves one way, and below the other way. The ratio is one of degrees and
// lengths, 180/π over the radius.
func TestRack(t *testing.T) {
	along := "quatf physics:localRot1 = (1, 0, 0, 1)\n" // x along y
	for _, above := range []float64{0.8, -0.8} {
		m, report := must(t, racks(above, fmt.Sprintf("%sfloat physics:ratio = %.17g", along, 1/(0.8*rad))))
		assert.Zero(t, report.Dropped())
		formatstest.Sound(t, report)
		want := torqueX / (inertiaX + massOf*0.8*0.8)
		assert.InDelta(t, want, formatstest.Accelerations(t, m, "a")[0], exact*100)
		assert.InDelta(t, -above*want, formatstest.Accelerations(t, m, "b")[4], exact*100)
	}
	m, _ := must(t, racks(0, fmt.Sprintf("%sfloat physics:ratio = %.17g", along, -1/(0.8*rad))))
	assert.InDelta(t, -0.8, formatstest.Accelerations(t, m, "b")[4]/formatstest.Accelerations(t, m, "a")[0], 1e-12, "without a place the axes decide")
}

// TestWrongMimics: each ends in an error with its place, or is dropped with a reason.
func TestWrongMimics(t *testing.T) {
	const hinge = "PhysicsRevoluteJoint"
	for text, says := range map[string][]string{
		follows(hinge, `"NewtonMimicAPI"`, ""):                                                                                                     {"/jb", "names no joint that it follows"},
		follows(hinge, `"NewtonMimicAPI"`, "rel newton:mimicJoint = </jc>"):                                                                        {"/jb.newton:mimicJoint", `"/jc"`},
		follows(hinge, `"NewtonMimicAPI"`, "rel newton:mimicJoint = </a>"):                                                                         {"/jb", `prim "/a" is no joint with one coordinate`},
		follows(hinge, `"NewtonMimicAPI"`, "rel newton:mimicJoint = </jb>"):                                                                        {"/jb.newton:mimicJoint", "follows itself"},
		follows(hinge, `"NewtonMimicAPI"`, "rel newton:mimicJoint = [</ja>, </jb>]"):                                                               {"/jb.newton:mimicJoint", "2 prims"},
		follows(hinge, `"NewtonMimicAPI"`, "rel newton:mimicJoint = </ja>\nfloat newton:mimicCoef0 = nan"):                                         {"/jb.newton:mimicCoef0", "one number"},
		follows(hinge, `"NewtonMimicAPI"`, "rel newton:mimicJoint = </ja>\nfloat newton:mimicCoef1 = inf"):                                         {"/jb.newton:mimicCoef1", "+Inf"},
		follows("PhysicsSphericalJoint", `"NewtonMimicAPI"`, "rel newton:mimicJoint = </ja>"):                                                      {"/jb", "is no joint with one coordinate"},
		follows(hinge, `"PhysxMimicJointAPI:rotX"`, "rel physxMimicJoint:rotX:referenceJoint = </ja>"):                                             {"/jb", "physxMimicJoint:rotX:gearing", "is missing or zero"},
		follows(hinge, `"PhysxMimicJointAPI:rotX"`, "float physxMimicJoint:rotX:gearing = 1"):                                                      {"/jb", "names no joint that it follows"},
		follows(hinge, `"PhysxMimicJointAPI:rotX"`, "rel physxMimicJoint:rotX:referenceJoint = </ja>\nfloat physxMimicJoint:rotX:gearing = 1e400"): {"1e400"},
		meshes("", "", "rel physics:hinge0 = </ja>"):                                                                                               {"/mesh", "physics:hinge1", "names no joint"},
		meshes("", "", "rel physics:hinge0 = </ja>\nrel physics:hinge1 = </b>"):                                                                    {"/mesh.physics:hinge1", `"/b" is no revolute joint`},
		meshes("", "", "rel physics:hinge0 = </jb>\nrel physics:hinge1 = </jb>"):                                                                   {"/mesh.physics:hinge0", "does not hold body 0"},
		meshes("", "", "rel physics:hinge0 = </ja>\nrel physics:hinge1 = </jb>\nfloat physics:gearRatio = 0"):                                      {"/mesh.physics:gearRatio", "is zero"},
		racks(1, "float physics:ratio = nan"):                                                                                                      {"/mesh.physics:ratio", "one number"},
	} {
		first := refused(t, text)
		for _, s := range says {
			assert.Contains(t, first, s, text)
		}
	}
	for text, why := range map[string]string{
		meshes("", "", "rel physics:hinge0 = </ja>\nrel physics:hinge1 = </jb>\nbool physics:jointEnabled = 0"):          "is not enabled",
		meshes("", "", "rel physics:hinge0 = </ja>\nrel physics:hinge1 = </jb>\nquatf physics:localRot1 = (1, 0, 0, 1)"): "the x axis of its frame on body 1 is not that of joint",
		racks(1, ""): "the x axis of its frame on body 1 is not that of joint",
		scene(body("a", spatial.Vec3{}, inertial) + body("b", spatial.Vec3{}, inertial) + joint(hinge, "ja", "", "/a", spatial.Vec3{}, spatial.Vec3{}, "") + joint(hinge, "jb", "/a", "/b", spatial.Vec3{}, spatial.Vec3{}, "") +
			joint("PhysxPhysicsGearJoint", "mesh", "/a", "/b", spatial.Vec3{}, spatial.Vec3{}, "rel physics:hinge0 = </ja>\nrel physics:hinge1 = </jb>")): "not on one body",
	} {
		m, report := must(t, text)
		assert.Empty(t, m.Couplings)
		assert.Equal(t, 1, report.Dropped(), text)
		formatsNote(t, report, why)
		formatstest.Sound(t, report)
	}
}
