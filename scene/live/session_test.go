package live

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/model"
)

func generate(t testing.TB, family string, n int) *model.Model {
	t.Helper()
	m, err := bench.Generate(family, n, 1)
	require.NoError(t, err)
	return m
}

// TestLid: an hour for which the machine has slept passes as one frame, and the factor is measured anew.
func TestLid(t *testing.T) {
	s, c := newTest(t, generate(t, "ladder", 6), Options{})
	for range 60 {
		c.at = c.at.Add(frameTime)
		s.tick()
	}
	at := s.sim.State().Time
	require.InDelta(t, 1, at, 0.02)
	require.InDelta(t, 1, s.meter.factor, 0.02)
	c.at = c.at.Add(time.Hour)
	s.tick()
	require.InDelta(t, at+frame, s.sim.State().Time, 1.01*s.method.step)
	for range 60 {
		c.at = c.at.Add(frameTime)
		s.tick()
	}
	require.InDelta(t, at+1+frame, s.sim.State().Time, 0.02)
	require.InDelta(t, 1, s.meter.factor, 0.02)
}

// TestTooSlow: where a spell of stepping takes longer than the time that it steps, the rest is left out, the factor says so, and a step is done in each.
func TestTooSlow(t *testing.T) {
	s, c := newTest(t, generate(t, "ladder", 6), Options{})
	s.o.now = func() time.Time { // each look takes 5 ms
		c.at = c.at.Add(5 * time.Millisecond)
		return c.at
	}
	begun, t0 := c.at, s.sim.State().Time
	for range 200 {
		s.tick()
	}
	went, passed := s.sim.State().Time-t0, c.at.Sub(begun).Seconds()
	require.Less(t, went, 0.5*passed)
	require.InDelta(t, went/passed, s.meter.factor, 0.1*s.meter.factor)
	require.GreaterOrEqual(t, went, 200*s.method.step)
	require.LessOrEqual(t, s.owed, 2*frame)
}

// TestAllocates nothing in a tick with frames.
func TestAllocates(t *testing.T) {
	for _, family := range []string{"ladder", "rover"} { // by RATTLE and by generalized-α
		s, c := newTest(t, generate(t, family, 4), Options{Air: 0.1})
		p := s.pages[0]
		tick := func() {
			c.at = c.at.Add(frameTime)
			s.nextShown = c.at.Add(time.Hour) // no status, which is JSON
			s.tick()
			select { // as a page that reads
			case b := <-p.frames:
				p.free <- b
			default:
			}
		}
		for range 30 {
			tick()
		}
		require.Empty(t, s.failure)
		require.Zero(t, testing.AllocsPerRun(60, tick), family)
		require.Zero(t, p.dropped)
	}
}

// TestSlowReader: a page that reads nothing misses all frames but the two it has memory for.
func TestSlowReader(t *testing.T) {
	s, c := newTest(t, generate(t, "ladder", 6), Options{})
	tick := func() {
		c.at = c.at.Add(frameTime)
		s.tick()
	}
	for range 100 {
		tick()
	}
	p := s.pages[0]
	require.EqualValues(t, 98, p.dropped)
	require.Len(t, p.frames, 2)
	require.Len(t, p.status, 1)
	require.Contains(t, string(<-p.status), `"dropped":9`)
}

// TestRealTime writes the table of docs/play.md: the real-time factor of mechanisms that fall freely, without air, over RUNG_PLAY seconds and in the worst half second of these, the time of a
// processor that a second takes, and the part of the steps that are damped.
//
//	RUNG_PLAY=10 go test -run TestRealTime -v ./scene/live
func TestRealTime(t *testing.T) {
	seconds, _ := strconv.ParseFloat(os.Getenv("RUNG_PLAY"), 64)
	if !(seconds > 0) {
		t.Skip("a table of times, by RUNG_PLAY=seconds")
	}
	list := strings.Fields(os.Getenv("RUNG_PLAY_MODELS"))
	if len(list) == 0 {
		list = strings.Fields("ladder:1000 chain:200 scissor:20 grid:10 tracked:1 hoberman:8 miura:3 jansen:4 delta:1 excavator:1 rover:1 stewart:3")
	}
	for _, name := range list {
		family, size, _ := strings.Cut(name, ":")
		n, _ := strconv.Atoi(size)
		s, _ := newTest(t, generate(t, family, n), Options{})
		s.o.now = time.Now
		begun, worst, had := time.Now(), 9.0, Processor()
		for time.Since(begun).Seconds() < seconds && s.failure == "" {
			s.tick()
			if f := s.meter.factor; f > 0 && f < worst {
				worst = f
			}
			select {
			case b := <-s.pages[0].frames:
				s.pages[0].free <- b
			default:
			}
			time.Sleep(time.Until(s.last.Add(frameTime)))
		}
		damped := 0.0
		if s.method.rattle != nil {
			damped = float64(s.method.rattle.Stats().Damped) / float64(max(s.method.rattle.Stats().Steps, 1))
		}
		if s.method.rattle != nil {
			t.Logf("%+v", s.method.rattle.Stats())
		}
		went := s.sim.State().Time - s.start.Time
		fmt.Printf("| %s | %d | %s | %.2f | %.2f | %.2f | %.1f %% | %s\n", s.mech.Name, s.mech.NumBodies(), s.method.text,
			went/time.Since(begun).Seconds(), worst, (Processor()-had).Seconds()/went, 100*damped, s.failure)
	}
}
