package view_test

import (
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/scene/view"
	"github.com/rung-mbd/rung/spatial"
)

// A page that shows a pendulum. Only who knows its address can see it.
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
	viewer, err := view.NewViewer(scene.New(mech, scene.Options{}), mech.Initial(), view.NewSecret(), view.Options{})
	if err != nil {
		log.Fatal(err)
	}
	server := httptest.NewServer(viewer) // or http.Serve on a listener of 127.0.0.1
	defer server.Close()
	for _, path := range []string{viewer.Path(), "/"} {
		r, err := http.Get(server.URL + path)
		if err != nil {
			log.Fatal(err)
		}
		r.Body.Close()
		fmt.Println(r.Status)
	}
	// Output:
	// 200 OK
	// 403 Forbidden
}
