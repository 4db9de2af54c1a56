package desk

import (
	"context"
	"errors"

	"github.com/rung-mbd/rung/door"
	"github.com/rung-mbd/rung/live"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/scene/view"
	"github.com/rung-mbd/rung/sim"
)

// Page has the functions that a Desk calls. They are called by one goroutine, and may not keep the bytes after they return.
type Page struct {
	Frame  func(b []byte)  // the time as a double, then view.AppendFrame
	Status func(b []byte)  // JSON, as package live sends it
	Ended  func(err error) // a wrong message has ended the motion
}

// Desk is a model that moves for one page.
type Desk struct {
	model    *door.Model
	viewer   *view.Viewer
	session  *live.Session
	messages chan []byte
	ctx      context.Context
	end      context.CancelFunc
	ended    chan struct{}    // closed when both goroutines have ended
	closed   bool             // the initial state violated the joints and was closed
	st       *mechanism.State // buffer
	flat     []float64        // buffer: a state as numbers, in the order of package door
}

// waiting is the number of messages from a page that may wait before Send blocks.
const waiting = 64

// Open reads a model from a text (door.Read) and moves it as soon as the page looks. An initial state that violates the joints
// is replaced by the nearest one that satisfies them (Closed).
//
// It returns the errors of door.Read, and, with the status Failed, errors of closing, of the ground, of the picture and of
// live.NewSession.
func Open(ctx context.Context, name string, text, options []byte, p Page) (*Desk, error) {
	m, err := door.Read(ctx, name, text, options)
	if err != nil {
		return nil, err
	}
	plan := m.Plan()
	mech := plan.Mechanism()
	d := &Desk{model: m, messages: make(chan []byte, waiting), ended: make(chan struct{}), st: plan.Initial()}
	d.flat = make([]float64, m.Sizes().State)
	if err := d.begin(ctx); err != nil {
		return nil, err
	}
	if err := mech.CheckGround(d.st); err != nil {
		return nil, failed(err)
	}
	s := m.Scene()
	center, _ := s.Bounds(d.st)
	if d.session, err = live.NewSession(plan, d.st, center, live.Options{}); err != nil {
		return nil, failed(err)
	}
	// The secret would protect network addresses, which a desk does not have.
	if d.viewer, err = view.NewViewer(s, d.st, "", view.Options{Plan: plan, Live: d.session}); err != nil {
		return nil, failed(err)
	}
	d.ctx, d.end = context.WithCancel(ctx)
	joined := make(chan struct{})
	go func() {
		defer close(joined)
		if err := d.session.Join(d.ctx, d.messages, p.show); err != nil {
			d.end()
			p.Ended(err)
		}
	}()
	go func() {
		d.session.Run(d.ctx)
		<-joined
		close(d.ended)
	}()
	return d, nil
}

// begin sets d.st to an initial state that satisfies the joints to rounding. Closed reports that it had to be changed only if
// the model's state violates the joints by more than the rounding of decimals in a text (mechanism.HoldTolerance).
func (d *Desk) begin(ctx context.Context) error {
	if err := d.model.InitialTo(d.flat); err != nil {
		return err
	}
	closed, err := sim.Closed(d.model.Plan().Mechanism(), d.st)
	if err != nil {
		return failed(err)
	}
	if closed {
		return nil
	}
	if err := d.model.CloseTo(ctx, d.flat, []byte(`{"nearest": true}`)); err != nil {
		return err
	}
	d.closed = d.model.Plan().Mechanism().Holds(d.st) != nil
	d.st.SetFlat(d.flat)
	return nil
}

// show passes on a frame, or else a status, that a session sends.
func (p *Page) show(frame bool, b []byte) {
	if frame {
		p.Frame(b)
	} else {
		p.Status(b)
	}
}

// failed returns err with the status Failed, unless it has a status.
func failed(err error) error {
	if known := new(door.Error); errors.As(err, &known) {
		return err
	}
	return &door.Error{Status: door.Failed, Err: err}
}

// Model returns the model.
func (d *Desk) Model() *door.Model { return d.model }

// Closed reports whether the initial state of the model violated the joints and was replaced by the nearest one that satisfies
// them.
func (d *Desk) Closed() bool { return d.closed }

// Get returns the content of an address that the page of scene/view asks its server for (view.Viewer.Answer).
func (d *Desk) Get(ctx context.Context, address string) ([]byte, error) {
	b, err := d.viewer.Answer(ctx, address)
	if err != nil {
		return nil, failed(err)
	}
	return b, nil
}

// Send passes on a live.Message as JSON. The desk keeps text, so the caller may not change it. A wrong message ends the motion,
// and Page.Ended tells why. After Close it does nothing.
func (d *Desk) Send(text []byte) {
	select {
	case d.messages <- text:
	case <-d.ctx.Done():
	}
}

// Document returns a document of the model at its present state (door.Model.Document).
func (d *Desk) Document(ctx context.Context, what string, options []byte) ([]byte, error) {
	d.session.StateTo(d.st)
	if len(d.st.Angles) > d.model.Sizes().Angles {
		d.st.Angles = d.st.Angles[:d.model.Sizes().Angles] // without the angles that only runs count
	}
	d.st.FlatTo(d.flat)
	return d.model.Document(ctx, what, d.flat, options)
}

// Close ends the motion and waits for its goroutines. It may not be called by a function of the page.
func (d *Desk) Close() {
	d.end()
	<-d.ended
}
