package browser

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/scene/view"
)

// lazy is the viewer of a family as the command makes it: the analysis waits until the page asks.
func lazy(t *testing.T, family string, n int) (*view.Viewer, *mechanism.Mechanism) {
	t.Helper()
	m, err := bench.Generate(family, n, 1)
	if err != nil {
		t.Fatal(err)
	}
	mech, err := mechanism.New(m)
	if err != nil {
		t.Fatal(err)
	}
	v, err := view.NewViewer(scene.New(mech, scene.Options{}), mech.Initial(), view.NewSecret(), view.Options{
		Analyse: func(ctx context.Context) (*kkt.Plan, error) { return kkt.NewPlanContext(ctx, mech, rung.Options{}) }})
	if err != nil {
		t.Fatal(err)
	}
	return v, mech
}

// Clusters of loops are coloured; what is chosen shows the shortest
// loop through it: of a chain of four-bars, the four joints of one.
func TestLoops(t *testing.T) {
	whole(t)
	v, mech := lazy(t, "nfourbar", 4)
	p := open(t, v, 1000, 700)
	p.run(chromedp.KeyEvent("l"), until("rung.state.clusters"), frames)
	if n := value[int](p, "rung.state.clusters.length"); n != mech.NumJoints() {
		t.Errorf("clusters of %d joints", n)
	}
	for body := range mech.NumBodies() {
		p.run(js(fmt.Sprintf("{ const s = document.getElementById('search'); s.value = %q; s.dispatchEvent(new Event('change')); }", mech.BodyName(body))),
			until(fmt.Sprintf("rung.state.chosen && rung.state.chosen.body === %d", body)), frames)
		loop := value[[]int](p, "rung.state.loop")
		if len(loop) != 4 {
			t.Errorf("the loop through %s has joints %v", mech.BodyName(body), loop)
		}
		for _, j := range loop { // each joint of a loop meets the next, so each body in it has two of them
			count := 0
			for _, k := range loop {
				a, b := &mech.Joints[j], &mech.Joints[k]
				if a.Succ == b.Succ || a.Succ == b.Pred {
					count++
				}
			}
			if count != 2 {
				t.Errorf("joint %d of the loop through %s has %d neighbours at its successor", j, mech.BodyName(body), count)
			}
		}
	}
	p.run(chromedp.KeyEvent("l"), frames)
}

// Forces of contacts are shown as arrows, and others take their place; the analysis is made when reactions are asked for.
func TestForces(t *testing.T) {
	whole(t)
	v, mech := lazy(t, "rover", 1)
	p := open(t, v, 1000, 700)
	p.run(chromedp.KeyEvent("w"), until("rung.state.forces"), frames)
	if n := value[int](p, "rung.state.forces.length"); n < 7*mech.NumContacts() {
		t.Errorf("%d numbers of forces", n)
	}
	if up := value[int](p, fmt.Sprintf("[...Array(%d).keys()].filter((k) => rung.state.forces[7*k+5] > 0).length", mech.NumContacts())); up == 0 {
		t.Error("no wheel is pushed up")
	}
	p.run(chromedp.KeyEvent("r"), until("rung.state.reactions"), frames)
	if value[string](p, "document.querySelector('[data-key=w]').getAttribute('aria-pressed')") != "false" {
		t.Error("two kinds of arrows at once")
	}
}

// Help names all keys that have a button, opens with its key and goes with Escape, also where the page is narrow.
func TestHelp(t *testing.T) {
	whole(t)
	v, _ := lazy(t, "scissor", 2)
	p := open(t, v, 360, 640)
	p.run(chromedp.KeyEvent("?"), frames)
	if value[bool](p, "document.getElementById('help').hidden") {
		t.Fatal("no help")
	}
	const missing = `[...document.querySelectorAll('[data-key]')].map((b) => b.dataset.key).filter((k) => k !== '?' && ![...document.querySelectorAll('#help dt')].some((d) => d.textContent.split(' ').includes(k)))`
	if list := value[[]string](p, missing); len(list) > 0 {
		t.Errorf("keys without help: %v", list)
	}
	if r := value[[]float64](p, "{ const r = document.getElementById('help').getBoundingClientRect(); [r.left, r.right]; }"); r[0] < 0 || r[1] > 360 {
		t.Errorf("help from %g to %g pixels", r[0], r[1])
	}
	p.run(chromedp.KeyEvent("\x1b"), frames)
	if !value[bool](p, "document.getElementById('help').hidden") {
		t.Error("help does not go")
	}
}
