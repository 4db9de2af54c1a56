package browser

import (
	"math"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/scene/view"
)

// suspended is a model with a spring, a damper, both, a sliding and a turning stop, side by side.
func suspended(t *testing.T) *mechanism.Mechanism {
	t.Helper()
	m := model.New("springs and stops")
	turned := model.Pose{Orientation: [4]float64{math.Sqrt2 / 2, -math.Sqrt2 / 2, 0, 0}} // its z along the world's y
	still := model.Pose{Orientation: [4]float64{1}}
	I := model.Inertia{XX: 0.0006, YY: 0.01, ZZ: 0.01}
	limit := func(lower, upper float64) []*model.Limit {
		l := model.Limit{Lower: lower, Upper: upper}
		l.Stop.Stiffness = 1e4
		return []*model.Limit{&l}
	}
	for i, name := range []string{"slider", "arm"} {
		m.Bodies = append(m.Bodies, model.Body{Name: name, Mass: 1, Com: [3]float64{0.3 * float64(i)}, Inertia: I, Pose: model.Pose{Position: [3]float64{float64(i), 0, 1}, Orientation: [4]float64{1}}})
	}
	hinge := turned
	hinge.Position = [3]float64{1, 0, 1}
	m.Joints = append(m.Joints,
		model.Joint{Name: "slide", Type: model.Prismatic, Predecessor: "world", Successor: "slider", PredecessorFrame: still, SuccessorFrame: still, Limits: limit(0.6, 1.4)},
		model.Joint{Name: "hinge", Type: model.Revolute, Predecessor: "world", Successor: "arm", PredecessorFrame: hinge, SuccessorFrame: turned, Limits: limit(-1, 0.5)})
	at := func(body string, x, y, z float64) model.Attachment {
		return model.Attachment{Body: body, Point: [3]float64{x, y, z}}
	}
	m.Forces = append(m.Forces,
		model.ForceElement{Name: "spring", Type: model.SpringDamper, A: at("world", 0, 0, 2), B: at("slider", 0, 0, 0.1), Stiffness: 200, RestLength: 0.8},
		model.ForceElement{Name: "strut", Type: model.SpringDamper, A: at("world", 1.3, 0, 0), B: at("arm", 0.3, 0, 0), Stiffness: 200, Damping: 5, RestLength: 0.8},
		model.ForceElement{Name: "damper", Type: model.SpringDamper, A: at("world", 1.6, 0, 0), B: at("arm", 0.6, 0, 0), Damping: 5})
	m.Canonicalize()
	mech, err := mechanism.New(m)
	if err != nil {
		t.Fatal(err)
	}
	return mech
}

// Springs are drawn as coils, dampers as dashpots, with both ends where the bodies hold them, and can be chosen; stops
// are marks of their joints, which go with those.
func TestSprings(t *testing.T) {
	whole(t)
	mech := suspended(t)
	s := scene.New(mech, scene.Options{})
	v, err := view.NewViewer(s, mech.Initial(), view.NewSecret(), view.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := open(t, v, 1000, 700)
	if looks := value[[]int](p, "rung.head.links"); len(looks) != scene.NumLooks || looks[scene.Coil] != 1 || looks[scene.Dashpot] != 1 || looks[scene.Strut] != 1 {
		t.Errorf("links %v", looks)
	}
	p.run(js("rung.camera.azimuth = -Math.PI / 2; rung.camera.elevation = 0.1; rung.state.dirty = true"), frames)
	for i, at := range []string{"[0, 0, 1.88]", "[1.3, 0, 0.4]", "[1.6, 0, 0.4]"} {
		place := value[[2]float64](p, "rung.project("+at+".map((x, k) => x - rung.head.center[k]))")
		p.click(place[0], place[1])
		if force := value[int](p, "rung.state.chosen ? rung.state.chosen.force : -1"); force != i {
			t.Errorf("a click on %s chooses force %d", mech.ForceName(i), force)
		}
	}
	p.run(chromedp.KeyEvent("\x1b"), frames)
	marked := p.picture()
	p.run(chromedp.KeyEvent("j"), frames)
	bare := p.picture()
	if _, _, n := middle(marked, [4]float64{170, 30, 40, 1}); n < 20 {
		t.Errorf("%d pixels of stops", n)
	}
	if _, _, n := middle(bare, [4]float64{170, 30, 40, 1}); n > 0 {
		t.Errorf("%d pixels of stops without the marks of joints", n)
	}
}
