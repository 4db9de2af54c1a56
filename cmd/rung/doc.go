// Command rung computes the forward dynamics of mechanisms with kinematic
// loops from the shell (docs/cli.md):
//
//	rung generate ladder 1000 -o ladder.json
//	rung accel ladder.json
//	rung analyze ladder.json
//	rung matrix ladder.json -o K.mtx --spy K.svg
//	rung bench --family ladder,grid --sizes 1e3,1e4 --plot growth.svg
//	rung bench four-bar.json robot.json --method all
//
// Each subcommand has a file of its own; tests call run, which is main without
// the process. Results go to standard output, progress and messages to
// standard error. The exit status is 0 when done, 1 when the computation could
// not be done, 2 on bad use or bad input.
//
// Frame: world axes. Units: SI.
package main
