package mcap_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/scene/mcap"
	"github.com/rung-mbd/rung/spatial"
)

// A pendulum for Foxglove. With a replay.Replay in place of nil it moves.
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
	var file bytes.Buffer // or a file
	if err := mcap.Write(context.Background(), &file, scene.New(mech, scene.Options{}), mech.Initial(), nil); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q\n", file.Next(5))
	// Output:
	// "\x89MCAP"
}
