package follow_test

import (
	"fmt"
	"log"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/derive/follow"
	"github.com/rung-mbd/rung/ik"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// The derivatives of the joint angles of an arm of two 1 m links by the position of its tip, and by the length of its upper link.
func Example() {
	y := spatial.Vec3{0, 1, 0}
	b := rung.NewBuilder("arm")
	upper := b.Rod("upper", 1, 0.01, spatial.Vec3{}, spatial.Vec3{1, 0, 0})
	lower := b.Rod("lower", 1, 0.01, spatial.Vec3{1, 0, 0}, spatial.Vec3{1, 0, 1})
	b.Revolute("shoulder", rung.World, upper, spatial.Vec3{}, y)
	b.Revolute("elbow", upper, lower, spatial.Vec3{1, 0, 0}, y)
	m := must(b.Model())
	plan := must(rung.NewPlan(m, rung.Options{}))
	task := &ik.Task{Targets: []ik.Target{{
		Name: "tip", Type: ik.Point, Body: "lower",
		Frame:    model.Pose{Position: [3]float64{1, 0, 0}, Orientation: [4]float64{1, 0, 0, 0}},
		Position: [3]float64{1, 0, 1.2},
	}}}
	problem := must(ik.NewProblem(plan, task))
	st := plan.Initial()
	_ = must(must(problem.NewSolver(task.Solver)).Reach(st))

	s := must(follow.New(problem, m, st, follow.Options{}))
	changes := must(s.Along([]follow.Direction{
		{Name: "tip up", Task: func(by float64) (*ik.Task, error) {
			t := *task
			t.Targets = []ik.Target{task.Targets[0]}
			t.Targets[0].Position[2] += by
			return &t, nil
		}},
		{Name: "longer", Parameters: []derive.NamedParameter{{Path: "joints[elbow].predecessor_frame.position[0]", Change: 1}}},
	}))
	for _, c := range changes {
		fmt.Printf("shoulder %.4f, elbow %.4f rad/m\n", c.Driven[0], c.Driven[1])
	}
	// Output:
	// shoulder -1.0249, elbow 1.2301 rad/m
	// shoulder 0.2255, elbow -1.2506 rad/m
}

func must[T any](x T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return x
}
