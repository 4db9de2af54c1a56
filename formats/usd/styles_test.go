package usd_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/test/formatstest"
	"github.com/rung-mbd/rung/model"
)

// style is a stage in the manner of some program, and what has to become of it.
type style struct {
	files                      []string // names and texts
	bodies, redundant, freedom int
	joints                     string // names and types, by name
	says                       []string
}

// stated is what a body states of its mass, in the manner of exporters.
const stated = `
            float physics:mass = 1.5
            point3f physics:centerOfMass = (0, 0, 0.05)
            float3 physics:diagonalInertia = (0.01, 0.02, 0.015)
            quatf physics:principalAxes = (1, 0, 0, 0)`

// link is a body in the manner of importers: pose, mass, shapes for the eye in an instance and shapes for contact.
func link(name, at string) string {
	return `
    def Xform "` + name + `" (
        prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysxRigidBodyAPI"]
    )
    {` + stated + `
        bool physics:kinematicEnabled = 0
        bool physics:rigidBodyEnabled = 1
        vector3f physics:velocity = (0, 0, 0)
        bool physxRigidBody:disableGravity = 0
        quatf xformOp:orient = (1, 0, 0, 0)
        float3 xformOp:scale = (1, 1, 1)
        double3 xformOp:translate = (` + at + `)
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient", "xformOp:scale"]

        def Xform "visuals" (
            instanceable = true
            prepend references = </Flattened_Prototype_1>
        )
        {
            quatd xformOp:orient = (1, 0, 0, 0)
            double3 xformOp:translate = (0, 0, 0.05)
            uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]
        }

        def Scope "collisions"
        {
            def Cube "box" (
                prepend apiSchemas = ["PhysicsCollisionAPI", "PhysxCollisionAPI"]
            )
            {
                float3[] extent = [(-0.5, -0.5, -0.5), (0.5, 0.5, 0.5)]
                bool physics:collisionEnabled = 1
                float physxCollision:contactOffset = 0.02
                uniform token purpose = "guide"
                double size = 1
                float3 xformOp:scale = (0.02, 0.02, 0.1)
                uniform token[] xformOpOrder = ["xformOp:scale"]
            }
        }
    }
`
}

// prototype is what instances refer to.
const prototype = `
def "Flattened_Prototype_1"
{
    def Mesh "mesh" (
        prepend apiSchemas = ["MaterialBindingAPI"]
    )
    {
        uniform bool doubleSided = 1
        int[] faceVertexCounts = [3, 3, 3, 3]
        int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]
        rel material:binding = </Looks/grey> (
            bindMaterialAs = "weakerThanDescendants"
        )
        normal3f[] normals = [(0, 0, 1)] (
            interpolation = "faceVarying"
        )
        point3f[] points = [(0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1)]
        color3f[] primvars:displayColor = [(0.5, 0.5, 0.5)]
        texCoord2f[] primvars:st = [(0, 0), (1, 0)] (
            interpolation = "vertex"
        )
        uniform token subdivisionScheme = "none"
    }
}

def Scope "Looks"
{
    def Material "grey"
    {
        token outputs:surface.connect = </Looks/grey/shader.outputs:surface>

        def Shader "shader"
        {
            uniform token info:id = "UsdPreviewSurface"
            color3f inputs:diffuseColor = (0.5, 0.5, 0.5)
            asset inputs:file = @./textures/grey.png@
            float inputs:roughness.timeSamples = {
                0: 0.5,
                24: 0.6,
            }
            token outputs:surface
        }
    }
}
`

// header is the header of a stage as saved by a program with all metadata.
const header = `#usda 1.0
(
    """A stage
of two lines"""
    customLayerData = {
        dictionary cameraSettings = {
            dictionary Perspective = {
                double3 position = (5, 5, 5)
                string boundCamera = "/OmniverseKit_Persp"
            }
        }
        dictionary omni_layer = {
            dictionary muteness = {
            }
        }
    }
    defaultPrim = "robot"
    endTimeCode = 100
    kilogramsPerUnit = 1
    metersPerUnit = 1
    startTimeCode = 0
    timeCodesPerSecond = 60
    upAxis = "Z"
)
`

