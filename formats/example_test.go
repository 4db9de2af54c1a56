package formats_test

import (
	"fmt"
	"log"

	"github.com/rung-mbd/rung/formats"
	"github.com/rung-mbd/rung/formats/source"
)

// The file of another program becomes a model, and a report says what became of each of its parts.
func Example() {
	result, report, err := formats.ReadFile("../reference/import/four-bar.asmt", nil, &source.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Model.Name, "has", len(result.Model.Bodies), "bodies and", len(result.Model.Joints), "joints")
	fmt.Println(report.Format, "with", report.Counts.Used, "elements used and", report.Counts.Dropped, "dropped")
	// Output:
	// four-bar has 3 bodies and 4 joints
	// asmt with 141 elements used and 0 dropped
}
