// Command reach measures the inverse kinematics of an arm of bench.Arm at random poses, started from the middle of its limits, for
// bench/peers.
//
//	reach write 6 1000 FILE    # the arm and poses of its tool as text, for other programs
//	reach run 6 FILE           # success and times at these poses, as JSON
//
// The text is the number of joints; for each joint a line with its position relative to the joint before, x y z, its axis, x y z, and
// its limits; the position of the tool on the last link; the number of poses; and for each pose a line, x y z and quaternion w x y z.
package main
