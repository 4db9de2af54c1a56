package browser

import (
	"fmt"
	"image"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/live"
	"github.com/rung-mbd/rung/model"
)

// differing returns the part of the pixels of the upper half of the view that are not of the same colour in two pictures.
func differing(a, b image.Image) float64 {
	n, other, size := 0, 0, a.Bounds()
	for y := size.Dy() / 8; y < size.Dy()/2; y += 2 {
		for x := 0; x < size.Dx()/2; x += 2 {
			n++
			r, g, bl, _ := a.At(x, y).RGBA()
			R, G, B, _ := b.At(x, y).RGBA()
			if math.Abs(float64(r)-float64(R))+math.Abs(float64(g)-float64(G))+math.Abs(float64(bl)-float64(B)) > 0x0800 {
				other++
			}
		}
	}
	return float64(other) / float64(n)
}

// TestGrid: a level grid with lines at round lengths lies below the mechanism, and can be taken away.
func TestGrid(t *testing.T) {
	whole(t)
	p := ballPage(t, 900, 600)
	if text := value[string](p, "document.getElementById('grid').textContent"); text == "grid" || value[bool](p, "document.getElementById('grid').hidden") {
		t.Fatalf("no grid: %q", text)
	}
	with := p.picture()
	p.run(js("document.getElementById('grid').click()"), frames)
	without := p.picture()
	if part := differing(with, without); part < 0.01 || part > 0.6 {
		t.Errorf("the grid is %.2g of the picture", part)
	}
	p.run(js("document.getElementById('grid').click()"), frames)
	if part := differing(with, p.picture()); part > 0.001 {
		t.Errorf("%.2g of the picture is not as it was", part)
	}
}

// TestViewGoesWith: what falls stays in the picture also where the user has zoomed.
func TestViewGoesWith(t *testing.T) {
	whole(t)
	m, err := bench.Scissor(8, 1)
	if err != nil {
		t.Fatal(err)
	}
	held := len(m.Joints)
	m.Joints = slices.DeleteFunc(m.Joints, func(j model.Joint) bool { return j.Predecessor == "world" })
	if len(m.Joints) == held {
		t.Fatal("nothing has held it")
	}
	p, _, _ := playing(t, m, live.Options{Paused: true}, 900, 600)
	p.run(js("rung.camera.zoom(0.7)"), js("rung.live.toggle()"))
	time.Sleep(2 * time.Second)
	p.run(frames)
	at := value[[2]float64](p, "rung.project(rung.drawing.around.middle)")
	if at[0] < 0 || at[0] > 600 || at[1] < 0 || at[1] > 600 {
		t.Errorf("the middle is at %v, out of the picture", at)
	}
}

// TestUpright: a mast along y stands on its grid where gravity is against y.
func TestUpright(t *testing.T) {
	whole(t)
	m, err := bench.Scissor(8, 1)
	if err != nil {
		t.Fatal(err)
	}
	p, _, _ := playing(t, m, live.Options{Paused: true}, 900, 600)
	p.run(frames)
	foot, top := value[[2]float64](p, "rung.project([0, 0, 0])"), value[[2]float64](p, "rung.project([0, 1, 0])")
	if foot[1]-top[1] < 5 || math.Abs(foot[0]-top[0]) > 1 {
		t.Errorf("y goes from %v to %v in the picture, not up", foot, top)
	}
	for k, key := range []string{"1", "2", "3"} {
		p.run(js(fmt.Sprintf("document.querySelector('[data-key=\"%s\"]').click()", key)), frames)
		if eye := value[[3]float64](p, "rung.camera.axes().eye"); math.Abs(math.Abs(eye[k])-1) > 1e-9 {
			t.Errorf("key %s looks from %v", key, eye)
		}
	}
	if low := value[float64](p, "rung.drawing.grid.height + rung.head.center[1]"); low > 0 || low < -0.2 {
		t.Errorf("the grid is at %v m, not at the foot", low)
	}
}
