package growth_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench/growth"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// How the work of one factorization grows with the length of a hanging chain.
func Example() {
	chain := func(n int) (*model.Model, error) {
		b := rung.NewBuilder("chain")
		last := rung.World
		for i := range n {
			top, bottom := spatial.Vec3{0, 0, -float64(i)}, spatial.Vec3{0, 0, -float64(i + 1)}
			link := b.Rod(fmt.Sprint("link ", i), 1, 0.01, top, bottom)
			b.Revolute(fmt.Sprint("pin ", i), last, link, top, spatial.Vec3{0, 1, 0})
			last = link
		}
		return b.Model()
	}
	doc, err := growth.Measure(context.Background(), []growth.Family{{Name: "chain", Model: chain, Sizes: []int{25, 50, 100}}}, growth.Options{
		Methods: []string{"sparse", "tree-direct"}, MinTime: time.Millisecond,
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range growth.Fits(doc.Records, growth.Flops) {
		fmt.Printf("%s: n^%.1f\n", f.Method, *f.Exponent)
	}
	// Output:
	// sparse: n^1.0
	// tree-direct: n^3.0
}
