// Package build makes models in Go. Bodies and joints are placed where they are in the world;
// the [Builder] works out the frames in the bodies. What it makes is the model.Model that a file
// of rung-model/1 holds.
//
//	b := build.New("pendulum")
//	rod := b.Rod("rod", 1, 0.01, spatial.Vec3{}, spatial.Vec3{1, 0, 0})
//	b.Revolute("pivot", build.World, rod, spatial.Vec3{}, spatial.Vec3{0, 1, 0})
//	m, err := b.Model()
//
// Frame: world axes, unless said otherwise. Units: SI, radians.
package build
