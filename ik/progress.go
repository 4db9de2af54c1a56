package ik

import (
	"time"

	"github.com/rung-mbd/rung/internal/halt"
)

// progress has the state that both methods share while they step: when to end, and the function of Watch.
type progress struct {
	flag     *halt.Flag
	deadline time.Time // zero: none
	watch    func()    // called before each step; may be nil
	outside  []string  // driven freedoms that were outside their limits at the start
	steps    int       // of this start
	most     int       // largest number of steps of a start
}

// hasEnded reports whether the context has ended, or the time is up.
func (p *progress) hasEnded() bool {
	return p.flag.Up() || !p.deadline.IsZero() && time.Now().After(p.deadline)
}

// allow sets the deadline at the given time from now. With 0 there is none.
func (p *progress) allow(most time.Duration) {
	if p.deadline = (time.Time{}); most > 0 {
		p.deadline = time.Now().Add(most)
	}
}

// show calls the function of Watch.
func (p *progress) show() {
	if p.watch != nil {
		p.watch()
	}
}

// pullPart is the size of a target's gradient, relative to ‖𝒥‖·‖e‖, above which it does not count as zero.
const pullPart = 1e-6

// meritSeen is the least relative change of a merit that stands out from its rounding.
const meritSeen = 1e-11
