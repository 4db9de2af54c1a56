// Command resume runs a linkage that knocks at a stop, with rows, events and a checkpoint. It interrupts the run in the middle and
// continues it from the checkpoint with the same bits. Its files, in the folder of its argument, have the same bytes as the files that
// rung simulate writes:
//
//	rung simulate knocker.json --until 2 --every 0.01 -o run.csv --events events.csv --checkpoint run.ckpt
package main

import (
	"errors"
	"fmt"
	"log"
	"os"

	"github.com/rung-mbd/rung"
)

// main runs the knocker to 1 s, closes the run like a process that ends, and continues from its checkpoint to 2 s.
func main() {
	dir := must(os.MkdirTemp("", "resume"))
	defer os.RemoveAll(dir)
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	plan := must(rung.NewPlan(must(rung.Open("knocker.json")), rung.Options{}))
	files := rung.SimulationFiles{Trajectory: dir + "/run.csv", Events: dir + "/events.csv", Checkpoint: dir + "/run.ckpt"}
	pause := errors.New("paused")
	for _, end := range []float64{1, 2} { // the two parts could run in different processes
		s := must(rung.NewSimulation(plan, rung.SimulationOptions{Until: 2, Every: 0.01, Files: files, OnStep: func(s *rung.Simulation) error {
			if s.Time() > end {
				return pause
			}
			return nil
		}}))
		if err := s.Run(2); err != nil && !errors.Is(err, pause) {
			log.Fatal(err)
		}
		knocks, _ := s.Events()
		fmt.Printf("to %.3f s: %d steps, %d rows, %d knocks, the last at %.6f s\n", s.Time(), s.Stats().Steps, s.Told().Rows, len(knocks), knocks[len(knocks)-1].Time)
		must(0, s.Close())
		files.Resume = true
	}
}

// must returns the value, or ends the process if err is not nil.
func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
