package live

import (
	"context"
	"errors"
	"math"
	"runtime"
	"sync"
	"time"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

const (
	// frame is the time between frames, s, and frameTime the same as a duration.
	frame     = 1. / 60
	frameTime = time.Second / 60
	// budget is the longest time of one tick, after which messages are read.
	budget = 30 * time.Millisecond
	// gap is the time between ticks above which the machine must have slept. Such a time is not simulated.
	gap = 250 * time.Millisecond
	// statusEvery is the time between two statuses, and factorOver the time over which the real-time factor is measured.
	statusEvery = 200 * time.Millisecond
	factorOver  = 500 * time.Millisecond
)

// leastWait is the least time between two ticks. In a browser no event is handled while a goroutine is ready to run, so there Run has
// to sleep.
var leastWait = func() time.Duration {
	if runtime.GOOS == "js" {
		return time.Millisecond
	}
	return 0
}()

// Options of a Session. The zero value is the default.
type Options struct {
	Air    float64 // rate, 1/s, at which all bodies are slowed down at the start
	Paused bool    // nothing moves before a page asks for it

	now  func() time.Time // nil: the clock
	ping time.Duration    // 0: pinging
}

// Session is a mechanism that moves in real time. It implements view.Live.
type Session struct {
	plan   *kkt.Plan            // with the inputs of this session
	mech   *mechanism.Mechanism // of inputs
	inputs *mechanism.Inputs
	hand   hand
	start  *mechanism.State
	center spatial.Vec3 // positions in messages are relative to it, world, m
	down   spatial.Vec3 // gravity of the model, m/s²
	o      Options
	method *method

	messages chan Message

	// Only the goroutine of Run uses these.
	sim       *sim.Simulation
	running   bool
	speed     float64
	base      float64   // simulated time at the last reset, s
	count     int64     // steps since then
	owed      float64   // simulated time by which the simulation is late, s
	last      time.Time // when the last tick began; zero: the mechanism has not moved since it stood still
	ended     time.Time // when the last tick ended
	behind    time.Time // when the present tick has to end
	nextShown time.Time
	meter     meter
	trace     trace
	failure   string
	kin       *mechanism.Kinematics

	mu     sync.Mutex // guards the fields below
	shown  *mechanism.State
	pages  [mostPages]*page
	closed bool
}

// NewSession returns a session of the mechanism of p that starts from st, which satisfies the joints. Positions that pages
// send and get are relative to center, world axes, m.
//
// It returns errors of the solvers, and a *mechanism.ViolationError for a state that violates the joints. It panics if o.Air is
// out of range.
func NewSession(p *kkt.Plan, st *mechanism.State, center spatial.Vec3, o Options) (*Session, error) {
	if !(o.Air >= 0 && o.Air <= MostAir) {
		panic("live: option out of range")
	}
	if o.now == nil {
		o.now = time.Now
	}
	if o.ping == 0 {
		o.ping = pinging
	}
	if err := p.Mechanism().Holds(st); err != nil {
		return nil, err
	}
	in := p.Mechanism().NewInputs()
	s := &Session{inputs: in, center: center, down: p.Mechanism().Gravity, o: o, messages: make(chan Message, 64), speed: 1, running: !o.Paused}
	s.mech = in.Mechanism()
	s.hand = hand{mech: s.mech, air: o.Air}
	for i := range s.mech.Bodies {
		s.hand.mass += s.mech.Bodies[i].Mass
	}
	if n := s.mech.NumBodies(); n > 0 {
		s.hand.all = make([]int, n)
		for i := range s.hand.all {
			s.hand.all[i] = i
		}
		if _, err := in.AddForce(handName, &s.hand, s.hand.all...); err != nil {
			return nil, err
		}
	}
	s.plan = p.With(in)
	s.kin = s.mech.NewKinematics()
	s.start, s.shown = st.Clone(), st.Clone()
	var err error
	if s.method, err = newMethod(s.plan, st); err != nil {
		return nil, err
	}
	return s, s.reset()
}

// handName is the name of the hand among the forces. No document can have such a name.
const handName = "\x00 hand"

// reset goes back to the start: the state, the inputs, and no pulls.
func (s *Session) reset() error {
	s.inputs.Reset()
	for i := range s.hand.pulls {
		s.hand.pulls[i].on = false
	}
	st := s.start.Clone()
	o, err := s.method.options(s.plan, st)
	if err != nil {
		return err
	}
	o.OnStep = func(*sim.Simulation) error {
		if s.o.now().After(s.behind) {
			return errBudget
		}
		return nil
	}
	s.method.stepper.Restart()
	s.sim = sim.New(s.mech, s.method.stepper, st, o)
	s.trace.begin(s.method)
	s.base, s.count, s.owed, s.failure = st.Time, 0, 0, ""
	s.meter.begin(s.o.now(), st.Time)
	s.show()
	return nil
}

// errBudget ends a run of the simulation when the time of the tick is up.
var errBudget = errors.New("live: the time of a tick is up")

// Run moves the mechanism until ctx ends, and then closes the connections of all pages.
func (s *Session) Run(ctx context.Context) {
	if ctx == nil {
		panic("rung: nil context")
	}
	defer s.close()
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		if !s.moving() {
			s.last = time.Time{}
			select {
			case <-ctx.Done():
				return
			case m := <-s.messages:
				s.apply(&m)
			}
			continue
		}
		wait := frameTime
		if !s.last.IsZero() {
			wait -= s.o.now().Sub(s.last)
		}
		timer.Reset(max(wait, leastWait))
		select {
		case <-ctx.Done():
			return
		case m := <-s.messages:
			s.apply(&m)
		case <-timer.C:
			s.tick()
		}
	}
}

