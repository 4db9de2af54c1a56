package usd_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// arm is a file with a body and a joint, whose paths are within the file.
var arm = scene(`def Xform "arm" {
	variantSet "load" = {
		"light" { over "link" { float physics:mass = 3 } }
		"heavy" { over "link" { float physics:mass = 7 } }
	}
	` + body("link", spatial.Vec3{}, strings.Replace(inertial, "float physics:mass = 2", "", 1)) +
	joint("PhysicsRevoluteJoint", "hinge", "", "/arm/link", spatial.Vec3{}, spatial.Vec3{}, "") + `}
`)

// TestComposition: references, payloads, inherits, variants and sublayers in their order of strength, with paths that move along.
func TestComposition(t *testing.T) {
	compose := func(main string, others ...string) *model.Model {
		t.Helper()
		result, _, err := read(&source.Options{}, append([]string{"a.usda", main}, others...)...)
		require.NoError(t, err)
		return result.Model
	}
	masses := func(m *model.Model) (out []float64) {
		for k := range m.Bodies {
			out = append(out, m.Bodies[k].Mass)
		}
		return out
	}
	m := compose(scene(`
def "left" (references = @./parts/arm.usda@</arm>
	variants = { string load = "light" }) {}
def "right" (payload = @parts/arm.usda@</arm>) { over "link" { float physics:mass = 9 } }
def "third" (prepend references = @parts/arm.usda@</arm> variants = { string load = "heavy" }) { over "link" { float physics:mass = 11 } }
`), "parts/arm.usda", arm)
	assert.Equal(t, []float64{3, 9, 11}, masses(m))
	assert.Equal(t, []string{"left/link", "right/link", "third/link"}, []string{m.Bodies[0].Name, m.Bodies[1].Name, m.Bodies[2].Name})
	for k := range m.Joints {
		assert.Equal(t, m.Bodies[k].Name, m.Joints[k].Successor, "the paths in a reference are those of where it stands")
	}

	// A class, and a file of which a default prim is taken.
	m = compose(scene(`
class "mass" { float physics:mass = 4
	float3 physics:diagonalInertia = (1, 1, 1) }
def "a" (inherits = </mass> apiSchemas = ["PhysicsRigidBodyAPI"]) {}
def "b" (references = @b.usda@) {}
`), "b.usda", "#usda 1.0\n(defaultPrim = \"x\")\ndef \"x\" (apiSchemas = [\"PhysicsRigidBodyAPI\"]) { float physics:mass = 5\nfloat3 physics:diagonalInertia = (1, 1, 1) }")
	assert.Equal(t, []float64{4, 5}, masses(m))

	// Layers below, weaker in their order; an edit of a list goes through them; a prim that is not active is not there.
	m = compose("#usda 1.0\n(metersPerUnit = 1 subLayers = [@b.usda@, @c.usda@])\nover \"a\" { float physics:mass = 1 }\nover \"gone\" (active = false) {}\n",
		"b.usda", "#usda 1.0\nover \"a\" (append apiSchemas = [\"PhysicsRigidBodyAPI\"]) { float physics:mass = 2\nfloat3 physics:diagonalInertia = (2, 2, 2) }",
		"c.usda", "#usda 1.0\ndef Xform \"a\" (apiSchemas = [\"PhysicsMassAPI\"]) { float3 physics:diagonalInertia = (3, 3, 3) }\ndef \"gone\" (apiSchemas = [\"PhysicsRigidBodyAPI\"]) {}")
	require.Len(t, m.Bodies, 1)
	assert.Equal(t, 1.0, m.Bodies[0].Mass)
	assert.Equal(t, 2.0, m.Bodies[0].Inertia.XX)
}

