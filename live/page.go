package live

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"net"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/scene/view"
	"github.com/rung-mbd/rung/spatial"
)

const (
	// mostPages is the number of pages that may be connected at the same time.
	mostPages = 8
	// writing is the longest time that a page may take to read a frame, and pinging
	// the time between two pings.
	writing = 10 * time.Second
	pinging = 20 * time.Second
)

// page is a connection.
type page struct {
	number  int
	looks   bool        // the page is seen
	frames  chan []byte // frames to be written
	free    chan []byte // buffers for frames
	status  chan []byte // the newest status
	dropped int64       // frames for which the page was too slow
	end     context.CancelFunc
	part    func(code websocket.StatusCode, reason string) // closes the connection, within half the time between pings
}

// Connect implements view.Live: it makes r, which has been admitted, a WebSocket and serves it until it ends.
func (s *Session) Connect(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithCancel(context.Background()) // the context of r ends when the WebSocket takes over the connection
	defer cancel()
	p := s.enter(cancel)
	if p == nil {
		http.Error(w, "503 too many pages, or the program ends", http.StatusServiceUnavailable)
		return
	}
	defer s.leave(p)
	t := &taken{ResponseWriter: w}
	c, err := websocket.Accept(t, r, nil) // in case of an error it has answered the request
	if err != nil {
		return
	}
	defer c.CloseNow()
	c.SetReadLimit(longestMessage)
	p.part = func(code websocket.StatusCode, reason string) {
		t.conn.SetDeadline(time.Now().Add(s.o.ping / 2))
		c.Close(code, reason)
	}
	written := make(chan struct{})
	go func() {
		defer close(written)
		s.write(ctx, c, p)
	}()
	s.read(ctx, c, p)
	cancel()
	<-written
}