// simulator is a scene with settings of a solver.
const simulator = `
def PhysicsScene "physicsScene" (
    prepend apiSchemas = ["PhysxSceneAPI"]
)
{
    vector3f physics:gravityDirection = (0, 0, -1)
    float physics:gravityMagnitude = 9.81
    bool physxScene:enableGPUDynamics = 0
    token physxScene:broadphaseType = "MBP"
    uniform token physxScene:solverType = "TGS"
}
`

// hinge is a joint in the manner of importers, inside of a link or beside them.
func hinge(name, body0, body1, at0, at1, more string) string {
	return `
        def PhysicsRevoluteJoint "` + name + `" (
            prepend apiSchemas = ["PhysicsDriveAPI:angular", "PhysxJointAPI", "PhysicsJointStateAPI:angular"]
        )
        {
            float drive:angular:physics:damping = 0.01
            float drive:angular:physics:maxForce = 87
            float drive:angular:physics:stiffness = 0
            float drive:angular:physics:targetPosition = 0
            uniform token drive:angular:physics:type = "force"
            uniform token physics:axis = "Y"
            rel physics:body0 = <` + body0 + `>
            rel physics:body1 = <` + body1 + `>
            float physics:breakForce = inf
            float physics:breakTorque = inf
            point3f physics:localPos0 = (` + at0 + `)
            point3f physics:localPos1 = (` + at1 + `)
            quatf physics:localRot0 = (1, 0, 0, 0)
            quatf physics:localRot1 = (1, 0, 0, 0)
            float physics:lowerLimit = -166.00314
            float physics:upperLimit = 166.00314
            float physxJoint:armature = 0.001
            float physxJoint:jointFriction = 0
            float physxJoint:maxJointVelocity = 124.6
            float state:angular:physics:position = 0
            float state:angular:physics:velocity = 0
            ` + more + `
        }
`
}

// root is the joint that holds a robot on the ground.
func root(body string) string {
	return `
    def PhysicsFixedJoint "root_joint"
    {
        rel physics:body1 = <` + body + `>
        point3f physics:localPos0 = (0, 0, 0)
        point3f physics:localPos1 = (0, 0, 0)
        quatf physics:localRot0 = (1, 0, 0, 0)
        quatf physics:localRot1 = (1, 0, 0, 0)
    }
`
}

// robot is a root prim with an articulation.
func robot(inside string) string {
	return `
def Xform "robot" (
    prepend apiSchemas = ["PhysicsArticulationRootAPI", "PhysxArticulationAPI"]
    assetInfo = {
        string name = "robot"
    }
    customData = {
        bool isaac = 1
    }
)
{
    bool physxArticulation:enabledSelfCollisions = 0
    int physxArticulation:solverPositionIterationCount = 32
` + inside + `
}
`
}

