package browser

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/scene/view"
)

// saved writes the page of a viewer to a file and opens that, without a server.
func saved(t *testing.T, v *view.Viewer) *page {
	t.Helper()
	path := filepath.Join(t.TempDir(), "page.html")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := v.HTML(context.Background(), f); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return visit(t, "file://"+filepath.ToSlash(path), 1000, 700)
}

// A page in a file opens from the disk, asks for nothing, and has at each row the poses of the trajectory; its curves
// of a body are those of the trajectory, too.
func TestFile(t *testing.T) {
	m := ballModel(t)
	v, err := view.NewViewer(scene.New(m, scene.Options{Visuals: visuals}), m.Initial(), view.NewSecret(), view.Options{Run: trajectory(t, m)})
	if err != nil {
		t.Fatal(err)
	}
	p := saved(t, v)
	center := value[[3]float64](p, "rung.head.center")
	for _, row := range []int{0, 1, 57, 131, rows - 1} {
		p.scrub(row)
		p.run(until(fmt.Sprintf("rung.state.row === %d && rung.state.frames.has(%d)", row, row)), frames)
		for i := range balls {
			pose, want := value[[]float64](p, fmt.Sprintf("rung.pose(%d)", i)), place(i, step*float64(row))
			for k := range want {
				if e := math.Abs(pose[k] + center[k] - want[k]); !(e < 1e-6) {
					t.Errorf("row %d, ball %d: coordinate %d is off by %g m", row, i, k, e)
				}
			}
		}
	}
	before := value[int](p, "rung.state.charts.length")
	p.run(chromedp.SetValue(chromedp.CSS("#column"), "ball 2.py"), js("document.getElementById('column').dispatchEvent(new Event('change'))"),
		until(fmt.Sprintf("rung.state.charts.length > %d", before)))
	data := value[[]float64](p, "[...rung.state.charts.at(-1).data]")
	if len(data) != 2*rows {
		t.Fatalf("a curve of %d numbers", len(data))
	}
	for row := range rows {
		if e := math.Abs(data[2*row+1] - place(2, step*float64(row))[1]); !(e < 1e-6) || math.Abs(data[2*row]-step*float64(row)) > 1e-12 {
			t.Errorf("the curve is off by %g m at row %d", e, row)
		}
	}
}

// Reactions and redundant joints are in the file of a mechanism that has a plan, and equal those that the server gives.
func TestFileReactions(t *testing.T) {
	whole(t)
	m, err := bench.Scissor(3, 1)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := rung.NewPlan(m, rung.Options{})
	if err != nil {
		t.Fatal(err)
	}
	mech := plan.Mechanism()
	v, err := view.NewViewer(scene.New(mech, scene.Options{}), mech.Initial(), view.NewSecret(), view.Options{Plan: plan})
	if err != nil {
		t.Fatal(err)
	}
	var got [2][]float64
	for k, p := range []*page{open(t, v, 1000, 700), saved(t, v)} {
		p.run(chromedp.KeyEvent("r"), until("rung.state.reactions"), chromedp.KeyEvent("d"), until("rung.state.report"))
		got[k] = value[[]float64](p, "[...rung.state.reactions]")
		if n := value[int](p, "rung.state.report.mobility"); n != 1 {
			t.Errorf("mobility %d of a scissor", n)
		}
	}
	if len(got[0]) != 9*mech.NumJoints() || fmt.Sprint(got[0]) != fmt.Sprint(got[1]) {
		t.Error("the file has other reactions than the server")
	}
}
