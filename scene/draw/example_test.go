package draw_test

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"log"

	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/scene/draw"
	"github.com/rung-mbd/rung/spatial"
)

// A picture of a pendulum from the side.
func Example() {
	b := build.New("pendulum").Gravity(0, 0, -9.81)
	rod := b.Rod("rod", 1, 0.01, spatial.Vec3{}, spatial.Vec3{1, 0, 0})
	b.Revolute("hinge", build.World, rod, spatial.Vec3{}, spatial.Vec3{0, 1, 0})
	m, err := b.Model()
	if err != nil {
		log.Fatal(err)
	}
	mech, err := mechanism.New(m)
	if err != nil {
		log.Fatal(err)
	}
	var picture bytes.Buffer // or a file
	view := draw.View{Angles: true, Width: 400, Height: 300}
	if err := draw.PNG(context.Background(), &picture, scene.New(mech, scene.Options{}), mech.Initial(), view); err != nil {
		log.Fatal(err)
	}
	c, err := png.DecodeConfig(&picture)
	fmt.Println(c.Width, c.Height, err)
	// Output:
	// 400 300 <nil>
}
