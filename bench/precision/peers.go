package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/rung-mbd/rung/formats/mjcf"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// peer is an engine in a program of bench/peers/cpp.
type peer struct {
	engine
	program     string // file name; run.sh builds it
	packageName string // of Debian, that has the library
	by          string
	settings    string
	integrators []string
	input       func(p *problem) (text []byte, args []string, err error)
}

var peers = []peer{
	{
		engine: engine{Name: "Simbody"}, program: "simbody_motion", packageName: "libsimbody-dev", by: byTolerance,
		settings:    "error control; constraint tolerance and projection by default; loops by constraints, in a plane by two rows each",
		integrators: []string{"RungeKuttaMerson", "CPodes"}, input: simbodyInput,
	},
	{
		engine: engine{Name: "MuJoCo"}, program: "mujoco_motion", packageName: "libmujoco-dev", by: byStep,
		settings: "Newton, 1e-8; solref two steps, solimp 0.9999; in a plane one connect a loop; " +
			"contacts, limits, friction, actuators and sensors off",
		integrators: []string{"Euler", "RK4", "implicit"}, input: mujocoInput,
	},
}

// peerRunner runs one integrator of a peer.
type peerRunner struct {
	peer       *peer
	path       string
	work       string
	integrator string
	spent      *time.Duration // processor time of all processes
}

// peerAnswer is what a program prints.
type peerAnswer struct {
	Error   string
	Version string
	Seconds float64
	Steps   int64
	Points  [][3]float64
}

// find looks for the program of a peer, and asks for its version. Missing says why there is none.
func (e *peer) find(folder string) (path string) {
	if folder == "" {
		e.Missing = "not asked for: bench/peers/run.sh -precision builds it"
		return ""
	}
	path = filepath.Join(folder, e.program)
	if _, err := os.Stat(path); err != nil {
		e.Missing = "not built, package " + e.packageName
		return ""
	}
	var a peerAnswer
	if _, err := call(&a, path, "version"); err != nil {
		e.Missing = "does not start: " + err.Error()
		return ""
	}
	e.Version = a.Version
	return path
}

// call runs a program and decodes what it prints.
func call(a *peerAnswer, path string, args ...string) (spent time.Duration, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), wallTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OMP_THREAD_LIMIT=1", "OPENBLAS_NUM_THREADS=1")
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err = cmd.Run()
	if cmd.ProcessState != nil {
		spent = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	if ctx.Err() != nil {
		return spent, errOver
	}
	if bad := json.Unmarshal(out.Bytes(), a); bad != nil {
		if err == nil {
			err = bad
		}
		return spent, fmt.Errorf("%s: %w %s", filepath.Base(path), err, strings.TrimSpace(said.String()))
	}
	switch {
	case a.Error == "over":
		return spent, errOver
	case a.Error != "":
		return spent, errors.New(a.Error)
	}
	return spent, err
}

func (r *peerRunner) run(p *problem, at, limit float64) (*outcome, error) {
	text, args, err := r.peer.input(p)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(r.work, p.name+"."+r.peer.program)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, err
	}
	list := []string{"run", file, r.integrator, number(at), number(p.seconds), strconv.Itoa(p.samples())}
	list = append(list, number(limit), number(min(enough, limit)), p.subject.body)
	for _, x := range p.point {
		list = append(list, number(x))
	}
	var a peerAnswer
	spent, err := call(&a, r.path, append(list, args...)...)
	*r.spent += spent
	if err != nil {
		return nil, err
	}
	out := &outcome{seconds: a.Seconds, steps: a.Steps}
	for _, x := range a.Points {
		out.points = append(out.points, spatial.Vec3(x))
	}
	return out, nil
}

// series returns a series an integrator of the peer.
func (e *peer) series(path, work string, spent *time.Duration) (list []*ladder) {
	for _, i := range e.integrators {
		list = append(list, &ladder{
			runner: &peerRunner{peer: e, path: path, work: work, integrator: i, spent: spent},
			series: series{Engine: e.Name, Integrator: i, By: e.by, Settings: e.settings},
		})
	}
	return list
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// mujocoInput is the model as rung export writes it. MJCF has no constant wrench, so it is given apart.
func mujocoInput(p *problem) (text []byte, args []string, err error) {
	var b bytes.Buffer
	if _, err := mjcf.Write(&b, p.model); err != nil {
		return nil, nil, err
	}
	if p.planar {
		args = append(args, "planar=1")
	}
	for i := range p.model.Forces {
		f := &p.model.Forces[i]
		if f.Type != model.Wrench {
			continue
		}
		if f.Force != [3]float64{} || f.Torque[0] != 0 || f.Torque[1] != 0 {
			return nil, nil, fmt.Errorf("force %q is not a moment about z", f.Name)
		}
		args = append(args, f.A.Body+".moment="+number(f.Torque[2]))
	}
	return b.Bytes(), args, nil
}
