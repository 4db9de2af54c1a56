// Package mcap writes a scene, with its motion, as an MCAP file, which Foxglove and other viewers of robots show.
//
// There are three topics, with messages in JSON: /tf has the frame of each body in the frame world
// (foxglove.FrameTransforms), a message a row; /mechanism has an entity a body with its shapes in its frame
// (foxglove.SceneUpdate), once; /links has what goes from body to body, such as springs and cables, a message a row, if
// there is any. Numbers are those of the trajectory, with all their digits. A capsule is a cylinder with two balls.
//
// Times are those of the trajectory in whole nanoseconds, as the format has them.
//
//	motion, err := replay.New(mech, table) // of package sim/replay; nil: the scene at rest
//	err = mcap.Write(ctx, file, scene.New(mech, scene.Options{}), mech.Initial(), motion)
package mcap