// moving reports whether the simulation goes on.
func (s *Session) moving() bool { return s.running && s.failure == "" && s.looked() }

// tick simulates the time that has passed since the last tick, and shows the state.
func (s *Session) tick() {
	now := s.o.now()
	passed := now.Sub(s.last)
	slept := s.last.IsZero() || now.Sub(s.ended) > gap
	if slept {
		passed = frameTime
	}
	s.last = now
	s.owed += passed.Seconds() * s.speed
	s.behind = now.Add(budget)
	s.advance()
	s.owed = min(s.owed, 2*frame*s.speed) // the rest is given up: it does not catch up
	if slept {
		s.meter.begin(now, s.sim.State().Time)
	}
	s.meter.measure(now, s.sim.State().Time, s.speed, s.method)
	s.show()
	s.broadcast()
	s.ended = s.o.now()
}

// advance does whole steps as long as a step is owed and the time of the tick is not up. A step of a method with error control may
// be several steps of the stepper; if the tick ends between them, the next call goes on.
func (s *Session) advance() {
	for s.owed >= s.method.step && s.failure == "" {
		before := s.sim.State().Time
		err := s.sim.Run(s.base + float64(s.count+1)*s.method.step)
		s.owed -= s.sim.State().Time - before
		s.trace.note(s.method, s.sim.State().Time)
		switch {
		case errors.Is(err, errBudget):
			if s.sim.State().Time >= s.base+float64(s.count+1)*s.method.step {
				s.count++
			}
			return
		case err != nil:
			s.failure = fault.Plain(err).Error()
			return
		}
		s.count++
	}
}

// once simulates one frame, for a page that asks for a step, however long it takes.
func (s *Session) once() {
	s.behind = s.o.now().Add(time.Hour)
	s.owed = math.Round(frame/s.method.step) * s.method.step * (1 + 1e-9) // rounding must not cost the last step
	s.advance()
	s.owed = 0
}

// apply handles a message.
func (s *Session) apply(m *Message) {
	t := s.sim.State().Time
	hand := &s.hand.pulls[m.page.number]
	var err error
	jump := true // forces or rates jump, so the stepper must not use earlier steps
	switch m.Type {
	case "run":
		s.running = s.failure == ""
		jump = false
	case "pause":
		s.running, jump = false, false
	case "step":
		s.running, jump = false, false
		if s.failure == "" {
			s.once()
		}
	case "reset":
		err = s.reset()
	case "look":
		s.look(m.page, m.On)
		jump = false
	case "speed":
		s.speed, jump = m.Value, false
		s.meter.begin(s.o.now(), t)
	case "gravity":
		err = s.inputs.SetGravity(m.Vector)
	case "air":
		s.hand.air = m.Value
	case "pull":
		to := m.Vector.Add(s.center)
		if jump = !hand.on || hand.of != m.page || hand.body != m.Body || hand.point != m.Point; jump {
			s.hand.hold(hand, m.Body, m.Point, s.method.hand)
			hand.of = m.page
			hand.from, hand.to, hand.begun, hand.until = to, to, t, t
		}
		hand.move(to, t, frame)
	case "release":
		if jump = hand.on && hand.of == m.page; jump { // else another page with the same number pulls already
			hand.on = false
		}
	case "force":
		err = s.inputs.SetForce(m.Joint, m.Freedom, m.Value)
	case "drive":
		err = s.drive(m)
	case "actuator":
		err = s.inputs.SetActuator(m.Actuator, joints.NewPolynomial([]float64{m.Value}))
	}
	if err != nil {
		s.failure = fault.Plain(err).Error()
	}
	if jump {
		s.method.stepper.Restart()
	}
	if m.Type != "pull" || jump {
		s.show()
		s.broadcast()
		s.status()
	}
}

// drive gives a prescribed freedom a constant rate, from its present coordinate on.
func (s *Session) drive(m *Message) error {
	st := s.sim.State()
	q, _, _ := s.mech.Joints[m.Joint].Motion[m.Freedom].At(st.Time)
	return s.inputs.SetMotion(m.Joint, m.Freedom, joints.NewPolynomial([]float64{q - m.Value*st.Time, m.Value}))
}

// show makes the present state the state that StateTo and broadcast give.
func (s *Session) show() {
	s.mu.Lock()
	copyState(s.shown, s.sim.State())
	s.mu.Unlock()
}

// StateTo implements view.Live.
func (s *Session) StateTo(st *mechanism.State) {
	s.mu.Lock()
	copyState(st, s.shown)
	s.mu.Unlock()
}

// copyState copies a state to another of the same mechanism, whose memory it uses.
func copyState(to, from *mechanism.State) {
	to.Time = from.Time
	to.Bodies = append(to.Bodies[:0], from.Bodies...)
	to.Angles = append(to.Angles[:0], from.Angles...)
	to.Internal = append(to.Internal[:0], from.Internal...)
}
