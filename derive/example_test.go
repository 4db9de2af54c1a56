package derive_test

import (
	"fmt"
	"log"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// A pendulum, its centre of mass at the distance l from the pivot, is let go from the side: its angular acceleration is m·g·l/(I + m·l²).
func Example() {
	m := model.New("pendulum")
	m.Gravity = [3]float64{0, -9.81, 0}
	m.Bodies = []model.Body{{Name: "bob", Mass: 2, Com: [3]float64{0.5, 0, 0}, Inertia: model.Inertia{XX: 0.1, YY: 0.1, ZZ: 0.1}}}
	m.Joints = []model.Joint{{Name: "pivot", Type: model.Revolute, Predecessor: model.World, Successor: "bob"}}
	mech, err := mechanism.New(m)
	if err != nil {
		log.Fatal(err)
	}
	plan := kkt.NewPlan(mech, kkt.Options{})
	d := derive.New(plan, m)
	if err := d.At(plan.Initial()); err != nil {
		log.Fatal(err)
	}
	in, err := d.Named([]derive.NamedDirection{{
		Name: "mass", Follow: true, Parameters: []derive.NamedParameter{{Path: "bodies[bob].mass", Change: 1}},
	}})
	if err != nil {
		log.Fatal(err)
	}
	out := d.NewChanges(in.Len())
	if err := d.ForwardTo(out, in, derive.Options{}); err != nil {
		log.Fatal(err)
	}
	const M, l, I, g = 2.0, 0.5, 0.1, 9.81
	fmt.Printf("by hand %.4f, %.4f\n", -g*l*I/((I+M*l*l)*(I+M*l*l)), out.Joint(0, 0).Qdd[0])
	// Output: by hand -1.3625, -1.3625
}
