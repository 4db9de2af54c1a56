package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/rung-mbd/rung/bench/internal/beside"
	"github.com/rung-mbd/rung/formats/mjcf"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// peer is an engine in a program of bench/peers/cpp.
type peer struct {
	beside.Engine
	program     string // file name; run.sh builds it
	packageName string // Debian package of the library
	by          string // byTolerance or byStep
	settings    string
	integrators []string
	// input returns the model as the program reads it, and further arguments of the program.
	input func(p *problem) (text []byte, args []string, err error)
}

// peers are all engines that are compared with Rung.
var peers = []peer{
	{
		Engine: beside.Engine{Name: "Simbody"}, program: "simbody_motion", packageName: "libsimbody-dev", by: byTolerance,
		settings:    "error control; constraint tolerance and projection by default; loops by constraints, in a plane by two rows each",
		integrators: []string{"RungeKuttaMerson", "CPodes"}, input: simbodyInput,
	},
	{
		Engine: beside.Engine{Name: "MuJoCo"}, program: "mujoco_motion", packageName: "libmujoco-dev", by: byStep,
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

// peerAnswer is the document that a program prints.
type peerAnswer struct {
	Seconds float64
	Steps   int64
	Points  [][3]float64
}

// find returns the path of the peer's program in a folder; "" if it cannot be used, and then Missing has the reason.
func (e *peer) find(folder string) (path string) {
	return e.Find(folder, e.program, e.packageName, "-precision")
}

// run implements runner: it writes the model to a file, calls the peer's program, and returns its answer.
func (r *peerRunner) run(p *problem, at, limit float64) (*outcome, error) {
	text, args, err := r.peer.input(p)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(r.work, p.name+"."+r.peer.program)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, err
	}
	list := []string{"run", file, r.integrator, beside.Number(at), beside.Number(p.seconds), strconv.Itoa(p.samples())}
	list = append(list, beside.Number(limit), beside.Number(min(enough, limit)), p.subject.body)
	for _, x := range p.point {
		list = append(list, beside.Number(x))
	}
	var a peerAnswer
	spent, err := beside.Call(&a, r.path, append(list, args...)...)
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

// series returns a series for each integrator of the peer.
func (e *peer) series(path, work string, spent *time.Duration) (list []*ladder) {
	for _, i := range e.integrators {
		list = append(list, &ladder{
			runner: &peerRunner{peer: e, path: path, work: work, integrator: i, spent: spent},
			series: series{Engine: e.Name, Integrator: i, By: e.by, Settings: e.settings},
		})
	}
	return list
}

// mujocoInput returns the model as rung export writes it. MJCF has no constant wrenches, so these are arguments; only moments about z
// are possible.
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
		args = append(args, f.A.Body+".moment="+beside.Number(f.Torque[2]))
	}
	return b.Bytes(), args, nil
}

// simbodyInput returns the tree text of the model, followed by the number of the body with the reference point.
func simbodyInput(p *problem) ([]byte, []string, error) {
	w, err := beside.NewTreeText(p.model, p.planar)
	if err != nil {
		return nil, nil, err
	}
	fmt.Fprintf(w, "%d\n", w.Number(p.subject.body))
	return w.Bytes(), nil, nil
}
