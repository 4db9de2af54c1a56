// Command redundant opens a door on three hinges, two more than it needs, and says by name which constraints are too many
// and which reactions nobody can know. Then it lets two hinges be what a carpenter makes of them, and asks again.
package main

import (
	"fmt"
	"log"
	"strings"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/model"
)

// explain prints what the constraints of m do and do not determine.
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

// run explains the constraints of the door as its file has it, then with two hinges of other types and without the third.
func run() error {
	m, err := rung.Open("door.json")
	if err != nil {
		return err
	}
	if err := explain(m); err != nil {
		return err
	}
	// The lower hinge carries the leaf as a ball; the upper one keeps
	// it upright and lets it rise; the middle one is left out.
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
