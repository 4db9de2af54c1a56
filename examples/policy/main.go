// Command policy learns a control law by which the motor of a four-bar linkage keeps its crank at one speed. The law has six numbers: a
// torque that depends on the angle of the crank, and a gain on its speed. Eight runs of a quarter of a second, from crank angles all
// around, are simulated at the same time; the numbers follow their exact gradients (package derive/learn).
package main

import (
	"context"
	"fmt"
	"log"
	"math"
	"runtime"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/derive/learn"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

const (
	speed  = 8.0  // rad/s, wanted speed of the crank
	starts = 8    // number of runs
	acts   = 25   // number of torques in a run
	step   = 5e-3 // s, of integration; each torque is held for two steps
	price  = 1e-3 // weight of the square of a torque in the cost
	rounds = 40   // of learning
	rate   = 0.2  // of learning
	size   = 6    // count of numbers in the law
)

// motor is the law u = θ·(1, cos q, sin q, cos 2q, sin 2q, speed − q̇) in one run, with the gradient of the run's cost by θ (slope).
type motor struct {
	theta *[size]float64
	slope [size]float64
}

// features returns the functions in which the law is linear, and their derivatives by q and q̇.
func features(q, rate float64) (f, byQ, byRate [size]float64) {
	s, c := math.Sincos(q)
	s2, c2 := math.Sincos(2 * q)
	return [size]float64{1, c, s, c2, s2, speed - rate}, [size]float64{0, -s, c, -2 * s2, 2 * c2, 0}, [size]float64{5: -1}
}

// Act implements learn.Law.
func (m *motor) Act(u, y []float64, k int) float64 {
	miss := y[1] - speed
	if k == acts {
		return miss * miss / acts
	}
	f, _, _ := features(y[0], y[1])
	for i, x := range f {
		u[0] += m.theta[i] * x
	}
	return (miss*miss + price*u[0]*u[0]) / acts
}

// Back implements learn.Law.
func (m *motor) Back(x, y, u, w []float64, k int) {
	x[1] += 2 * (y[1] - speed) / acts
	if k == acts {
		return
	}
	byTorque := w[0] + 2*price*u[0]/acts // derivative of the cost
	f, byQ, byRate := features(y[0], y[1])
	for i := range f {
		m.slope[i] += byTorque * f[i]
		x[0] += byTorque * m.theta[i] * byQ[i]
		x[1] += byTorque * m.theta[i] * byRate[i]
	}
}

// linkage returns a four-bar linkage whose crank can turn all around.
func linkage() (*model.Model, error) {
	O, A, B, C := spatial.Vec3{}, spatial.Vec3{0.1, 0, 0}, spatial.Vec3{0.28125, 0.2477, 0}, spatial.Vec3{0.25, 0, 0}
	z := spatial.Vec3{0, 0, 1}
	b := rung.NewBuilder("four-bar").Gravity(0, -9.81, 0)
	crank, coupler, rocker := b.Rod("crank", 0.5, 0.02, O, A), b.Rod("coupler", 0.8, 0.02, A, B), b.Rod("rocker", 0.6, 0.02, C, B)
	b.Revolute("motor", rung.World, crank, O, z)
	b.Revolute("A", crank, coupler, A, z)
	b.Revolute("B", coupler, rocker, B, z)
	b.Revolute("C", rung.World, rocker, C, z)
	return b.Model()
}

// around returns states of the linkage at crank angles all around. They are taken from a run in which a motion turns the crank at the
// wanted speed.
func around(m *model.Model) (list []*mechanism.State, err error) {
	driven := *m
	driven.Joints = append([]model.Joint(nil), m.Joints...)
	driven.Joints[0].Motion = []*model.Motion{joints.NewPolynomial([]float64{0, speed})}
	plan, err := rung.NewPlan(&driven, rung.Options{})
	if err != nil {
		return nil, err
	}
	s, err := rung.NewSimulation(plan, rung.SimulationOptions{Start: sim.Close})
	if err != nil {
		return nil, err
	}
	for i := range starts {
		if err := s.Run(2 * math.Pi / speed * float64(i) / starts); err != nil {
			return nil, err
		}
		st := s.State().Clone()
		st.Time, st.Angles = 0, nil
		list = append(list, st)
	}
	return list, nil
}

// learner simulates the runs of a law, from the states at their starts.
type learner struct {
	runs   *learn.Rollouts
	states []*mechanism.State
}

// cost returns the mean cost of all runs with the law theta and, if slopes, its gradient by theta.
func (l *learner) cost(theta *[size]float64, slopes bool) (mean float64, gradient [size]float64, err error) {
	laws, out := make([]learn.Law, len(l.states)), make([]learn.Result, len(l.states))
	for i := range laws {
		laws[i] = &motor{theta: theta}
	}
	roll := l.runs.Costs
	if slopes {
		roll = l.runs.Gradients
	}
	if err := roll(context.Background(), l.states, laws, out); err != nil {
		return 0, gradient, err
	}
	for i := range out {
		if out[i].Err != nil {
			return 0, gradient, out[i].Err
		}
		mean += out[i].Cost / float64(len(out))
		for k, x := range laws[i].(*motor).slope {
			gradient[k] += x / float64(len(out))
		}
	}
	return mean, gradient, nil
}

// learn moves the numbers of the law down the gradient, by the steps of Adam (Kingma & Ba 2015).
func (l *learner) learn(theta *[size]float64) error {
	var mean, square [size]float64
	for round := 0; ; round++ {
		cost, g, err := l.cost(theta, true)
		if err != nil {
			return err
		}
		if round%5 == 0 {
			fmt.Printf("round %2d: cost %.4f\n", round, cost)
		}
		if round == rounds {
			return nil
		}
		for i, x := range g {
			mean[i], square[i] = 0.9*mean[i]+0.1*x, 0.99*square[i]+0.01*x*x
			a, b := mean[i]/(1-math.Pow(0.9, float64(round+1))), square[i]/(1-math.Pow(0.99, float64(round+1)))
			theta[i] -= rate * a / (math.Sqrt(b) + 1e-8)
		}
	}
}

// run compares a derivative of the cost with differences, learns the six numbers of the law, and prints them.
func run() error {
	m, err := linkage()
	if err != nil {
		return err
	}
	plan, err := rung.NewPlan(m, rung.Options{})
	if err != nil {
		return err
	}
	l, err := newLearner(plan, m)
	if err != nil {
		return err
	}
	theta := [size]float64{5: 0.3} // only a gain
	_, g, err := l.cost(&theta, true)
	if err != nil {
		return err
	}
	const h = 1e-5
	up, down := theta, theta
	up[1], down[1] = h, -h
	above, _, err := l.cost(&up, false)
	if err != nil {
		return err
	}
	below, _, err := l.cost(&down, false)
	if err != nil {
		return err
	}
	fmt.Printf("the cost changes by %.3f a N m of cos q, by differences %.3f\n", g[1], (above-below)/(2*h))
	if err := l.learn(&theta); err != nil {
		return err
	}
	fmt.Printf("torque %.2f %+.2f cos q %+.2f sin q %+.2f cos 2q %+.2f sin 2q N m, gain %.2f N m s\n",
		theta[0], theta[1], theta[2], theta[3], theta[4], theta[5])
	return nil
}

// newLearner returns a learner that starts its runs from crank angles all around.
func newLearner(plan *kkt.Plan, m *model.Model) (*learner, error) {
	states, err := around(m)
	if err != nil {
		return nil, err
	}
	runs, err := learn.New(plan, m, learn.Options{
		Forces: []mechanism.Freedom{{Joint: 0}}, Observe: []string{"joint.motor.q", "joint.motor.qd"},
		Step: step, Hold: 2, Acts: acts, Threads: runtime.GOMAXPROCS(0), Lanes: true,
	})
	return &learner{runs, states}, err
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
