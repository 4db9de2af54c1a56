package ground_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/spatial"
)

// A grid of heights, read from text, with a smooth surface through them.
func ExampleNewGrid() {
	ctx := context.Background()
	text := `0, 1, 4, 9
1, 2, 5, 10
4, 5, 8, 13
9, 10, 13, 18`
	f, err := (&ground.CSV{Spacing: [2]float64{1, 1}}).Read(ctx, strings.NewReader(text), "bowl.csv")
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := ground.NewGrid(ctx, f, ground.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := s.At(1.5, 0.5)
	fmt.Printf("%.4g, slopes %.4g and %.4g, curvature %.4g, %v\n", p.Z, p.X, p.Y, p.XX, err)
	_, err = s.At(4, 0)
	fmt.Println(err)
	// Output:
	// 2.5, slopes 3 and 1, curvature 2, <nil>
	// ground: off the terrain
}

// A slope with a ditch across it.
func ExampleSum() {
	slope, _ := ground.NewPlane(spatial.Vec3{}, spatial.Vec3{-0.1, 0, 1})
	ditch, err := ground.Function("-0.3*exp(-(x-2)^2/0.1)")
	if err != nil {
		fmt.Println(err)
		return
	}
	s, _ := ground.Sum(slope, ditch)
	p, _ := s.At(2, 0)
	n := p.Normal()
	fmt.Printf("%.4g, normal %.4g\n", p.Z, n)
	_, err = ground.Function("0.3*sin x")
	fmt.Println(err)
	// Output:
	// -0.1, normal [-0.0995 -0 0.995]
	// ground: expression, character 9: expected "(" after sin, found "x"
}

// Random ground with a given roughness; the same seed gives the same ground.
func ExampleRandom() {
	f, err := ground.Random(context.Background(), ground.RandomGround{
		Spacing: [2]float64{0.5, 0.5}, Size: [2]int{61, 61}, RMS: 0.3, Length: 2, Seed: 7,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	lo, hi := f.Range()
	fmt.Printf("%d nodes from %.3f to %.3f m\n", len(f.Heights), lo, hi)
	// Output: 3721 nodes from -1.213 to 0.852 m
}
