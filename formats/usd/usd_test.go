package usd_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/formats/usd"
	"github.com/rung-mbd/rung/internal/test/formatstest"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// read reads a.usda among files that are given as names and texts.
func read(o *source.Options, files ...string) (*source.Result, *source.Report, error) {
	fs := fstest.MapFS{}
	for k := 0; k < len(files); k += 2 {
		fs[files[k]] = &fstest.MapFile{Data: []byte(files[k+1])}
	}
	return usd.Read(source.NewFiles(fs, nil), source.Name{Path: files[0]}, o)
}

// scene returns a stage in metres with z up.
func scene(inside string) string {
	return "#usda 1.0\n(metersPerUnit = 1\n upAxis = \"Z\")\ndef PhysicsScene \"scene\" {}\n" + inside
}

// must reads a stage that is good.
func must(t *testing.T, text string) (*model.Model, *source.Report) {
	t.Helper()
	result, report, err := read(&source.Options{}, "a.usda", text)
	require.NoError(t, err)
	return result.Model, report
}

// refused reads a stage that is not, and returns the first error.
func refused(t *testing.T, text string) string {
	t.Helper()
	_, _, err := read(&source.Options{}, "a.usda", text)
	require.Error(t, err)
	first, _, _ := strings.Cut(err.Error(), "\n")
	return first
}

// inertial is what a body states of its mass.
const inertial = `float physics:mass = 2
	point3f physics:centerOfMass = (0.1, 0.2, 0.3)
	float3 physics:diagonalInertia = (0.3, 0.4, 0.5)`

// body returns a body at a place.
func body(name string, at spatial.Vec3, inside string) string {
	return fmt.Sprintf(`def Xform %q (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]) {
	double3 xformOp:translate = (%g, %g, %g)
	uniform token[] xformOpOrder = ["xformOp:translate"]
	%s
}
`, name, at[0], at[1], at[2], inside)
}

// joint returns a joint between bodies, whose frames are at two places; without a body the world's.
func joint(kind, name, body0, body1 string, at0, at1 spatial.Vec3, inside string) string {
	rel := func(which, body string) string {
		if body == "" {
			return ""
		}
		return fmt.Sprintf("\trel physics:body%s = <%s>\n", which, body)
	}
	return fmt.Sprintf("def %s %q {\n%s%s\tpoint3f physics:localPos0 = (%g, %g, %g)\n\tpoint3f physics:localPos1 = (%g, %g, %g)\n\t%s\n}\n",
		kind, name, rel("0", body0), rel("1", body1), at0[0], at0[1], at0[2], at1[0], at1[1], at1[2], inside)
}

// exact is the tolerance of what is computed in the same way but for the order of a few operations.
const exact = 1e-12

func near(t *testing.T, want, got spatial.Vec3, tol float64, what ...any) {
	t.Helper()
	assert.LessOrEqual(t, got.Sub(want).Norm(), tol, append([]any{fmt.Sprint("want ", want, " got ", got)}, what...)...)
}

