package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rung-mbd/rung/bench/internal/beside"
	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/formats/mjcf"
	"github.com/rung-mbd/rung/formats/urdf"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/model"
)

// peer is a program of bench/peers/cpp.
type peer struct {
	beside.Engine
	program     string // file name; run.sh builds it
	packageName string // Debian package of the library
	way         string
	settings    string
	// input writes the problem to file, and perhaps further files beside it. It returns the arguments of the program after MODEL and
	// ENOUGH, or the reason for which the program cannot have this problem.
	input func(p *problem, file string) (args []string, reason string, err error)
}

// peers are all programs that are compared with Rung.
var peers = []peer{
	{
		Engine: beside.Engine{Name: "Simbody"}, program: "simbody_derivatives", packageName: "libsimbody-dev", way: "central differences",
		settings: "two evaluations a direction; directions are given to it; loops by constraints, in a plane by two rows each; " +
			"the best of the steps 1e-3 to 1e-6; masses are constants of its system, so there is no gradient by them",
		input: simbodyInput,
	},
	{
		Engine: beside.Engine{Name: "MuJoCo"}, program: "mujoco_derivatives", packageName: "libmujoco-dev", way: "mjd_transitionFD",
		settings: "centred; Euler, a step of 1 s on trees and of 1 ms on loops, Newton to its limit; solref two steps, solimp 0.9999; " +
			"in a plane one connect a loop; the best of eps 1e-3 to 1e-7; gradients by masses alone, by central differences of mj_forward",
		input: mujocoInput,
	},
	{
		Engine: beside.Engine{Name: "ADOL-C"}, program: "adolc_derivatives", packageName: "libadolc-dev",
		way: "tape of the residual, dense Cholesky factor",
		settings: "the residual on a tape that is made once and held in memory, all directions at a time (fov_forward), " +
			"gradients by fos_reverse; dense factors by Eigen, compiled for the processor, of as many rows as there is rank; " +
			"the factor of the evaluation serves all solutions",
		input: adolcInput,
	},
}

// answer is the document that a program prints.
type answer struct {
	Version                      string
	Evaluation, Matrix, Gradient float64    // times, s
	Accelerations                []float64  // of bodies, in the order of the tree text, or of coordinates
	Matrices                     []struct { // derivatives along the directions, for each step of differences
		Step    float64
		Columns [][]float64
	}
	Bodies    []float64  // gradient, sixteen numbers for each body (gradientOf)
	Gradients []struct { // gradient by masses only, for each step of differences
		Step   float64
		Masses []float64
	}
}

// measure runs the program at path on a problem, and adds its processor time to spent. If the program cannot do the problem, the
// result has a Failure.
func (e *peer) measure(p *problem, path, work string, enough float64, spent *time.Duration) (r result, err error) {
	r = result{Engine: e.Name, Way: e.way}
	file := filepath.Join(work, p.name+"."+e.program)
	args, reason, err := e.input(p, file)
	if err != nil || reason != "" {
		r.Failure = reason
		return r, err
	}
	var a answer
	took, err := beside.Call(&a, path, append([]string{"run", file, beside.Number(enough)}, args...)...)
	*spent += took
	if err != nil {
		r.Failure = err.Error()
		return r, nil
	}
	return r, e.take(p, &r, &a)
}

// take sets a result from an answer: times, and errors against the true derivatives. Of several steps of differences the one with
// the least error counts.
func (e *peer) take(p *problem, r *result, a *answer) error {
	r.Evaluation, r.Matrix, r.Gradient = a.Evaluation, a.Matrix, a.Gradient
	if len(a.Accelerations) == len(p.a) {
		a.Accelerations = p.inOrder(a.Accelerations)
	}
	r.AccelerationError = p.errorOfAccelerations(a.Accelerations)
	r.MatrixError = math.Inf(1)
	for _, m := range a.Matrices {
		want := p.wantCoords
		if len(m.Columns) > 0 && len(m.Columns[0]) == len(p.a) {
			want = p.wantBodies
			for k := range m.Columns {
				m.Columns[k] = p.inOrder(m.Columns[k])
			}
		}
		if x := errorOf(m.Columns, want); x < r.MatrixError {
			r.MatrixError, r.Step = x, m.Step
		}
	}
	n := len(p.model.Bodies)
	if len(a.Bodies) > 0 {
		if len(a.Bodies) != 16*n {
			return fmt.Errorf("%s: a gradient of %d numbers", e.program, len(a.Bodies))
		}
		r.Numbers, r.GradientError = 16*n, errorOfGradient(p.gradientOf(a.Bodies), p.wantBody)
	}
	if len(a.Gradients) > 0 {
		r.Numbers, r.GradientError = n, math.Inf(1)
		var want []float64
		for i := range p.wantBody {
			want = append(want, p.wantBody[i].Mass)
		}
		for _, g := range a.Gradients {
			r.GradientError = min(r.GradientError, away(g.Masses, want, algebra.MaxAbs(want)))
		}
	}
	if math.IsInf(r.MatrixError, 0) || math.IsInf(r.GradientError, 0) || math.IsInf(r.AccelerationError, 0) {
		return fmt.Errorf("%s: %s has answers of another size, or no numbers", p.name, e.program)
	}
	return nil
}

// order returns the numbers in the model of the bodies, in the order of the tree text.
func (p *problem) order() ([]int, error) {
	w, err := beside.NewTreeText(p.model, p.planar)
	if err != nil {
		return nil, err
	}
	return w.Bodies, nil
}

// inOrder brings six numbers for each body from the order of the tree text into the order of the model.
func (p *problem) inOrder(x []float64) []float64 {
	order, err := p.order()
	if err != nil {
		panic("gradients: a text that has been written cannot be written again")
	}
	y := make([]float64, len(x))
	for k, i := range order {
		copy(y[6*i:][:6], x[6*k:])
	}
	return y
}

