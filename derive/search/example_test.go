package search_test

import (
	"context"
	"fmt"
	"log"
	"strings"
	"testing/fstest"

	"github.com/rung-mbd/rung/derive/objective"
	"github.com/rung-mbd/rung/derive/search"
)

// pendulum swings by 0.2 rad; the spring of the model is too soft.
const pendulum = `{"format": "rung-model/1", "name": "pendulum", "gravity": [0, -9.81, 0], "bodies": [{"name": "rod", "mass": 1,
 "com": [0, -0.5, 0], "inertia": {"xx": 0.1, "yy": 0.01, "zz": 0.1, "xy": 0, "xz": 0, "yz": 0}, "velocity": {"angular": [0, 0, 1]}}],
 "joints": [{"name": "pin", "type": "revolute", "predecessor": "world", "successor": "rod", "stiffness": [1.5]}]}`

// The stiffness of a spring from four readings of an angle.
func ExampleFit() {
	data := fstest.MapFS{"angles.csv": {Data: []byte("time,angle\n0.2,0.17901\n0.4,0.23942\n0.6,0.14103\n0.8,-0.05091\n")}}
	o, err := objective.Read(strings.NewReader(`{"format": "rung-objective/1", "model": "pendulum.json", "at": "run",
	 "run": {"until": 0.8, "tolerance": 1e-10},
	 "terms": [{"column": "joint.pin.q", "take": "data", "data": "angles.csv", "from": "angle"}],
	 "parameters": [{"name": "stiffness", "path": "joints[pin].stiffness[0]", "bounds": [0, 10]}]}`), "objective.json")
	if err != nil {
		log.Fatal(err)
	}
	p, err := objective.NewProblem(o, "objective.json", objective.Source{Text: []byte(pendulum), Name: o.Model, Data: data})
	if err != nil {
		log.Fatal(err)
	}
	r, err := search.Fit(context.Background(), p, search.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %.3f ± %.3f N m/rad\n", r.Status, r.Parameters[0].Value, *r.Parameters[0].Deviation)
	// Output: converged: 1.268 ± 0.022 N m/rad
}

// The stiffness with which the pendulum passes its middle at a given angle.
func ExampleOptimize() {
	o, err := objective.Read(strings.NewReader(`{"format": "rung-objective/1", "model": "pendulum.json", "at": "run",
	 "run": {"until": 0.8, "tolerance": 1e-10},
	 "terms": [{"column": "joint.pin.q", "power": 2, "target": -0.1}],
	 "parameters": [{"name": "stiffness", "path": "joints[pin].stiffness[0]", "bounds": [0, 10]}]}`), "objective.json")
	if err != nil {
		log.Fatal(err)
	}
	p, err := objective.NewProblem(o, "objective.json", objective.Source{Text: []byte(pendulum), Name: o.Model})
	if err != nil {
		log.Fatal(err)
	}
	r, err := search.Optimize(context.Background(), p, search.OptimizeOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %.3f N m/rad\n", r.Status, r.Parameters[0].Value)
	// Output: converged: 2.251 N m/rad
}
