package live_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/live"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/scene/view"
	"github.com/rung-mbd/rung/spatial"
)

// patience is how long a test waits for what comes within a frame or so on a machine that is not busy.
const patience = 20 * time.Second

const secret = "0123456789abcdef"

// play is a session behind a server.
type play struct {
	t       testing.TB
	session *live.Session
	mech    *mechanism.Mechanism
	server  *httptest.Server
	center  spatial.Vec3
	end     func()
}

func newPlay(t testing.TB, m *model.Model, o live.Options) *play {
	t.Helper()
	plan, err := rung.NewPlan(m, rung.Options{})
	require.NoError(t, err)
	mech := plan.Mechanism()
	s := scene.New(mech, scene.Options{})
	center, _ := s.Bounds(mech.Initial())
	session, err := live.NewSession(plan, mech.Initial(), center, o)
	require.NoError(t, err)
	v, err := view.NewViewer(s, mech.Initial(), secret, view.Options{Plan: plan, Live: session})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		session.Run(ctx)
	}()
	p := &play{t: t, session: session, mech: mech, server: httptest.NewServer(v), center: center}
	p.end = func() {
		cancel()
		<-ended
		p.server.Close()
		p.end = func() {}
	}
	t.Cleanup(func() { p.end() })
	return p
}

func (p *play) address() string {
	return strings.Replace(p.server.URL, "http", "ws", 1) + "/" + secret + "/live"
}

// dial connects a page that is seen.
func (p *play) dial() *client {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	p.t.Cleanup(cancel)
	c, _, err := websocket.Dial(ctx, p.address(), &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {p.server.URL}}})
	require.NoError(p.t, err)
	c.SetReadLimit(1 << 24)
	p.t.Cleanup(func() { c.CloseNow() })
	x := &client{p, c, ctx}
	x.send(live.Message{Type: "look", On: true})
	return x
}

type client struct {
	p   *play
	c   *websocket.Conn
	ctx context.Context
}

func (c *client) send(m live.Message) {
	c.p.t.Helper()
	b, err := json.Marshal(&m)
	require.NoError(c.p.t, err)
	require.NoError(c.p.t, c.c.Write(c.ctx, websocket.MessageText, b))
}

// status is what the tests read of it.
type status struct {
	Time, Factor, Speed, Air, Energy, Gap, Damped float64
	Kinetic, Lost                                 float64
	DampedAll, Passed                             int64
	Running                                       bool
	Gravity                                       spatial.Vec3
	Pages                                         int
	Dropped                                       int64
	Failure                                       string
}

// next returns the next frame or status.
func (c *client) next() (frame []byte, s *status) {
	c.p.t.Helper()
	kind, b, err := c.c.Read(c.ctx)
	require.NoError(c.p.t, err)
	if kind == websocket.MessageBinary {
		return b, nil
	}
	s = new(status)
	require.NoError(c.p.t, json.Unmarshal(b, s))
	return nil, s
}

// until reads statuses until one fits.
func (c *client) until(fits func(s *status) bool) *status {
	c.p.t.Helper()
	for {
		if _, s := c.next(); s != nil && fits(s) {
			return s
		}
	}
}

// frame returns the time and the place of a body in the next frame, world axes.
func (c *client) frame(body int) (t float64, at spatial.Vec3) {
	c.p.t.Helper()
	for {
		if b, _ := c.next(); b != nil {
			require.Len(c.p.t, b, 8+view.FrameSize(c.p.mech.NumBodies()))
			for k := range at {
				at[k] = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[8+28*body+4*k:]))) + c.p.center[k]
			}
			return math.Float64frombits(binary.LittleEndian.Uint64(b)), at
		}
	}
}

func generate(t testing.TB, family string, n int) *model.Model {
	t.Helper()
	m, err := bench.Generate(family, n, 1)
	require.NoError(t, err)
	return m
}

