// Command reach poses an arm and a Stewart platform by inverse kinematics. The arm is read from a file, with a task that
// has the wanted position and direction of its hand; the platform is built here. With a file name as argument the program
// only writes the platform to that file, for rung ik: go run . stewart.json.
package main

import (
	"fmt"
	"log"
	"math"
	"os"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/ik"
	"github.com/rung-mbd/rung/ik/taskfile"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

const (
	base, top = 0.6, 0.35 // m, radii of the joints of the legs
	height    = 0.8       // m
)

// corner returns the joint of leg i on a circle at the height z, m. The legs are in three pairs, gap being half the angle between the
// legs of a pair, rad.
func corner(i int, radius, gap, z float64) spatial.Vec3 {
	angle := 2*math.Pi/3*float64(i/2) + gap*float64(2*(i%2)-1)
	return spatial.Vec3{radius * math.Cos(angle), radius * math.Sin(angle), z}
}

// ends returns the ends of leg i: legs of a pair at the base go to different pairs at the top.
func ends(i int) (foot, head spatial.Vec3) {
	return corner(i, base, 0.2, 0), corner(i, top, 0.8, height)
}

// platform builds a Stewart platform: six legs that slide, on universal joints at the base and balls at the top.
func platform() (*model.Model, error) {
	b := rung.NewBuilder("stewart")
	plate, err := bodies.SolidCylinder(12, 0.03, top)
	if err != nil {
		return nil, err
	}
	p := b.Body("platform", plate, rung.At(0, 0, height))
	for i := range 6 {
		foot, head := ends(i)
		middle := foot.Add(head).Scale(0.5)
		lower := b.Rod(fmt.Sprint("lower", i), 1.5, 0.02, foot, middle)
		upper := b.Rod(fmt.Sprint("upper", i), 1, 0.015, middle, head)
		leg := head.Sub(foot)
		across := leg.Cross(spatial.Vec3{0, 0, 1})
		b.Universal(fmt.Sprint("base", i), rung.World, lower, foot, across, leg.Cross(across))
		slide := b.Prismatic(fmt.Sprint("slide", i), lower, upper, middle, leg)
		slide.Limits = []*model.Limit{{Lower: -0.2, Upper: 0.2, Rate: 1}}
		b.Spherical(fmt.Sprint("top", i), upper, p, head)
	}
	return b.Model()
}

// pose solves a task on a model, prints its status, and returns the driven coordinates.
func pose(m *model.Model, task *ik.Task) []float64 {
	plan, err := rung.NewPlan(m, rung.Options{})
	check(err)
	problem, err := ik.NewProblem(plan, task)
	check(err)
	solver, err := problem.NewSolver(task.Solver)
	check(err)
	st := plan.Initial()
	result, err := solver.Reach(st)
	check(err) // targets that are not reached are no error; result tells about them
	fmt.Printf("%s: %v, %d driven freedoms\n", m.Name, result.Status, len(result.Driven))
	q := make([]float64, len(result.Driven))
	for i, d := range result.Driven {
		q[i] = d.Value
	}
	return q
}

// check ends the process if err is not nil.
func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

// main solves a task of the arm and one of the platform, and prints each coordinate beside its value by a formula. With an argument it
// writes the platform to that file instead.
func main() {
	stewart, err := platform()
	check(err)
	if len(os.Args) > 1 {
		check(model.WriteFile(os.Args[1], stewart))
		return
	}

	arm, err := model.ReadFile("arm.json")
	check(err)
	task, err := taskfile.Open("pick.json")
	check(err)
	q := pose(arm, task)

	// By hand: the hand points down, so the wrist is 0.1 m above the tip. The links of 0.4 m and 0.3 m from the shoulder, which is
	// at the height 0.3 m, reach the wrist in the plane of the arm, at x and z from the shoulder.
	const hand, shoulderHeight, upper, fore = 0.1, 0.3, 0.4, 0.3
	tip := task.Targets[0].Position
	x, z := math.Hypot(tip[0], tip[1]), tip[2]+hand-shoulderHeight
	elbow := math.Acos((x*x + z*z - upper*upper - fore*fore) / (2 * upper * fore))
	shoulder := math.Atan2(-z, x) - math.Atan2(fore*math.Sin(elbow), upper+fore*math.Cos(elbow))
	for i, angle := range []float64{math.Atan2(tip[1], tip[0]), shoulder, elbow, math.Pi/2 - shoulder - elbow} {
		fmt.Printf("  %s: %.4f rad, by hand %.4f rad\n", arm.Joints[i].Name, q[i], angle)
	}

	task, err = taskfile.Open("tilt.json")
	check(err)
	q = pose(stewart, task)

	// By hand: the change of a leg's length from foot to head.
	want := task.Targets[0]
	turn := spatial.Quat(want.Orientation)
	for i := range 6 {
		foot, head := ends(i)
		moved := turn.Rotate(head.Sub(spatial.Vec3{0, 0, height})).Add(want.Position)
		fmt.Printf("  slide%d: %.4f m, by hand %.4f m\n", i, q[i], moved.Sub(foot).Norm()-head.Sub(foot).Norm())
	}
}
