package rung_test

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestLatency prints how long computations continue after their contexts have ended: the longest time between two looks at
// the context, and the longest time from an end until the call returns. Times are processor times of the thread,
// so that other work on the machine does not count. It runs if it is given problems:
//
//	RUNG_LATENCY=ladder:100000,grid:300 go test -run TestLatency -timeout 0 -v .
//
// RUNG_LATENCY_ONLY is the name of the only computation to be measured, with the places between which there is no look.
func TestLatency(t *testing.T) {
	problems, only := os.Getenv("RUNG_LATENCY"), os.Getenv("RUNG_LATENCY_ONLY")
	if problems == "" {
		t.Skip("RUNG_LATENCY names no problems")
	}
	for _, problem := range strings.Split(problems, ",") {
		family, size, _ := strings.Cut(problem, ":")
		n, err := strconv.Atoi(size)
		require.NoError(t, err)
		p := generated(t, family, n)
		for _, j := range jobs {
			if only != "" && only != j.name {
				continue
			}
			do := j.make(p, 1)
			if do == nil {
				continue
			}
			runtime.GC()
			g := &gaps{by: map[string]time.Duration{}}
			looks, returned := g.of(do)
			fmt.Printf("%-16s %-28s %9d looks, %6.1f ms between two, %6.1f ms to return\n", problem, j.name, looks, ms(g.longest), ms(returned))
			for where, d := range g.by {
				if only != "" {
					fmt.Printf("%6.1f ms %s\n", ms(d), where)
				}
			}
		}
	}
}

func ms(d time.Duration) float64 { return d.Seconds() * 1e3 }

const (
	latencyTime  = 4 * time.Second // that a computation is measured for
	latencyTimes = 8               // ends of a context
	latencyLeast = 10 * time.Millisecond
)

// gaps are times between looks.
type gaps struct {
	thread  int
	begun   time.Duration
	last    time.Duration
	at      [10]uintptr
	longest time.Duration
	by      map[string]time.Duration // by the places of the two looks, for times of latencyLeast and more
}

// of measures a computation. It returns the number of its looks and the longest time to return after an end.
func (g *gaps) of(do work) (looks int64, returned time.Duration) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	g.thread, g.begun, g.last = unix.Gettid(), cpu(), cpu()
	l := newLooker(func(int64) bool { return g.note() })
	_, _ = do(l)
	g.note()
	looks = l.looks.Load()
	for k := range int64(latencyTimes) {
		at, ended := 1+looks*k/latencyTimes, time.Duration(0)
		l := newLooker(func(look int64) bool {
			if look == at {
				ended = cpu()
			}
			return look == at
		})
		if _, _ = do(l); l.over.Load() {
			returned = max(returned, cpu()-ended)
		}
	}
	return looks, returned
}

// note takes in a look, and reports whether the computation has been measured for long enough.
func (g *gaps) note() bool {
	if unix.Gettid() != g.thread {
		return false
	}
	now := cpu()
	var at [10]uintptr
	d := now - g.last
	runtime.Callers(4, at[:])
	if d >= latencyLeast {
		where := place(g.at[:]) + "\n          to " + place(at[:])
		g.by[where] = max(g.by[where], d)
	}
	g.longest = max(g.longest, d)
	g.at, g.last = at, cpu()
	return now-g.begun > latencyTime
}

// cpu returns the time that the thread has had a processor.
func cpu() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t)
	return time.Duration(t.Nano())
}

// place returns the calls of this module in the stack pc.
func place(pc []uintptr) string {
	for len(pc) > 0 && pc[len(pc)-1] == 0 {
		pc = pc[:len(pc)-1]
	}
	var out []string
	frames := runtime.CallersFrames(pc)
	for more := len(pc) > 0; more; {
		var f runtime.Frame
		f, more = frames.Next()
		name := f.Function[strings.LastIndex(f.Function, "/")+1:]
		if !strings.HasPrefix(name, "halt.") && !strings.HasPrefix(name, "rung_test.") && len(out) < 4 {
			out = append(out, fmt.Sprintf("%s:%d", name, f.Line))
		}
	}
	return strings.Join(out, " < ")
}