// TestForbidden: without the token, from another origin or by another name of the machine there is 403 and no upgrade.
func TestForbidden(t *testing.T) {
	p := newPlay(t, generate(t, "ladder", 4), live.Options{})
	good := p.address()
	for name, c := range map[string]struct {
		address string
		header  http.Header
		host    string
	}{
		"token":  {strings.Replace(good, secret, "0123456789abcdee", 1), nil, ""},
		"origin": {good, http.Header{"Origin": {"http://evil.example"}}, ""},
		"null":   {good, http.Header{"Origin": {"null"}}, ""},
		"host":   {good, nil, "evil.example"},
		"site":   {good, http.Header{"Sec-Fetch-Site": {"cross-site"}}, ""},
	} {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		_, r, err := websocket.Dial(ctx, c.address, &websocket.DialOptions{HTTPHeader: c.header, Host: c.host})
		cancel()
		require.Error(t, err, name)
		require.NotNil(t, r, name)
		assert.Equal(t, http.StatusForbidden, r.StatusCode, name)
	}
	p.dial().frame(0)
}

// TestWrongMessages close the connection with a reason, and change nothing.
func TestWrongMessages(t *testing.T) {
	p := newPlay(t, generate(t, "ladder", 4), live.Options{})
	for text, reason := range map[string]string{
		`{`:                                       "no message in JSON",
		`{"type":"pause"} x`:                      "something after it",
		`{"type":"pause","what":1}`:               "no message in JSON",
		`{"type":"fly"}`:                          `there is no "fly"`,
		`{"type":"speed","value":100}`:            "speed 100 is not from 0.05 to 2",
		`{"type":"air","value":-1}`:               "air -1 is not from 0 to 5",
		`{"type":"gravity","vector":[1e6,0,0]}`:   "gravity 1e+06 is not from 0 to 1000",
		`{"type":"pull","body":4}`:                "body 4 of 4",
		`{"type":"pull","body":-1}`:               "body -1 of 4",
		`{"type":"force","joint":0,"freedom":3}`:  "freedom 3 of 3",
		`{"type":"drive","joint":0,"freedom":0}`:  "is or is not prescribed",
		`{"type":"actuator"}`:                     "actuator 0 of 0",
		`{"type":"pull","vector":[1e300,0,0]}`:    "the number 1e+300",
		strings.Repeat(" ", 5000) + `{"type":""}`: "",
	} {
		c := p.dial()
		require.NoError(t, c.c.Write(c.ctx, websocket.MessageText, []byte(text)))
		var err error
		for err == nil {
			_, _, err = c.c.Read(c.ctx)
		}
		var closed websocket.CloseError
		require.ErrorAs(t, err, &closed, text)
		if reason == "" {
			require.Equal(t, websocket.StatusMessageTooBig, closed.Code)
			continue
		}
		require.Equal(t, websocket.StatusPolicyViolation, closed.Code, text)
		require.Contains(t, closed.Reason, reason, text)
	}
	c := p.dial()
	require.NoError(t, c.c.Write(c.ctx, websocket.MessageBinary, []byte{1}))
	var err error
	for err == nil {
		_, _, err = c.c.Read(c.ctx)
	}
	require.Equal(t, websocket.StatusUnsupportedData, websocket.CloseStatus(err))
	s := p.dial().until(func(s *status) bool { return s.Running })
	require.Equal(t, 1.0, s.Speed)
	require.Empty(t, s.Failure)
}