// TestUnits: a pendulum in centimetres and grams with y up is the one in metres with z up, turned by 90° about x.
func TestUnits(t *testing.T) {
	si, _ := must(t, scene(body("bob", spatial.Vec3{0, 0, 1}, inertial+`
	vector3f physics:angularVelocity = (0, 90, 0)`)+
		joint("PhysicsRevoluteJoint", "hinge", "", "/bob", spatial.Vec3{0.5, 0, 1}, spatial.Vec3{0.5, 0, 0}, `uniform token physics:axis = "Y"`+`
	float physics:lowerLimit = -90
	float physics:upperLimit = 45
	float drive:angular:physics:stiffness = 0.5
	float drive:angular:physics:damping = 0.25
	float drive:angular:physics:targetPosition = 30
	float drive:angular:physics:targetVelocity = 10`)))
	cgs, _ := must(t, "#usda 1.0\n(metersPerUnit = 0.01\n kilogramsPerUnit = 0.001\n upAxis = \"Y\")\n"+`
def PhysicsScene "scene" {}
`+body("bob", spatial.Vec3{0, 100, 0}, `float physics:mass = 2000
	point3f physics:centerOfMass = (10, 30, -20)
	float3 physics:diagonalInertia = (3e6, 5e6, 4e6)
	vector3f physics:angularVelocity = (0, 0, -90)`)+
		joint("PhysicsRevoluteJoint", "hinge", "", "/bob", spatial.Vec3{50, 100, 0}, spatial.Vec3{50, 0, 0}, `uniform token physics:axis = "Z"`+`
	float physics:lowerLimit = -45
	float physics:upperLimit = 90
	float drive:angular:physics:stiffness = 5e6
	float drive:angular:physics:damping = 2.5e6
	float drive:angular:physics:targetPosition = -30
	float drive:angular:physics:targetVelocity = -10`))
	turn := func(v spatial.Vec3) spatial.Vec3 { return spatial.Vec3{v[0], -v[2], v[1]} }
	near(t, si.Gravity, turn(cgs.Gravity), exact)
	assert.InDelta(t, si.Bodies[0].Mass, cgs.Bodies[0].Mass, exact)
	near(t, si.Bodies[0].Com, turn(cgs.Bodies[0].Com), exact)
	near(t, spatial.Vec3{0, math.Pi / 2, 0}, si.Bodies[0].Velocity.Angular, exact)
	near(t, si.Bodies[0].Velocity.Angular, turn(cgs.Bodies[0].Velocity.Angular), exact)
	a, b := &si.Joints[0], &cgs.Joints[0]
	assert.InDelta(t, 0.5*180/math.Pi, a.Stiffness[0], exact)
	assert.InDelta(t, 0.25*180/math.Pi, a.Damping[0], exact)
	assert.InDelta(t, 30*math.Pi/180, a.Rest[0], exact)
	assert.InDelta(t, 0.25*10, a.Force[0], exact)
	assert.InDelta(t, a.Stiffness[0], b.Stiffness[0], exact)
	assert.InDelta(t, -math.Pi/2, a.Limits[0].Lower, exact)
	assert.InDelta(t, math.Pi/2, b.Limits[0].Upper, exact)
	x, y := formatstest.Accelerations(t, si, "bob"), formatstest.Accelerations(t, cgs, "bob")
	for k := 0; k < 6; k += 3 {
		near(t, spatial.Vec3(x[k:k+3]), turn(spatial.Vec3(y[k:k+3])), exact*100, "accelerations are about 30")
	}
	require.Greater(t, spatial.Vec3(x[:3]).Norm()+spatial.Vec3(x[3:]).Norm(), 1.0)
}

// TestFourBar: a joint that is kept out of the articulation closes its loop as the others do.
func TestFourBar(t *testing.T) {
	m, report := must(t, scene(body("left", spatial.Vec3{0, 0, 0}, inertial)+body("bar", spatial.Vec3{0, 0, 1}, inertial)+body("right", spatial.Vec3{2, 0, 0}, inertial)+
		joint("PhysicsRevoluteJoint", "a", "", "/left", spatial.Vec3{}, spatial.Vec3{}, `token physics:axis = "Y"`)+
		joint("PhysicsRevoluteJoint", "b", "/left", "/bar", spatial.Vec3{0, 0, 1}, spatial.Vec3{}, `token physics:axis = "Y"`)+
		joint("PhysicsRevoluteJoint", "c", "/bar", "/right", spatial.Vec3{2, 0, 0}, spatial.Vec3{0, 0, 1}, `token physics:axis = "Y"
	bool physics:excludeFromArticulation = 1`)+
		joint("PhysicsRevoluteJoint", "d", "/right", "", spatial.Vec3{}, spatial.Vec3{2, 0, 0}, `token physics:axis = "Y"`)))
	formatstest.Sound(t, report)
	require.Len(t, m.Joints, 4)
	assert.Equal(t, 1, formatstest.Mobility(t, m))
	assert.Zero(t, report.Counts.Dropped)
	formatstest.Run(t, m, 1, true)
}

