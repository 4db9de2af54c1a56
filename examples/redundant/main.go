// Command redundant opens a door on three hinges, two more than it needs, and prints by name the redundant constraints and the reactions
// that the model does not determine. Then it replaces the hinges by joints that determine everything, and prints the same again.
package main

import (
	"fmt"
	"log"
	"strings"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/model"
)

// explain prints the redundant constraints of m and, for each joint, the components of its reaction that are not determined.
func explain(m *model.Model) error {
	r, err := rung.Accelerate(m, rung.Options{})
	if err != nil {
		return err
	}
	c := &r.Constraints
	fmt.Printf("%d rows, rank %d, redundant %d, mobility %d\n", c.Rows, c.Rank, c.Redundant, c.Mobility)
	for _, j := range c.RedundantJoints {
		fmt.Printf("  %s repeats %d rows\n", j.Name, j.Rows)
	}
	up := 0.0
	for i := range r.Joints {
		j := &r.Joints[i]
		if j.WrenchUnique {
			fmt.Printf("  %s: all of its reaction is known\n", j.Name)
		} else {
			fmt.Printf("  %s: not known: %s\n", j.Name, strings.Join(j.Undetermined, ", "))
		}
		if strings.HasSuffix(j.Name, "hinge") {
			up += j.TotalWrench.Force[2]
		}
	}
	fmt.Printf("  the hinges carry together %.4f N, by hand %.4f N\n", up, (24+0.6)*9.81)
	return nil
}

// run explains the constraints of the door as it is in its file, then with two hinges replaced by other joints and without the third.
func run() error {
	m, err := rung.Open("door.json")
	if err != nil {
		return err
	}
	if err := explain(m); err != nil {
		return err
	}
	// The lower hinge becomes a ball joint, which carries the leaf; the upper one a ball that slides along the axis, which keeps the
	// leaf upright; the middle one is left out.
	lower, middle, upper := &m.Joints[0], 1, &m.Joints[2]
	lower.Type, upper.Type = model.Spherical, model.SphereInCylinder
	m.Joints = append(m.Joints[:middle], m.Joints[middle+1:]...)
	fmt.Println("a ball below, a ball that slides along the axis above, none between:")
	return explain(m)
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
