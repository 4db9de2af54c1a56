// Command gripper lets 256 parallel grippers close on a soft object in one batch. They differ in the masses of fingers, the lengths of
// links, the damping of bearings and the stiffness of the object: package batch keeps these parameters for each state.
package main

import (
	"fmt"
	"log"
	"math"
	"math/rand/v2"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/batch"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

const (
	grippers = 256
	length   = 0.08  // m, of the links
	radius   = 0.004 // m, of all rods
	width    = 0.06  // m, of the object
	torque   = 0.5   // N m, of each motor
	stiff    = 1500. // N/m, of the object
	friction = 0.2   // N m s/rad, viscous, of the bearing of each motor
	step     = 1e-3  // s
	steps    = 600
)

// hand is a gripper: two fingers, each on a crank and a follower that stay parallel. It has the numbers of its parts.
type hand struct {
	plan    *rung.Plan
	links   []int  // bodies of cranks and followers
	tops    []int  // by link: the joint at its far end
	isSucc  []bool // by link: it is the successor of that joint
	fingers []int  // bodies
	motors  []mechanism.Freedom
	object  int // spring
}

// newHand builds a gripper with an object between its fingers, and keeps the numbers of the parts that a batch varies.
func newHand() (*hand, error) {
	h := &hand{}
	m := rung.NewBuilder("gripper").Gravity(0, 0, -9.81) // it lies on its side
	z := spatial.Vec3{0, 0, 1}
	var tips [2]rung.Body
	for i, side := range []float64{-1, 1} {
		name := []string{"left", "right"}[i]
		a, b := spatial.Vec3{side * 0.03, 0, 0}, spatial.Vec3{side * 0.06, 0, 0}
		up := spatial.Vec3{0, length, 0}
		crank := m.Rod(name+" crank", 0.02, radius, a, a.Add(up))
		follower := m.Rod(name+" follower", 0.02, radius, b, b.Add(up))
		tips[i] = m.Rod(name+" finger", 0.05, radius, a.Add(up), a.Add(up.Scale(1.5)))
		motor := m.Revolute(name+" motor", rung.World, crank, a, z)
		m.Revolute(name+" base", rung.World, follower, b, z)
		first := m.Revolute(name+" knuckle", crank, tips[i], a.Add(up), z)
		second := m.Revolute(name+" tail", tips[i], follower, b.Add(up), z)
		h.links = append(h.links, crank.Index(), follower.Index())
		h.tops = append(h.tops, first.Index(), second.Index())
		h.isSucc = append(h.isSucc, false, true)
		h.fingers = append(h.fingers, tips[i].Index())
		h.motors = append(h.motors, mechanism.Freedom{Joint: motor.Index()})
	}
	tip := spatial.Vec3{width / 2, 1.5 * length, 0}
	left := tip
	left[0] = -tip[0]
	m.SpringDamper("object", tips[0], tips[1], left, tip, rung.Spring{Stiffness: stiff, RestLength: width})
	built, err := m.Model()
	if err != nil {
		return nil, err
	}
	for _, f := range h.motors {
		built.Joints[f.Joint].Damping = []float64{friction}
	}
	h.plan, err = rung.NewPlan(built, rung.Options{})
	return h, err
}

// draw gives state i random parameters, equal on both sides, and returns the stiffness of its object, N/m, and the length of its
// links, m.
func (h *hand) draw(s *batch.States, i int, rng *rand.Rand) (stiffness, long float64, err error) {
	between := func(a, b float64) float64 { return a + (b-a)*rng.Float64() }
	long = length * between(0.9, 1.1)
	rod, err := bodies.Rod(0.02*between(0.7, 1.3), long, radius)
	if err != nil {
		return 0, 0, err
	}
	for k, body := range h.links {
		if err := s.SetBody(i, body, rod.Mass, spatial.Vec3{long / 2, 0, 0}, rod.Inertia); err != nil {
			return 0, 0, err
		}
		p, q := s.Frames(i, h.tops[k])
		if h.isSucc[k] {
			q.Origin[0] = long
		} else {
			p.Origin[0] = long
		}
		if err := s.SetFrames(i, h.tops[k], p, q); err != nil {
			return 0, 0, err
		}
	}
	heavier, rougher := between(0.5, 2), between(0.5, 1.5)
	for _, body := range h.fingers {
		mass, com, inertia := s.Body(i, body)
		if err := s.SetBody(i, body, mass*heavier, com, inertia.Scale(heavier)); err != nil {
			return 0, 0, err
		}
	}
	for k, f := range h.motors {
		if err := s.SetDrive(i, f, 0, friction*rougher, 0); err != nil {
			return 0, 0, err
		}
		s.SetForce(i, k, []float64{-torque, torque}[k])
	}
	stiffness = stiff * between(0.5, 2)
	return stiffness, long, s.SetSpring(i, h.object, stiffness, 0, width)
}

// run draws the parameters of all grippers, closes them on their objects in one batch, and compares each force with the force by
// virtual work.
func run() error {
	h, err := newHand()
	if err != nil {
		return err
	}
	b, err := batch.New(h.plan, batch.Options{Threads: 2, Forces: h.motors, Vary: batch.Vary{
		Bodies: append(append([]int(nil), h.links...), h.fingers...), Joints: h.tops, Drives: h.motors, Springs: []int{h.object},
	}})
	if err != nil {
		return err
	}
	s, out := b.NewStates(grippers), b.NewOutcome(grippers)
	rng := rand.New(rand.NewPCG(1, 2))
	var stiffness, long [grippers]float64
	for i := range grippers {
		if stiffness[i], long[i], err = h.draw(s, i, rng); err != nil {
			return err
		}
	}
	if b.CloseJoints(s, out); out.Error(0) != nil {
		return out.Error(0)
	}
	if err := b.Rollout(s, &batch.Rollout{Step: step, Steps: steps}, out); err != nil {
		return err
	}
	st := h.plan.Initial()
	least, most, sum, squares := math.Inf(1), 0.0, 0.0, 0.0
	squeeze := func(i int) (force, byHand float64) {
		s.To(st, i)
		tip := spatial.Vec3{length / 2, 0, 0} // in the frame of a finger
		a, c := &st.Bodies[h.fingers[0]], &st.Bodies[h.fingers[1]]
		gap := c.Position.Add(c.Rotation.Mat().MulVec(tip)).Sub(a.Position.Add(a.Rotation.Mat().MulVec(tip))).Norm()
		// Virtual work: a crank that turns by dθ moves its finger sideways by long·cos θ·dθ.
		x := st.Bodies[h.links[0]].Rotation.Mat().Col(0)
		return stiffness[i] * (width - gap), torque / (long[i] * x[1])
	}
	worst := 0.0
	for i := range grippers {
		if err := out.Error(i); err != nil {
			return err
		}
		f, hand := squeeze(i)
		least, most, sum, squares = min(least, f), max(most, f), sum+f, squares+f*f
		worst = max(worst, math.Abs(f/hand-1))
	}
	mean := sum / grippers
	fmt.Printf("%d grippers, %d bodies and %d joints each\n", grippers, h.plan.Mechanism().NumBodies(), h.plan.Mechanism().NumJoints())
	fmt.Printf("squeeze after %.1f s: mean %.4f N, deviation %.4f N, from %.4f to %.4f N\n", step*steps, mean, math.Sqrt(squares/grippers-mean*mean), least, most)
	for _, i := range []int{0, 100, 255} {
		f, hand := squeeze(i)
		fmt.Printf("gripper %d, links of %.2f mm, object of %.0f N/m: %.4f N, by hand %.4f N\n", i, 1000*long[i], stiffness[i], f, hand)
	}
	if worst > 1e-6 {
		return fmt.Errorf("a gripper is off by %.1g of its force", worst)
	}
	return nil
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