// TestSimpleJoints: each joint of the schema is the one of the model, and a generic joint with the right limits is the same.
func TestSimpleJoints(t *testing.T) {
	lock := func(names ...string) string {
		text := ""
		for _, n := range names {
			text += "float limit:" + n + ":physics:low = 1\n\tfloat limit:" + n + ":physics:high = -1\n\t"
		}
		return text
	}
	all := []string{"transX", "transY", "transZ", "rotX", "rotY", "rotZ"}
	but := func(free ...string) string {
		var out []string
		for _, n := range all {
			keep := true
			for _, f := range free {
				keep = keep && n != f
			}
			if keep {
				out = append(out, n)
			}
		}
		return lock(out...)
	}
	for name, c := range map[string]struct {
		kind, inside, generic string
		want                  model.JointType
	}{
		"revolute":  {"PhysicsRevoluteJoint", `token physics:axis = "Z"`, but("rotZ"), model.Revolute},
		"prismatic": {"PhysicsPrismaticJoint", `token physics:axis = "Y"`, but("transY"), model.Prismatic},
		"spherical": {"PhysicsSphericalJoint", "", but("rotX", "rotY", "rotZ"), model.Spherical},
		"cylinder":  {"", "", but("rotX", "transX"), model.Cylindrical},
		"universal": {"", "", but("rotX", "rotZ"), model.Universal},
		"planar":    {"", "", but("transX", "transY", "rotZ"), model.Planar},
		"distance":  {"PhysicsDistanceJoint", "float physics:minDistance = 2\n\tfloat physics:maxDistance = 2", "", model.Distance},
	} {
		t.Run(name, func(t *testing.T) {
			make := func(kind, inside string) *model.Model {
				off := spatial.Vec3{}
				if c.want == model.Distance {
					off = spatial.Vec3{0, 0, 2}
				}
				m, report := must(t, scene(body("a", spatial.Vec3{1, 2, 3}, inertial)+joint(kind, "j", "", "/a", spatial.Vec3{1, 2, 3}.Add(off), spatial.Vec3{}, inside)))
				assert.Zero(t, report.Counts.Dropped)
				require.Len(t, m.Joints, 1)
				assert.Equal(t, c.want, m.Joints[0].Type)
				return m
			}
			if c.kind != "" {
				m := make(c.kind, c.inside)
				if c.generic != "" {
					a, b := formatstest.Accelerations(t, m, "a"), formatstest.Accelerations(t, make("PhysicsJoint", c.generic), "a")
					assert.InDeltaSlice(t, a, b, exact*100)
				}
				return
			}
			make("PhysicsJoint", c.generic)
		})
	}
	// All free is no joint, all locked one body with the ground.
	m, _ := must(t, scene(body("a", spatial.Vec3{}, inertial)+joint("PhysicsJoint", "j", "", "/a", spatial.Vec3{}, spatial.Vec3{}, "")))
	assert.Empty(t, m.Joints)
	for _, c := range [][2]string{{"PhysicsJoint", lock(all...)}, {"PhysicsFixedJoint", ""}} {
		m, _ = must(t, scene(body("a", spatial.Vec3{}, inertial)+joint(c[0], "j", "", "/a", spatial.Vec3{}, spatial.Vec3{}, c[1])))
		assert.Empty(t, m.Bodies)
	}
	// A translation that is locked elsewhere, and a fixed joint that is open.
	m, _ = must(t, scene(body("a", spatial.Vec3{0.5, 0, 0}, inertial)+joint("PhysicsJoint", "j", "", "/a", spatial.Vec3{}, spatial.Vec3{}, but("rotX", "transX")+`
	float limit:transX:physics:low = 0.5
	float limit:transX:physics:high = 0.5`)))
	assert.Equal(t, model.Revolute, m.Joints[0].Type)
	assert.InDelta(t, 0.5, m.Joints[0].PredecessorFrame.Position[0], exact)
	m, _ = must(t, scene(body("a", spatial.Vec3{0.5, 0, 0}, inertial)+joint("PhysicsFixedJoint", "j", "", "/a", spatial.Vec3{}, spatial.Vec3{}, "")))
	assert.Equal(t, model.Fixed, m.Joints[0].Type)
}