var styles = map[string]style{
	// An arm as an importer of URDF writes it.
	"arm": {files: []string{"a.usda", header + simulator + robot(link("base", "0, 0, 0")+link("upper", "0, 0, 0.1")+link("lower", "0, 0, 0.4")+
		root("/robot/base")+hinge("one", "/robot/base", "/robot/upper", "0, 0, 0.1", "0, 0, 0", "")+
		hinge("two", "/robot/upper", "/robot/lower", "0, 0, 0.3", "0, 0, 0", "")) + prototype},
		bodies: 2, freedom: 2, joints: "one revolute, two revolute"},

	// A linkage of four hinges, of which the last is kept out of the articulation.
	"linkage": {files: []string{"a.usda", header + simulator + robot(link("base", "0, 0, 0")+link("left", "0, 0, 0.1")+link("bar", "0, 0, 0.4")+link("right", "0.2, 0, 0.1")+
		root("/robot/base")+hinge("a", "/robot/base", "/robot/left", "0, 0, 0.1", "0, 0, 0", "")+hinge("b", "/robot/left", "/robot/bar", "0, 0, 0.3", "0, 0, 0", "")+
		hinge("c", "/robot/base", "/robot/right", "0.2, 0, 0.1", "0, 0, 0", "")+
		hinge("d", "/robot/right", "/robot/bar", "0, 0, 0.3", "0.2, 0, 0", "bool physics:excludeFromArticulation = 1")) + prototype},
		bodies: 3, redundant: 3, freedom: 1, joints: "a revolute, b revolute, c revolute, d revolute"},

	// Nested links, each in its parent, with joints inside of them and bodies named relative to them.
	"nested": {files: []string{"a.usda", header + simulator + `
def Xform "robot" (prepend apiSchemas = ["PhysicsArticulationRootAPI", "NewtonArticulationRootAPI"])
{
    bool newton:selfCollisionEnabled = 0
    def Xform "torso" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
    {` + stated + `
        def Xform "leg" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
        {` + stated + `
            float3 xformOp:rotateXYZ = (0, 30, 0)
            double3 xformOp:translate = (0, 0, -0.3)
            uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateXYZ"]
            def PhysicsRevoluteJoint "hip" (prepend apiSchemas = ["PhysicsDriveAPI:angular", "NewtonJointAPI"])
            {
                uniform token physics:axis = "Y"
                prepend rel physics:body0 = [</robot/torso>]
                rel physics:body1 = <../../leg>
                point3f physics:localPos0 = (0, 0, -0.3)
                float newton:armature = 0.01
                float newton:friction = 0
            }
        }
    }
}
`}, bodies: 2, freedom: 7, joints: "hip revolute"},

	// A robot in a payload that a variant adds, joints in an over of another layer.
	"layers": {files: []string{"a.usda", `#usda 1.0
(
    defaultPrim = "robot"
    metersPerUnit = 1.0
    subLayers = [
        @./sub/edits.usda@ (offset = 0; scale = 1)
    ]
    upAxis = "Z"
)

def Xform "robot" (
    variants = {
        string Physics = "PhysX"
        string Sensor = "None"
    }
    prepend variantSets = ["Physics", "Sensor"]
)
{
    variantSet "Physics" = {
        "None" {

        }
        "PhysX" (
            prepend payload = @./sub/robot.usda@</arm>
        ) {
            token visibility = "inherited"
        }
    }
    variantSet "Sensor" = {
        "None" {
        }
        "Lidar" (
            prepend payload = @missing.usda@
        ) {
        }
    }
}
`, "sub/robot.usda", "#usda 1.0\n(metersPerUnit = 1\n upAxis = \"Z\")\n" + simulator + strings.NewReplacer(`"robot"`, `"arm"`, "/robot/", "/arm/").Replace(
		robot(link("base", "0, 0, 0")+link("upper", "0, 0, 0.1")+root("/robot/base")+hinge("one", "/robot/base", "/robot/upper", "0, 0, 0.1", "0, 0, 0", ""))) + prototype,
		"sub/edits.usda", `#usda 1.0
over "robot"
{
    over "upper"
    {
        float physics:mass = 2.5
    }
}
`}, bodies: 1, freedom: 1, joints: "one revolute"},

	// Robots side by side, which refer to one class.
	"clones": {files: []string{"a.usda", header + simulator + `
def Xform "World"
{
    def Scope "envs"
    {
        def Xform "env_0" (prepend references = </template>)
        {
            double3 xformOp:translate = (-2, 0, 0)
            uniform token[] xformOpOrder = ["xformOp:translate"]
        }
        def Xform "env_1" (prepend references = </template>)
        {
            double3 xformOp:translate = (2, 0, 0)
            uniform token[] xformOpOrder = ["xformOp:translate"]
        }
    }
}
class Xform "template"
{
    def Xform "bob" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
    {` + stated + `
    }
    def PhysicsSphericalJoint "ball"
    {
        rel physics:body0 = </template>
        rel physics:body1 = </template/bob>
        uniform token physics:axis = "Z"
        float physics:coneAngle0Limit = -1
        float physics:coneAngle1Limit = -1
        point3f physics:localPos1 = (0, 0, 0.3)
        point3f physics:localPos0 = (0, 0, 0.3)
    }
}
`}, bodies: 2, freedom: 6, joints: "ball spherical, ball#2 spherical"},

	// A gripper whose thumb follows the finger: an equation between their coordinates.
	"mimic": {files: []string{"a.usda", header + simulator + robot(link("palm", "0, 0, 0")+link("left", "0.05, 0, 0.1")+link("right", "-0.05, 0, 0.1")+root("/robot/palm")+`
    def PhysicsPrismaticJoint "finger" (
        prepend apiSchemas = ["PhysicsDriveAPI:linear", "PhysxJointAPI"]
    )
    {
        uniform token physics:axis = "X"
        rel physics:body0 = </robot/palm>
        rel physics:body1 = </robot/left>
        point3f physics:localPos0 = (0.05, 0, 0.1)
        float drive:linear:physics:stiffness = 400
        float drive:linear:physics:damping = 40
        float physics:lowerLimit = 0
        float physics:upperLimit = 0.04
    }
    def PhysicsPrismaticJoint "thumb" (
        prepend apiSchemas = ["PhysxMimicJointAPI:rotX"]
    )
    {
        uniform token physics:axis = "X"
        rel physics:body0 = </robot/palm>
        rel physics:body1 = </robot/right>
        point3f physics:localPos0 = (-0.05, 0, 0.1)
        float physxMimicJoint:rotX:gearing = 1
        float physxMimicJoint:rotX:offset = 0
        rel physxMimicJoint:rotX:referenceJoint = </robot/finger>
    }
`) + prototype}, bodies: 2, freedom: 1, joints: "finger prismatic, thumb prismatic"},

	// Mass by density of shapes, units of centimetres, and y up.
	"centimetres": {files: []string{"a.usda", `#usda 1.0
(
    metersPerUnit = 0.01
    upAxis = "Y"
)
def PhysicsScene "scene"
{
}
def Xform "crate" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])
{
    matrix4d xformOp:transform = ( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 100, 0, 1) )
    uniform token[] xformOpOrder = ["!resetXformStack!", "xformOp:transform"]
    def Sphere "shape" (prepend apiSchemas = ["PhysicsCollisionAPI", "PhysicsMassAPI"])
    {
        float physics:density = 0.001
        double radius = 10
    }
}
def PhysicsJoint "pole" (prepend apiSchemas = ["PhysicsLimitAPI:transX", "PhysicsLimitAPI:transZ", "PhysicsLimitAPI:rotX", "PhysicsLimitAPI:rotZ"])
{
    rel physics:body1 = </crate>
    point3f physics:localPos0 = (0, 100, 0)
    float limit:transX:physics:low = 1
    float limit:transX:physics:high = -1
    float limit:transZ:physics:low = 1
    float limit:transZ:physics:high = -1
    float limit:rotX:physics:low = 1
    float limit:rotX:physics:high = -1
    float limit:rotZ:physics:low = 1
    float limit:rotZ:physics:high = -1
}
`}, bodies: 1, freedom: 2, joints: "pole cylindrical"},

	// A body that something else moves, and a target that is none.
	"ground": {files: []string{"a.usda", header + simulator + `
def Xform "floor" (prepend apiSchemas = ["PhysicsRigidBodyAPI"])
{
    bool physics:kinematicEnabled = true
}
def Plane "plane" (prepend apiSchemas = ["PhysicsCollisionAPI"])
{
    uniform token axis = "Z"
    token visibility = "invisible"
}
def Xform "robot"
{
` + link("bob", "0, 0, 1") + `
    def PhysicsRevoluteJoint "hinge"
    {
        uniform token physics:axis = "X"
        rel physics:body0 = </floor>
        rel physics:body1 = </robot/bob>
        point3f physics:localPos0 = (0, 0, 1)
    }
    def PhysicsFixedJoint "disabled"
    {
        bool physics:jointEnabled = 0
        rel physics:body0 = </floor>
        rel physics:body1 = </robot/bob>
    }
}
` + prototype}, bodies: 1, freedom: 1, joints: "hinge revolute", says: []string{`joint "disabled"`}},

	// A leg with a distance that holds, and motors by attributes of another engine.
	"strut": {files: []string{"a.usda", header + simulator + robot(link("base", "0, 0, 0")+link("thigh", "0, 0, 0.5")+link("shank", "0, 0, 0.2")+root("/robot/base")+
		hinge("hip", "/robot/base", "/robot/thigh", "0, 0, 0.5", "0, 0, 0", "float mjc:damping = 0.1\n float mjc:frictionloss = 0")+
		hinge("knee", "/robot/thigh", "/robot/shank", "0, 0, -0.3", "0, 0, 0", "")+`
    def PhysicsDistanceJoint "rod"
    {
        rel physics:body0 = </robot/base>
        rel physics:body1 = </robot/shank>
        point3f physics:localPos0 = (0.3, 0, 0.2)
        point3f physics:localPos1 = (0, 0, 0)
        float physics:minDistance = 0.3
        float physics:maxDistance = 0.3
        bool physics:excludeFromArticulation = true
    }
`) + prototype}, bodies: 2, freedom: 1, joints: "hip revolute, knee revolute, rod distance"},

	// Odd but right text: semicolons, comments, numbers of all kinds, empty lists, deleted and reordered names.
	"text": {files: []string{"a.usda", `#usda 1.0
( # of the layer
    doc = 'one " quote'; metersPerUnit = 1e0; upAxis = 'Z'
    customLayerData = { string a = "\n\t\"x\"" ; int[] b = [] ; asset c = @@@a@b@@@ ; token[] d = ["x", ] }
)
def PhysicsScene "s"{}
reorder rootPrims = ["s", "a"]
def Xform "a" ( delete apiSchemas = ["Nothing"]
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI",] # a comma
)
{ float physics:mass = +1.5e+0; point3f physics:centerOfMass = (-0.0, .5, 1.)
    float3 physics:diagonalInertia = (1e-2, 2E-2, 0.015,)
    custom double userProperties:x = nan
    uint64 big = 18446744073709551615
    half[] h = [0.5, -inf]
    bool yes = True
    string many = '''a "b"
 c'''
    rel empty
    rel none = None
    float physics:unset = None
    reorder nameChildren = []
    def "typeless" {}
    def Scope "ключ" {}
}
`}, bodies: 1, freedom: 6, joints: ""},
}

