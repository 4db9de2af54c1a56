// Command swingup swings up a pendulum that hangs on the coupler of a parallelogram linkage. Only the crank is driven. Every 40 ms a
// controller simulates 128 random sequences of torques (plans) ahead with package batch and applies the first torque of their mean,
// weighted by how good they are (model predictive path integral control).
package main

import (
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"time"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/batch"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

const (
	samples = 128
	horizon = 24   // torques in a plan, one for each tick ahead
	tick    = 0.04 // s, time for which a torque is applied
	substep = 2    // steps of integration in a tick
	end     = 3.0  // s
	torque  = 12.0 // N m, largest magnitude
	length  = 0.5  // m, of the pendulum
	mass    = 0.3  // kg
)

// linkage returns the plan of the linkage and the number of the pendulum's body.
func linkage() (*rung.Plan, int, error) {
	a, b, c, d := spatial.Vec3{}, spatial.Vec3{0, 0.8, 0}, spatial.Vec3{1, 0.8, 0}, spatial.Vec3{1, 0, 0}
	z := spatial.Vec3{0, 0, 1}
	m := rung.NewBuilder("swing-up").Gravity(0, -9.81, 0)
	crank := m.Rod("crank", 1, 0.02, a, b)
	coupler := m.Rod("coupler", 1, 0.02, b, c)
	rocker := m.Rod("rocker", 1, 0.02, d, c)
	pivot := spatial.Vec3{0.5, 0.8, 0}
	pendulum := m.Rod("pendulum", mass, 0.02, pivot, pivot.Sub(spatial.Vec3{0, length, 0}))
	m.Revolute("p1", rung.World, crank, a, z)
	m.Revolute("p2", crank, coupler, b, z)
	m.Revolute("p3", coupler, rocker, c, z)
	m.Revolute("p4", rung.World, rocker, d, z)
	m.Revolute("hinge", coupler, pendulum, pivot, z)
	built, err := m.Model()
	if err != nil {
		return nil, 0, err
	}
	plan, err := rung.NewPlan(built, rung.Options{})
	return plan, 3, err
}

// angles returns the angle of the pendulum from standing up and its rate, then the angle of the crank from its upright start and its
// speed: rad and rad/s.
func angles(st *mechanism.State, start *mechanism.State, pendulum int) (up, rate, crank, speed float64) {
	turn := func(i int) float64 {
		q := st.Bodies[i].Rotation.Mul(start.Bodies[i].Rotation.Conj())
		return 2 * math.Atan2(q[3], q[0])
	}
	up = math.Remainder(turn(pendulum)-math.Pi, 2*math.Pi)
	return up, st.Bodies[pendulum].Omega[2], math.Remainder(turn(0), 2*math.Pi), st.Bodies[0].Omega[2]
}

// cost returns the cost rate of a state that the controller minimizes. Its weights were found by trial: the pendulum shall stand,
// have the energy to get there, and be slow near the top, and the crank shall stay upright and slow.
func cost(up, rate, crank, speed float64) float64 {
	energy := 0.5*rate*rate*length/3 + 9.81/2*(math.Cos(up)-1) // over mass·length; 0 if the pendulum just gets up
	return 4*(1-math.Cos(up)) + 0.3*energy*energy + 0.02*rate*rate*(1+math.Cos(up)) + 6*crank*crank + 0.15*speed*speed
}

// shooter is a random-shooting controller.
type shooter struct {
	b        *batch.Batch
	states   *batch.States
	out      *batch.Outcome
	st       []*mechanism.State // buffers, one for each group of eight states, as groups run at the same time
	start    *mechanism.State
	mean     []float64                 // torques, N m, of the mean plan
	plans    [samples][horizon]float64 // torques, N m
	sums     [samples]float64          // costs of the plans
	rng      *rand.Rand
	pendulum int
}

// next returns the torque, N m, for the next tick from the state now. Plans are the mean plan of the tick before plus correlated
// noise; the new mean has weights exp(−(cost − least cost)/8).
func (s *shooter) next(now *mechanism.State) (float64, error) {
	for i := range samples {
		s.states.Set(i, now)
		s.sums[i] = 0
		noise := 0.0
		for k := range horizon {
			noise = 0.7*noise + 4*s.rng.NormFloat64()
			if i == 0 {
				noise = 0 // one plan is the mean plan itself
			}
			s.plans[i][k] = max(-torque, min(torque, s.mean[k]+noise))
		}
	}
	control := func(step, first, n int) {
		st := s.st[first/8]
		for i := first; i < first+n; i++ {
			if step%substep == 0 {
				s.states.To(st, i)
				s.sums[i] += cost(angles(st, s.start, s.pendulum))
				s.states.SetForce(i, 0, s.plans[i][step/substep])
			}
		}
	}
	how := &batch.Rollout{Step: tick / substep, Steps: horizon * substep, Control: control}
	if err := s.b.Rollout(s.states, how, s.out); err != nil {
		return 0, err
	}
	best := math.Inf(1)
	for i, x := range s.sums {
		if s.out.Error(i) == nil {
			best = min(best, x)
		}
	}
	total := 0.0
	clear(s.mean)
	for i, x := range s.sums {
		if s.out.Error(i) != nil {
			continue
		}
		w := math.Exp((best - x) / 8)
		total += w
		for k, u := range s.plans[i] {
			s.mean[k] += w * u
		}
	}
	for k := range s.mean {
		s.mean[k] /= total
	}
	u := s.mean[0]
	copy(s.mean, s.mean[1:])
	return u, nil
}

// run lets the controller swing the pendulum up, with one torque for each tick, and prints since when the pendulum stands.
func run() error {
	plan, pendulum, err := linkage()
	if err != nil {
		return err
	}
	b, err := batch.New(plan, batch.Options{Threads: 2, Forces: []mechanism.Freedom{{Joint: 0}}})
	if err != nil {
		return err
	}
	s := &shooter{b: b, states: b.NewStates(samples), out: b.NewOutcome(samples), start: plan.Initial(),
		mean: make([]float64, horizon), rng: rand.New(rand.NewPCG(1, 1)), pendulum: pendulum}
	for range samples / 8 {
		s.st = append(s.st, plan.Initial())
	}
	// The controlled mechanism itself is a batch of one state, with shorter steps than the controller's.
	world, out := b.NewStates(1), b.NewOutcome(1)
	now := plan.Initial()
	begun, slowest, stands := time.Now(), time.Duration(0), -1.0
	for now.Time < end-tick/2 {
		t := time.Now()
		u, err := s.next(now)
		if err != nil {
			return err
		}
		slowest = max(slowest, time.Since(t))
		world.SetForce(0, 0, u)
		if err := b.Rollout(world, &batch.Rollout{Step: tick / 20, Steps: 20}, out); err != nil {
			return err
		}
		if err := out.Error(0); err != nil {
			return err
		}
		world.To(now, 0)
		up, rate, _, _ := angles(now, s.start, pendulum)
		if math.Abs(up) > 0.35 || math.Abs(rate) > 2 { // rad, rad/s: does not stand
			stands = -1
		} else if stands < 0 {
			stands = now.Time
		}
	}
	fmt.Printf("%d bodies, %d plans of %.2f s each, a torque every %.0f ms\n", plan.Mechanism().NumBodies(), samples, horizon*tick, 1e3*tick)
	if stands < 0 {
		return fmt.Errorf("the pendulum has not got up")
	}
	fmt.Printf("the pendulum stands, and has done so for a second: %v\n", stands < end-1)
	fmt.Fprintf(os.Stderr, "%.1f s of time took %.2f s; the slowest choice of a torque %.1f ms of %.0f; it stands since %.2f s\n", end, time.Since(begun).Seconds(), 1e3*slowest.Seconds(), 1e3*tick, stands)
	return nil
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
