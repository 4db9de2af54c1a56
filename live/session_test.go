package live

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
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

// TestTooSlow: where a spell of stepping takes longer than the time that it steps, the rest is left out, the factor
// says so, and a step is done in each.
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

// TestFactorOfWhat: no factor is told before one is measured, 0 is told where time stands, and a span has one speed and one run.
func TestFactorOfWhat(t *testing.T) {
	s, c := newTest(t, generate(t, "ladder", 6), Options{})
	told := func() *float64 {
		s.status()
		var x status
		require.NoError(t, json.Unmarshal(<-s.pages[0].status, &x))
		return x.Factor
	}
	pass := func(n int) {
		for range n {
			c.at = c.at.Add(frameTime)
			s.tick()
		}
	}
	require.Nil(t, told())
	pass(50)
	require.InDelta(t, 1, *told(), 0.02)

	s.apply(&Message{Type: "reset", page: s.pages[0]})
	pass(31)
	require.InDelta(t, 1, *told(), 0.1, "the time of another run counts")
	s.apply(&Message{Type: "speed", Value: 0.1, page: s.pages[0]})
	pass(31)
	require.InDelta(t, 1, *told(), 0.1, "time at another speed counts")

	s.meter.begin(c.at, 1) // time stands
	s.meter.measure(c.at.Add(factorOver), 1, s.speed, s.method)
	require.Zero(t, *told())
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

// served is a session behind a server, without what decides who may
// come in, and the connection of a client that speaks for itself.
func served(t *testing.T, o Options) (*Session, func() (net.Conn, *bufio.Reader)) {
	t.Helper()
	plan, err := rung.NewPlan(generate(t, "ladder", 4), rung.Options{})
	require.NoError(t, err)
	s, err := NewSession(plan, plan.Initial(), spatial.Vec3{}, o)
	require.NoError(t, err)
	server := httptest.NewServer(http.HandlerFunc(s.Connect))
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
		server.Close()
	})
	return s, func() (net.Conn, *bufio.Reader) {
		t.Helper()
		c, err := net.Dial("tcp", server.Listener.Addr().String())
		require.NoError(t, err)
		t.Cleanup(func() { c.Close() })
		require.NoError(t, c.SetDeadline(time.Now().Add(20*time.Second)))
		fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n")
		r := bufio.NewReader(c)
		line, err := r.ReadString('\n')
		require.NoError(t, err)
		require.Contains(t, line, "101")
		return c, r
	}
}

// lookOn is the message {"type":"look","on":true} in a frame with a mask of zeros.
var lookOn = append([]byte{0x81, 0x80 | 25, 0, 0, 0, 0}, `{"type":"look","on":true}`...)

// TestSilent: a page that is there but reads and answers nothing, as one whose machine has gone, is left after the next
// ping, and nothing moves for it any longer.
func TestSilent(t *testing.T) {
	s, dial := served(t, Options{ping: 100 * time.Millisecond})
	c, _ := dial()
	_, err := c.Write(lookOn)
	require.NoError(t, err)
	require.Eventually(t, s.looked, 20*time.Second, time.Millisecond)
	require.Eventually(t, func() bool { return Pages(s) == 0 && !s.looked() }, 20*time.Second, 5*time.Millisecond)
}

// TestGarbage: bytes that are no frames, and frames that announce 100
// MB, end their connection and nothing else, and take no memory.
func TestGarbage(t *testing.T) {
	check.Long(t)
	s, dial := served(t, Options{ping: 200 * time.Millisecond})
	r := rand.New(rand.NewPCG(1, 3))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for k := range 6 {
		c, from := dial()
		b := make([]byte, 4096)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		if k%2 == 1 {
			copy(b, []byte{0x81, 0xff, 0, 0, 0, 0, 6, 0, 0, 0, 1, 2, 3, 4}) // text of 96 MiB
		}
		for range 1 + 8*(k%3) { // so that the rest never comes
			if _, err := c.Write(b); err != nil {
				break // it has been closed
			}
		}
		clock := time.Now()
		io.Copy(io.Discard, from)
		require.Less(t, time.Since(clock), 10*time.Second, "frame %d", k)
	}
	require.Eventually(t, func() bool { return Pages(s) == 0 }, 20*time.Second, 5*time.Millisecond)
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(8<<20))
	require.Empty(t, s.failure)
}