// TestTransforms: operations act in order, the last of them first, with inverses and a reset; angles are degrees.
func TestTransforms(t *testing.T) {
	place := func(ops string) model.Pose {
		m, _ := must(t, scene(`def Xform "up" { double3 xformOp:translate = (0, 0, 5)
	uniform token[] xformOpOrder = ["xformOp:translate"]
	def Xform "a" (apiSchemas = ["PhysicsRigidBodyAPI"]) {
	float physics:mass = 1
	float3 physics:diagonalInertia = (1, 1, 1)
	`+ops+` } }`))
		return m.Bodies[0].Pose
	}
	half := math.Sqrt(0.5)
	for name, c := range map[string]struct {
		ops string
		r   spatial.Vec3
		q   spatial.Quat
	}{
		"order":   {`double3 xformOp:translate = (1, 0, 0)` + "\n" + `float xformOp:rotateZ = 90` + "\n" + `uniform token[] xformOpOrder = ["xformOp:rotateZ", "xformOp:translate"]`, spatial.Vec3{0, 1, 5}, spatial.Quat{half, 0, 0, half}},
		"inverse": {`double3 xformOp:translate:pivot = (1, 0, 0)` + "\n" + `float xformOp:rotateZ = 90` + "\n" + `uniform token[] xformOpOrder = ["xformOp:translate:pivot", "xformOp:rotateZ", "!invert!xformOp:translate:pivot"]`, spatial.Vec3{1, -1, 5}, spatial.Quat{half, 0, 0, half}},
		"reset":   {`double3 xformOp:translate = (1, 0, 0)` + "\n" + `uniform token[] xformOpOrder = ["!resetXformStack!", "xformOp:translate"]`, spatial.Vec3{1, 0, 0}, spatial.IdentityQuat()},
		"xyz":     {`float3 xformOp:rotateXYZ = (90, 0, 90)` + "\n" + `uniform token[] xformOpOrder = ["xformOp:rotateXYZ"]`, spatial.Vec3{0, 0, 5}, spatial.Quat{0.5, 0.5, 0.5, 0.5}},
		"zyx":     {`float3 xformOp:rotateZYX = (90, 0, 90)` + "\n" + `uniform token[] xformOpOrder = ["xformOp:rotateZYX"]`, spatial.Vec3{0, 0, 5}, spatial.Quat{0.5, 0.5, -0.5, 0.5}},
		"orient":  {`quatf xformOp:orient = (0, 1, 0, 0)` + "\n" + `uniform token[] xformOpOrder = ["xformOp:orient"]`, spatial.Vec3{0, 0, 5}, spatial.Quat{0, 1, 0, 0}},
		"matrix":  {`matrix4d xformOp:transform = ((0, 1, 0, 0), (-1, 0, 0, 0), (0, 0, 1, 0), (7, 8, 9, 1))` + "\n" + `uniform token[] xformOpOrder = ["xformOp:transform"]`, spatial.Vec3{7, 8, 14}, spatial.Quat{half, 0, 0, half}},
	} {
		x := place(c.ops)
		near(t, c.r, x.Position, exact, name)
		assert.InDelta(t, 1, math.Abs(x.Orientation[0]*c.q[0]+x.Orientation[1]*c.q[1]+x.Orientation[2]*c.q[2]+x.Orientation[3]*c.q[3]), exact, name)
	}
}

// TestScale: a body that is scaled has its shapes and the places of its joints scaled, and its mass as it is stated.
func TestScale(t *testing.T) {
	m, report := must(t, scene(strings.Replace(body("a", spatial.Vec3{}, inertial+"\nfloat3 xformOp:scale = (2, 3, 4)"), `["xformOp:translate"]`, `["xformOp:translate", "xformOp:scale"]`, 1)+
		joint("PhysicsSphericalJoint", "j", "", "/a", spatial.Vec3{2, 3, 4}, spatial.Vec3{1, 1, 1}, "")))
	near(t, spatial.Vec3{0.2, 0.6, 1.2}, m.Bodies[0].Com, exact)
	assert.Equal(t, 0.3, m.Bodies[0].Inertia.XX)
	near(t, spatial.Vec3{2, 3, 4}, m.Joints[0].SuccessorFrame.Position, exact)
	formatsNote(t, report, "is scaled by")
}

func formatsNote(t *testing.T, report *source.Report, text string) {
	t.Helper()
	for k := range report.Entries {
		if strings.Contains(report.Entries[k].String(), text) {
			return
		}
	}
	t.Errorf("no line of the report has %q: %v", text, report.Entries)
}

