package sim_test

import (
	"fmt"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// A bob of 1 kg hangs on a rod of 1e8 N/m, which makes 1600 vibrations a second. The
// steps are as long as the swing allows.
func ExampleGeneralizedAlpha() {
	m := &model.Model{
		Name: "stiff", Gravity: spatial.Vec3{0, -9.81, 0},
		Bodies: []model.Body{{Name: "bob", Mass: 1, Inertia: model.Inertia{XX: 0.01, YY: 0.01, ZZ: 0.01}, Pose: model.Pose{Position: spatial.Vec3{1}}}},
		Forces: []model.ForceElement{{
			Name: "rod", Type: model.SpringDamper, A: model.Attachment{Body: model.World}, B: model.Attachment{Body: "bob"},
			Stiffness: 1e8, RestLength: 1,
		}},
	}
	plan, err := rung.NewPlan(m, kkt.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	newton, mech := motion.NewNewton(plan), plan.Mechanism()
	stepper := sim.NewGeneralizedAlpha(mech, newton, sim.GeneralizedAlphaOptions{Fixed: true})
	s := sim.New(mech, stepper, plan.Initial(), sim.Options{Step: 0.01, Projector: newton})
	if err := s.Run(1); err != nil {
		fmt.Println(err)
		return
	}
	p := s.State().Bodies[0].Position
	fmt.Printf("%d steps, bob at %.2f, %.2f, rod %.5f m long\n", s.Stats().Steps, p[0], p[1], p.Norm())
	// Output: 100 steps, bob at -0.99, -0.17, rod 1.00000 m long
}
