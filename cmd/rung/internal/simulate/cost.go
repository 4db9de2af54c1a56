package simulate

import (
	"slices"
	"strings"
	"time"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/machine"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// stepCost compares the processor time of a step between two sizes of the benchmark A02 (the chain of four-bar windows).
type stepCost struct {
	Sizes []sizeCost `json:"sizes"`
	Ratio float64    `json:"ratio"` // time per step and body of the largest mechanism over the same time of the smallest
}

type sizeCost struct {
	Windows     int     `json:"windows"`
	Bodies      int     `json:"bodies"`
	Projections float64 `json:"projections"` // onto the constraints, per step
	Step        float64 `json:"step_seconds"`

	mech  *mechanism.Mechanism
	dyn   *motion.Dynamics
	start *mechanism.State
	times []time.Duration // processor time of each block of costSteps steps
}

const (
	costStep   = 0.02 // s, the step of rk4: so long that each step drifts and is projected
	costSteps  = 20   // steps in a block
	costBlocks = 7    // timed blocks of each size, taken in turn; the fastest counts
)

// MeasureStepCost times steps of A02 with 40 and with 4000 windows, whose windows pass through the same motion. If short,
// the larger one has 400 windows.
func MeasureStepCost(short bool) (*stepCost, error) {
	large := 4000
	if short {
		large = 400
	}
	c := &stepCost{}
	for _, n := range [...]int{40, large} {
		s, err := newSizeCost(n)
		if err != nil {
			return nil, err
		}
		c.Sizes = append(c.Sizes, *s)
	}
	for block := range costBlocks + 1 { // the first block warms up and is not timed
		for i := range c.Sizes {
			if err := c.Sizes[i].measure(block > 0); err != nil {
				return nil, err
			}
		}
	}
	for i := range c.Sizes {
		s := &c.Sizes[i]
		s.Step = slices.Min(s.times).Seconds() / costSteps
	}
	a, b := &c.Sizes[0], &c.Sizes[1]
	c.Ratio = b.Step / float64(b.Bodies) / (a.Step / float64(a.Bodies))
	return c, nil
}

// newSizeCost prepares A02 with n windows of side 1 m: upright, the top bars moving at 1 m/s along x, the rods (the uprights)
// turning at −1 rad/s about z.
func newSizeCost(n int) (*sizeCost, error) {
	m, err := bench.NFourBar(n, 0, 1)
	if err != nil {
		return nil, err
	}
	plan, err := rung.NewPlan(m, rung.Options{})
	if err != nil {
		return nil, err
	}
	mech, st := plan.Mechanism(), plan.Initial()
	for i := range st.Bodies {
		b := &st.Bodies[i]
		b.Velocity, b.Omega = spatial.Vec3{1, 0, 0}, spatial.Vec3{}
		if strings.HasPrefix(mech.BodyName(i), "rod") {
			b.Velocity, b.Omega = spatial.Vec3{}, spatial.Vec3{0, 0, -1}
		}
	}
	return &sizeCost{Windows: n, Bodies: mech.NumBodies(), mech: mech, dyn: motion.NewDynamics(plan), start: st}, nil
}

// measure runs costSteps steps from the start and stores the projections per step. It keeps the processor time of the steps if
// counts is true; else they only warm up.
func (s *sizeCost) measure(counts bool) error {
	run := sim.New(s.mech, sim.NewRungeKutta(s.mech, s.dyn, sim.RungeKutta4(), sim.Tolerance{}), s.start, sim.Options{Step: costStep, Projector: s.dyn})
	begun := machine.ProcessorTime()
	if err := run.Run(costSteps * costStep); err != nil {
		return err
	}
	if counts {
		s.times = append(s.times, machine.ProcessorTime()-begun)
	}
	s.Projections = float64(run.Stats().Projections) / costSteps
	return nil
}
