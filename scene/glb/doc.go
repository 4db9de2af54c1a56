// Package glb writes a scene, with its motion, as a binary glTF 2.0 file: a node for each body with its name, below it a node
// for each shape, and an animation of the positions and orientations of the bodies.
//
// glTF has its y axis up and stores numbers in single precision. So the root node turns the up axis of the scene to y, and
// positions are stored relative to the middle of the scene at rest, where the root node is.
//
//	motion, err := replay.New(mech, table) // of package sim/replay; nil: the scene at rest
//	err = glb.Write(ctx, file, scene.New(mech, scene.Options{}), mech.Initial(), motion)
package glb
