package sitetest

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
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
)

// patience is how long all tests in the browser together may take, on however busy a machine.
const patience = 8 * time.Minute

// tab is a tab of a browser, and what went wrong in it.
type tab struct {
	t       *testing.T
	ctx     context.Context
	address string

	mu       sync.Mutex
	problems []string
}

// chromium returns a tab of a browser of its own that looks at the site. Where there is no browser the test does not run, and in short runs neither.
func chromium(t *testing.T) *tab {
	t.Helper()
	if testing.Short() {
		t.Skip("make site-check without -short has it, in a workflow")
	}
	top := dir(t)
	names := []string{"headless_shell", "headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}
	if !slices.ContainsFunc(names, func(n string) bool { _, err := exec.LookPath(n); return err == nil }) {
		t.Skip("NOT RUN: it takes Chromium")
	}
	s := httptest.NewServer(served(top))
	t.Cleanup(s.Close)
	o := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.Flag("use-gl", "angle"), chromedp.Flag("use-angle", "swiftshader"),
		chromedp.Flag("enable-unsafe-swiftshader", true), chromedp.Flag("ignore-gpu-blocklist", true), chromedp.Flag("disable-gpu", false))
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	ctx, end := chromedp.NewExecAllocator(ctx, o...)
	t.Cleanup(end)
	ctx, shut := chromedp.NewContext(ctx)
	t.Cleanup(shut)
	p := &tab{t: t, ctx: ctx, address: s.URL + "/"}
	if err := chromedp.Listen(ctx, p.event); err != nil {
		t.Fatal(err)
	}
	p.run(call(network.Enable, network.EnableParams{}), call(log.Enable, cdp.Empty{}))
	return p
}

// served serves the site as a server of pages does: what is missing is its page 404.html, at the address that was asked for.
func served(top string) http.Handler {
	files := http.FileServer(http.Dir(top))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := os.Stat(filepath.Join(top, filepath.FromSlash(path.Clean("/"+r.URL.Path)))); err == nil {
			files.ServeHTTP(w, r)
			return
		}
		text, err := os.ReadFile(filepath.Join(top, "404.html"))
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(http.StatusNotFound)
		w.Write(text)
	})
}

// call sends a command of the protocol.
func call[P, R any](c cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, c, params)
		return err
	})
}

func (p *tab) event(e any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := e.(type) {
	case *runtime.EventConsoleAPICalled:
		p.problems = append(p.problems, fmt.Sprintf("console.%s", e.Type))
	case *runtime.EventExceptionThrown:
		p.problems = append(p.problems, (&chromedp.ExceptionError{ExceptionDetails: e.ExceptionDetails}).Error())
	case *log.EventEntryAdded:
		// The software renderer says that reading pixels makes it wait.
		if !strings.Contains(e.Entry.Text, "GPU stall due to ReadPixels") {
			p.problems = append(p.problems, e.Entry.Text+" "+e.Entry.URL)
		}
	case *network.EventRequestWillBeSent:
		if u := e.Request.URL; !strings.HasPrefix(u, p.address) && !strings.HasPrefix(u, "blob:") && !strings.HasPrefix(u, "data:") {
			p.problems = append(p.problems, "request of "+u)
		}
	}
}

// said returns the problems since the last call.
func (p *tab) said() (list []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	list, p.problems = p.problems, nil
	return list
}

func (p *tab) run(a ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, a...); err != nil {
		p.t.Fatal(err)
	}
}

func value[T any](p *tab, expression string) T {
	p.t.Helper()
	x, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return x
}

// eventually waits until an expression is true, also on the next page: while one page goes and another comes nothing can be asked.
func (p *tab) eventually(expression string) {
	p.t.Helper()
	for p.ctx.Err() == nil {
		if ok, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool](expression)); err == nil && ok {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	p.t.Fatalf("%s: %v", expression, p.ctx.Err())
}

// system makes the system dark or light, and still or not.
func (p *tab) system(scheme, motion string) {
	p.run(call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: motion}}}))
}