// TestLosses: what the model lacks is dropped with a line, and what has no effect has none.
func TestLosses(t *testing.T) {
	hinge := func(inside string) string {
		return scene(body("a", spatial.Vec3{}, inertial) + joint("PhysicsRevoluteJoint", "j", "", "/a", spatial.Vec3{}, spatial.Vec3{}, inside))
	}
	for inside, says := range map[string]string{
		"bool physics:jointEnabled = 0":            "is not enabled",
		"float physics:breakForce = 5":             "joints that break",
		"float newton:unheardOf = 5":               `"newton:unheardOf"`,
		"float state:angular:physics:position = 5": `"state:angular:physics:position"`,
		"token drive:angular:physics:type = \"acceleration\"\nfloat drive:angular:physics:stiffness = 3": "stiffness is 3",
		"float drive:angular:physics:maxForce = 0\nfloat drive:angular:physics:damping = 3":              "its largest force is none",
	} {
		_, report := must(t, hinge(inside))
		assert.Equal(t, 1, report.Dropped(), inside)
		assert.Positive(t, report.Counts.Dropped, inside)
		formatsNote(t, report, says)
	}
	m, report := must(t, hinge("float newton:damping = 2\nfloat newton:armature = 3\nfloat newton:friction = 4\nfloat newton:velocityLimit = 180\nfloat mjc:armature = 5"))
	assert.Zero(t, report.Dropped())
	j := &m.Joints[0]
	assert.InDelta(t, 2*180/math.Pi, j.Damping[0], exact*100)
	assert.Equal(t, []float64{3}, j.Armature)
	assert.Equal(t, 4.0, j.Friction[0].Force)
	assert.InDelta(t, math.Pi, j.Limits[0].Rate, exact)
	m, _ = must(t, hinge("double mjc:damping = 2\nfloat drive:angular:physics:maxForce = 7\nfloat drive:angular:physics:damping = 0.5"))
	assert.InDelta(t, 2+0.5*180/math.Pi, m.Joints[0].Damping[0], exact*100)
	assert.Equal(t, 7.0, m.Joints[0].Limits[0].Force)
	// Of values in time the one without a time counts, or the first.
	m, report = must(t, hinge("float physics:lowerLimit.timeSamples = { 0: 1, 1: 2 }\nfloat physics:lowerLimit = -5\nfloat physics:upperLimit.timeSamples = { 9: 1, 3: 90 }"))
	formatsNote(t, report, "the value without a time counts")
	formatsNote(t, report, "at the first time, 3")
	assert.InDelta(t, math.Pi/2, m.Joints[0].Limits[0].Upper, exact)
	assert.InDelta(t, -5*math.Pi/180, m.Joints[0].Limits[0].Lower, exact)
	// A kinematic body is ground, and one that is not enabled is none.
	m, _ = must(t, scene(body("a", spatial.Vec3{}, "bool physics:kinematicEnabled = 1")+body("b", spatial.Vec3{}, "bool physics:rigidBodyEnabled = 0")+body("c", spatial.Vec3{}, inertial)+
		joint("PhysicsSphericalJoint", "j", "/a", "/c", spatial.Vec3{}, spatial.Vec3{}, "")))
	require.Len(t, m.Bodies, 1)
	assert.Equal(t, model.World, m.Joints[0].Predecessor)
}

// TestGravity: a scene without gravity has the earth's, in any unit; otherwise the stated gravity counts.
func TestGravity(t *testing.T) {
	for inside, want := range map[string]spatial.Vec3{
		"": {0, -9.81, 0},
		"vector3f physics:gravityDirection = (0, 0, 2)":                                             {0, 0, 9.81},
		"float physics:gravityMagnitude = 981":                                                      {0, -9.81, 0},
		"vector3f physics:gravityDirection = (1, 0, 0)\nfloat physics:gravityMagnitude = 100":       {1, 0, 0},
		"vector3f physics:gravityDirection = (0, 0, 0)\nfloat physics:gravityMagnitude = -inf":      {0, -9.81, 0},
		"vector3f physics:gravityDirection = (1, 0, 0)\nfloat physics:gravityMagnitude = 0 # space": {},
	} {
		m, _ := must(t, "#usda 1.0\ndef PhysicsScene \"s\" {\n"+inside+"\n}\n"+body("a", spatial.Vec3{}, inertial))
		near(t, want, m.Gravity, exact, inside)
	}
}

