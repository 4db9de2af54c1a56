package sim_test

import (
	"bytes"
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// solver makes the sparse solver a sim.Dynamics.
type solver struct{ *kkt.Solver }

func (s solver) Accelerations(a []float64, st *mechanism.State) error {
	if err := s.Solve(st); err != nil {
		return err
	}
	s.AccelerationsTo(a)
	return nil
}

// The pendulum of three windows falls from an angle until its rods are level.
func Example() {
	m, err := bench.NFourBar(3, 0.4, 1)
	if err != nil {
		log.Fatal(err)
	}
	plan, err := rung.NewPlan(m, kkt.Options{})
	if err != nil {
		log.Fatal(err)
	}
	mech := plan.Mechanism()
	method := sim.NewRungeKutta(mech, solver{plan.NewSolver()}, sim.DormandPrince(), sim.Tolerance{Relative: 1e-8})
	run := sim.New(mech, method, plan.Initial(), sim.Options{
		Projector: closing.NewCloser(plan, closing.Options{}),
		Events: []sim.Event{{
			Name:     "level",
			Function: func(st *mechanism.State) float64 { return st.Bodies[1].Position[1] },
			Action: func(st *mechanism.State) (sim.Response, error) {
				fmt.Printf("level after %.4f s at %.4f rad/s\n", st.Time, st.Bodies[0].Omega[2])
				return sim.Stop, nil
			},
		}},
	})
	if err := run.Run(10); err != nil {
		log.Fatal(err)
	}
	fmt.Println("stopped by:", run.Stopped())
	// Output:
	// level after 0.5971 s at 4.5688 rad/s
	// stopped by: level
}

// A rod on a torsion spring that is wound twice is let go of after half a second, and goes on
// as it turns then.
func ExampleEvent() {
	b := rung.NewBuilder("catapult").Gravity(0, 0, 0)
	rod := b.Rod("rod", 1, 0.01, spatial.Vec3{}, spatial.Vec3{1, 0, 0})
	spring := b.Revolute("spring", rung.World, rod, spatial.Vec3{}, spatial.Vec3{0, 0, 1})
	spring.Stiffness, spring.Turns = []float64{1}, []int64{2}
	held, err := b.Model()
	if err != nil {
		log.Fatal(err)
	}
	free := *held
	free.Joints = nil

	plan, err := rung.NewPlan(held, kkt.Options{})
	if err != nil {
		log.Fatal(err)
	}
	start := func(p *kkt.Plan, st *mechanism.State, events ...sim.Event) *sim.Simulation {
		d := motion.NewDynamics(p)
		method := sim.NewRungeKutta(p.Mechanism(), d, sim.DormandPrince(), sim.Tolerance{})
		return sim.New(p.Mechanism(), method, st, sim.Options{Projector: d, Events: events})
	}
	run := start(plan, plan.Initial(), sim.Event{
		Name:     "release",
		Function: func(st *mechanism.State) float64 { return st.Time - 0.5 },
		Action:   func(*mechanism.State) (sim.Response, error) { return sim.Stop, nil },
	})
	if err := run.Run(1); err != nil {
		log.Fatal(err)
	}
	released, err := mechanism.New(&free)
	if err != nil {
		log.Fatal(err)
	}
	st := run.State().Clone()
	released.Adopt(st, plan.Mechanism())
	fmt.Printf("%s at %.2f s: %.4f rad/s\n", run.Stopped(), st.Time, st.Bodies[0].Omega[2])
	run = start(plan.Replan(released), st)
	if err := run.Run(1); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("free at %.2f s: %.4f rad/s\n", run.State().Time, run.State().Bodies[0].Omega[2])
	// Output:
	// release at 0.50 s: -16.5802 rad/s
	// free at 1.00 s: -16.5802 rad/s
}

// A trajectory of one body with a row every tenth of a second.
func ExampleCSV() {
	m, err := bench.NFourBar(1, 0.4, 1)
	if err != nil {
		log.Fatal(err)
	}
	plan, err := rung.NewPlan(m, kkt.Options{})
	if err != nil {
		log.Fatal(err)
	}
	var out strings.Builder // or a file
	rows, err := sim.NewCSV(&out, sim.NewColumns(plan.Mechanism(), []int{2}))
	if err != nil {
		log.Fatal(err)
	}
	method := sim.NewRungeKutta(plan.Mechanism(), solver{plan.NewSolver()}, sim.DormandPrince(), sim.Tolerance{})
	run := sim.New(plan.Mechanism(), method, plan.Initial(), sim.Options{Projector: sim.NoProjector, Recorder: rows, Every: 0.1})
	if err := run.Run(1); err != nil {
		log.Fatal(err)
	}
	if err := rows.Flush(); err != nil {
		log.Fatal(err)
	}
	header, rest, _ := strings.Cut(out.String(), "\n")
	fmt.Println(header[:33])
	fmt.Println(strings.Count(rest, "\n"), "rows")
	// Output:
	// time,rod1.px,rod1.py,rod1.pz,rod1
	// 11 rows
}

// A run that continues from its checkpoint, kept in memory: it ends at the same place, to the bit.
func ExampleDecodeCheckpoint() {
	m, err := bench.NFourBar(3, 0.4, 1)
	if err != nil {
		log.Fatal(err)
	}
	plan, err := rung.NewPlan(m, kkt.Options{})
	if err != nil {
		log.Fatal(err)
	}
	start := func() *sim.Simulation {
		mech := plan.Mechanism()
		method := sim.NewRungeKutta(mech, solver{plan.NewSolver()}, sim.DormandPrince(), sim.Tolerance{Relative: 1e-8})
		return sim.New(mech, method, plan.Initial(), sim.Options{Projector: closing.NewCloser(plan, closing.Options{})})
	}
	run := start()
	if err := run.Run(0.5); err != nil {
		log.Fatal(err)
	}
	c, err := run.Checkpoint()
	if err != nil {
		log.Fatal(err)
	}
	var store bytes.Buffer
	if err := c.Write(&store); err != nil {
		log.Fatal(err)
	}
	if c, err = sim.DecodeCheckpoint(&store); err != nil {
		log.Fatal(err)
	}
	again := start()
	if err := again.Restore(c); err != nil {
		log.Fatal(err)
	}
	if err := errors.Join(run.Run(1), again.Run(1)); err != nil {
		log.Fatal(err)
	}
	fmt.Println(run.State().Bodies[0] == again.State().Bodies[0])
	// Output:
	// true
}
