package browser

import (
	"cmp"
	"encoding/json"
	"slices"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"
)

// event is one of a trace of the browser.
type event struct {
	Name  string  `json:"name"`
	Kind  string  `json:"ph"` // X: it has a length
	Pid   int     `json:"pid"`
	Tid   int     `json:"tid"`
	Begin float64 `json:"ts"`   // µs
	Wall  float64 `json:"dur"`  // µs, of the clock
	Work  float64 `json:"tdur"` // µs, of the processor for the thread of the event alone
}

// trace returns what the browser does while f runs, in the order of its begin.
func (p *page) trace(f func()) []event {
	p.t.Helper()
	var mu sync.Mutex
	var list []event
	var once sync.Once
	ended := make(chan struct{})
	err := chromedp.Listen(p.ctx, func(e any) {
		select {
		case <-ended: // a later trace
			return
		default:
		}
		mu.Lock()
		defer mu.Unlock()
		switch e := e.(type) {
		case *tracing.EventDataCollected:
			for _, v := range e.Value {
				var x event
				if err := json.Unmarshal(v, &x); err != nil {
					p.t.Error(err)
				}
				list = append(list, x)
			}
		case *tracing.EventTracingComplete:
			if e.DataLossOccurred {
				p.t.Error("the browser has lost a part of the trace")
			}
			once.Do(func() { close(ended) })
		}
	})
	if err != nil {
		p.t.Fatal(err)
	}
	p.run(call(tracing.Start, tracing.StartParams{TraceConfig: &tracing.TraceConfig{IncludedCategories: []string{"devtools.timeline", "v8"}, ExcludedCategories: []string{"*"}}}))
	f()
	p.run(call(tracing.End, cdp.Empty{}))
	<-ended
	mu.Lock()
	defer mu.Unlock()
	slices.SortStableFunc(list, func(a, b event) int { return cmp.Compare(a.Begin, b.Begin) })
	return list
}

// work is what the thread of a page does from the begin of one animation frame to that of the next, in ms of the
// processor: its scripts, those of events, timers and messages too, and the garbage collections that the browser makes
// in them or between them. What a script waits for is not in it.
type work struct{ scripts, collections float64 }

func (w work) all() float64 { return w.scripts + w.collections }

// Events of a trace in which scripts of the page run, and those in which garbage is collected.
var (
	scripts     = []string{"FireAnimationFrame", "FunctionCall", "EventDispatch", "TimerFire", "RunMicrotasks", "v8.callFunction", "EvaluateScript", "HandlePostMessage", "WebSocketReceive", "FireIdleCallback"}
	collections = []string{"MinorGC", "MajorGC"}
)

// works cuts a trace at the animation frames of the page.
func works(list []event) []work {
	var out []work
	first := slices.IndexFunc(list, func(e event) bool { return e.Name == "FireAnimationFrame" })
	if first < 0 {
		return nil
	}
	pid, tid := list[first].Pid, list[first].Tid
	scripted, collected := 0.0, 0.0 // when what runs ends: what begins before is a part of it
	for _, e := range list[first:] {
		if e.Kind != "X" || e.Pid != pid || e.Tid != tid {
			continue
		}
		if e.Name == "FireAnimationFrame" {
			out = append(out, work{})
		}
		w := &out[len(out)-1]
		switch {
		case slices.Contains(collections, e.Name) && e.Begin >= collected:
			collected = e.Begin + e.Wall
			w.collections += e.Work / 1000
			if e.Begin < scripted {
				w.scripts -= e.Work / 1000
			}
		case slices.Contains(scripts, e.Name) && e.Begin >= scripted && e.Begin >= collected:
			scripted = e.Begin + e.Wall
			w.scripts += e.Work / 1000
		}
	}
	return out
}
