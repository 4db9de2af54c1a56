package sdf_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/formats/sdf"
)

// A model of one's own for Gazebo.
func ExampleWrite() {
	m, err := bench.NFourBar(1, 0.4, 1)
	if err != nil {
		log.Fatal(err)
	}
	var text strings.Builder // or a file
	report, err := sdf.Write(&text, m)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(strings.Count(text.String(), "<joint "), "joints,", report.Dropped(), "things dropped")
	// Output:
	// 4 joints, 0 things dropped
}
