package taskfile_test

import (
	"log"
	"os"
	"strings"

	"github.com/rung-mbd/rung/ik/taskfile"
)

// A task from a document gets another place, and is written again.
func Example() {
	task, err := taskfile.Read(strings.NewReader(`{
  "format": "rung-ik/1",
  "limits": {"elbow": [-2, 2]},
  "targets": [{"name": "tip", "type": "point", "body": "lower", "point": [1, 0, 0], "position": [0.5, 0, 1.2]}]
}`), "tip.json")
	if err != nil {
		log.Fatal(err)
	}
	task.Targets[0].Position = [3]float64{0, 0, 1.5}
	if err := taskfile.Write(os.Stdout, task); err != nil {
		log.Fatal(err)
	}
	// Output:
	// {
	//  "format": "rung-ik/1",
	//  "limits": {"elbow": [-2, 2]},
	//  "targets": [
	//   {"name": "tip", "type": "point", "body": "lower", "frame": {"position": [1, 0, 0]}, "position": [0, 0, 1.5]}
	//  ]
	// }
}
