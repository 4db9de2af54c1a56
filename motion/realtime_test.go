package motion_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// drive is a run of a vehicle for a table.
type drive struct {
	name string
	make func(p *kkt.Plan) (sim.Stepper, sim.Projector)
	step float64
}

func alpha(name string, step, tol float64) drive {
	return drive{name, func(p *kkt.Plan) (sim.Stepper, sim.Projector) {
		n := motion.NewNewton(p)
		o := sim.GeneralizedAlphaOptions{Rho: sim.DefaultRho, Fixed: step > 0}
		if step == 0 {
			o.Tolerance.Relative = tol
		}
		return sim.NewGeneralizedAlpha(p.Mechanism(), n, o), n
	}, step}
}

func explicit(tol float64) drive {
	return drive{fmt.Sprintf("dopri5, tolerance %g", tol), func(p *kkt.Plan) (sim.Stepper, sim.Projector) {
		d := motion.NewDynamics(p)
		return sim.NewRungeKutta(p.Mechanism(), d, sim.DormandPrince(), sim.Tolerance{Relative: tol}), d
	}, 0}
}

func balancing(t testing.TB, step float64) drive {
	return drive{fmt.Sprintf("force-balance, step %g s", step), func(p *kkt.Plan) (sim.Stepper, sim.Projector) {
		return newBalance(t, p), motion.NewDynamics(p)
	}, step}
}

// run drives a vehicle and returns where its first body is, the steps, and the time that a step took.
func (d *drive) run(t testing.TB, p *kkt.Plan, until float64) (at spatial.Vec3, steps int64, took time.Duration) {
	t.Helper()
	if p.Mechanism().WantsRuts() {
		p = p.With(p.Mechanism().NewInputs())
	}
	stepper, projector := d.make(p)
	s := sim.New(p.Mechanism(), stepper, p.Mechanism().Initial(), sim.Options{Step: d.step, Projector: projector})
	begun := time.Now()
	require.NoError(t, s.Run(until))
	took = time.Since(begun)
	return s.State().Bodies[0].Position, s.Stats().Steps, took
}

// TestRealTime writes the table of docs/ground.md: how much faster than real time a four-wheel rover drives over hills,
// and how far off it is after 10 s. It takes a minute of one processor, and is run by
//
//	RUNG_REALTIME=hard go test -run TestRealTime -v ./motion
//
// and with soil, rough, rough-soil, train, train-long, train-hills, or ruts, in the place of hard; RUNG_WAGONS=2500
// takes the train of that length alone.
func TestRealTime(t *testing.T) {
	what := os.Getenv("RUNG_REALTIME")
	m := generate(t, "rover", 1, 1)
	var list []drive
	var ref drive
	switch what {
	case "hard":
		ref = explicit(1e-9)
		list = []drive{
			explicit(1e-3), explicit(1e-5), alpha("generalized-alpha, tolerance 1e-2", 0, 1e-2), alpha("generalized-alpha, tolerance 1e-3", 0, 1e-3),
			alpha("generalized-alpha, tolerance 1e-4", 0, 1e-4), alpha("generalized-alpha, tolerance 1e-5", 0, 1e-5), alpha("generalized-alpha, tolerance 1e-6", 0, 1e-6),
			alpha("generalized-alpha, step 0.02 s", 0.02, 0), alpha("generalized-alpha, step 0.01 s", 0.01, 0), alpha("generalized-alpha, step 0.005 s", 0.005, 0),
			balancing(t, 0.04), balancing(t, 0.02), balancing(t, 0.01), balancing(t, 0.005), balancing(t, 0.001),
		}
	case "soil", "ruts":
		soil(t, m)
		for i := range m.Forces {
			if c := m.Forces[i].Contact; c != nil {
				c.Law.Friction.Soil.Ruts = what == "ruts"
			}
		}
		ref = alpha("", 0.0005, 0)
		list = []drive{
			explicit(1e-4), alpha("generalized-alpha, tolerance 1e-3", 0, 1e-3), alpha("generalized-alpha, tolerance 1e-4", 0, 1e-4),
			alpha("generalized-alpha, step 0.01 s", 0.01, 0), balancing(t, 0.02), balancing(t, 0.01), balancing(t, 0.005),
		}
	case "rough", "rough-soil":
		rough(t, m)
		if what == "rough-soil" {
			soil(t, m)
		}
		ref = explicit(1e-7)
		list = []drive{
			alpha("generalized-alpha, tolerance 1e-2", 0, 1e-2), alpha("generalized-alpha, tolerance 1e-3", 0, 1e-3),
			alpha("generalized-alpha, tolerance 1e-4", 0, 1e-4), alpha("generalized-alpha, tolerance 1e-5", 0, 1e-5),
		}
	case "train", "train-long", "train-hills":
		trains(t, what != "train", what == "train-hills")
		return
	default:
		t.Skip("a table of times, by RUNG_REALTIME=hard, soil, rough, rough-soil, train, train-long, train-hills or ruts")
	}
	const until = 10
	p := newPlan(t, m, order.Auto)
	want, _, _ := ref.run(t, p, until)
	way := want.Sub(p.Mechanism().Initial().Bodies[0].Position).Norm()
	fmt.Printf("way %.4f m\n", way)
	for _, d := range list {
		at, steps, took := d.run(t, p, until)
		for range 2 {
			if _, _, again := d.run(t, p, until); took < 2*time.Second {
				took = min(took, again)
			}
		}
		e := at.Sub(want).Norm()
		fmt.Printf("| %s | %d | %.1f | %.2g | %.2g | %.0f |\n", d.name, steps, took.Seconds()*1e6/float64(steps), e, e/way, until/took.Seconds())
	}
}

// soil gives the wheels of a model dry sand in the place of hard ground.
func soil(t testing.TB, m *model.Model) {
	sand, err := contact.SoilPreset("dry sand")
	require.NoError(t, err)
	sand.Width = 0.12
	for i := range m.Forces {
		if c := m.Forces[i].Contact; c != nil {
			c.Law = contact.Law{Normal: contact.Normal{Damping: 200}, Friction: contact.Friction{Type: contact.Soil, Soil: sand}}
		}
	}
}

// trains writes what a wheel and a step cost in trains from 4 wheels to 10 000: at the start, three times, or over a
// second, once: on the family's own ground, or with all wheels on hills, onto which they fall by up to 5 mm.
func trains(t *testing.T, long, onHills bool) {
	until, times := 0.1, 3
	if long {
		until, times = 1, 1
	}
	for _, wagons := range []int{1, 25, 250, 2500} {
		if only := os.Getenv("RUNG_WAGONS"); only != "" && only != fmt.Sprint(wagons) {
			continue
		}
		m := generate(t, "road-train", wagons, 1)
		if onHills {
			m.Terrains[0] = model.Terrain{Name: m.Terrains[0].Name, Type: model.FunctionTerrain, Expression: "0.005*sin(0.9*x)*cos(1.1*y+0.3*x)"}
		}
		p := newPlan(t, m, order.Auto)
		d := alpha("", 0.005, 0)
		best := time.Duration(1 << 60)
		var steps int64
		for range times {
			_, n, took := d.run(t, p, until)
			steps, best = n, min(best, took)
		}
		fmt.Printf("| %d | %d | %d | %.2f |\n", wagons, 4*wagons, steps, best.Seconds()*1e6/float64(steps)/float64(4*wagons))
	}
}
