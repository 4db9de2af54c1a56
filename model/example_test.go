package model_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/rung-mbd/rung/model"
)

// A pendulum built in Go and written as a document.
func Example() {
	m := model.New("pendulum")
	m.Bodies = []model.Body{{
		Name: "rod", Mass: 1, Com: [3]float64{0.5, 0, 0},
		Inertia: model.Inertia{XX: 1e-4, YY: 0.0833, ZZ: 0.0833},
	}}
	m.Joints = []model.Joint{{
		Name: "pivot", Type: model.Revolute, Predecessor: model.World, Successor: "rod",
		Damping: []float64{0.1},
	}}
	if err := model.Write(os.Stdout, m); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {
	//  "format": "rung-model/1",
	//  "name": "pendulum",
	//  "gravity": [0, 0, -9.81],
	//  "bodies": [
	//   {"name": "rod", "mass": 1, "com": [0.5, 0, 0], "inertia": {"xx": 0.0001, "yy": 0.0833, "zz": 0.0833}}
	//  ],
	//  "joints": [
	//   {"name": "pivot", "type": "revolute", "predecessor": "world", "successor": "rod", "damping": [0.1]}
	//  ]
	// }
}

// All problems of a document are reported together.
func ExampleRead() {
	text := `{"format": "rung-model/1", "bodies": [
		{"name": "rod", "mass": -1, "inertia": {"xx": 1, "yy": 1, "zz": 3}, "color": "red"}
	]}`
	_, err := model.Read(strings.NewReader(text), "rod.json")
	fmt.Println(err)
	// Output:
	// rod.json: $.bodies[0].color: unknown field (value "red")
	// rod.json: $.bodies[0].mass: is not positive (value -1)
	// rod.json: $.bodies[0].inertia: breaks the triangle inequality (value [1, 1, 3, 0, 0, 0])
}
