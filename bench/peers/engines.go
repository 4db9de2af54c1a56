package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// engines measures Simbody and MuJoCo on a model, and Rung's sparse method and, for a model without loops, its articulated-body
// algorithm. All run by turns in each round.
func (s *session) engines(j job) error {
	say("%v: writing the model", j)
	d, text, want, err := s.model(j)
	if err != nil {
		return err
	}
	defer os.Remove(text)
	m := matrix{Bodies: len(d.Bodies), Joints: len(d.Joints)}
	own := &record{job: j, matrix: m, kind: "engine", name: ours, order: "sparse", build: "go"}
	aba := &record{job: j, matrix: m, kind: "engine", name: "Rung, tree-aba", order: "tree", build: "go"}
	s.records = append(s.records, own)
	if m.Joints == m.Bodies { // no loops
		s.records = append(s.records, aba)
	}
	var list []*record
	for _, e := range []struct{ name, program string }{{"Simbody", "simbody"}, {"MuJoCo", "mujoco"}} {
		for _, build := range s.builds(e.program, native) {
			r := &record{job: j, matrix: m, kind: "engine", name: e.name, order: e.program, build: build}
			if s.wanted(e.name, e.program) {
				list = append(list, r)
			}
		}
	}
	s.records = append(s.records, list...)
	for round := range s.rounds {
		say("%v: engines, round %d of %d", j, round+1, s.rounds)
		records, err := s.bench(j.Family, m.Bodies, "sparse,tree-aba")
		if err != nil {
			return err
		}
		for i := range records {
			to := own
			if records[i].Method == "tree-aba" {
				to = aba
			}
			r := fromBench(&records[i])
			r.Note = ""
			to.rounds = append(to.rounds, r)
		}
		for _, r := range list {
			s.measure(r, func(out *result) error { return s.engine(r, text, want, out) }, 0)
		}
	}
	return nil
}

// engine runs an engine once on the model in the file text, and compares its accelerations with Rung's (want).
func (s *session) engine(r *record, text string, want [][6]float64, out *result) error {
	file := s.file(r.job, ".accelerations")
	defer os.Remove(file)
	if err := s.timed(s.peer(r.build, r.order), s.maxSeconds, out, text, file); err != nil {
		return err
	}
	got, err := readAccelerations(file)
	if err != nil {
		return err
	}
	if len(got) != len(want) {
		return errors.New("accelerations of another number of bodies")
	}
	out.Error = distance(got, want)
	return nil
}

// distance returns the largest difference, relative to the largest acceleration of the same kind: of centres of mass, or angular. It
// is +Inf if a number is NaN.
func distance(got, want [][6]float64) float64 {
	var diff, scale [2]float64
	for i := range want {
		for k := range want[i] {
			d := math.Abs(got[i][k] - want[i][k])
			if math.IsNaN(d) {
				return math.Inf(1)
			}
			diff[k/3] = max(diff[k/3], d)
			scale[k/3] = max(scale[k/3], math.Abs(want[i][k]))
		}
	}
	return max(diff[0]/max(scale[0], math.SmallestNonzeroFloat64), diff[1]/max(scale[1], math.SmallestNonzeroFloat64))
}

// pose is a pose in a model document; a missing orientation is the identity.
type pose struct {
	Position    [3]float64
	Orientation *[4]float64
}

// document has the parts of a rung-model/1 document that chains and ladders use.
type document struct {
	Gravity [3]float64
	Bodies  []struct {
		Name     string
		Mass     float64
		Com      [3]float64
		Inertia  struct{ XX, YY, ZZ, XY, XZ, YZ float64 }
		Pose     pose
		Velocity struct{ Linear, Angular [3]float64 }
	}
	Joints []struct {
		Type, Predecessor, Successor string
		PredecessorFrame             pose `json:"predecessor_frame"`
		SuccessorFrame               pose `json:"successor_frame"`
	}
}

// model generates a model and writes it as plain text for the engines, to the file text. It returns the accelerations by rung accel,
// six for each body: of the centre of mass, then angular.
func (s *session) model(j job) (d *document, text string, want [][6]float64, err error) {
	file := s.file(j, ".json")
	defer os.Remove(file)
	if out, err := exec.Command(s.rung, "generate", j.Family, strconv.Itoa(j.N), "-o", file).CombinedOutput(); err != nil {
		return nil, "", nil, fmt.Errorf("rung generate: %w %s", err, oneLine(string(out)))
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, "", nil, err
	}
	d = &document{}
	if err := json.Unmarshal(b, d); err != nil {
		return nil, "", nil, err
	}
	text = s.file(j, ".txt")
	if err := os.WriteFile(text, []byte(d.text()), 0o600); err != nil {
		return nil, "", nil, err
	}
	want, err = s.accelerations(file)
	return d, text, want, err
}

// text returns the model in the form that cpp/model.hpp reads.
func (d *document) text() string {
	number := map[string]int{"world": -1}
	var t strings.Builder
	numbers := func(v ...float64) {
		for _, x := range v {
			t.WriteString(ftoa(x))
			t.WriteByte(' ')
		}
	}
	frame := func(p *pose) {
		q := [4]float64{1}
		if p.Orientation != nil {
			q = *p.Orientation
		}
		numbers(p.Position[:]...)
		numbers(q[:]...)
	}
	numbers(d.Gravity[:]...)
	fmt.Fprintf(&t, "%d %d\n", len(d.Bodies), len(d.Joints))
	for i := range d.Bodies {
		b := &d.Bodies[i]
		number[b.Name] = i
		I := &b.Inertia
		numbers(b.Mass, b.Com[0], b.Com[1], b.Com[2], I.XX, I.YY, I.ZZ, I.XY, I.XZ, I.YZ)
		frame(&b.Pose)
		numbers(b.Velocity.Linear[:]...)
		numbers(b.Velocity.Angular[:]...)
		t.WriteByte('\n')
	}
	for i := range d.Joints {
		j := &d.Joints[i]
		fmt.Fprintf(&t, "%s %d %d ", j.Type, number[j.Predecessor], number[j.Successor])
		frame(&j.PredecessorFrame)
		frame(&j.SuccessorFrame)
		t.WriteByte('\n')
	}
	return t.String()
}

// accelerations returns the accelerations by rung accel for the model in a file, as model does.
func (s *session) accelerations(file string) ([][6]float64, error) {
	b, err := exec.Command(s.rung, "accel", file, "--json").Output()
	if err != nil {
		return nil, fmt.Errorf("rung accel: %w", err)
	}
	var doc struct {
		Bodies []struct {
			Com     [3]float64 `json:"com_acceleration"`
			Angular [3]float64 `json:"angular_acceleration"`
		}
	}
	if err := json.Unmarshal(b, &doc); err != nil {
		return nil, err
	}
	var out [][6]float64
	for _, x := range doc.Bodies {
		out = append(out, [6]float64{x.Com[0], x.Com[1], x.Com[2], x.Angular[0], x.Angular[1], x.Angular[2]})
	}
	return out, nil
}

// readAccelerations reads the accelerations that an engine wrote, one line for each body.
func readAccelerations(file string) (out [][6]float64, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		if len(words) != 6 {
			return nil, fmt.Errorf("line %d has %d numbers", len(out)+1, len(words))
		}
		var x [6]float64
		for k, w := range words {
			if x[k], err = strconv.ParseFloat(w, 64); err != nil {
				return nil, err
			}
		}
		out = append(out, x)
	}
	return out, lines.Err()
}

// ftoa returns x with the fewest digits that read back to the same value.
func ftoa(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
