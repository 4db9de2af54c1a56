package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// built is the folder of the playground, made once, as make playground does.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "playground")
	if err != nil {
		return "", err
	}
	out, err := exec.Command("make", "-s", "-C", filepath.Join("..", "..", ".."), "playground", "PLAYGROUND="+dir).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("make playground: %w\n%s", err, out)
	}
	return dir, err
})

// moves is true when the picture of the playground is there and its mechanism moves.
const moves = "window.play?.frame?.contentWindow?.rung?.live?.status?.time > 0.1 && play.frame.className === '' && play.reported !== null"

// playground opens the playground at a fragment of its address, from a server of files that knows no types, and waits.
func playground(t *testing.T, fragment, ready string, width, height int64) *page {
	t.Helper()
	if testing.Short() {
		t.Skip("make browser without -short has it, in a workflow: everything is compiled to WebAssembly for it")
	}
	dir, err := built()
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(s.Close)
	return await(t, s.URL+"/", fragment, ready, width, height)
}

// types puts a text where the model is, as a user does.
func (p *page) types(script string) {
	p.t.Helper()
	p.run(js("{ const t = document.getElementById('text'); t.value = (" + script + ")(t.value); t.dispatchEvent(new Event('input')); }"))
}

// TestPlayground: the page shows a model that moves, with its report; a broken text has its errors told with their places while the last
// mechanism goes on; the next good one takes its place, and the address has it.
func TestPlayground(t *testing.T) {
	p := playground(t, "", moves, 1280, 800)
	p.shot("playground")
	if n := value[int](p, "play.reported.constraints.mobility"); n != 1 {
		t.Errorf("mobility %d of the four-bar", n)
	}
	const clock = "play.frame.contentWindow.rung.live.status.time"
	was := value[[]float64](p, "play.frame.contentWindow.rung.pose(0)")
	p.run(until(fmt.Sprintf("%s > %g", clock, value[float64](p, clock)+0.2)), frames)
	if now := value[[]float64](p, "play.frame.contentWindow.rung.pose(0)"); fmt.Sprint(now) == fmt.Sprint(was) {
		t.Error("the crank does not move")
	}

	p.types(`(s) => s.replace('"mass"', '"mas"')`)
	p.run(until("play.errors.length > 0"))
	text := value[string](p, "document.getElementById('errors').innerText")
	if !strings.Contains(text, "$.bodies[0].mas") || !strings.Contains(text, "line ") {
		t.Errorf("of a field that there is not the page says %q", text)
	}
	want := value[int](p, "document.getElementById('text').value.split('\"mas\"')[0].split('\\n').length")
	if got := value[int](p, "play.errors.find((e) => e.path.endsWith('.mas')).line"); got != want {
		t.Errorf("the error is said to be on line %d, and is on line %d", got, want)
	}
	if n := value[int](p, "document.querySelectorAll('#numbers .wrong').length"); n == 0 {
		t.Error("no line is marked")
	}
	p.shot("playground-error")
	p.run(js("document.querySelector('#errors button').click()"))
	if value[bool](p, "getSelection().toString() === '' && text.selectionStart === text.selectionEnd") {
		t.Error("a click on an error selects nothing")
	}
	p.run(until(fmt.Sprintf("%s > %g", clock, value[float64](p, clock)+0.2))) // the last mechanism goes on

	p.types(`(s) => s.replace('"mas"', '"mass",,')`)
	p.run(until("play.errors.some((e) => e.rule.includes('syntax'))"))
	if got := value[int](p, "play.errors[0].line"); got != want {
		t.Errorf("a syntax error on line %d is said to be on line %d", want, got)
	}
	p.types(`(s) => s.replace('"mass",,', '"mass"').replace('"name": "crank"', '"name": "first"').replaceAll('"crank"', '"first"')`)
	p.run(until("play.errors.length === 0 && play.reported.bodies[0].name === 'first'"), until(moves), until("location.hash.startsWith('#text=')"))
	if n := value[int](p, "document.querySelectorAll('#picture iframe').length"); n != 1 {
		t.Errorf("%d pictures", n)
	}

	// The address alone shows the same model.
	q := playground(t, value[string](p, "location.hash"), moves, 1280, 800)
	if value[string](q, "document.getElementById('text').value") != value[string](p, "document.getElementById('text').value") {
		t.Error("the address has another text")
	}
}

// TestPlaygroundExamples: each example of the list is there and moves.
func TestPlaygroundExamples(t *testing.T) {
	p := playground(t, "", moves, 1000, 700)
	for _, name := range value[[]string](p, "[...document.getElementById('examples').options].map((o) => o.value).filter(Boolean)") {
		p.run(js(fmt.Sprintf("{ play.reported = null; const e = document.getElementById('examples'); e.value = %q; e.dispatchEvent(new Event('change')); }", name)))
		p.run(until(fmt.Sprintf("location.hash === '#example=%s' && (play.errors.length > 0 || %s)", name, moves)))
		if text := value[string](p, "document.getElementById('errors').innerText"); text != "" {
			t.Errorf("%s: %s", name, text)
		}
		p.shot("playground-" + name)
	}
}

