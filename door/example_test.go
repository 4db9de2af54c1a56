package door_test

import (
	"context"
	"fmt"
	"log"

	"github.com/rung-mbd/rung/door"
)

// A pendulum by its text: its state as an array, its accelerations with a force at the hinge that is set by the path of a study.
func Example() {
	const text = `{"format": "rung-model/1", "name": "pendulum", "gravity": [0, 0, -9.81],
 "bodies": [{"name": "rod", "mass": 1, "inertia": {"xx": 0.001, "yy": 0.08, "zz": 0.08}, "pose": {"position": [0.5, 0, 0]}}],
 "joints": [{"name": "hinge", "type": "revolute", "predecessor": "world", "successor": "rod",
  "predecessor_frame": {"orientation": [0.7071067811865476, -0.7071067811865476, 0, 0]},
  "successor_frame": {"position": [-0.5, 0, 0], "orientation": [0.7071067811865476, -0.7071067811865476, 0, 0]}}]}`
	m, err := door.Read(context.Background(), "pendulum", []byte(text), nil)
	if err != nil {
		log.Fatal(err)
	}
	state := make([]float64, m.Sizes().State)
	acc := make([]float64, 6*m.Sizes().Bodies)
	knob, err := m.KnobAt("joints[hinge].force[0]")
	if err != nil {
		log.Fatal(err)
	}
	s := m.NewSolver()
	for _, torque := range []float64{0, 4.905} {
		if err := m.InitialTo(state); err != nil {
			log.Fatal(err)
		}
		if err := s.Set([]int{knob}, []float64{torque}); err != nil {
			log.Fatal(err)
		}
		if err := s.AccelerationsTo(acc, state); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.3f rad/s²\n", acc[1])
	}
	// Output:
	// 14.864 rad/s²
	// 29.727 rad/s²
}
