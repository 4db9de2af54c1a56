// Package glb writes a scene, with its motion, as a binary glTF 2.0 file: a node a body with its name, below it a node
// a shape, and an animation of the positions and orientations of the bodies.
//
// glTF has its y axis up and keeps numbers of single precision. So the root node turns the world's z axis up, and what
// is stored of positions is relative to the middle of the scene at rest, where the root node is.
//
//	motion, err := replay.New(mech, table) // of package sim/replay; nil: the scene at rest
//	err = glb.Write(ctx, file, scene.New(mech, scene.Options{}), mech.Initial(), motion)
package glb