// TestRealTime writes the table of docs/play.md: the real-time factor of mechanisms that
// fall freely, without air, over RUNG_PLAY seconds and in the worst half second of these,
// the time of a processor that a second takes, and the part of the steps that are damped.
//
//	RUNG_PLAY=10 go test -run TestRealTime -v ./live
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
			if f := s.meter.factor; s.meter.known && f < worst {
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

// TestGallery writes the tables of docs/play.md: seconds of the processor that a second of a model takes, and those of the worst
// half second, over RUNG_PLAY seconds from the initial state, and then while the last body is pulled by its own size
// and more along a circle. No time passes between frames. A model ends after six times as many seconds of the clock.
//
//	RUNG_PLAY=10 go test -run TestGallery -v ./live
//	RUNG_PLAY=3 RUNG_PLAY_MODELS="scissor:250 miura:22" go test -run TestGallery -v ./live
func TestGallery(t *testing.T) {
	seconds, _ := strconv.ParseFloat(os.Getenv("RUNG_PLAY"), 64)
	if !(seconds > 0) {
		t.Skip("a table of times, by RUNG_PLAY=seconds")
	}
	list := strings.Fields(os.Getenv("RUNG_PLAY_MODELS"))
	if len(list) == 0 {
		list = strings.Fields("excavator:1 jansen:3 miura:5 hoberman:10 hoberman-sphere:3 delta:1 scissor:8 tracked:6 hoberman-sphere:20 excavator:300 jansen:80 miura:30 hoberman:480 delta:300 scissor:490 tracked:200")
	}
	for _, name := range list {
		family, size, _ := strings.Cut(name, ":")
		n, _ := strconv.Atoi(size)
		fmt.Printf("| `%s %s` ", family, size)
		for pull := range 2 {
			s, c := newTest(t, generate(t, family, n), Options{})
			if pull == 0 {
				fmt.Printf("| %d | %s ", s.mech.NumBodies(), s.method.text)
			}
			i := s.mech.NumBodies() - 1
			at := s.shown.Bodies[i].Position.Sub(s.center)
			radius := max(s.mech.TypicalLength(), 0.2)
			begun, spent, worst := s.sim.State().Time, 0.0, 0.0
			half, from, first := 0.0, begun, time.Now()
			for s.sim.State().Time < begun+seconds && s.failure == "" && time.Since(first).Seconds() < 6*seconds {
				c.at = c.at.Add(frameTime)
				had := Processor()
				if now := s.sim.State().Time - begun; pull == 1 {
					sin, cos := math.Sincos(math.Pi * now)
					s.apply(&Message{Type: "pull", Body: i, Vector: at.Add(spatial.Vec3{radius * sin, radius * (1 - cos), radius * sin}), page: s.pages[0]})
				}
				s.tick()
				took := (Processor() - had).Seconds()
				spent, half = spent+took, half+took
				if now := s.sim.State().Time; now >= from+0.5 {
					worst, half, from = max(worst, half/(now-from)), 0, now
				}
				select {
				case b := <-s.pages[0].frames:
					s.pages[0].free <- b
				default:
				}
			}
			damped := 0.0
			if r := s.method.rattle; r != nil {
				damped = float64(r.Stats().Damped) / float64(max(r.Stats().Steps, 1))
			}
			fmt.Printf("| %.2f | %.2f | %.1f %% %s", spent/(s.sim.State().Time-begun), worst, 100*damped, s.failure)
		}
		fmt.Println("|")
	}
}