// Join serves a page in this process until ctx ends. show gets its frames (frame is true) and its statuses, as JSON, and must not keep
// b when it returns. messages brings a Message each, as JSON. When the page ends, the caller has to end ctx.
//
// It returns an error if there is no room for a page or the session has ended, one that wraps ErrMessage for a wrong message, and
// nil when ctx or the session ends.
func (s *Session) Join(ctx context.Context, messages <-chan []byte, show func(frame bool, b []byte)) error {
	if ctx == nil {
		panic("rung: nil context")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := s.enter(cancel)
	if p == nil {
		return errRoom
	}
	defer s.leave(p)
	for {
		select {
		case <-ctx.Done():
			return nil
		case b := <-p.frames:
			show(true, b)
			p.free <- b
		case b := <-p.status:
			show(false, b)
		case text := <-messages:
			m, err := s.parse(text)
			if err != nil {
				return err
			}
			m.page = p
			s.send(m)
		}
	}
}

// errRoom is the error of a page for which there is no place.
var errRoom = errors.New("live: too many pages, or the session has ended")

// taken notes the connection that a WebSocket takes over, so that its deadline can be set: closing a WebSocket first reads the
// rest of a message, however long the message claims to be, and waits if the rest does not come.
type taken struct {
	http.ResponseWriter
	conn net.Conn
}

// Hijack implements http.Hijacker.
func (t *taken) Hijack() (c net.Conn, rw *bufio.ReadWriter, err error) {
	c, rw, err = http.NewResponseController(t.ResponseWriter).Hijack()
	t.conn = c
	return c, rw, err
}

// read passes messages on until the connection ends.
func (s *Session) read(ctx context.Context, c *websocket.Conn, p *page) {
	for {
		kind, data, err := c.Read(context.Background()) // write ends it by closing the connection, with a reason
		if err != nil {
			return
		}
		if kind != websocket.MessageText {
			p.part(websocket.StatusUnsupportedData, "live: messages are text")
			return
		}
		m, err := s.parse(data)
		if err != nil {
			p.part(websocket.StatusPolicyViolation, short(err.Error()))
			return
		}
		m.page = p
		select {
		case s.messages <- m:
		case <-ctx.Done():
			return
		}
	}
}

// short cuts the reason in a close frame, which holds 123 bytes.
func short(text string) string {
	const most = 120
	if len(text) > most {
		text = text[:most]
	}
	return text
}

// write sends frames, statuses and pings until ctx ends or the page is gone. Then it ends the connection.
func (s *Session) write(ctx context.Context, c *websocket.Conn, p *page) {
	defer func() { // end the reader too
		if ctx.Err() != nil {
			p.part(websocket.StatusGoingAway, "live: the program ends")
		}
		p.end()
		c.CloseNow()
	}()
	ping := time.NewTicker(s.o.ping)
	defer ping.Stop()
	send := func(kind websocket.MessageType, b []byte) error {
		at, cancel := context.WithTimeout(context.Background(), writing) // not ctx: a frame that was begun is written whole
		defer cancel()
		return c.Write(at, kind, b)
	}
	for {
		var err error
		select {
		case <-ctx.Done():
			return
		case b := <-p.frames:
			err = send(websocket.MessageBinary, b)
			p.free <- b
		case b := <-p.status:
			err = send(websocket.MessageText, b)
		case <-ping.C:
			at, cancel := context.WithTimeout(context.Background(), s.o.ping/2)
			err = c.Ping(at)
			cancel()
		}
		if err != nil {
			return
		}
	}
}

// enter adds a page and returns it, nil if there is no room or the session has ended. end ends the connection of the page.
func (s *Session) enter(end context.CancelFunc) *page {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	for i := range s.pages {
		if s.pages[i] != nil {
			continue
		}
		p := &page{number: i, frames: make(chan []byte, 2), free: make(chan []byte, 2), status: make(chan []byte, 1), end: end}
		for range cap(p.free) {
			p.free <- make([]byte, 0, 8+view.FrameSize(s.mech.NumBodies()))
		}
		s.pages[i] = p
		return p
	}
	return nil
}

// leave removes a page, and releases the body that it pulls.
func (s *Session) leave(p *page) {
	p.end()
	s.mu.Lock()
	s.pages[p.number] = nil
	gone := s.closed
	s.mu.Unlock()
	if !gone {
		s.send(Message{Type: "release", page: p})
	}
}

// send passes a message to Run. It gives up once the session has ended.
func (s *Session) send(m Message) {
	for {
		select {
		case s.messages <- m:
			return
		case <-time.After(time.Second):
			s.mu.Lock()
			gone := s.closed
			s.mu.Unlock()
			if gone {
				return
			}
		}
	}
}

// close ends all connections.
func (s *Session) close() {
	s.mu.Lock()
	s.closed = true
	for _, p := range s.pages {
		if p != nil {
			p.end()
		}
	}
	s.mu.Unlock()
}

// look notes whether a page is seen.
func (s *Session) look(p *page, on bool) {
	s.mu.Lock()
	p.looks = on
	s.mu.Unlock()
}

// looked reports whether some page is seen.
func (s *Session) looked() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.pages {
		if p != nil && p.looks {
			return true
		}
	}
	return false
}

// broadcast sends the present state to all pages that are seen and have a free buffer, and from time to time the status.
func (s *Session) broadcast() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.pages {
		if p == nil || !p.looks {
			continue
		}
		select {
		case b := <-p.free:
			b = binary.LittleEndian.AppendUint64(b[:0], math.Float64bits(s.shown.Time))
			p.frames <- view.AppendFrame(b, s.shown, s.center) // does not block: the channel holds all buffers of the page
		default:
			p.dropped++
		}
	}
	if now := s.o.now(); now.After(s.nextShown) {
		s.statusLocked()
		s.nextShown = now.Add(statusEvery)
	}
}

// status is the message to pages beside the states.
type status struct {
	Time    float64      `json:"time"`
	Running bool         `json:"running"`
	Factor  *float64     `json:"factor"`  // measured speed by Speed; nil: not known
	Speed   float64      `json:"speed"`   // simulated seconds a second, as asked for
	Gravity spatial.Vec3 `json:"gravity"` // m/s²
	Air     float64      `json:"air"`     // 1/s
	Kinetic float64      `json:"kinetic"` // J
	Energy  float64      `json:"energy"`  // with the potential energy, J
	Gap     float64      `json:"gap"`     // largest error of a joint, m or rad
	Damped  float64      `json:"damped"`  // part of the last steps that were damped

	// Since the last reset.
	Passed    int64   `json:"passed"`    // steps next to singular poses
	PassedAt  float64 `json:"passedAt"`  // time of the last of them, s
	DampedAll int64   `json:"dampedAll"` // damped steps
	DampedAt  float64 `json:"dampedAt"`  // time of the first of them, s
	Lost      float64 `json:"lost"`      // kinetic energy that damped steps have taken, J
	Most      float64 `json:"most"`      // largest kinetic energy, J

	Pages   int    `json:"pages"`
	Dropped int64  `json:"dropped"` // frames that this page has missed
	Failure string `json:"failure,omitempty"`
}

