package outline_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/formats/internal/outline"
)

// The beginning of a writer for a format that is a tree: which joints place bodies, and what is not written.
func Example() {
	m, err := bench.NFourBar(1, 0.4, 1)
	if err != nil {
		log.Fatal(err)
	}
	d := outline.New(m, "sketch", "1")
	tree := d.Spread(func(int) int { return 0 }) // all joints are as good
	for _, j := range tree.Order {
		d.Line("%s hangs on %s", m.Joints[j].Successor, m.Joints[j].Predecessor)
	}
	var text strings.Builder
	if err := d.Flush(&text); err != nil {
		log.Fatal(err)
	}
	fmt.Print(text.String())
	// Output:
	// rod0 hangs on world
	// rod1 hangs on world
	// bar0 hangs on rod0
}
