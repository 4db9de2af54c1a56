package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"time"
)

// reachRow has the results of inverse kinematics at all poses with one setting (bench/reach/main.go).
type reachRow struct {
	Name, Settings  string
	Poses           int
	Reached, Solved int
	MeanNs          float64 `json:"mean_ns"`
	MaxNs           float64 `json:"max_ns"`
}

// reachArms are the arms, by their numbers of joints.
var reachArms = []int{6, 7}

// reachTime is the largest time for a pose by all settings of a program together.
const reachTime = 200 * time.Millisecond

// measureReach solves random poses of arms by Rung and by KDL, by turns in each round, and prints a table for each arm.
func (s *session) measureReach(w io.Writer, poses int) error {
	fmt.Fprint(w, "## Inverse kinematics beside KDL\n\n")
	fmt.Fprintf(w, "%d random poses of an arm, from the middle of the limits, to 1e-5 m and 1e-5 rad, at most 5 ms each. Least mean time of %d rounds.\n", poses, s.rounds)
	for _, joints := range reachArms {
		rows, err := s.reachArm(joints, poses)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "\n%d joints\n\n| solver | settings | reached | within limits | mean, µs | longest, ms |\n|---|---|---:|---:|---:|---:|\n", joints)
		for _, r := range rows {
			fmt.Fprintf(w, "| %s | %s | %.2f %% | %.2f %% | %.1f | %.2f |\n", r.Name, r.Settings, percent(r.Reached, r.Poses), percent(r.Solved, r.Poses), r.MeanNs/1e3, r.MaxNs/1e6)
		}
	}
	fmt.Fprintln(w)
	return nil
}

// percent returns n over of in percent.
func percent(n, of int) float64 { return 100 * float64(n) / float64(of) }

// reachArm measures one arm and returns the rows of Rung, then the rows of KDL, each from the round with the least mean time.
func (s *session) reachArm(joints, poses int) (best []reachRow, err error) {
	file := filepath.Join(s.work, fmt.Sprintf("arm-%d.txt", joints))
	limit := time.Duration(poses)*reachTime + readingSeconds*time.Second
	own := &process{program: filepath.Join(s.bin, "reach"), threads: 1, limit: limit}
	if err := own.call(new(struct{}), "write", strconv.Itoa(joints), strconv.Itoa(poses), file); err != nil {
		return nil, err
	}
	peers := s.builds("kdl", native) // one build is enough, as the time is spent in the packaged library
	if len(peers) == 0 {
		say("skipped: KDL is not there, package liborocos-kdl-dev")
	}
	for round := range s.rounds {
		say("arm with %d joints, round %d of %d", joints, round+1, s.rounds)
		at := 0
		take := func(p *process, args ...string) error {
			var out struct{ Rows []reachRow }
			if err := p.call(&out, args...); err != nil {
				return err
			}
			for _, r := range out.Rows {
				if round == 0 {
					best = append(best, r)
				} else if r.MeanNs < best[at].MeanNs {
					best[at] = r
				}
				at++
			}
			return nil
		}
		if err := take(own, "run", strconv.Itoa(joints), file); err != nil {
			return nil, err
		}
		for _, build := range peers {
			if err := take(&process{program: filepath.Join(s.bin, build, "kdl"), threads: 1, limit: limit}, file); err != nil {
				return nil, err
			}
		}
	}
	return best, nil
}
