package usd_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/formatstest"
)

// TestCopiesAreBounded: a few bytes that ask for many copies of much end in an error, before the memory does.
func TestCopiesAreBounded(t *testing.T) {
	check.Long(t)
	long := strings.Repeat("a", 4000)
	for name, c := range map[string]struct{ text, says string }{
		"properties": {`class "x" {` + formatstest.Lines("float p%d = 1\n", 20_000) + `}` + formatstest.Lines("\ndef \"d%d\" (references = </x>) {}", 150), "copies more than 536 MB"},
		"targets":    {`class "x" { rel r = [` + formatstest.Lines("</x%d>,", 20_000) + `] }` + formatstest.Lines("\ndef \"d%d\" (references = </x>) {}", 2000), "copies more than 536 MB"},
		"paths":      {`def "` + long + `" { rel r = [` + strings.Repeat("<b>,", 20_000) + `] }`, "relative paths of the file take more than 64 MiB"},
		"a path":     {`def "` + long + `" { def "` + long + `" {} }`, "the path of a prim is longer than 4096 bytes"},
		"corners": {`class "m" { def Mesh "m" (apiSchemas = ["PhysicsCollisionAPI"]) {point3f[] points = [(0,0,0),(1,0,0),(0,1,0)]` + "\n" + `int[] faceVertexCounts = [` +
			strings.Repeat("3,", 30_000) + `]` + "\n" + `int[] faceVertexIndices = [` + strings.Repeat("0,1,2,", 30_000) + `] } }` +
			formatstest.Lines("\ndef \"d%d\" (apiSchemas = [\"PhysicsRigidBodyAPI\"] references = </m>) {}", 800), "meshes whose mass counts have more than"},
	} {
		start := time.Now()
		_, _, err := read(&source.Options{}, "a.usda", scene(c.text))
		require.ErrorContains(t, err, c.says, name)
		assert.Less(t, time.Since(start), 60*time.Second, name)
	}
}

// TestManyOfOneThing: files with many properties, schemas or references of one prim are read in a time that grows as they do.
func TestManyOfOneThing(t *testing.T) {
	check.Long(t)
	const n = 60_000
	for name, text := range map[string]string{
		"operations": `def Xform "a" { uniform token[] xformOpOrder = [` + formatstest.Lines(`"xformOp:translateX:t%d",`, n) + `]` + formatstest.Lines("\ndouble xformOp:translateX:t%d = 1", n) + "\n}",
		"schemas": body("a", [3]float64{}, inertial) + `def PhysicsRevoluteJoint "i" { rel physics:body1 = </a> }` + "\n" +
			`def PhysicsRevoluteJoint "j" (apiSchemas = ["NewtonMimicAPI",` + formatstest.Lines(`"PhysxMimicJointAPI:m%d",`, n) + `]) { rel physics:body1 = </a>` + "\n" + `rel newton:mimicJoint = </i>` +
			formatstest.Lines("\nfloat physxMimicJoint:m%d:gearing = 1", n) + "\n}",
		"references": `class "x" {}` + "\n" + `def "a" (references = [</x>,` + formatstest.Lines("</c%d>,", n) + `]) {` + formatstest.Lines("\nfloat p%d = 1", n) + "\n}" + formatstest.Lines("\nclass \"c%d\" {}", n),
	} {
		start := time.Now()
		_, _, _ = read(&source.Options{}, "a.usda", scene(text)) // some have bodies, and some have none
		assert.Less(t, time.Since(start), 60*time.Second, name)
	}
}

// TestManyOffsets: a layer offset is not nested in the offset of the reference before it.
func TestManyOffsets(t *testing.T) {
	text := scene(`class "x" {}` + formatstest.Lines("\nclass \"c%d\" {}", 200) + "\ndef \"a\" (references = [" + formatstest.Lines("</c%d> (offset = 1),", 200) + "]) {}\n" + body("b", [3]float64{}, inertial))
	_, _, err := read(&source.Options{}, "a.usda", text)
	require.NoError(t, err)
}

// TestMissingTwice: a file that is not there, named twice, is no layer of itself.
func TestMissingTwice(t *testing.T) {
	_, _, err := read(&source.Options{}, "a.usda", scene("def \"x\" (references = @gone.usda@</a>) {}\ndef \"y\" (references = @gone.usda@</a>) {}"))
	require.ErrorContains(t, err, "file does not exist")
	require.NotContains(t, err.Error(), "layer of itself")
}
