// Command reach measures inverse kinematics of an arm of bench.Arm at random poses, from the middle of its limits, for
// bench/peers.
//
//	reach write 6 1000 FILE    # the arm and poses of its tool as text, for other programs
//	reach run 6 FILE           # success and times at these poses, as JSON
//
// The text is the number of joints; a line a joint with its place above the joint
// before, x y z, its axis, x y z, and its limits; the place of the tool on the
// last link; the number of poses; and a line a pose, x y z and quaternion w x y z.
package main