// TestStyles: stages in the manner of importers, simulators and hands become the mechanisms that they describe, and each of their parts is in the report.
func TestStyles(t *testing.T) {
	for name, s := range styles {
		t.Run(name, func(t *testing.T) {
			result, report, err := read(&source.Options{}, s.files...)
			require.NoError(t, err)
			formatstest.Sound(t, report)
			m := result.Model
			var joints []string
			for i := range m.Joints {
				joints = append(joints, fmt.Sprintf("%s %v", m.Joints[i].Name, m.Joints[i].Type))
			}
			assert.Equal(t, s.joints, strings.Join(joints, ", "))
			require.Len(t, m.Bodies, s.bodies)
			var text strings.Builder
			for i := range report.Entries {
				e := &report.Entries[i]
				text.WriteString(e.What + ": " + e.Why + ": " + e.Consequence + "\n")
			}
			for _, says := range s.says {
				assert.Contains(t, text.String(), says)
			}
			if t.Failed() {
				t.Log(text.String())
			}
			check := map[string]func(m *model.Model){
				"layers":      func(m *model.Model) { assert.InDelta(t, 2.5, m.Bodies[0].Mass, 0, "an opinion of a layer above") },
				"centimetres": func(m *model.Model) { assert.InDelta(t, 4.18879, m.Bodies[0].Mass, 1e-5) },
				"clones":      func(m *model.Model) { assert.InDelta(t, 2, m.Bodies[1].Pose.Position[0], 0) },
			}[name]
			if check != nil {
				check(m)
			}
			requireRank(t, m, s.redundant, s.freedom)
		})
	}
}

// requireRank holds a model to its number of redundant rows and of freedoms.
func requireRank(t *testing.T, m *model.Model, redundant, mobility int) {
	t.Helper()
	r, err := rung.Accelerate(m, rung.Options{})
	require.NoError(t, err)
	require.Equal(t, []int{redundant, mobility}, []int{r.Constraints.Redundant, r.Constraints.Mobility})
}
