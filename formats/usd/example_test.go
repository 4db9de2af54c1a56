package usd_test

import (
	"fmt"
	"log"
	"testing/fstest"

	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/formats/usd"
)

// A pendulum in centimetres: its bob has the mass of a steel ball.
func Example() {
	const stage = `#usda 1.0
(
    metersPerUnit = 0.01
    upAxis = "Z"
)
def PhysicsScene "scene" {}
def Sphere "bob" (
    prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysicsCollisionAPI"]
)
{
    double radius = 5
    float physics:density = 0.00785
    double3 xformOp:translate = (0, 0, -40)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}
def PhysicsRevoluteJoint "hinge"
{
    uniform token physics:axis = "Y"
    rel physics:body1 = </bob>
    point3f physics:localPos1 = (0, 0, 40)
}
`
	files := source.NewFiles(fstest.MapFS{"pendulum.usda": {Data: []byte(stage)}}, nil)
	result, _, err := usd.Read(files, source.Name{Path: "pendulum.usda"}, &source.Options{})
	if err != nil {
		log.Fatal(err)
	}
	b, j := &result.Model.Bodies[0], &result.Model.Joints[0]
	fmt.Printf("%s of %.3f kg on a %v joint\n", b.Name, b.Mass, j.Type)
	// Output: bob of 4.110 kg on a revolute joint
}
