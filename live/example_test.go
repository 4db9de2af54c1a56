package live_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/live"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/scene/view"
	"github.com/rung-mbd/rung/spatial"
)

// A page on which a pendulum moves, and can be pulled: a session moves it, a viewer shows it.
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
	plan, st := kkt.NewPlan(mech, kkt.Options{}), mech.Initial()
	s := scene.New(mech, scene.Options{})
	center, _ := s.Bounds(st)
	session, err := live.NewSession(plan, st, center, live.Options{})
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { session.Run(ctx); close(ended) }()
	defer func() { cancel(); <-ended }()

	viewer, err := view.NewViewer(s, st, view.NewSecret(), view.Options{Plan: plan, Live: session})
	if err != nil {
		log.Fatal(err)
	}
	server := httptest.NewServer(viewer) // or http.Serve on a listener of 127.0.0.1
	defer server.Close()
	r, err := http.Get(server.URL + viewer.Path())
	if err != nil {
		log.Fatal(err)
	}
	defer r.Body.Close()
	session.StateTo(st)
	fmt.Println(r.Status, "at", st.Time, "s, as no page looks")
	// Output:
	// 200 OK at 0 s, as no page looks
}