// TestErrors: each of these ends in one line with the place and what is wrong there.
func TestErrors(t *testing.T) {
	hinge := func(inside string) string {
		return scene(body("a", spatial.Vec3{}, inertial) + joint("PhysicsRevoluteJoint", "j", "", "/a", spatial.Vec3{}, spatial.Vec3{}, inside))
	}
	plain := func(inside string) string {
		return scene("def Xform \"a\" (apiSchemas = [\"PhysicsRigidBodyAPI\"]) {\n" + inside + "\n}\n")
	}
	for text, says := range map[string][]string{
		"#usda 1.0\ndef \"a\" {":                           {"a.usda:2:10", "the end of the file"},
		"#usda 1.0\ndef \"a\" {\n float x = 1..2 }":        {"a.usda:3:12", "1..2"},
		"#usda 1.0\ndef \"a b\" {}":                        {"a.usda:2:", `"a b"`},
		"#usda 1.0\ndef \"a\" {}\ndef \"a\" {}":            {"a.usda:3:", "twice"},
		"#usda 1.0\ndef \"a\" { string s = \"x\n\" }":      {"a.usda:2:22", "does not end"},
		"#usda 1.0\ndef \"a\" { asset s = @x }":            {"a.usda:2:21", "does not end"},
		"#usda 1.0\n(relocates = {})":                      {"a.usda:2:", "relocates"},
		"#usda 1.0\n(metersPerUnit = 0)\n":                 {"a.usda:1:1", "metersPerUnit", "0"},
		"#usda 1.0\n(upAxis = \"X\")\n":                    {"upAxis", `"X"`},
		"#usda 1.0\ndef \"a\" {\nfloat[] x = [1, \"a\"] }": {"a.usda:3:", "other values"},
		"#sdf 1.4":                        {"a.usda:1:1", "#usda"},
		"PXR-USDC\x00":                    {"usdcat -o a-text.usda a.usda"},
		"PK\x03\x04":                      {"usdcat --flatten -o a-text.usda a.usda"},
		plain(""):                         {"/a", "mass, centre of mass, inertia"},
		plain("float physics:mass = 1"):   {"/a", "centre of mass, inertia"},
		plain("float physics:mass = -1"):  {"/a.physics:mass", "-1"},
		plain("float physics:mass = nan"): {"/a.physics:mass", "one number"},
		plain("def Plane \"p\" (apiSchemas = [\"PhysicsCollisionAPI\"]) {}"):                                                                                 {"/a/p", "encloses no volume"},
		plain("def Cylinder \"p\" (apiSchemas = [\"PhysicsCollisionAPI\"]) {double radius = -1}"):                                                            {"/a/p", "encloses no volume"},
		plain("def Xform \"p\" { float physics:mass = 1 }"):                                                                                                  {"/a/p.physics:mass", "neither a body nor a shape"},
		plain("matrix4d xformOp:transform = ((1,0,0,0),(1,1,0,0),(0,0,1,0),(0,0,0,1))\nuniform token[] xformOpOrder = [\"xformOp:transform\"]\n" + inertial): {"/a", "sheared"},
		plain("uniform token[] xformOpOrder = [\"xformOp:spin\"]\n" + inertial):                                                                              {"/a.xformOpOrder", `"xformOp:spin"`},
		hinge("rel physics:body0 = </b>"):                                                                                                                    {"/j.physics:body0", `"/b"`},
		hinge("rel physics:body0 = </a>"):                                                                                                                    {"/j", "to itself"},
		hinge("rel physics:body0 = [</a>, </scene>]"):                                                                                                        {"/j.physics:body0", "2 prims"},
		hinge("token physics:axis = \"W\""):                                                                                                                  {"/j.physics:axis", "none of X, Y and Z"},
		hinge("token drive:angular:physics:type = \"x\"\nfloat drive:angular:physics:stiffness = 3"):                                                         {"/j.drive:angular:physics:type", `"x"`},
		hinge("quatf physics:localRot0 = (0, 0, 0, 0)"):                                                                                                      {"/j.physics:localRot0", "no rotation"},
		scene(joint("PhysicsFixedJoint", "j", "", "", spatial.Vec3{}, spatial.Vec3{}, "")):                                                                   {"/j", "no body at either end"},
		scene("def PhysicsScene \"two\" {}"):                                                                                                                 {"/two", "/scene"},
		scene("def \"x\" (specializes = </y>) {}"):                                                                                                           {"/x", "specializes"},
		scene("def \"x\" (references = @../up.usda@) {}"):                                                                                                    {"a.usda:5:", "leaves the folder"},
		scene("def \"x\" (references = @gone.usda@</a>) {}"):                                                                                                 {"a.usda:5:", "gone.usda"},
		scene("def \"x\" (references = </y>) {}"):                                                                                                            {"a.usda:5:", `"/y"`},
		scene("def \"x\" (references = @a.usda@</x>) {}"):                                                                                                    {"arcs"},
		scene("def \"x\" { def \"y\" (references = </x>) {}\ndef \"z\" (references = </x>) {} }"):                                                            {"a.usda:5:"},
		scene("def \"x\" (variants = { string s = \"b\" }) { variantSet \"s\" = { \"a\" {} } }"):                                                             {"/x", `"b"`},
		scene(strings.Repeat("def \"x\" {", 200)):                                                                                                            {"deeper than"},
		"#usda 1.0\n(subLayers = [@a.usda@])":                                                                                                                {"a.usda:2:", "layer of itself"},
	} {
		start := time.Now()
		first := refused(t, text)
		for _, s := range says {
			assert.Contains(t, first, s, text)
		}
		assert.Less(t, len(first), 400)
		assert.Less(t, time.Since(start), 10*time.Second, text)
	}
	// Both kinds of swing and a rotation that is locked elsewhere are refused by name.
	generic := func(inside string) string {
		return scene(body("a", spatial.Vec3{}, inertial) + joint("PhysicsJoint", "j", "", "/a", spatial.Vec3{}, spatial.Vec3{}, inside))
	}
	assert.Contains(t, refused(t, generic("float limit:rotX:physics:low = 1\nfloat limit:rotX:physics:high = -1")), "without a twist")
	assert.Contains(t, refused(t, generic("float limit:rotX:physics:low = 3\nfloat limit:rotX:physics:high = 3")), "locks rotX at 3")
	_, _, err := read(&source.Options{Key: "home"}, "a.usda", hinge(""))
	require.ErrorContains(t, err, "keyframe")
	_, _, err = read(&source.Options{}, "b.usdc", "x")
	require.ErrorContains(t, err, "usdcat -o b.usda b.usdc")
}