// status sends the status to all pages.
func (s *Session) status() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.statusLocked()
}

// statusLocked is status for a caller that holds s.mu.
func (s *Session) statusLocked() {
	m, st := s.mech, s.sim.State()
	x := status{Time: st.Time, Running: s.running && s.failure == "", Speed: s.speed, Gravity: m.Gravity, Air: s.hand.air, Damped: s.meter.part, Failure: s.failure}
	if s.meter.known {
		x.Factor = &s.meter.factor
	}
	if m.KinematicsTo(s.kin, st) == nil {
		e := m.EnergyAt(s.kin, st)
		x.Kinetic, x.Energy = finite(e.Kinetic), finite(e.Kinetic+e.Potential())
		for j := range m.NumConstraints() {
			v := m.ConstraintViolation(j, s.kin, st)
			x.Gap = max(x.Gap, v.Length, v.Angle)
		}
		x.Gap = finite(x.Gap)
		s.trace.tell(&x)
	}
	for _, p := range s.pages {
		if p != nil {
			x.Pages++
		}
	}
	for _, p := range s.pages {
		if p == nil {
			continue
		}
		x.Dropped = p.dropped
		b, err := json.Marshal(&x)
		if err != nil {
			continue // cannot happen: all numbers are finite
		}
		select { // an old status that was not sent makes room
		case <-p.status:
		default:
		}
		p.status <- b
	}
}

// finite returns x, or 0 for a number that JSON cannot hold.
func finite(x float64) float64 {
	if !algebra.Finite(x) {
		return 0
	}
	return x
}

// shortest stands for the typical length of a mechanism that has none, m.
const shortest = 1e-9

// head is the first message to a page: names and ranges that do not change.
type head struct {
	Method    string       `json:"method"`
	Gravity   spatial.Vec3 `json:"gravity"` // of the model
	Air       float64      `json:"air"`     // at the start
	MostAir   float64      `json:"mostAir"`
	Force     float64      `json:"force"`    // end of the sliders of forces, N
	Moment    float64      `json:"moment"`   // end of the sliders of moments, N m
	Rate      float64      `json:"rate"`     // end of the sliders of angular rates, rad/s; times Length, of speeds, m/s
	Length    float64      `json:"length"`   // typical length, m
	Freedoms  []string     `json:"freedoms"` // of each joint, see letters
	Actuators []string     `json:"actuators"`
}

// Head implements view.Live.
func (s *Session) Head() any {
	m := s.mech
	g := max(m.Gravity.Norm(), 1)
	h := head{Method: s.method.text, Gravity: s.down, Air: s.o.Air, MostAir: MostAir, Force: 2 * s.hand.mass * g, Rate: 10, Freedoms: make([]string, m.NumJoints()), Actuators: []string{}}
	h.Force = finite(h.Force) // masses may be so large that it overflows
	h.Length = max(m.TypicalLength(), shortest)
	h.Moment = finite(h.Force * h.Length)
	for j := range h.Freedoms {
		h.Freedoms[j] = letters(&m.Joints[j])
	}
	for i := range m.NumActuators() {
		_, element := m.Actuator(i)
		h.Actuators = append(h.Actuators, m.ForceName(element))
	}
	return &h
}

// letters returns a letter for each freedom of a joint: l for a length, a for an angle, a capital if its motion is prescribed.
func letters(jt *mechanism.Joint) string {
	var b [6]byte
	n := jt.Kind.Freedoms()
	for i := range n {
		c := byte('l')
		if jt.Kind.Rotational(i) {
			c = 'a'
		}
		if jt.Prescribed(i) {
			c -= 'a' - 'A'
		}
		b[i] = c
	}
	return string(b[:n])
}
