package browser

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/scene/view"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/sim/replay"
	"github.com/rung-mbd/rung/spatial"
)

// patience is how long all tests together may wait for what the page has to come to, on however
// busy a machine. The command's own -timeout is longer, so that the browser ends first.
const patience = 14 * time.Minute

// browser is one for all tests; each has a tab of its own.
var browser context.Context

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	o := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.Flag("use-gl", "angle"), chromedp.Flag("use-angle", "swiftshader"),
		chromedp.Flag("enable-unsafe-swiftshader", true), chromedp.Flag("ignore-gpu-blocklist", true), chromedp.Flag("disable-gpu", false))
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	ctx, end := chromedp.NewExecAllocator(ctx, o...)
	defer end()
	ctx, close := chromedp.NewContext(ctx)
	defer close()
	if err := chromedp.Do(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "browser: no Chromium:", err)
		return 1
	}
	browser = ctx
	return m.Run()
}

// whole leaves a test to whole runs. Short ones look at a run that a server shows, at one in a file, and at a mechanism that is dragged.
func whole(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("make browser without -short has it, in a workflow")
	}
}

// page is a tab with a viewer.
type page struct {
	t       *testing.T
	ctx     context.Context
	address string

	mu       sync.Mutex
	problems []string
}

// open shows a viewer in a tab of a size and waits for its first picture. When the test ends there must have been no
// problem on the console, and no request elsewhere.
func open(t *testing.T, v *view.Viewer, width, height int64) *page {
	t.Helper()
	s := httptest.NewServer(v)
	t.Cleanup(s.Close)
	return visit(t, v.Address(s.Listener.Addr().String()), width, height)
}

// visit does so with the page at an address.
func visit(t *testing.T, address string, width, height int64) *page {
	t.Helper()
	return await(t, address, "", "window.rung && window.rung.ready", width, height)
}

// await does so at a fragment of the address, and waits for what makes the page ready.
func await(t *testing.T, address, fragment, ready string, width, height int64) *page {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	p := &page{t: t, ctx: ctx, address: address}
	if err := chromedp.Listen(ctx, p.event); err != nil {
		t.Fatal(err)
	}
	p.run(call(network.Enable, network.EnableParams{}), call(log.Enable, cdp.Empty{}), chromedp.EmulateViewport(width, height), chromedp.Navigate(p.address+fragment), until(ready), frames)
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if len(p.problems) > 0 {
			t.Errorf("the browser says:\n%s", strings.Join(p.problems, "\n"))
		}
	})
	return p
}

// frames waits for three frames.
var frames = chromedp.Evaluate[chromedp.Void]("new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => r(true)))))", chromedp.EvalAwaitPromise)

// call sends a command of the protocol.
func call[P, R any](c cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, c, params)
		return err
	})
}

// js runs a script on the page.
func js(script string) chromedp.Action[chromedp.Void] {
	return chromedp.Evaluate[chromedp.Void](script)
}

// until waits until an expression is true.
func until(expression string) chromedp.Action[chromedp.Void] {
	return chromedp.Poll[chromedp.Void](expression, chromedp.WithPollingTimeout(patience))
}

func (p *page) event(e any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := e.(type) {
	case *runtime.EventConsoleAPICalled:
		p.problems = append(p.problems, fmt.Sprintf("console.%s", e.Type))
	case *runtime.EventExceptionThrown:
		p.problems = append(p.problems, (&chromedp.ExceptionError{ExceptionDetails: e.ExceptionDetails}).Error())
	case *log.EventEntryAdded:
		// The software renderer says that reading pixels makes it wait, which pictures and clicks do.
		if !strings.Contains(e.Entry.Text, "GPU stall due to ReadPixels") {
			p.problems = append(p.problems, e.Entry.Text)
		}
	case *network.EventRequestWillBeSent:
		if u := e.Request.URL; !strings.HasPrefix(u, p.address) && !strings.HasPrefix(u, "blob:") && !strings.HasPrefix(u, "data:") {
			p.problems = append(p.problems, "request of "+u)
		}
	}
}

func (p *page) run(a ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, a...); err != nil {
		p.t.Fatal(err)
	}
}

// value returns what an expression is on the page.
func value[T any](p *page, expression string) T {
	p.t.Helper()
	x, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		p.t.Fatal(err)
	}
	return x
}

// picture returns what is seen.
func (p *page) picture() image.Image {
	p.t.Helper()
	p.run(until("rung.still"), frames)
	b, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Fatal(err)
	}
	if folder := os.Getenv("RUNG_SHOTS"); folder != "" {
		if err := os.WriteFile(filepath.Join(folder, p.t.Name()+".png"), b, 0o666); err != nil {
			p.t.Fatal(err)
		}
	}
	img, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		p.t.Fatal(err)
	}
	return img
}