// TestShapes: masses of shapes agree with formulas, at any scale and density, and of meshes too.
func TestShapes(t *testing.T) {
	shape := func(kind, inside string) string {
		return body("a", spatial.Vec3{}, "def "+kind+" \"s\" (prepend apiSchemas = [\"PhysicsCollisionAPI\", \"PhysicsMassAPI\"]) {\n"+inside+"\n}\n")
	}
	stretch := func(x, y, z float64) string {
		return fmt.Sprintf("float3 xformOp:scale = (%g, %g, %g)\nuniform token[] xformOpOrder = [\"xformOp:scale\"]\n", x, y, z)
	}
	const cubeMesh = `point3f[] points = [(-1,-1,-1),(1,-1,-1),(1,1,-1),(-1,1,-1),(-1,-1,1),(1,-1,1),(1,1,1),(-1,1,1)]
int[] faceVertexCounts = [4,4,4,4,4,4]
int[] faceVertexIndices = [0,3,2,1, 4,5,6,7, 0,1,5,4, 2,3,7,6, 1,2,6,5, 0,4,7,3]
`
	pi := math.Pi
	for name, c := range map[string]struct {
		text    string
		mass    float64
		com     spatial.Vec3
		inertia spatial.Vec3
	}{
		"cube":     {shape("Cube", "float physics:density = 10"), 80, spatial.Vec3{}, spatial.Vec3{1, 1, 1}.Scale(80 * 4. / 6)},
		"box":      {shape("Cube", "double size = 1\nfloat physics:density = 10\n"+stretch(2, 3, 4)), 240, spatial.Vec3{}, spatial.Vec3{9 + 16, 4 + 16, 4 + 9}.Scale(20)},
		"sphere":   {shape("Sphere", "double radius = 2"), 1000 * 4 * pi / 3 * 8, spatial.Vec3{}, spatial.Vec3{1, 1, 1}.Scale(1000 * 4 * pi / 3 * 8 * 0.4 * 4)},
		"ellipse":  {shape("Sphere", "float physics:mass = 5\n"+stretch(1, 2, 3)), 5, spatial.Vec3{}, spatial.Vec3{4 + 9, 1 + 9, 1 + 4}},
		"cylinder": {shape("Cylinder", "token axis = \"X\"\nfloat physics:mass = 12\ndouble height = 1"), 12, spatial.Vec3{}, spatial.Vec3{6, 4, 4}},
		"cone":     {shape("Cone", "float physics:mass = 80"), 80, spatial.Vec3{0, 0, -0.5}, spatial.Vec3{12 + 12, 12 + 12, 24}},
		"capsule":  {shape("Capsule", "double height = 0\ndouble radius = 1\nfloat physics:mass = 5"), 5, spatial.Vec3{}, spatial.Vec3{2, 2, 2}},
		"mesh":     {shape("Mesh", cubeMesh+"float physics:density = 10"), 80, spatial.Vec3{}, spatial.Vec3{1, 1, 1}.Scale(80 * 4. / 6)},
		"left":     {shape("Mesh", strings.Replace(cubeMesh, "0,3,2,1, 4,5,6,7, 0,1,5,4, 2,3,7,6, 1,2,6,5, 0,4,7,3", "1,2,3,0, 7,6,5,4, 4,5,1,0, 6,7,3,2, 5,6,2,1, 3,7,4,0", 1)+"token orientation = \"leftHanded\"\nfloat physics:density = 10"), 80, spatial.Vec3{}, spatial.Vec3{1, 1, 1}.Scale(80 * 4. / 6)},
		"stated":   {strings.Replace(shape("Cube", ""), "uniform token[]", "float physics:mass = 6\nuniform token[]", 1), 6, spatial.Vec3{}, spatial.Vec3{4, 4, 4}},
		"material": {"def Material \"m\" { float physics:density = 2 }\n" + shape("Cube", "rel material:binding = </m>"), 16, spatial.Vec3{}, spatial.Vec3{1, 1, 1}.Scale(16 * 4. / 6)},
		"nearer":   {strings.Replace(shape("Cube", "float physics:density = 10"), "uniform token[]", "float physics:density = 3\nuniform token[]", 1), 80, spatial.Vec3{}, spatial.Vec3{1, 1, 1}.Scale(80 * 4. / 6)},
		"axes": {body("a", spatial.Vec3{}, `float physics:mass = 1
	float3 physics:diagonalInertia = (1, 2, 2.5)
	quatf physics:principalAxes = (0.70710678, 0, 0, 0.70710678)`), 1, spatial.Vec3{}, spatial.Vec3{2, 1, 2.5}},
	} {
		t.Run(name, func(t *testing.T) {
			m, _ := must(t, scene(c.text))
			b := &m.Bodies[0]
			assert.InDelta(t, c.mass, b.Mass, c.mass*exact)
			near(t, c.com, b.Com, exact)
			near(t, c.inertia, spatial.Vec3{b.Inertia.XX, b.Inertia.YY, b.Inertia.ZZ}, c.inertia.Norm()*1e-8, "the quaternion has eight digits")
			near(t, spatial.Vec3{}, spatial.Vec3{b.Inertia.XY, b.Inertia.XZ, b.Inertia.YZ}, c.inertia.Norm()*1e-8)
		})
	}
}
