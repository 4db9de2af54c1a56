//rung:race
package team_test

import (
	"fmt"

	"github.com/rung-mbd/rung/team"
)

// squares is a job: task i fills entry i.
type squares []int

func (s *squares) Do(_, task int) { (*s)[task] = task * task }

// Tasks on three goroutines, as often as one likes, without allocation.
func Example() {
	t := team.New(3)
	s := make(squares, 6)
	t.Run(len(s), &s)
	fmt.Println(s)
	// Output:
	// [0 1 4 9 16 25]
}