func (p *page) click(x, y float64) {
	p.t.Helper()
	p.run(chromedp.MouseClickXY(x, y), frames)
}

// state is a mechanism of four balls without joints, far enough apart that each is seen alone.
const balls = 4

func ballModel(t *testing.T) *mechanism.Mechanism {
	t.Helper()
	m := model.New("balls")
	for i := range balls {
		m.Bodies = append(m.Bodies, model.Body{Name: fmt.Sprintf("ball %d", i), Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1},
			Pose: model.Pose{Position: place(i, 0)}})
		m.Visuals = append(m.Visuals, model.Visual{Body: m.Bodies[i].Name, Kind: model.SphereVisual, Size: [3]float64{radius}, Color: tints[i]})
	}
	m.Canonicalize()
	mech, err := mechanism.New(m)
	if err != nil {
		t.Fatal(err)
	}
	visuals = m.Visuals
	return mech
}

var visuals []model.Visual

const radius = 0.25

var tints = [balls][4]float64{{1, 0, 0, 1}, {0, 0.8, 0, 1}, {0, 0, 1, 1}, {0.8, 0, 0.8, 1}}

// place is where a ball is at a time: on a circle about the z axis, the balls one above the other.
func place(i int, t float64) [3]float64 {
	s, c := math.Sincos(t + float64(i))
	return [3]float64{2 * c, 2 * s, float64(i) - 1.5}
}

// rows of the trajectory, a twentieth of a second apart.
const rows, step = 200, 0.05