// shot keeps what is seen where RUNG_SHOTS names a folder.
func (p *tab) shot(name string) {
	folder := os.Getenv("RUNG_SHOTS")
	if folder == "" {
		return
	}
	b, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, name+".png"), b, 0o666)
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// contrasts are functions of colours as the browser has them: of luminances, and of what is behind an element, null where that is not one colour.
const contrasts = `
	const rgb = (c) => { const m = c.match(/[\d.]+/g).map(Number); return [m[0], m[1], m[2], m.length > 3 ? m[3] : 1]; };
	const lum = (c) => c.slice(0, 3).map((v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
	const behind = (e) => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c[3] === 1) return c; if (c[3] > 0) return null; } return [255, 255, 255, 1]; };
	const contrast = (a, b) => (Math.max(lum(a), lum(b)) + 0.05) / (Math.min(lum(a), lum(b)) + 0.05);
`

// pale returns texts of the page whose contrast to what is behind them is below level AA, with their colours. Texts behind the head of the
// page, in frames and in pictures are not looked at.
const pale = `(() => {` + contrasts + `
	const found = new Map(), walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	for (let n; (n = walk.nextNode());) {
		const e = n.parentElement;
		if (!n.data.trim() || e.closest('.here, [hidden], script, style, title')) continue;
		const s = getComputedStyle(e), svg = e.closest('svg'), size = parseFloat(s.fontSize), large = size >= 24 || size >= 18.66 && s.fontWeight >= 700;
		const a = rgb(svg ? s.fill : s.color), b = behind(svg ? svg.parentElement : e);
		if (!b || a[3] < 1 || contrast(a, b) < (large ? 3 : 4.5)) found.set(a + ' on ' + b, e.tagName + '.' + e.className + ': ' + n.data.trim().slice(0, 40));
	}
	return [...found].map(([k, v]) => k + ' ' + v);
})()`

// beyond returns what is wider than the window, where the page scrolls sideways.
const beyond = `(() => {
	const w = document.documentElement.clientWidth;
	if (document.documentElement.scrollWidth <= w) return [];
	return [...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > w + 1 && !e.closest('.scroll, pre, .top nav')).slice(0, 3).map((e) => e.tagName + '.' + e.className + ' ' + e.textContent.slice(0, 40)).concat('scrolls to ' + document.documentElement.scrollWidth);
})()`

// unseen focuses one element after the other, as keys do, and returns those that do not show it: by an outline of two pixels with the contrast of level AA
// (WCAG 2.1, 2.4.7 and 1.4.11), in sight within the page.
const unseen = `(() => {` + contrasts + `
	const list = [];
	let n = 0;
	for (const e of document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex]')) {
		if (e.tabIndex < 0 || !e.checkVisibility({visibilityProperty: true})) continue;
		e.focus({preventScroll: true});
		n++;
		const s = getComputedStyle(e), b = behind(e.parentElement), box = e.getBoundingClientRect();
		const bare = s.outlineStyle === 'none' || parseFloat(s.outlineWidth) < 2 || rgb(s.outlineColor)[3] < 1 || b && contrast(rgb(s.outlineColor), b) < 3;
		if (document.activeElement !== e || bare || !e.checkVisibility({opacityProperty: true}) || box.right < 1) list.push(e.outerHTML.slice(0, 90));
	}
	return n ? list : ['nothing can be reached'];
})()`

// TestFocus: where the keyboard is can be seen, on a page of each kind, on a phone in the dark and on a desk in the light.
func TestFocus(t *testing.T) {
	p := chromium(t)
	p.run(chromedp.EmulateViewport(360, 740), chromedp.Navigate(p.address+"404.html"))
	p.run(chromedp.KeyEvent("\t"))
	if at := value[string](p, "document.activeElement.textContent"); at != "Skip to the content" {
		t.Errorf("the first key leads to %q", at)
	}
	if got := value[[]string](p, "document.head.insertAdjacentHTML('beforeend', '<style>.foot a:focus-visible { outline-color: transparent; } .code, .brand:focus { opacity: 0; }</style>'), "+unseen); len(got) < 5 {
		t.Errorf("what does not show the focus is not seen: %q", got)
	}
	for _, look := range []struct {
		width, height int64
		scheme        string
	}{{360, 740, "dark"}, {1280, 900, "light"}} {
		p.system(look.scheme, "reduce")
		p.run(chromedp.EmulateViewport(look.width, look.height))
		names := []string{"index.html", "guides/sweeps.html", "gallery.html", "gallery/jansen.html", "benchmarks.html", "reference/theory.html", "reference/command/accel.html"}
		for _, name := range names {
			p.run(chromedp.Navigate(p.address+name), chromedp.KeyEvent("\t"))
			for _, what := range value[[]string](p, unseen) {
				t.Errorf("%s, %d wide, %s: no focus to be seen on %s", name, look.width, look.scheme, what)
			}
		}
	}
}

