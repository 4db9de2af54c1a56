package shell

import (
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/schollz/progressbar/v3"
)

const (
	progressDelay = time.Second // work shorter than this shows no bar
	progressTick  = 100 * time.Millisecond
	progressWidth = 30 // columns of the bar
)

// Progress shows a progress bar on a terminal, once the work has taken a
// second. Without a terminal it shows none.
type Progress struct {
	w     io.Writer // nil: nothing is shown
	say   io.Writer // for other lines
	begun time.Time
	done  atomic.Int64 // of the current stage

	mu     sync.Mutex // guards the fields below
	name   string     // of the current stage
	total  int64      // of the current stage; 0: not known
	fresh  bool       // the stage has no bar yet
	bar    *progressbar.ProgressBar
	stop   chan struct{}
	closed sync.WaitGroup
}

// NewProgress starts the progress of one command. The bar is on stderr.
func NewProgress(stderr io.Writer) *Progress {
	if !Terminal(stderr) {
		return &Progress{say: stderr}
	}
	return startProgress(stderr, progressDelay, progressTick)
}

// startProgress starts a progress that draws its bar on w at each tick after the delay, until End.
func startProgress(w io.Writer, delay, tick time.Duration) *Progress {
	p := &Progress{w: w, say: w, begun: time.Now(), stop: make(chan struct{})}
	p.closed.Go(func() {
		t := time.NewTicker(tick)
		defer t.Stop()
		for {
			select {
			case <-p.stop:
				return
			case now := <-t.C:
				if now.Sub(p.begun) >= delay {
					p.draw()
				}
			}
		}
	})
	return p
}

// Terminal reports whether w is a terminal that can move its cursor.
func Terminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}

// Stage begins a part of the work; total is 0 if its size is not known.
func (p *Progress) Stage(name string, total int64) {
	if p.w == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	p.name, p.total, p.fresh = name, total, true
	p.done.Store(0)
}

// Describe renames the current stage.
func (p *Progress) Describe(name string) {
	if p.w == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.name = name
}

// Add records n more of the total of the current stage as done.
func (p *Progress) Add(n int64) { p.done.Add(n) }

// Aside removes the bar and calls print; the bar comes back at the next tick.
func (p *Progress) Aside(print func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	p.fresh = p.name != ""
	print()
}

// Say writes a line to stderr.
func (p *Progress) Say(line string) {
	if p.say != nil {
		p.Aside(func() { fmt.Fprintln(p.say, line) })
	}
}

// End removes the bar for good. It may be called twice.
func (p *Progress) End() {
	if p.w == nil {
		return
	}
	close(p.stop)
	p.closed.Wait()
	p.clear()
	p.w = nil
}

// clear removes the bar. The caller holds the lock, or has stopped the drawing.
func (p *Progress) clear() {
	if p.bar != nil {
		_ = p.bar.Clear() // it fails only if the terminal is gone
		p.bar = nil
	}
}

// draw draws the bar of the current stage, and makes it if the stage is new.
func (p *Progress) draw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.fresh {
		p.fresh = false
		p.bar = newBar(p.w, p.name, p.total)
	}
	if p.bar == nil {
		return
	}
	// A full bar would end its line, so it is never set to the total.
	if done := p.done.Load(); done < p.total {
		_ = p.bar.Set64(done)
	}
	p.bar.Describe(p.name) // draws the bar, even if nothing has changed
}

// newBar returns a bar that is full at the total, or a spinner for a total of 0.
func newBar(w io.Writer, name string, total int64) *progressbar.ProgressBar {
	if total == 0 {
		total = -1
	}
	return progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription(name),
		progressbar.OptionSetWidth(progressWidth),
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionSetElapsedTime(true),
		progressbar.OptionSetSpinnerChangeInterval(0), // draw alone redraws
		progressbar.OptionUseANSICodes(true),
	)
}