func trajectory(t *testing.T, m *mechanism.Mechanism) *replay.Replay {
	t.Helper()
	var b strings.Builder
	rec, err := sim.NewCSV(&b, sim.NewColumns(m, nil))
	if err != nil {
		t.Fatal(err)
	}
	st := m.Initial()
	for k := range rows {
		st.Time = step * float64(k)
		for i := range st.Bodies {
			st.Bodies[i].Position = spatial.Vec3(place(i, st.Time))
			st.Bodies[i].Rotation = spatial.Exp(spatial.Vec3{0, 0, st.Time})
		}
		if err := rec.Record(&sim.Row{State: st}); err != nil {
			t.Fatal(err)
		}
	}
	if err := rec.Flush(); err != nil {
		t.Fatal(err)
	}
	src, err := replay.NewCSV(context.Background(), strings.NewReader(b.String()), int64(b.Len()), "run.csv")
	if err != nil {
		t.Fatal(err)
	}
	r, err := replay.New(m, src)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func ballPage(t *testing.T, width, height int64) *page {
	t.Helper()
	m := ballModel(t)
	v, err := view.NewViewer(scene.New(m, scene.Options{Visuals: visuals}), m.Initial(), view.NewSecret(), view.Options{Run: trajectory(t, m)})
	if err != nil {
		t.Fatal(err)
	}
	return open(t, v, width, height)
}

// Where the page says that bodies are at a row is where the trajectory has them, and there are the pixels of their
// colours: the middle of all pixels of a ball's colour is where the page projects its middle to.
func TestWhere(t *testing.T) {
	p := ballPage(t, 1000, 700)
	p.run(js("rung.camera.elevation = 0, rung.camera.zoom(1.4)")) // so that no ball hides another, nor the timeline one
	center := value[[3]float64](p, "rung.head.center")
	for _, row := range []int{0, 57, 131, rows - 1} {
		p.scrub(row)
		p.run(until(fmt.Sprintf("rung.state.row === %d && rung.state.frames.has(%d)", row, row)), frames)
		img := p.picture()
		for i := range balls {
			pose, want := value[[]float64](p, fmt.Sprintf("rung.pose(%d)", i)), place(i, step*float64(row))
			for k := range want {
				if e := math.Abs(pose[k] + center[k] - want[k]); !(e < 1e-6) {
					t.Errorf("row %d, ball %d: coordinate %d is off by %g m", row, i, k, e)
				}
			}
			half := step * float64(row) / 2 // of the angle
			if e := math.Abs(math.Abs(pose[5]*math.Sin(half)+pose[6]*math.Cos(half)) - 1); !(e < 1e-6) {
				t.Errorf("row %d, ball %d: turned otherwise, by %g", row, i, e)
			}
			at := value[[2]float64](p, fmt.Sprintf("rung.project(rung.pose(%d).slice(0, 3))", i))
			x, y, n := middle(img, tints[i])
			if n < 100 || math.Hypot(x-at[0], y-at[1]) > 2 { // pixels; perspective shifts the middle of a disc by less
				t.Errorf("row %d, ball %d: %d pixels about %.1f, %.1f, not %.1f, %.1f", row, i, n, x, y, at[0], at[1])
			}
		}
	}
}

// scrub moves the slider as a hand does: its value and its event.
func (p *page) scrub(row int) {
	p.t.Helper()
	p.run(js(fmt.Sprintf("{ const s = document.getElementById('scrub'); s.value = %d; s.dispatchEvent(new Event('input')); }", row)))
}

// middle returns the middle and the number of the pixels that have the hue of a tint, whatever their shade.
func middle(img image.Image, tint [4]float64) (x, y float64, n int) {
	b := img.Bounds()
	for v := b.Min.Y; v < b.Max.Y; v++ {
		for u := b.Min.X; u < b.Max.X; u++ {
			c := color.NRGBAModel.Convert(img.At(u, v)).(color.NRGBA)
			got := [3]float64{float64(c.R), float64(c.G), float64(c.B)}
			l, dot, of := 0.0, 0.0, 0.0
			for k := range got {
				l, dot, of = l+got[k]*got[k], dot+got[k]*tint[k], of+tint[k]*tint[k]
			}
			if l > 60*60 && dot > 0.995*math.Sqrt(l*of) {
				x, y, n = x+float64(u)+0.5, y+float64(v)+0.5, n+1
			}
		}
	}
	return x / float64(n), y / float64(n), n
}

// Play goes on with the clock at the chosen speed, pauses, and steps.
func TestPlay(t *testing.T) {
	whole(t)
	p := ballPage(t, 1000, 700)
	p.run(chromedp.SetValue(chromedp.CSS("#speed"), "2"), js("document.getElementById('speed').dispatchEvent(new Event('change'))"), chromedp.Click(chromedp.CSS("#play")))
	p.run(until("rung.state.time > 0.2"))
	// Each frame goes on by twice what the clock has, or waits for its row, however slow the machine is.
	p.run(js("window.steps = []; { let last; const look = (now) => { if (last) steps.push([now - last.now, rung.state.time - last.time]); last = { now, time: rung.state.time }; requestAnimationFrame(look); }; requestAnimationFrame(look); }"),
		until("steps.filter((s) => s[1] > 0).length > 4"))
	for _, step := range value[[][2]float64](p, "steps") {
		if clock, played := step[0]/1000, step[1]; played > 0 && math.Abs(played-2*clock) > 1e-9 {
			t.Errorf("a frame of %g s plays %g s, not twice as much", clock, played)
		}
	}
	p.run(chromedp.Click(chromedp.CSS("#play")), frames)
	was := value[float64](p, "rung.state.time")
	p.run(frames, frames)
	if now := value[float64](p, "rung.state.time"); now != was {
		t.Errorf("goes on from %g to %g after the pause", was, now)
	}
	row := value[int](p, "rung.state.row")
	p.run(chromedp.Click(chromedp.CSS("#next")), chromedp.Click(chromedp.CSS("#next")), chromedp.Click(chromedp.CSS("#back")))
	if now := value[int](p, "rung.state.row"); now != row+1 {
		t.Errorf("two steps on and one back lead from row %d to %d", row, now)
	}
}

// A click chooses the body under it, on nothing none; a search chooses by part of a name.
func TestChoose(t *testing.T) {
	whole(t)
	p := ballPage(t, 1000, 700)
	for i := range balls {
		at := value[[2]float64](p, fmt.Sprintf("rung.project(rung.pose(%d).slice(0, 3))", i))
		p.click(at[0], at[1])
		if body := value[int](p, "rung.state.chosen ? rung.state.chosen.body : -1"); body != i {
			t.Errorf("a click on ball %d chooses body %d", i, body)
		}
		if name := value[string](p, "document.querySelector('#chosen h2').textContent"); name != fmt.Sprintf("ball %d", i) {
			t.Errorf("the panel shows %q", name)
		}
	}
	p.click(20, 350)
	if value[bool](p, "rung.state.chosen !== null") {
		t.Error("a click on nothing chooses something")
	}
	p.run(chromedp.SetValue(chromedp.CSS("#search"), "LL 2"), js("document.getElementById('search').dispatchEvent(new Event('change'))"))
	if body := value[int](p, "rung.state.chosen.body"); body != 2 {
		t.Errorf("a search finds body %d", body)
	}
	p.run(chromedp.SetValue(chromedp.CSS("#search"), "cube"), js("document.getElementById('search').dispatchEvent(new Event('change'))"))
	if text := value[string](p, "document.getElementById('lost').innerText"); !strings.Contains(text, "“cube”") || value[bool](p, "rung.state.chosen !== null") {
		t.Errorf("of a name that nothing has the page says %q", text)
	}
	p.run(chromedp.SetValue(chromedp.CSS("#search"), "ball 1"), js("document.getElementById('search').dispatchEvent(new Event('change'))"))
	if body := value[int](p, "rung.state.chosen.body"); body != 1 || !value[bool](p, "document.getElementById('lost').hidden") {
		t.Errorf("the next search finds body %d", body)
	}
}

// At 360 pixels nothing is wider than the window, the picture keeps at least half of it, and every button can be
// reached. Both themes show the scene on their own background, as the system asks at first and as the button says then.
func TestSmallAndDark(t *testing.T) {
	whole(t)
	p := ballPage(t, 360, 640)
	if w := value[int](p, "document.documentElement.scrollWidth"); w > 360 {
		t.Errorf("the page is %d pixels wide", w)
	}
	if h := value[float64](p, "document.getElementById('view').getBoundingClientRect().height"); h < 320 {
		t.Errorf("the picture is %g pixels high", h)
	}
	const lost = `[...document.querySelectorAll('nav button, footer button, footer input, footer select')].filter((b) => {
		if (b.closest('[hidden]')) return false;
		b.scrollIntoView({ block: 'nearest', inline: 'nearest' });
		const r = b.getBoundingClientRect();
		const top = document.elementFromPoint((r.left + r.right) / 2, (r.top + r.bottom) / 2);
		return r.left < 0 || r.right > innerWidth || top !== b;
	}).map((b) => b.id || b.dataset.key || b.textContent)`
	if list := value[[]string](p, lost); len(list) > 0 {
		t.Errorf("cannot be reached: %v", list)
	}
	// The buttons hide no body: a ball at any height of the mechanism is above them.
	top := value[float64](p, "document.getElementById('bottom').getBoundingClientRect().top")
	for i := range balls {
		low := value[[2]float64](p, fmt.Sprintf("rung.project(rung.pose(%d).slice(0, 3).map((x, k) => x - (k === 2 ? %g : 0)))", i, radius))
		if low[1] > top {
			t.Errorf("ball %d reaches down to pixel %g, and the buttons begin at %g", i, low[1], top)
		}
	}
	bare := js("document.getElementById('grid').click()") // lines have a colour of their own
	p.run(bare, frames)
	brightness := func() int {
		c := color.GrayModel.Convert(p.picture().At(4, 300)).(color.Gray)
		return int(c.Y)
	}
	if g := brightness(); g < 220 {
		t.Errorf("the light theme has brightness %d", g)
	}
	p.run(js("document.querySelector('[data-key=t]').click()"))
	if g := brightness(); g > 50 {
		t.Errorf("the dark theme has brightness %d", g)
	}
	img := p.picture()
	for i := range balls {
		if _, _, n := middle(img, tints[i]); n < 20 {
			t.Errorf("ball %d is not seen in the dark", i)
		}
	}
	p.run(call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}}),
		chromedp.Reload(), until("window.rung && window.rung.ready"), bare, frames)
	if g := brightness(); g > 50 {
		t.Errorf("a dark system shows brightness %d", g)
	}
}

