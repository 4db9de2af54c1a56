//rung:norace needs a browser, and live has the goroutines
package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/live"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/scene/view"
	"github.com/rung-mbd/rung/spatial"
)

// playing shows a mechanism that moves, on pages of the sizes.
func playing(t *testing.T, m *model.Model, o live.Options, width, height int64) (*page, *view.Viewer, *live.Session) {
	t.Helper()
	plan, err := rung.NewPlan(m, rung.Options{})
	if err != nil {
		t.Fatal(err)
	}
	mech := plan.Mechanism()
	s := scene.New(mech, scene.Options{})
	center, _ := s.Bounds(mech.Initial())
	session, err := live.NewSession(plan, mech.Initial(), center, o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		session.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	v, err := view.NewViewer(s, mech.Initial(), view.NewSecret(), view.Options{Plan: plan, Live: session})
	if err != nil {
		t.Fatal(err)
	}
	p := open(t, v, width, height)
	p.run(until("rung.live && rung.live.frames > 0"))
	return p, v, session
}

// shot keeps a picture of the page, if RUNG_SHOTS names a folder.
func (p *page) shot(name string) {
	p.t.Helper()
	folder := os.Getenv("RUNG_SHOTS")
	if folder == "" {
		return
	}
	p.run(frames)
	b, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, name+".png"), b, 0o666); err != nil {
		p.t.Fatal(err)
	}
}

