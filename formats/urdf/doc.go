// Package urdf reads robots in URDF, the unified robot description format, with what its users add for mechanisms with
// loops: elements loop_joint, loop and coupling, a second parent of a link, joints within gazebo elements, constraints
// with the prefix drake, and a file of pairs beside the model.
//
// Frame: that of a link is its joint's. Units: SI, radians.
package urdf