// A mechanism with joints shows its reactions and what is redundant;
// dragging turns the view; the picture of the other keys has no error.
func TestKeys(t *testing.T) {
	whole(t)
	m, err := bench.Scissor(3, 1)
	if err != nil {
		t.Fatal(err)
	}
	v := planned(t, m)
	p := open(t, v, 1000, 700)
	azimuth := value[float64](p, "rung.camera.azimuth")
	p.run(chromedp.DragAndDropXY(300, 300, 340, 300), frames)
	if now := value[float64](p, "rung.camera.azimuth"); now == azimuth {
		t.Error("a drag does not turn the view")
	}
	p.run(chromedp.KeyEvent("r"), until("rung.state.reactions"), chromedp.KeyEvent("d"), until("rung.state.report"))
	if n := value[int](p, "rung.state.report.mobility"); n != 1 {
		t.Errorf("mobility %d of a scissor", n)
	}
	for _, k := range []string{"v", "j", "1", "2", "3", "f", "o", "t", "i", "i", "d"} {
		p.run(chromedp.KeyEvent(k), frames)
	}
}

func planned(t *testing.T, m *model.Model) *view.Viewer {
	t.Helper()
	plan, err := rung.NewPlan(m, rung.Options{})
	if err != nil {
		t.Fatal(err)
	}
	mech := plan.Mechanism()
	v, err := view.NewViewer(scene.New(mech, scene.Options{}), mech.Initial(), view.NewSecret(), view.Options{Plan: plan})
	if err != nil {
		t.Fatal(err)
	}
	return v
}
