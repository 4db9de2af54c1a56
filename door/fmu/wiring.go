package fmu

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/rung-mbd/rung/door"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// wiringFormat is the format of resources/wiring.json.
const wiringFormat = "rung-fmu/1"

// Names of files in the folder resources.
const (
	wiringFile = "wiring.json"
	modelFile  = "model.json"
)

// wiring has the variables of a unit and the options of its run. Value references count from 0: time, inputs, parameters, outputs; then
// coordinates, their rates, the derivatives of both, and the event indicators (gaps).
type wiring struct {
	Format     string          `json:"format"`
	Version    int             `json:"fmi"`
	Inputs     []string        `json:"inputs"`     // paths of knobs
	Parameters []string        `json:"parameters"` // paths of knobs
	Outputs    []string        `json:"outputs"`    // names of columns
	Run        json.RawMessage `json:"run"`        // an object of rung-run/1
	Files      []packed        `json:"files"`      // files that the model names
	Exchange   *exchange       `json:"model_exchange,omitempty"`
}

// exchange is the part of a wiring for model exchange.
type exchange struct {
	Freedoms   [][2]int    `json:"freedoms"`   // joint and freedom, by number, of each coordinate at the state of the model
	Candidates [][2]int    `json:"candidates"` // freedoms that may become coordinates; null: all
	Columns    [][3]string `json:"columns"`    // names of the coordinate, its rate and its second rate, of each
	Gaps       []string    `json:"gaps"`       // names of the event indicators
}

// pairs returns freedoms as pairs of joint and freedom, nil for none.
func pairs(list []mechanism.Freedom) [][2]int {
	var out [][2]int
	for _, f := range list {
		out = append(out, [2]int{f.Joint, f.Freedom})
	}
	return out
}

// freedoms returns the freedoms of pairs of joint and freedom. It refuses a pair that is no scalar freedom of the mechanism.
func freedoms(list [][2]int, m *mechanism.Mechanism) ([]mechanism.Freedom, error) {
	var out []mechanism.Freedom
	for _, p := range list {
		if uint(p[0]) >= uint(m.NumJoints()) || !m.Joints[p[0]].Kind.Scalar(p[1]) {
			return nil, refuse(door.Input, "%s: joint %d has no coordinate %d", wiringFile, p[0], p[1])
		}
		out = append(out, mechanism.Freedom{Joint: p[0], Freedom: p[1]})
	}
	return out, nil
}

// packed is a file in the folder resources.
type packed struct {
	Name   string `json:"name"`
	Digest string `json:"sha256"`
}

// readWiring reads a wiring.json. It refuses unknown fields, text after the object, and another format.
func readWiring(text []byte) (*wiring, error) {
	w := new(wiring)
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err := d.Decode(w)
	if err == nil {
		if _, err = d.Token(); err == nil {
			err = errors.New("text after the object")
		} else if err == io.EOF {
			err = nil
		}
	}
	if err != nil {
		return nil, refuse(door.Input, "%s: %v", wiringFile, err)
	}
	if w.Format != wiringFormat {
		return nil, refuse(door.Input, "%s: format %q, and has to be %q", wiringFile, w.Format, wiringFormat)
	}
	return w, nil
}

// text returns the content of wiring.json.
func (w *wiring) text() ([]byte, error) {
	text, err := json.MarshalIndent(w, "", " ")
	return append(text, '\n'), err
}

// tokenDigits is the length of a token: 128 bits are enough to tell units apart.
const tokenDigits = 32

// tokenOf returns the token of a unit with these contents of wiring.json and model.json: a digest that is the same on all machines.
func tokenOf(wiring, model []byte) string {
	h := sha256.New()
	for _, part := range [][]byte{wiring, model} {
		sum := sha256.Sum256(part)
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil))[:tokenDigits]
}

// digest returns the digest of a file, in hexadecimal digits.
func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// options returns the options of a run (rung-run/1) with the columns of a unit. A tolerance that is not 0 replaces the tolerance
// of the run, unless its steps are fixed.
func (w *wiring) options(tolerance float64) ([]byte, error) {
	fields := map[string]json.RawMessage{}
	if len(w.Run) > 0 {
		if err := json.Unmarshal(w.Run, &fields); err != nil {
			return nil, refuse(door.Input, "run: no JSON object: %v", err)
		}
	}
	for _, name := range [...]string{"until", "every"} { // the tool decides when a unit stops and when it reads values
		delete(fields, name)
	}
	for _, name := range [...]string{"columns", "bodies", "wrenches", "multipliers"} {
		if _, there := fields[name]; there {
			return nil, refuse(door.Input, "run: %s are the outputs of a unit", name)
		}
	}
	list := append([]string{"time"}, w.Outputs...)
	if w.Exchange != nil {
		for _, names := range w.Exchange.Columns {
			list = append(list, names[:]...)
		}
	}
	columns, err := json.Marshal(list)
	if err != nil {
		return nil, err
	}
	fields["columns"] = columns
	if _, fixed := fields["step"]; tolerance != 0 && !fixed {
		if fields["tolerance"], err = json.Marshal(tolerance); err != nil {
			return nil, refuse(door.Input, "tolerance %v", tolerance)
		}
	}
	return json.Marshal(fields)
}

// refuse returns an error of this package with a status.
func refuse(s door.Status, format string, args ...any) error {
	return &door.Error{Status: s, Err: fault.Errorf("door/fmu: "+format, args...)}
}

// fileName returns the name of file i in the folder resources, without its ending.
func fileName(i int) string { return fmt.Sprintf("files/%d", i) }
