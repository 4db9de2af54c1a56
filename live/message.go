package live

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/rung-mbd/rung/spatial"
)

// Message is a message of a page, as JSON. Type is the request; each type uses some of the other fields:
//
//	run, pause, step, reset                  step: a sixtieth of a second
//	look     on                              whether the page is seen; the mechanism moves while any page is seen
//	speed    value                           of the mechanism's time, 0.05 to 2
//	gravity  vector                          m/s², world axes
//	air      value                           rate at which all bodies are slowed down, 1/s, 0 to 5
//	pull     body, point, vector             the point of the body, in its frame, is pulled to vector, world axes from the middle of the scene, m
//	release
//	force    joint, freedom, value           along a freedom of a joint, N or N m
//	drive    joint, freedom, value           rate of a prescribed freedom, m/s or rad/s
//	actuator actuator, value                 constant value of an actuator
type Message struct {
	Type     string       `json:"type"`
	On       bool         `json:"on"`
	Value    float64      `json:"value"`
	Vector   spatial.Vec3 `json:"vector"`
	Body     int          `json:"body"`
	Point    spatial.Vec3 `json:"point"`
	Joint    int          `json:"joint"`
	Freedom  int          `json:"freedom"`
	Actuator int          `json:"actuator"`

	page *page // that has sent it
}

// MostAir is the largest rate, 1/s, at which all bodies are slowed down.
const MostAir = 5

// Bounds of requests.
const (
	slowest, fastest = 0.05, 2 // of the speed
	mostGravity      = 1e3     // m/s²
	mostNumber       = 1e9     // of any number of a message, in its unit
	longestMessage   = 4096    // bytes
)

// ErrMessage is wrapped by the errors of messages that are wrong.
var ErrMessage = errors.New("live: wrong message")

// parse reads a message and checks it against the mechanism of s. Its errors wrap ErrMessage.
func (s *Session) parse(data []byte) (m Message, err error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return m, fmt.Errorf("%w: no message in JSON", ErrMessage)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return m, fmt.Errorf("%w: something after it", ErrMessage)
	}
	for _, x := range []float64{m.Value, m.Vector[0], m.Vector[1], m.Vector[2], m.Point[0], m.Point[1], m.Point[2]} {
		if !(math.Abs(x) <= mostNumber) {
			return m, fmt.Errorf("%w: %.40q has the number %g", ErrMessage, m.Type, x)
		}
	}
	within := func(what string, x, least, most float64) error {
		if x < least || x > most {
			return fmt.Errorf("%w: %s %g is not from %g to %g", ErrMessage, what, x, least, most)
		}
		return nil
	}
	index := func(what string, i, n int) error {
		if i < 0 || i >= n {
			return fmt.Errorf("%w: %s %d of %d", ErrMessage, what, i, n)
		}
		return nil
	}
	switch m.Type {
	case "run", "pause", "step", "reset", "look", "release":
	case "speed":
		err = within("speed", m.Value, slowest, fastest)
	case "gravity":
		err = within("gravity", m.Vector.Norm(), 0, mostGravity)
	case "air":
		err = within("air", m.Value, 0, MostAir)
	case "pull":
		err = index("body", m.Body, s.mech.NumBodies())
	case "force", "drive":
		if err = index("joint", m.Joint, s.mech.NumJoints()); err != nil {
			return m, err
		}
		jt := &s.mech.Joints[m.Joint]
		if err = index("freedom", m.Freedom, jt.Kind.Freedoms()); err == nil && jt.Prescribed(m.Freedom) != (m.Type == "drive") {
			err = fmt.Errorf("%w: %s of a freedom that is or is not prescribed", ErrMessage, m.Type)
		}
	case "actuator":
		err = index("actuator", m.Actuator, s.mech.NumActuators())
	default:
		err = fmt.Errorf("%w: there is no %.40q", ErrMessage, m.Type)
	}
	return m, err
}