// fourBar is a linkage of three rods in the xz plane.
func fourBar(t *testing.T) *model.Model {
	t.Helper()
	b := rung.NewBuilder("four-bar").Gravity(0, 0, -9.81)
	A, B, C, D := spatial.Vec3{0, 0, 0}, spatial.Vec3{0.3, 0, 0.8}, spatial.Vec3{1.2, 0, 1}, spatial.Vec3{1, 0, 0}
	y := spatial.Vec3{0, 1, 0}
	crank, coupler, rocker := b.Rod("crank", 1, 0.01, A, B), b.Rod("coupler", 1, 0.01, B, C), b.Rod("rocker", 1, 0.01, D, C)
	b.Revolute("p1", rung.World, crank, A, y)
	b.Revolute("p2", crank, coupler, B, y)
	b.Revolute("p3", coupler, rocker, C, y)
	b.Revolute("p4", rung.World, rocker, D, y)
	m, err := b.Model()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// mouse sends an event of the mouse.
func (p *page) mouse(kind input.DispatchMouseEventType, x, y float64, buttons int64) {
	p.t.Helper()
	params := input.DispatchMouseEventParams{Type: kind, X: x, Y: y, Button: "left", Buttons: buttons, ClickCount: 1}
	p.run(call(input.DispatchMouseEvent, params))
}

// where returns where the middle of a body is in the window.
func (p *page) where(body int) [2]float64 {
	return value[[2]float64](p, fmt.Sprintf("rung.project(rung.pose(%d).slice(0, 3).map((x, k) => x))", body))
}

// A body that is dragged follows the mouse with all that hangs on it: the crank turns, and the coupler and the rocker
// go with it. What is let go moves by itself.
func TestDragBody(t *testing.T) {
	p, _, _ := playing(t, fourBar(t), live.Options{Paused: true}, 1000, 700)
	p.run(js("rung.camera.azimuth = -Math.PI / 2; rung.camera.elevation = 0; rung.state.dirty = true"), frames)
	p.run(js("document.getElementById('gravity').value = 'none'; document.getElementById('gravity').dispatchEvent(new Event('change'))"), js("document.getElementById('air').value = 5; document.getElementById('air').dispatchEvent(new Event('input'))"))
	p.run(until("rung.live.status.air === 5 && Math.hypot(...rung.live.status.gravity) === 0"), frames)
	at := p.bar(0, 0.5)
	turns := value[float64](p, "rung.camera.azimuth")
	was := value[[]float64](p, "[0, 1, 2].flatMap((i) => rung.pose(i))")
	p.mouse("mousePressed", at[0], at[1], 1)
	p.run(until("rung.live.hand && rung.live.hand.body === 0"))
	p.shot("play-grab")
	p.run(chromedp.KeyEvent(" "), until("rung.live.status.running"))
	// To where the point is when the crank has turned by half a radian about p1, the world's origin.
	to := value[[2]float64](p, "(() => { const q = rung.pose(0), o = rung.head.center, r = rung.rotate(q.slice(3, 7), rung.live.hand.point), p = [0, 1, 2].map((k) => q[k] + r[k] + o[k]); return rung.project(rung.rotate([0, Math.sin(0.25), 0, Math.cos(0.25)], p).map((x, k) => x - o[k])); })()")
	for k := range 30 {
		part := float64(k+1) / 30
		p.mouse("mouseMoved", at[0]+part*(to[0]-at[0]), at[1]+part*(to[1]-at[1]), 1)
	}
	p.run(until(fmt.Sprintf("(() => { const h = rung.live.hand, q = rung.pose(0), r = rung.rotate(q.slice(3, 7), h.point), p = rung.project([0, 1, 2].map((k) => q[k] + r[k])); return Math.hypot(p[0] - %g, p[1] - %g) < 5; })()", to[0], to[1])))
	p.shot("play-drag")
	now := value[[]float64](p, "[0, 1, 2].flatMap((i) => rung.pose(i))")
	for i, name := range []string{"crank", "coupler", "rocker"} {
		moved := 0.0
		for k := range 7 {
			moved = max(moved, math.Abs(now[7*i+k]-was[7*i+k]))
		}
		if moved < 0.05 {
			t.Errorf("the %s has moved by %g", name, moved)
		}
	}
	// The crank has turned about y by what the mouse asked for, the
	// way that it pulled: its quaternion was that of no turn, x y z w.
	turned := func(q []float64, i int) float64 { return 2 * math.Atan2(q[7*i+4], q[7*i+6]) }
	if angle := turned(now, 0) - turned(was, 0); math.Abs(angle-0.5) > 0.15 {
		t.Errorf("the crank has turned by %g rad, not by 0.5", angle)
	}
	// The coupler's end is where the crank's is: p2, as each body has it.
	if gap := value[float64](p, `(() => {
		const B = [0.3, 0, 0.8].map((x, k) => x - rung.head.center[k]), was = `+jsonOf(t, was)+`, at = (i) => {
			const old = was.slice(7 * i, 7 * i + 7), q = rung.pose(i), point = rung.rotate([-old[3], -old[4], -old[5], old[6]], [0, 1, 2].map((k) => B[k] - old[k]));
			return rung.rotate(q.slice(3, 7), point).map((x, k) => x + q[k]);
		};
		const a = at(0), b = at(1);
		return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
	})()`); gap > 1e-4 {
		t.Errorf("the coupler is %g m away from the crank", gap)
	}
	if gap := value[float64](p, "rung.live.status.gap"); gap > 1e-4 {
		t.Errorf("joints are off by %g m", gap)
	}
	p.mouse("mouseReleased", to[0], to[1], 0)
	p.run(until("!rung.live.hand"))
	if now := value[float64](p, "rung.camera.azimuth"); now != turns {
		t.Error("the view has turned with the body")
	}
	// Beside the mechanism a drag turns the view.
	p.run(chromedp.DragAndDropXY(60, 350, 160, 350), frames)
	if now := value[float64](p, "rung.camera.azimuth"); now == turns {
		t.Error("a drag beside the mechanism does not turn the view")
	}
}

// jsonOf returns x as a script has it.
func jsonOf(t *testing.T, x any) string {
	t.Helper()
	b, err := json.Marshal(x)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// bar returns the pixel of a point of a rod, from its first end to its second.
func (p *page) bar(body int, part float64) [2]float64 {
	return value[[2]float64](p, fmt.Sprintf(`(() => {
		const d = rung.drawing, q = rung.pose(%d);
		for (let i = 0; i < d.shapes.length / 15; i++) {
			const s = d.place(i);
			if (s.body !== %d || !s.half || d.shapes[15 * i + 14] >= 0) continue; // no mark of a joint
			const at = s.at.map((x, k) => x + (2 * %g - 1) * s.half * s.axis[k]), r = rung.rotate(q.slice(3, 7), at);
			return rung.project([0, 1, 2].map((k) => q[k] + r[k]));
		}
	})()`, body, body, part))
}

// The buttons: pause stops time, a step is a sixtieth of a second, reset begins anew, speed is that of the clock,
// gravity turns and goes back to the model's.
func TestPlayControls(t *testing.T) {
	whole(t)
	p, _, session := playing(t, fourBar(t), live.Options{}, 1000, 700)
	clock := "rung.live.status.time"
	if most := value[string](p, "document.getElementById('air').max"); most != fmt.Sprint(live.MostAir) {
		t.Errorf("air up to %s", most)
	}
	p.run(until(clock+" > 0.3"), chromedp.Click(chromedp.CSS("#run")), until("!rung.live.status.running"))
	was := value[float64](p, clock)
	p.run(frames, frames)
	if now := value[float64](p, clock); now != was {
		t.Errorf("time goes on from %g to %g s after the pause", was, now)
	}
	p.run(chromedp.Click(chromedp.CSS("#step")), until(fmt.Sprintf("%s > %g", clock, was)))
	if step := value[float64](p, clock) - was; math.Abs(step-1./60) > 1e-9 {
		t.Errorf("a step of %g s", step)
	}
	p.run(chromedp.KeyEvent("."), until(fmt.Sprintf("%s > %g", clock, was+1.5/60)))
	p.run(chromedp.Click(chromedp.CSS("#reset")), until(clock+" === 0"))
	st := &mechanism.State{}
	session.StateTo(st)
	if st.Time != 0 {
		t.Errorf("at %g s after a reset", st.Time)
	}
	p.run(chromedp.KeyEvent(" "), until("rung.live.status.running"))
	for _, g := range []string{"+z", "−x", "none", "as in the model"} {
		p.run(js(fmt.Sprintf("document.getElementById('gravity').value = %q; document.getElementById('gravity').dispatchEvent(new Event('change'))", g)))
		want := map[string]string{"+z": "[0,0,9.81]", "−x": "[-9.81,0,0]", "none": "[0,0,0]", "as in the model": "[0,0,-9.81]"}[g]
		p.run(until("JSON.stringify(rung.live.status.gravity) === '" + want + "'"))
	}
	p.run(js("document.getElementById('pace').value = '0.25'; document.getElementById('pace').dispatchEvent(new Event('change'))"), until("rung.live.status.speed === 0.25"))
	// The time is the session's own, as a page that is busy shows frames late. Two frames may still
	// be owed at the speed before, so a quarter of a second takes 0.86 s at least.
	begun := time.Now()
	session.StateTo(st)
	for from := st.Time; st.Time < from+0.25; session.StateTo(st) {
		p.run(frames)
	}
	if took := time.Since(begun).Seconds(); took < 0.85 {
		t.Errorf("a quarter of a second takes %g s at a quarter of the speed", took)
	}
}

// The sliders of a joint that is chosen push it, those of prescribed
// freedoms drive them, and down on the screen follows the view.
func TestPlaySliders(t *testing.T) {
	whole(t)
	m := fourBar(t)
	m.Gravity = spatial.Vec3{}
	p, _, _ := playing(t, m, live.Options{Air: 0.5}, 1000, 700)
	p.run(chromedp.SetValue(chromedp.CSS("#search"), "p1"), js("document.getElementById('search').dispatchEvent(new Event('change'))"), until("document.querySelector('#chosen input.drive')"))
	p.run(js("{ const s = document.querySelector('#chosen input.drive'); s.focus(); s.value = 0.05; s.dispatchEvent(new Event('input')); }"))
	p.run(until("Math.hypot(...rung.state.frames.get(0).rates.subarray(3, 6)) > 0.2"))
	p.shot("play-slider")
	p.run(js("rung.live.reset(); document.getElementById('gravity').value = 'down on the screen'; document.getElementById('gravity').dispatchEvent(new Event('change'))"))
	p.run(until("rung.live.status.gravity[2] < -5"))
	p.run(js("rung.camera.elevation = Math.PI / 2; rung.camera.azimuth = 0; rung.state.dirty = true"), until("Math.abs(rung.live.status.gravity[2]) < 1e-6"))
	if g := value[[3]float64](p, "rung.live.status.gravity"); math.Abs(g[0]-9.81) > 1e-6 {
		t.Errorf("from above, gravity is %v", g)
	}

	m = fourBar(t)
	m.Joints[0].Motion = []*model.Motion{{Kind: model.Polynomial, Coefficients: []float64{0}}}
	p, _, _ = playing(t, m, live.Options{}, 1000, 700)
	p.run(js("{ const s = document.querySelector('#drives input.drive'); s.value = 0.2; s.dispatchEvent(new Event('input')); }"))
	p.run(until("Math.abs(Math.hypot(...rung.state.frames.get(0).rates.subarray(3, 6)) - 2) < 1e-3"))
	p.shot("play-drive")
}

// At 360 pixels all buttons and sliders of the bar can be reached, in both themes, and nothing is wider than the window.
func TestPlaySmall(t *testing.T) {
	whole(t)
	m, err := bench.Scissor(3, 1)
	if err != nil {
		t.Fatal(err)
	}
	p, _, _ := playing(t, m, live.Options{}, 360, 640)
	if w := value[int](p, "document.documentElement.scrollWidth"); w > 360 {
		t.Errorf("the page is %d pixels wide", w)
	}
	const lost = `[...document.querySelectorAll('nav button, #live button, #live input, #live select')].filter((b) => {
		if (b.hidden) return false;
		b.scrollIntoView({ block: 'nearest', inline: 'nearest' });
		const r = b.getBoundingClientRect(), top = document.elementFromPoint((r.left + r.right) / 2, (r.top + r.bottom) / 2);
		return r.left < 0 || r.right > innerWidth || top !== b;
	}).map((b) => b.id || b.dataset.key || b.textContent)`
	if list := value[[]string](p, lost); len(list) > 0 {
		t.Errorf("cannot be reached: %v", list)
	}
	if hidden := value[int](p, "document.querySelector('nav').scrollWidth - document.querySelector('nav').clientWidth"); hidden > 0 {
		t.Errorf("%d pixels of buttons are beside the window", hidden)
	}
	p.shot("play-360-light")
	p.run(js("document.querySelector('[data-key=t]').click()"))
	// However it falls, the bodies are between the title and the buttons, and in the picture from left to right.
	const out = `rung.head && [...Array(rung.head.bodies).keys()].map((i) => rung.project(rung.pose(i).slice(0, 3))).filter(([x, y]) => x < 0 || x > innerWidth || y < document.querySelector('header').getBoundingClientRect().bottom || y > document.getElementById('bottom').getBoundingClientRect().top).length`
	for k := range 8 {
		p.run(until(fmt.Sprintf("rung.live.status.time > %g", 0.5+0.25*float64(k))), frames)
		n := value[int](p, out)
		if n > 0 { // a frame that has come and is not drawn yet moves bodies and not the view
			p.run(frames)
			n = value[int](p, out)
		}
		if n > 0 {
			t.Errorf("%d bodies are not in the picture at %g s", n, value[float64](p, "rung.state.time"))
		}
	}
	p.shot("play-360-dark")
}

// Two pages see the same mechanism; what one does, the other is told.
// Reactions and the report are those of the present pose.
func TestTwoPages(t *testing.T) {
	whole(t)
	p, v, _ := playing(t, fourBar(t), live.Options{}, 800, 600)
	q := open(t, v, 800, 600)
	q.run(until("rung.live.status.pages === 2"), chromedp.Click(chromedp.CSS("#run")), until("!rung.live.status.running"))
	p.run(until("!rung.live.status.running"))
	q.run(frames)
	a, b := value[[]float64](p, "rung.pose(1)"), value[[]float64](q, "rung.pose(1)")
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	if string(x) != string(y) {
		t.Errorf("one page shows %s, the other %s", x, y)
	}
	p.run(chromedp.KeyEvent("r"), until("rung.state.reactions"), chromedp.KeyEvent("d"), until("rung.state.report"))
	first := value[[]float64](p, "[...rung.state.reactions.subarray(18, 21)]") // where p3 is
	end := value[[]float64](p, "rung.pose(2)")
	if d := math.Hypot(math.Hypot(first[0]-end[0], first[1]-end[1]), first[2]-end[2]); d > 1.1 {
		t.Errorf("reactions are not those of the present pose: p3 is %g m from the rocker", d)
	}
	p.shot("play-reactions")
}