// TestControls: pause, step, run, reset, speed, gravity and air do what they say.
func TestControls(t *testing.T) {
	check.Long(t)
	p := newPlay(t, generate(t, "ladder", 6), live.Options{Air: 0.5})
	c := p.dial()
	c.until(func(s *status) bool { return s.Running && s.Time > 0.1 })
	c.send(live.Message{Type: "pause"})
	at := c.until(func(s *status) bool { return !s.Running }).Time
	c.send(live.Message{Type: "step"})
	s := c.until(func(s *status) bool { return s.Time > at })
	require.InDelta(t, at+1./60, s.Time, 1e-9)
	require.False(t, s.Running)
	c.send(live.Message{Type: "gravity", Vector: spatial.Vec3{0, 3, 0}})
	require.Equal(t, spatial.Vec3{0, 3, 0}, c.until(func(s *status) bool { return s.Gravity[1] > 0 }).Gravity)
	c.send(live.Message{Type: "air", Value: 2})
	c.until(func(s *status) bool { return s.Air == 2 })
	c.send(live.Message{Type: "speed", Value: 0.5})
	c.until(func(s *status) bool { return s.Speed == 0.5 })
	c.send(live.Message{Type: "reset"})
	s = c.until(func(s *status) bool { return s.Time == 0 })
	require.Equal(t, p.mech.Gravity, s.Gravity)
	st := p.mech.Initial()
	p.session.StateTo(st)
	require.Equal(t, p.mech.Initial().Bodies, st.Bodies)
	c.send(live.Message{Type: "run"})
	c.until(func(s *status) bool { return s.Running && s.Time > 0 })
}

// TestPull: a body that is pulled comes to where it is pulled to, in a
// mechanism with joints, by the method RATTLE and by generalized-α.
func TestPull(t *testing.T) {
	for _, stiff := range []bool{false, true} {
		t.Run(fmt.Sprint("stiff ", stiff), func(t *testing.T) {
			t.Parallel()
			b := rung.NewBuilder("two rods").Gravity(0, 0, 0)
			upper := b.Rod("upper", 1, 0.01, spatial.Vec3{}, spatial.Vec3{0, 0, -1})
			lower := b.Rod("lower", 1, 0.01, spatial.Vec3{0, 0, -1}, spatial.Vec3{0, 0, -2})
			b.Revolute("shoulder", rung.World, upper, spatial.Vec3{}, spatial.Vec3{0, 1, 0})
			j := b.Revolute("elbow", upper, lower, spatial.Vec3{0, 0, -1}, spatial.Vec3{0, 1, 0})
			if stiff {
				j.Damping = []float64{0.1}
			}
			m, err := b.Model()
			require.NoError(t, err)
			p := newPlay(t, m, live.Options{Air: 2})
			c := p.dial()
			// The middle of the lower rod to (1, 0, −0.8).
			to := spatial.Vec3{1, 0, -0.8}
			point := p.mech.Bodies[1].Com
			c.send(live.Message{Type: "pull", Body: 1, Point: point, Vector: to.Sub(p.center)})
			com := func() spatial.Vec3 {
				st := p.mech.Initial()
				p.session.StateTo(st)
				return st.Bodies[1].Position.Add(st.Bodies[1].Rotation.Rotate(point))
			}
			for com().Sub(to).Norm() > 0.01 {
				c.frame(1)
			}
			c.send(live.Message{Type: "release"})
			c.send(live.Message{Type: "force", Joint: 0, Value: 5})
			was := com()
			for com().Sub(was).Norm() < 0.2 {
				c.frame(1)
			}
		})
	}
}

// TestDrives: the rate of a prescribed crank is that of its slider from then on, and the joints hold.
func TestDrives(t *testing.T) {
	check.Long(t)
	b := rung.NewBuilder("crank").Gravity(0, 0, -9.81)
	rod := b.Rod("crank", 1, 0.01, spatial.Vec3{}, spatial.Vec3{1})
	b.Revolute("motor", rung.World, rod, spatial.Vec3{}, spatial.Vec3{0, 0, 1}).Motion = []*model.Motion{{Kind: model.Polynomial, Coefficients: []float64{0, 1}}}
	b.Move(rod, spatial.Vec3{}, spatial.Vec3{0, 0, 1})
	m, err := b.Model()
	require.NoError(t, err)
	p := newPlay(t, m, live.Options{})
	c := p.dial()
	c.until(func(s *status) bool { return s.Time > 0.1 })
	c.send(live.Message{Type: "drive", Value: -3})
	st := p.mech.Initial()
	for p.session.StateTo(st); st.Bodies[0].Omega[2] > 0; p.session.StateTo(st) {
		c.frame(0)
	}
	require.InDelta(t, -3, st.Bodies[0].Omega[2], 1e-6)
	s := c.until(func(s *status) bool { return s.Time > st.Time })
	require.Less(t, s.Gap, 1e-5)
	require.Empty(t, s.Failure)
}