// TestMissing: the page for addresses that are missing has its style and leads back, in whatever folder they would be.
func TestMissing(t *testing.T) {
	p := chromium(t)
	p.run(chromedp.Navigate(p.address + "guides/none/at-all.html"))
	if got := value[[]string](p, "[document.querySelector('.brand').href, document.querySelector('link[rel=stylesheet]').href]"); !slices.Equal(got, []string{p.address + "index.html", p.address + "site.css"}) {
		t.Errorf("%q", got)
	}
	if got := value[string](p, "getComputedStyle(document.querySelector('.top')).position"); got != "sticky" {
		t.Errorf("the page has no style: %s", got)
	}
}

// generated are folders whose pages have one form.
var generated = map[string]bool{"reference/command": true, "reference/schemas": true, "gallery": true}

// TestEveryPage: on a phone in the dark no page says an error, asks for what is elsewhere, scrolls sideways, or has a text that is too pale;
// on a desk in the light neither, but there one page of a folder stands for those that are made by the same lines.
func TestEveryPage(t *testing.T) {
	p := chromium(t)
	var names []string
	for name, d := range site(t, dir(t)) {
		if !d.foreign() {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	looks := 0
	for _, look := range []struct {
		width, height int64
		scheme        string
	}{{360, 740, "dark"}, {1280, 900, "light"}} {
		p.system(look.scheme, "reduce")
		p.run(chromedp.EmulateViewport(look.width, look.height))
		seen := map[string]bool{}
		for _, name := range names {
			folder := path.Dir(name)
			if look.width > 1000 && seen[folder] && generated[folder] {
				continue
			}
			seen[folder] = true
			looks++
			p.run(chromedp.Navigate(p.address + name))
			for _, what := range slices.Concat(p.said(), value[[]string](p, pale), value[[]string](p, beyond)) {
				t.Errorf("%s, %d wide, %s: %s", name, look.width, look.scheme, what)
			}
		}
	}
	t.Logf("%d pages, looked at %d times", len(names), looks)
}

// TestPaleIsSeen: a pale text and a wide line are seen.
func TestPaleIsSeen(t *testing.T) {
	p := chromium(t)
	p.run(chromedp.EmulateViewport(360, 740), chromedp.Navigate(p.address+"404.html"))
	p.run(chromedp.Evaluate[chromedp.Void]("document.querySelector('main').insertAdjacentHTML('beforeend', '<p style=\"color: #777; background: #fff; width: 500px\">pale</p>')"))
	if got := value[[]string](p, pale); len(got) != 1 || !strings.HasSuffix(got[0], "P.: pale") {
		t.Errorf("pale texts: %q", got)
	}
	if got := value[[]string](p, beyond); len(got) < 2 {
		t.Errorf("what is too wide: %q", got)
	}
	p.run(chromedp.Evaluate[chromedp.Void]("console.log('x')"))
	if got := p.said(); len(got) != 1 {
		t.Errorf("console: %q", got)
	}
}

// TestSearch: the field finds what people look for, and leads there by keys.
func TestSearch(t *testing.T) {
	p := chromium(t)
	p.run(chromedp.EmulateViewport(1280, 900), chromedp.Navigate(p.address+"reference/command/accel.html"))
	for query, want := range map[string]string{
		"redundant": "redundant", "URDF": "urdf", "stewart": "stewart", "joint limits": "limits", "rung modes": "modes", "Bricard": "bricard", "rung_accel": "c-api.html", "Solver.wrenches": "python-api.html",
	} {
		got := value[[]string](p, fmt.Sprintf("rungSearch(%q).then((l) => l.map((r) => (r.u + ' ' + r.h + ' ' + r.t).toLowerCase()))", query))
		if len(got) == 0 || !slices.ContainsFunc(got[:min(3, len(got))], func(s string) bool { return strings.Contains(s, want) }) {
			t.Errorf("%q finds %q", query, got)
		}
	}
	if got := value[[]any](p, "rungSearch('xyzzy')"); len(got) != 0 {
		t.Errorf("finds %v", got)
	}
	p.run(chromedp.Evaluate[chromedp.Void]("document.querySelector('#search input').focus()"))
	p.run(chromedp.Evaluate[chromedp.Void]("(() => { const q = document.querySelector('#search input'); q.value = 'stewart platform'; q.dispatchEvent(new Event('input', {bubbles: true})); })()"))
	p.run(chromedp.Poll[chromedp.Void]("document.querySelectorAll('#found a').length > 2", chromedp.WithPollingTimeout(patience)))
	p.shot("search")
	p.run(chromedp.Evaluate[chromedp.Void]("document.querySelector('#search').requestSubmit()"))
	p.eventually("location.pathname !== '/reference/command/accel.html' && document.readyState === 'complete'")
	if got := value[string](p, "document.body.textContent"); !strings.Contains(got, "Stewart") {
		t.Errorf("the first that is found has no Stewart platform: %s", value[string](p, "location.href"))
	}
}

// TestTheme: the switch turns the dark light and back, and is kept.
func TestTheme(t *testing.T) {
	p := chromium(t)
	p.system("dark", "reduce")
	colour := func() string { return value[string](p, "getComputedStyle(document.body).backgroundColor") }
	p.run(chromedp.Navigate(p.address + "start.html"))
	dark := colour()
	p.run(chromedp.Evaluate[chromedp.Void]("document.getElementById('theme').click()"))
	light := colour()
	p.run(chromedp.Navigate(p.address + "guides/sweeps.html"))
	if kept := colour(); dark == light || kept != light {
		t.Errorf("dark %s, then %s, on the next page %s", dark, light, kept)
	}
	p.run(chromedp.Evaluate[chromedp.Void]("document.getElementById('theme').click()"))
	if back := colour(); back != dark {
		t.Errorf("back in the dark: %s, was %s", back, dark)
	}
}

// TestMoves: the first page and a page of the gallery have a mechanism that moves, without a word on the console, and only a picture for who
// wants less motion.
func TestMoves(t *testing.T) {
	p := chromium(t)
	p.system("light", "no-preference")
	p.run(chromedp.EmulateViewport(1280, 900))
	const row = "document.querySelector('.stage.moves iframe')?.contentWindow.rung?.state?.row"
	for _, name := range []string{"index.html", "gallery/jansen.html"} {
		p.run(chromedp.Navigate(p.address + name))
		p.run(chromedp.Poll[chromedp.Void](row+" > 2", chromedp.WithPollingTimeout(patience)))
		if got := p.said(); len(got) > 0 {
			t.Errorf("%s: %q", name, got)
		}
		p.shot(strings.ReplaceAll(name, "/", "-"))
	}
	p.system("light", "reduce")
	p.run(chromedp.Navigate(p.address + "index.html"))
	if n := value[int](p, "document.querySelectorAll('iframe').length"); n != 0 {
		t.Error("a mechanism moves though the system asks for less motion")
	}
}

// TestLivePages: each mechanism of the gallery appears in the page that rung draw wrote, and its run goes on.
func TestLivePages(t *testing.T) {
	p := chromium(t)
	p.run(chromedp.EmulateViewport(240, 180))
	names, err := filepath.Glob(filepath.Join(dir(t), "live", "*.html"))
	if err != nil || len(names) < 25 {
		t.Fatalf("%d live pages, %v", len(names), err)
	}
	for _, name := range names {
		p.run(chromedp.Navigate(p.address + "live/" + filepath.Base(name)))
		p.eventually("window.rung?.ready && rung.drawing !== undefined")
		p.run(chromedp.Evaluate[chromedp.Void]("document.getElementById('play').click()"))
		p.eventually("rung.state.row > 0")
		for _, what := range p.said() {
			t.Errorf("%s: %s", filepath.Base(name), what)
		}
	}
}