// gradientOf reads the gradient from sixteen numbers for each body, in the order of the tree text: by force, torque, mass, centre of
// mass and inertia.
func (p *problem) gradientOf(x []float64) []derive.BodyDirection {
	order, err := p.order()
	if err != nil {
		panic("gradients: a text that has been written cannot be written again")
	}
	g := make([]derive.BodyDirection, len(order))
	for k, i := range order {
		y := x[16*k:]
		copy(g[i].Force[:], y)
		copy(g[i].Torque[:], y[3:])
		g[i].Mass = y[6]
		copy(g[i].Com[:], y[7:])
		copy(g[i].Inertia[:], y[10:16])
	}
	return g
}

// simbodyInput writes the tree text and, for each direction, the derivatives of the joint coordinates and then of their rates. The
// arguments are steps of differences.
func simbodyInput(p *problem, file string) (args []string, reason string, err error) {
	w, err := beside.NewTreeText(p.model, p.planar)
	if err != nil {
		return nil, "", err
	}
	for k, u := range p.directions {
		var poses, rates []float64
		for _, j := range w.Joints {
			for _, m := range p.motions(j, u) {
				poses, rates = append(poses, m.pose), append(rates, m.rate)
			}
		}
		if k == 0 {
			fmt.Fprintf(w, "%d %d\n", len(p.directions), len(poses))
		}
		w.Put(append(poses, rates...)...)
		fmt.Fprintln(w)
	}
	return []string{"1e-4", "1e-3", "3e-4", "3e-5", "1e-5", "3e-6", "1e-6"}, "", os.WriteFile(file, w.Bytes(), 0o600)
}

// adolcInput writes the tree text, the derivatives of all bodies' states along each direction, and the weights of the gradient.
func adolcInput(p *problem, file string) (args []string, reason string, err error) {
	w, err := beside.NewTreeText(p.model, p.planar)
	if err != nil {
		return nil, "", err
	}
	fmt.Fprintf(w, "%d\n", len(p.directions))
	for _, u := range p.directions {
		for _, i := range w.Bodies {
			b := &u[i]
			w.Put(b.Rotation[:]...)
			w.Put(b.Position[:]...)
			w.Put(b.Angular[:]...)
			w.Put(b.Linear[:]...)
		}
		fmt.Fprintln(w)
	}
	for _, i := range w.Bodies {
		w.Put(p.weights[6*i:][:6]...)
	}
	fmt.Fprintln(w)
	return nil, "", os.WriteFile(file, w.Bytes(), 0o600)
}

// mostNested is the largest number of bodies of a chain in MuJoCo's own XML, which may nest at most a hundred elements.
const mostNested = 80

// mujocoInput writes the model as rung export does, long chains as URDF, and a second file with the derivatives of all hinges along
// each direction (hinges).
func mujocoInput(p *problem, file string) (args []string, reason string, err error) {
	for i := range p.model.Joints {
		if p.model.Joints[i].Type != model.Revolute {
			return nil, "only mechanisms of hinges are given to it", nil
		}
	}
	var b bytes.Buffer
	step := "1e-3"
	if len(p.model.Joints) == len(p.model.Bodies) {
		step = "1"
	}
	deep := len(p.model.Bodies) > mostNested && step == "1"
	if deep {
		_, err = urdf.Write(&b, p.model)
	} else {
		_, err = mjcf.Write(&b, p.model)
	}
	if err != nil {
		return nil, "", err
	}
	text := b.String()
	if deep {
		head, rest, ok := strings.Cut(text, "<robot name=\""+p.model.Name+"\">")
		if !ok {
			return nil, "", fmt.Errorf("%s: no robot in its URDF", p.name)
		}
		text = head + "<robot name=\"" + p.model.Name + "\"><mujoco><compiler balanceinertia=\"false\"/></mujoco>" + rest
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return nil, "", err
	}
	planar := "free"
	if p.planar {
		planar = "planar"
	}
	list := file + ".directions"
	args = []string{list, step, planar, "1e-6", "1e-3", "1e-4", "1e-5", "1e-7"}
	return args, "", os.WriteFile(list, p.hinges(), 0o600)
}

// hinges returns the text for MuJoCo's program, four lists with their lengths: names and rates of hinges, names of the coordinates,
// directions as derivatives of all angles and then of all rates, and names of bodies.
func (p *problem) hinges() []byte {
	var w bytes.Buffer
	st := p.mech.Initial()
	fmt.Fprintln(&w, len(p.model.Joints))
	for i := range p.model.Joints {
		j := &p.model.Joints[i]
		// The rate of a hinge is the derivative of its angle along the direction of the motion itself.
		u := make([]derive.BodyDirection, len(st.Bodies))
		for k := range u {
			u[k].Rotation = st.Bodies[k].Omega
		}
		fmt.Fprintln(&w, j.Name, beside.Number(p.motions(j, u)[0].pose))
	}
	fmt.Fprintln(&w, len(p.coordinates))
	for _, i := range p.coordinates {
		fmt.Fprintln(&w, p.model.Joints[i].Name)
	}
	fmt.Fprintln(&w, len(p.directions))
	for _, u := range p.directions {
		var poses, rates []string
		for i := range p.model.Joints {
			m := p.motions(&p.model.Joints[i], u)[0]
			poses, rates = append(poses, beside.Number(m.pose)), append(rates, beside.Number(m.rate))
		}
		fmt.Fprintln(&w, strings.Join(append(poses, rates...), " "))
	}
	fmt.Fprintln(&w, len(p.model.Bodies))
	for i := range p.model.Bodies {
		fmt.Fprintln(&w, p.model.Bodies[i].Name)
	}
	return w.Bytes()
}
