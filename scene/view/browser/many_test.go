package browser

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/scene/view"
)

// firstPicture is the most that 10⁵ bodies take from the file of the model to a picture of the page, where the
// processor has nothing else to do.
const firstPicture = 3 * time.Second

// 10⁵ bodies: from the file to the first picture in 3 s, which is checked with RUNG_BROWSER_TIMES=1 and told without,
// as it depends on the machine. The browser draws with the processor.
func TestMany(t *testing.T) {
	whole(t)
	m, err := bench.Chain(100_000, 1)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "chain.json")
	if err := model.WriteFile(path, m); err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	v := ofFile(t, path)
	made := time.Since(begin)
	p := open(t, v, 1000, 700)
	p.picture()
	first := time.Since(begin)
	t.Logf("first picture after %.2f s, of which %.2f s without the browser, and %.2f s to the end of the page's first drawing", first.Seconds(), made.Seconds(), value[float64](p, "rung.state.drawn / 1000"))
	if timed() && first > firstPicture {
		t.Errorf("first picture after %v, not %v", first, firstPicture)
	}
}

// ofFile is the viewer that the command makes of a model's file.
func ofFile(t *testing.T, path string) *view.Viewer {
	t.Helper()
	m, err := model.ReadFile(path)
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
	return v
}
