package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"time"

	"github.com/rung-mbd/rung/batch"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

const (
	states  = 256                    // states that step together, in groups of eight
	run     = 8                      // steps of all states between two readings of the clock
	seconds = 600 * time.Millisecond // least time of the measurement
)

// answer is the document that the program prints.
type answer struct {
	StepNs    float64               `json:"step_ns"`    // wall time of a step divided by the number of states, with all threads
	Violation float64               `json:"violation"`  // largest violation of a joint at the end, m or rad
	OneByOne  int                   `json:"one_by_one"` // steps that were not done in lanes (batch.Outcome.OneByOne)
	Positions map[string][3]float64 `json:"positions"`  // of the bodies' frames at the end, m, world frame
}

// main runs the command (see the package comment).
func main() {
	a, err := measure(os.Args[1:])
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(a)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "rollout:", err)
		os.Exit(1)
	}
}

// measure simulates one state of a model to the end, and measures the time of a step of many states, as the arguments say.
func measure(args []string) (*answer, error) {
	if len(args) != 5 {
		return nil, fmt.Errorf("use: rollout MODEL INTEGRATOR STEP TIME THREADS")
	}
	integrator, ok := map[string]batch.Integrator{"RK4": batch.RungeKutta4, "semi-implicit": batch.SemiImplicit}[args[1]]
	if !ok {
		return nil, fmt.Errorf("no integrator %q", args[1])
	}
	h, err1 := strconv.ParseFloat(args[2], 64)
	end, err2 := strconv.ParseFloat(args[3], 64)
	threads, err3 := strconv.Atoi(args[4])
	if err1 != nil || err2 != nil || err3 != nil || !(h > 0) || !(end >= h) || threads < 1 {
		return nil, fmt.Errorf("step %q, time %q, threads %q", args[2], args[3], args[4])
	}
	doc, err := model.ReadFile(args[0])
	if err != nil {
		return nil, err
	}
	m, err := mechanism.New(doc)
	if err != nil {
		return nil, err
	}
	p := kkt.NewPlan(m, kkt.Options{})
	a := &answer{}
	if err := a.walk(p, integrator, h, int(math.Round(end/h))); err != nil {
		return nil, err
	}
	a.StepNs, err = least(p, integrator, h, int(math.Round(end/h)), threads)
	return a, err
}

// walk simulates one state for so many steps of h, s, and stores its positions and violation at the end.
func (a *answer) walk(p *kkt.Plan, how batch.Integrator, h float64, steps int) error {
	b, err := batch.New(p, batch.Options{})
	if err != nil {
		return err
	}
	s, out, m := b.NewStates(1), b.NewOutcome(1), p.Mechanism()
	if err := b.Rollout(s, &batch.Rollout{Integrator: how, Step: h, Steps: steps}, out); err != nil {
		return err
	}
	if out.Error(0) != nil {
		return out.Error(0)
	}
	st := p.Initial()
	s.To(st, 0)
	a.OneByOne, a.Positions = out.OneByOne(0), map[string][3]float64{}
	for i := range st.Bodies {
		a.Positions[m.BodyName(i)] = st.Bodies[i].Position
	}
	k := m.NewKinematics()
	if err := m.KinematicsTo(k, st); err != nil {
		return err
	}
	var v mechanism.Violation
	for j := range m.Joints {
		w := m.ViolationOf(j, k, st)
		v.Widen(&w)
	}
	a.Violation, _ = v.In(1)
	return nil
}

// least returns the least wall time, ns, of a step divided by the number of states. It is measured in short runs that go through all
// steps from the initial state on, again and again.
func least(p *kkt.Plan, how batch.Integrator, h float64, steps, threads int) (float64, error) {
	b, err := batch.New(p, batch.Options{Threads: threads})
	if err != nil {
		return 0, err
	}
	s, start, out := b.NewStates(states), p.Initial(), b.NewOutcome(states)
	o := &batch.Rollout{Integrator: how, Step: h, Steps: run}
	best := time.Hour
	at := steps
	for begin, n := time.Now(), 0; time.Since(begin) < seconds || n < 3; n++ {
		if at+run > steps {
			at = 0
			for i := range states {
				s.Set(i, start)
			}
		}
		t := time.Now()
		if err := b.Rollout(s, o, out); err != nil {
			return 0, err
		}
		best = min(best, time.Since(t))
		at += run
	}
	return float64(best.Nanoseconds()) / states / run, nil
}