// FuzzRead: nothing that a file may hold makes the reader panic or hang.
func FuzzRead(tf *testing.F) {
	f := check.NewFuzz(tf)
	f.Add(arm)
	f.Add(scene(body("a", spatial.Vec3{1, 2, 3}, inertial+"\ndef Mesh \"m\" (apiSchemas = [\"PhysicsCollisionAPI\"]) { point3f[] points = [(0,0,0),(1,0,0),(0,1,0)]\nint[] faceVertexCounts = [3]\nint[] faceVertexIndices = [0,1,2] }") +
		joint("PhysicsJoint", "j", "", "/a", spatial.Vec3{}, spatial.Vec3{}, "float limit:rotX:physics:low = -inf\nfloat limit:transY:physics:high = 3")))
	f.Add(follows("PhysicsRevoluteJoint", `"MjcEqualityJointAPI", "PhysxMimicJointAPI:rotX"`, "rel mjc:target = </ja>\ndouble mjc:coef2 = 3\nrel physxMimicJoint:rotX:referenceJoint = </ja>\nfloat physxMimicJoint:rotX:gearing = 2"))
	f.Add(meshes("", "", "rel physics:hinge0 = </ja>\nrel physics:hinge1 = </jb>"))
	f.Add(racks(1, "quatf physics:localRot1 = (1, 0, 0, 1)"))
	f.Add("#usda 1.0\n(subLayers = [@a.usda@ (offset = 1)])\nclass \"x\" (inherits = </x>) { custom double[] y.timeSamples = { 0: [1], 2: None, }\nrel z = [<../x>]\nprepend rel z = <.> }")
	f.Add("#usda 1.0\ndef \"a\" (\n\"\"\"say 'x' \\\" \"\"\"\ncustomData = { dictionary d = { int[] i = [1, 2] } } ) { reorder nameChildren = [\"a\"]\ncolor3f c.connect = </a.b>\n}")
	f.Fuzz(func(t *testing.T, text string) {
		_, report, err := read(&source.Options{}, "a.usda", text)
		if err == nil && report.Failed() {
			t.Error("an error was recorded and none returned")
		}
	})
}
