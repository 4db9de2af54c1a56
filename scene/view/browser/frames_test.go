package browser

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/scene/view"
	"github.com/rung-mbd/rung/sim/replay"
)

// wave is a trajectory in which all bodies move and turn. Its rows are computed when they are read.
type wave struct {
	start *mechanism.State
	names []string
	rows  int
	step  float64
}

func newWave(m *mechanism.Mechanism, rows int, step float64) *wave {
	w := &wave{start: m.Initial(), names: []string{"time", "energy.kinetic", "drift.position"}, rows: rows, step: step}
	for i := range m.NumBodies() {
		for _, part := range []string{"px", "py", "pz", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"} {
			w.names = append(w.names, m.BodyName(i)+"."+part)
		}
	}
	return w
}

func (w *wave) Names() []string { return w.names }

func (w *wave) Rows() int { return w.rows }

func (w *wave) RowTo(dst []float64, row int) error {
	dst[0] = w.step * float64(row)
	dst[1], dst[2] = math.Sin(dst[0]), math.Cos(dst[0])
	for i := range w.start.Bodies {
		p, d := w.start.Bodies[i].Position, dst[3+13*i:]
		s, c := math.Sincos(dst[0] + 0.01*float64(i))
		half := 0.2 * s // of the angle
		copy(d, []float64{p[0] + s, p[1] + c, p[2], math.Cos(half), 0, 0, math.Sin(half), c, -s, 0, 0, 0, 0.4 * c})
	}
	return nil
}

func (w *wave) ColumnTo(dst []float64, k int) error {
	if k > 2 {
		return fmt.Errorf("column %d is not kept", k)
	}
	for i := range dst {
		t := w.step * float64(i)
		dst[i] = [3]float64{t, math.Sin(t), math.Cos(t)}[k]
	}
	return nil
}

// mostScripts is in ms of the processor in an animation frame.
const mostScripts = 2.0

// timed reports whether times are held to their bounds, which takes a machine that has nothing else to do.
func timed() bool { return os.Getenv("RUNG_BROWSER_TIMES") == "1" }

// 10⁵ bodies: while the view is turned and zoomed with the mouse, and a trajectory in which all
// bodies move is scrubbed and played, the scripts of the page take at most 2 ms of the processor
// from one animation frame to the next. Collections of garbage, which the browser makes when it
// likes, are told beside; with them, too, at most one frame of a hundred takes longer. These bounds
// are held with RUNG_BROWSER_TIMES=1, over 100 pictures of each way to move them, as they depend on
// the machine. Without, fewer pictures are made, and their times are told.
func TestFrames(t *testing.T) {
	whole(t)
	m, err := bench.Chain(100_000, 1)
	if err != nil {
		t.Fatal(err)
	}
	mech, err := mechanism.New(m)
	if err != nil {
		t.Fatal(err)
	}
	run, err := replay.New(mech, newWave(mech, 400, 0.05))
	if err != nil {
		t.Fatal(err)
	}
	v, err := view.NewViewer(scene.New(mech, scene.Options{}), mech.Initial(), view.NewSecret(), view.Options{Run: run})
	if err != nil {
		t.Fatal(err)
	}
	p := open(t, v, 1000, 700)
	pictures := 8 // at least, of each way to move the picture
	if timed() {
		pictures = 100
	}
	seen := func() int { return value[int](p, "rung.state.pictures") }
	drawn := func(n int) { p.run(until(fmt.Sprintf("rung.state.pictures >= %d", n))) }
	for _, way := range []struct {
		name string
		do   func(begun int)
	}{
		{"turned", func(begun int) {
			p.mouse("mousePressed", 200, 300, 1)
			for k := 0; seen() < begun+pictures; k++ {
				p.mouse("mouseMoved", 200+3*float64(k%200), 300+float64(k%7), 1)
			}
			p.mouse("mouseReleased", 200, 300, 0)
		}},
		{"zoomed", func(begun int) {
			for k := 0; seen() < begun+pictures; k++ {
				params := input.DispatchMouseEventParams{Type: "mouseWheel", X: 400, Y: 300, DeltaX: 1e-9, DeltaY: -120}
				if k%80 >= 40 {
					params.DeltaY = 120
				}
				p.run(call(input.DispatchMouseEvent, params))
			}
		}},
		{"scrubbed", func(begun int) {
			p.run(js("window.hand = 0; { const s = document.getElementById('scrub'), go = () => { s.value = 7 * ++hand % 400; s.dispatchEvent(new Event('input')); if (hand) requestAnimationFrame(go); }; requestAnimationFrame(go); }"))
			drawn(begun + pictures)
			p.run(js("hand = NaN"))
		}},
		{"played", func(begun int) {
			p.run(chromedp.Click(chromedp.CSS("#play")))
			drawn(begun + pictures)
			p.run(chromedp.Click(chromedp.CSS("#play")))
		}},
	} {
		begun := value[[2]float64](p, "[rung.state.pictures, performance.now()]")
		list := works(p.trace(func() { way.do(int(begun[0])) }))
		ended := value[[2]float64](p, "[rung.state.pictures, performance.now()]")
		made := ended[0] - begun[0]
		slices.SortFunc(list, func(a, b work) int { return cmp.Compare(a.all(), b.all()) })
		n := len(list)
		most, collected := 0.0, 0
		for _, w := range list {
			most = max(most, w.scripts)
			if w.collections > 1 {
				collected++
			}
		}
		t.Logf("%s: %g pictures, one in %.3f s, %d animation frames: scripts %.2f ms at most; with collections median %.2f, nine of ten %.2f, 99 of 100 %.2f, all %.2f; %d collections of more than 1 ms", way.name,
			made, (ended[1]-begun[1])/1000/made, n, most, list[n/2].all(), list[n*9/10].all(), list[n*99/100].all(), list[n-1].all(), collected)
		if n < pictures {
			t.Errorf("%s: %d animation frames in the trace of %g pictures", way.name, n, made)
		}
		if !timed() {
			continue
		}
		if most > mostScripts {
			t.Errorf("%s: a frame has %.2f ms of script", way.name, most)
		}
		if w := list[n*99/100]; w.all() > mostScripts {
			t.Errorf("%s: one frame of a hundred has more than %.2f ms of script with collections", way.name, w.all())
		}
	}
}