// TestNobodyLooks: without a page, with one that is hidden, or paused,
// time stands still; a page that disappears lets go what it has pulled.
func TestNobodyLooks(t *testing.T) {
	check.Long(t)
	p := newPlay(t, generate(t, "ladder", 6), live.Options{})
	stands := func() {
		t.Helper()
		st := p.mech.Initial()
		var was float64
		require.Eventually(t, func() bool {
			was = st.Time
			p.session.StateTo(st)
			return st.Time == was
		}, patience, 100*time.Millisecond)
		before := live.Processor()
		time.Sleep(300 * time.Millisecond)
		p.session.StateTo(st)
		require.Equal(t, was, st.Time)
		require.Less(t, live.Processor()-before, 100*time.Millisecond)
	}
	stands()
	c := p.dial()
	c.until(func(s *status) bool { return s.Time > 0.05 })
	c.send(live.Message{Type: "look"})
	stands()
	c.send(live.Message{Type: "look", On: true})
	c.until(func(s *status) bool { return s.Time > 0.1 })
	c.send(live.Message{Type: "pause"})
	stands()
	c.send(live.Message{Type: "run"})
	other := p.dial()
	other.send(live.Message{Type: "pull", Body: 1, Vector: spatial.Vec3{0, 0, 5}})
	c.until(func(s *status) bool { return s.Pages == 2 })
	other.c.CloseNow()
	c.until(func(s *status) bool { return s.Pages == 1 })
	c.c.CloseNow() // as a page that crashes
	stands()
}

// TestLeaks: pages that come and go leave no goroutine; a page that does not read keeps nobody from moving; with the
// session all connections end.
func TestLeaks(t *testing.T) {
	check.Long(t)
	p := newPlay(t, generate(t, "ladder", 200), live.Options{})
	c := p.dial()
	c.frame(0)
	base := runtime.NumGoroutine()
	for range 20 {
		q := p.dial()
		q.frame(0)
		q.c.CloseNow()
	}
	go func() { // so that c goes on
		for {
			if _, _, err := c.c.Read(context.Background()); err != nil {
				return
			}
		}
	}()
	require.Eventually(t, func() bool { return runtime.NumGoroutine() <= base+3 }, patience, 20*time.Millisecond, "%d goroutines, then %d", base, runtime.NumGoroutine())

	p.dial() // does not read
	fast := p.dial()
	at, _ := fast.frame(0)
	for now := at; now < at+1; {
		now, _ = fast.frame(0)
	}

	for len(pages(p)) < 8 { // no more than that
		q := p.dial()
		q.frame(0)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_, r, err := websocket.Dial(ctx, p.address(), nil)
	require.Error(t, err)
	require.Equal(t, http.StatusServiceUnavailable, r.StatusCode)

	p.end()
	for err = nil; err == nil; {
		_, _, err = fast.c.Read(fast.ctx)
	}
	require.Equal(t, websocket.StatusGoingAway, websocket.CloseStatus(err), "%v", err)
}

// pages has an element for each page that is connected.
func pages(p *play) []struct{} { return make([]struct{}, live.Pages(p.session)) }

// TestFamilies: every family moves for a second, through what is singular in it and on the ground, while a body after
// the other is pulled about, and nothing fails.
func TestFamilies(t *testing.T) {
	check.Long(t)
	for _, family := range bench.Families() {
		t.Run(family, func(t *testing.T) {
			live.Wild(t, generate(t, family, 3), 1.5)
		})
	}
}