// TestPlaygroundSmall: at 360 pixels nothing is wider than the window, in both themes, and the picture, the text and errors can be used.
func TestPlaygroundSmall(t *testing.T) {
	p := playground(t, "", moves, 360, 640)
	wide := func(when string) {
		t.Helper()
		if w := value[int](p, "document.documentElement.scrollWidth"); w > 360 {
			t.Errorf("%s: the page is %d pixels wide", when, w)
		}
		if w := value[int](p, "play.frame.contentDocument.documentElement.scrollWidth"); w > 360 {
			t.Errorf("%s: the frame is %d pixels wide", when, w)
		}
	}
	wide("at first")
	p.shot("playground-360-light")
	p.run(js("document.getElementById('theme').click()"))
	if theme := value[string](p, "play.frame.contentDocument.documentElement.dataset.theme"); theme != "dark" {
		t.Errorf("the picture has the theme %q", theme)
	}
	p.types(`(s) => s.replace('"mass"', '"a_name_that_is_much_longer_than_what_a_line_of_this_width_can_hold"')`)
	p.run(until("play.errors.length > 0"))
	wide("with an error")
	if h := value[float64](p, "document.getElementById('text').getBoundingClientRect().height"); h < 200 {
		t.Errorf("the text has %g pixels", h)
	}
	p.run(js("document.getElementById('said').scrollIntoView({ block: 'end' })"))
	p.shot("playground-360-dark")
	p.run(js("document.getElementById('report').scrollIntoView()"))
	p.shot("playground-360-report")
}

// TestPlaygroundNames: long names of bodies and joints are broken into lines, so that the numbers beside them are in the window.
func TestPlaygroundNames(t *testing.T) {
	p := playground(t, "", moves, 360, 640)
	p.run(js("play.reported = null"))
	p.types(`(s) => s.replaceAll('"crank"', JSON.stringify('crank'.repeat(24))).replace('"name": "O"', '"name": ' + JSON.stringify('O'.repeat(100)))`)
	p.run(until("play.errors.length > 0 || play.reported?.bodies[0].name.length === 120"), until(moves), frames)
	if w := value[int](p, "document.documentElement.scrollWidth"); w > 360 {
		t.Errorf("the page is %d pixels wide", w)
	}
	for _, left := range value[[]float64](p, "[...document.querySelectorAll('#report td:nth-child(2)')].map((e) => e.getBoundingClientRect().left)") {
		if left > 260 {
			t.Errorf("the first number stands at %g of 360 pixels", left)
		}
	}
	p.run(js("document.getElementById('report').scrollIntoView()"))
	p.shot("playground-360-names")
}

// TestPlaygroundFast: where bodies are so fast that time hardly goes on, the page says by which factor.
func TestPlaygroundFast(t *testing.T) {
	p := playground(t, "#example=rolling-disc", moves, 1280, 800)
	p.types("(s) => { const m = JSON.parse(s); m.name = 'fast'; for (const b of m.bodies) for (const v of Object.values(b.velocity)) v.forEach((x, k) => { v[k] = 1e8 * x; }); return JSON.stringify(m, null, 1); }")
	const live = "play.frame.contentWindow?.rung?.live" // a frame that loads anew has none yet
	p.run(until("play.errors.length > 0 || play.text.includes('fast')"), until(live+"?.status.running && "+live+".status.factor !== null"))
	text := value[string](p, "play.frame.contentDocument.getElementById('factor').textContent")
	var at, factor float64
	if n, err := fmt.Sscanf(text, "%f s · ×%g", &at, &factor); n != 2 || factor > 0.01 {
		t.Errorf("at %g s/s the page says %q: %v", value[float64](p, live+".status.factor"), text, err)
	}
	if !value[bool](p, "play.frame.contentDocument.getElementById('factor').classList.contains('slow')") {
		t.Error("the factor does not look slow")
	}
	p.shot("playground-fast")
}

// TestPlaygroundDark: the page and its picture are dark where the system asks for it.
func TestPlaygroundDark(t *testing.T) {
	dark := call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
	p := playground(t, "#example=jansen", moves, 1280, 800)
	p.run(dark, chromedp.Reload(), until(moves), frames)
	if theme := value[string](p, "play.frame.contentDocument.documentElement.dataset.theme + document.documentElement.dataset.theme"); theme != "darkdark" {
		t.Errorf("themes %q where the system asks for dark", theme)
	}
	p.shot("playground-dark")
}

// TestPlaygroundFormats: texts of foreign formats are read by how they begin.
func TestPlaygroundFormats(t *testing.T) {
	p := playground(t, "", moves, 1000, 700)
	const inertia = `<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>`
	for _, text := range []string{
		`<?xml version="1.0"?><robot name="r"><link name="world"/><link name="told">` + inertia + `</link>` +
			`<joint name="j" type="continuous"><parent link="world"/><child link="told"/></joint></robot>`,
		`<mujoco><worldbody><body name="told"><joint type="hinge" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 1 0 0" size=".05"/></body></worldbody></mujoco>`,
		`<sdf version="1.9"><model name="m"><link name="told"/></model></sdf>`,
		"#usda 1.0\ndef Xform \"told\" ( prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\"] ) " +
			"{ float physics:mass = 1\n float3 physics:diagonalInertia = (1, 1, 1) }\n",
	} {
		p.run(js("play.reported = null"))
		p.types(fmt.Sprintf("() => %q", text))
		p.run(until("play.errors.length > 0 || play.reported?.bodies[0].name === 'told'"))
		if said := value[string](p, "document.getElementById('errors').innerText"); said != "" {
			t.Errorf("of %.20q the page says %q", text, said)
		}
	}
}
