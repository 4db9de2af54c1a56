package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"time"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/ik"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/tree"
)

const (
	accuracy = 1e-5                 // m and rad, tolerance of a reached pose
	maxTime  = 5 * time.Millisecond // for each pose
	tool     = 0.1                  // m, position of the tool along z of the last link
	seed     = 7                    // of the random poses
)

// main runs the command (see the package comment).
func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "reach:", err)
		os.Exit(1)
	}
}

// run writes an arm and random poses to a file, or measures how Rung reaches the poses in a file, as the arguments say.
func run(args []string) error {
	if len(args) < 3 {
		return fmt.Errorf("use: reach write JOINTS POSES FILE, or reach run JOINTS FILE")
	}
	joints, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	m, err := bench.Arm(joints)
	if err != nil {
		return err
	}
	mech, err := mechanism.New(m)
	if err != nil {
		return err
	}
	switch {
	case args[0] == "write" && len(args) == 4:
		poses, err := strconv.Atoi(args[2])
		if err != nil {
			return err
		}
		f, err := os.Create(args[3])
		if err != nil {
			return err
		}
		if err := write(f, m, mech, poses); err != nil {
			f.Close()
			return err
		}
		fmt.Println("{}") // peers read JSON
		return f.Close()
	case args[0] == "run" && len(args) == 3:
		poses, err := read(args[2], joints)
		if err != nil {
			return err
		}
		return measure(mech, poses)
	}
	return fmt.Errorf("unknown use")
}

// pose is a position and orientation of the tool, world frame.
type pose struct {
	position    [3]float64
	orientation [4]float64
}

// write writes the text with an arm and random poses that it reaches within its limits.
func write(to io.Writer, m *model.Model, mech *mechanism.Mechanism, poses int) error {
	w := bufio.NewWriter(to)
	fmt.Fprintln(w, len(m.Joints))
	for i := range m.Joints {
		j := &m.Joints[i]
		p, a := j.PredecessorFrame.Position, spatial.Quat(j.PredecessorFrame.Orientation).Rotate(spatial.Vec3{2: 1})
		for k := range a {
			a[k] = float64(int(a[k] * 1.5)) // rounds to −1, 0 or 1, as axes are along world axes
		}
		fmt.Fprintln(w, p[0], p[1], p[2], a[0], a[1], a[2], j.Limits[0].Lower, j.Limits[0].Upper)
	}
	fmt.Fprintln(w, 0, 0, tool)
	fmt.Fprintln(w, poses)
	plan, err := tree.NewPlan(mech, tree.Options{})
	if err != nil {
		return err
	}
	rng, st := rand.New(rand.NewPCG(seed, 0)), mech.Initial()
	q, qd := make([]float64, plan.NumQ()), make([]float64, plan.NumDof())
	for range poses {
		for i := range q {
			l := m.Joints[i].Limits[0]
			q[i] = l.Lower + (l.Upper-l.Lower)*rng.Float64()
		}
		plan.StateTo(st, q, qd)
		b := &st.Bodies[len(st.Bodies)-1]
		p, r := b.Position.Add(b.Rotation.Rotate(spatial.Vec3{2: tool})), b.Rotation
		fmt.Fprintln(w, p[0], p[1], p[2], r[0], r[1], r[2], r[3])
	}
	return w.Flush()
}

// read reads the poses in a file that write has written. It skips the arm: the number of joints, 8 numbers for each joint, and the
// tool.
func read(file string, joints int) ([]pose, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in := bufio.NewReader(f)
	number := func() (x float64) {
		if err == nil {
			_, err = fmt.Fscan(in, &x)
		}
		return x
	}
	for range 1 + 8*joints + 3 {
		number()
	}
	n := number()
	if err == nil && !(n >= 1 && n <= 1e9) {
		err = fmt.Errorf("%s: %g poses", file, n)
	}
	if err != nil {
		return nil, err
	}
	list := make([]pose, int(n))
	for i := range list {
		for k := range 3 {
			list[i].position[k] = number()
		}
		for k := range 4 {
			list[i].orientation[k] = number()
		}
	}
	return list, err
}

// row has the results for all poses with one setting.
type row struct {
	Name     string  `json:"name"`
	Settings string  `json:"settings"`
	Poses    int     `json:"poses"`
	Reached  int     `json:"reached"` // poses reached
	Solved   int     `json:"solved"`  // poses reached within the limits
	MeanNs   float64 `json:"mean_ns"`
	MaxNs    float64 `json:"max_ns"`
}

// measure solves all poses, with restarts and without, and prints the rows.
func measure(mech *mechanism.Mechanism, poses []pose) error {
	var rows []row
	for _, restarts := range []int{1000, ik.NoRestarts} {
		r := row{Name: "Rung", Settings: "damped least squares, limits by an active set, restarts", Poses: len(poses)}
		if restarts < 0 {
			r.Settings = "damped least squares, limits by an active set, one start"
		}
		if err := r.reach(mech, poses, restarts); err != nil {
			return err
		}
		rows = append(rows, r)
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{"rows": rows})
}

// reach solves all poses, each from the initial state, with so many restarts, and stores counts and times.
func (r *row) reach(mech *mechanism.Mechanism, poses []pose, restarts int) error {
	target := ik.Target{
		Name: "tool", Type: ik.PoseTarget, Body: mech.BodyName(mech.NumBodies() - 1), Frame: model.Pose{Position: [3]float64{2: tool}},
		Tolerance: [2]float64{accuracy, accuracy},
	}
	p, err := ik.NewProblem(kkt.NewPlan(mech, kkt.Options{}), &ik.Task{Targets: []ik.Target{target}})
	if err != nil {
		return err
	}
	s, err := p.NewSolver(ik.Options{Restarts: restarts, MaxTime: maxTime, Nearest: true})
	if err != nil {
		return err
	}
	first, st := mech.Initial(), mech.Initial()
	for i := range poses {
		copy(st.Bodies, first.Bodies)
		begin := time.Now()
		if err := s.Aim("tool", poses[i].position, poses[i].orientation); err != nil {
			return err
		}
		result, err := s.Reach(st)
		if err != nil {
			return err
		}
		ns := float64(time.Since(begin))
		r.MeanNs += ns / float64(len(poses))
		r.MaxNs = max(r.MaxNs, ns)
		if result.Status == ik.Reached {
			r.Reached++ // always within limits
			r.Solved++
		}
	}
	return nil
}
