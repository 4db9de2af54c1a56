package reach

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/ik"
	"github.com/rung-mbd/rung/ik/taskfile"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
)

// task reads the task at path, or makes one if path is empty, and changes it by the flags. If the document has problems, it may return a
// task beside them, so that the caller can find the problems with the mechanism too.
func (f *flags) task(path string, m *model.Model, stdin io.Reader) (*ik.Task, error) {
	t := new(ik.Task)
	var broken error
	if path != "" {
		if t, broken = readTask(path, stdin); t == nil {
			return nil, broken
		}
	}
	if err := f.options(&t.Solver); err != nil {
		return nil, err
	}
	if f.given("driven") {
		t.Driven = f.driven
	}
	for _, text := range f.reach {
		if err := place(t, m, "--reach", text, 3); err != nil {
			return nil, err
		}
	}
	for _, text := range f.orient {
		if err := place(t, m, "--orient", text, 4); err != nil {
			return nil, err
		}
	}
	if f.given("tolerance") {
		for i := range t.Targets {
			t.Targets[i].Tolerance = [2]float64{f.tolerance, f.tolerance}
		}
	}
	return t, broken
}

// readTask reads the task at path, or from stdin if path is "-".
func readTask(path string, stdin io.Reader) (*ik.Task, error) {
	if path == shell.Stdio {
		return taskfile.ReadIn(stdin, shell.ModelFile(path), os.DirFS("."))
	}
	t, err := taskfile.Open(path)
	if p := new(os.PathError); errors.As(err, &p) {
		return nil, shell.InputError(path, err)
	}
	return t, err
}

// options changes the options for which flags are given.
func (f *flags) options(o *ik.Options) (err error) {
	if f.given("method") {
		if o.Method, err = ik.ParseMethod(f.method); err != nil {
			return shell.UseErrorf("--method: %w", err)
		}
	}
	if f.given("engine") {
		if o.Engine, err = ik.ParseEngine(f.engine); err != nil {
			return shell.UseErrorf("--engine: %w", err)
		}
	}
	if f.given("steps") {
		o.Steps = f.steps
	}
	if f.given("restarts") {
		if o.Restarts = f.restarts; f.restarts == 0 {
			o.Restarts = ik.NoRestarts
		}
	}
	if f.given("seed") {
		o.Seed = f.seed
	}
	if f.given("max-time") {
		o.MaxTime = f.maxTime
	}
	if f.given("threads") {
		o.Threads = int(f.threads)
	}
	o.All, o.Nearest = o.All || f.all, o.Nearest || f.nearest
	return nil
}

// place moves the target that the text of a flag names, "NAME = numbers", or adds
// a target for a body, "BODY = numbers". There are n numbers: three of a point, four of an orientation.
func place(t *ik.Task, m *model.Model, flag, text string, n int) error {
	cut := strings.LastIndexByte(text, '=')
	if cut < 0 {
		return shell.UseErrorf("%s %s: want NAME = numbers", flag, fault.Name(text))
	}
	x, err := numbers(text[cut+1:], n)
	if err != nil {
		return shell.UseErrorf("%s %s: %w", flag, fault.Name(text), err)
	}
	name := strings.TrimSpace(text[:cut])
	if i := slices.IndexFunc(t.Targets, func(t ik.Target) bool { return t.Name == name }); i >= 0 {
		return move(&t.Targets[i], flag, x)
	}
	var point [3]float64
	given := name
	if i := strings.LastIndex(name, " at "); i >= 0 && n == 3 {
		at, err := numbers(name[i+len(" at "):], 3)
		if err != nil {
			return shell.UseErrorf("%s %s: %w", flag, fault.Name(text), err)
		}
		point, name = [3]float64(at), strings.TrimSpace(name[:i])
	}
	if !slices.ContainsFunc(m.Bodies, func(b model.Body) bool { return b.Name == name }) {
		names := make([]string, len(m.Bodies))
		for i := range names {
			names[i] = fault.Name(m.Bodies[i].Name)
		}
		return shell.UseErrorf("%s: no body and no target %s; there are the bodies %s%s", flag, fault.Name(name), fault.List(names),
			fault.AfterList(fault.MeantOf(name, len(m.Bodies), func(i int) string { return m.Bodies[i].Name })))
	}
	target := ik.Target{Name: given, Type: ik.Point, Body: name, Frame: model.Pose{Position: point}}
	if n == 4 {
		target.Type, target.Orientation = ik.Orientation, [4]float64(x)
	} else {
		target.Position = [3]float64(x)
	}
	t.Targets = append(t.Targets, target)
	return nil
}

// move changes the point or the orientation of a target. A point that gets an orientation becomes a pose.
func move(t *ik.Target, flag string, x []float64) error {
	turn := len(x) == 4
	switch {
	case turn && (t.Type == ik.Orientation || t.Type == ik.PoseTarget):
	case turn && t.Type == ik.Point && t.Weight == nil && t.Rate == nil:
		t.Type = ik.PoseTarget
	case !turn && (t.Type == ik.Point || t.Type == ik.PoseTarget || t.Type == ik.Plane || t.Type == ik.Com):
	default:
		return shell.UseErrorf("%s: target %s is of type %v", flag, fault.Name(t.Name), t.Type)
	}
	if turn {
		t.Orientation = [4]float64(x)
	} else {
		t.Position = [3]float64(x)
	}
	return nil
}

var errNumbers = map[int]error{3: errors.New("want three numbers x,y,z"), 4: errors.New("want a unit quaternion w,x,y,z")}

// notNumbers returns the error that text is not n numbers.
func notNumbers(text string, n int) error {
	return fmt.Errorf("%w in place of %s", errNumbers[n], fault.Name(strings.TrimSpace(text)))
}

// numbers reads n numbers with commas between them. Four have to be a unit quaternion, to 1e-6.
func numbers(text string, n int) ([]float64, error) {
	parts := strings.Split(text, ",")
	if len(parts) != n {
		return nil, notNumbers(text, n)
	}
	x, sq := make([]float64, n), 0.0
	for i, p := range parts {
		v, err := strconv.ParseFloat(strings.TrimSpace(p), 64)
		if err != nil || !algebra.Finite(v) {
			return nil, notNumbers(text, n)
		}
		x[i] = v
		sq += v * v
	}
	if n == 4 && !(math.Abs(math.Sqrt(sq)-1) <= 1e-6) {
		return nil, notNumbers(text, n)
	}
	return x, nil
}
