// Package mcap writes a scene, with its motion, as an MCAP file, which Foxglove and other viewers of robots show.
//
// There are three topics, with messages in JSON. /tf has a message for each row with the frame of each body in the frame
// world (foxglove.FrameTransforms). /mechanism has one message, with an entity for each body that has its shapes in its frame
// (foxglove.SceneUpdate). /links has a message for each row with the lines from body to body, such as springs and cables, if
// there are any. Numbers have all digits of the trajectory. A capsule is a cylinder with two balls.
//
// Times are rounded to whole nanoseconds, the unit of the format.
//
//	motion, err := replay.New(mech, table) // of package sim/replay; nil: the scene at rest
//	err = mcap.Write(ctx, file, scene.New(mech, scene.Options{}), mech.Initial(), motion)
package mcap
