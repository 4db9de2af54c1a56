package model

import (
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/replace"
	"github.com/rung-mbd/rung/joints"
)

// Write writes m as a document of rung-model/1: a line for each body, joint, coupling, terrain and
// force element, fields in the format's order, numbers with the fewest digits
// that read back to the same value, defaults left out. Equal models give equal
// bytes, and Read of them gives m in canonical form (see Canonicalize).
//
// Cost: O(bodies + joints + forces), constant memory besides the name tables. It
// returns the errors of Check before anything is written, and *Problems for a
// terrain that is made in Go, which cannot be written. Errors of w are wrapped.
func Write(w io.Writer, m *Model) error {
	if err := checkWritten(m); err != nil {
		return err
	}
	return write(w, m)
}

// WriteFile writes m to the file at path and replaces an existing file. The replacement is atomic: whenever the process ends, the file
// is complete, old or new, and of several writers the last to finish wins. Links are followed, permissions are kept. If m does not
// pass Check, the file is unchanged.
//
// It returns the errors of Check and of the system, with the name of the file.
func WriteFile(path string, m *Model) error {
	if err := checkWritten(m); err != nil {
		return err
	}
	if err := replace.Write(path, func(w io.Writer) error { return write(w, m) }); err != nil {
		return fmt.Errorf("model: %w", err)
	}
	return nil
}

// checkWritten is Check, and reports terrains that cannot be written.
func checkWritten(m *Model) error {
	if err := Check(m); err != nil {
		return err
	}
	c := checker{faults: new(document.Faults), m: m}
	for i := range m.Terrains {
		if m.Terrains[i].Type == GivenTerrain {
			c.at(secTerrains, i)
			c.report(".type", "", "a surface that is made in Go cannot be written")
		}
	}
	return c.end(nameOf(m))
}

// writer appends to a buffer, which flush writes to w. err is the first error of w.
type writer struct {
	w   io.Writer
	b   []byte
	err error
}

// write writes m, which has passed checkWritten.
func write(w io.Writer, m *Model) error {
	o := &writer{w: w, b: make([]byte, 0, 1<<17)}
	o.b = append(o.b, "{\n \"format\": \""+Format+"\""...)
	if m.Name != "" {
		o.text(",\n \"name\": ", m.Name)
	}
	o.vector(",\n \"gravity\": ", m.Gravity[:])
	o.number(",\n \"time\": ", m.Time)
	writeSection(o, secBodies, m.Bodies, (*writer).body)
	if len(m.Joints) > 0 {
		writeSection(o, secJoints, m.Joints, (*writer).joint)
	}
	if len(m.Couplings) > 0 {
		writeSection(o, secCouplings, m.Couplings, (*writer).coupling)
	}
	if len(m.Terrains) > 0 {
		writeSection(o, secTerrains, m.Terrains, (*writer).terrain)
	}
	if len(m.Forces) > 0 {
		writeSection(o, secForces, m.Forces, (*writer).force)
	}
	if len(m.Frames) > 0 {
		writeSection(o, secFrames, m.Frames, (*writer).frame)
	}
	if len(m.Visuals) > 0 {
		writeSection(o, secVisuals, m.Visuals, (*writer).visual)
	}
	if m.Source != nil {
		o.source(m.Source)
	}
	o.b = append(o.b, "\n}\n"...)
	o.flush(0)
	if o.err != nil {
		return fmt.Errorf("model: write: %w", o.err)
	}
	return nil
}

// writeSection writes the list of elements of section sec, each on a line by itself. It writes the braces, and line the fields
// between them.
func writeSection[T any](o *writer, sec int, list []T, line func(*writer, *T)) {
	o.b = append(o.b, ",\n \""+sectionKeys[sec]+"\": ["...)
	for i := range list {
		if i > 0 {
			o.b = append(o.b, ',')
		}
		o.b = append(o.b, "\n  {"...)
		line(o, &list[i])
		o.b = append(o.b, '}')
		if o.flush(1 << 16); o.err != nil {
			return
		}
	}
	if len(list) > 0 {
		o.b = append(o.b, "\n "...)
	}
	o.b = append(o.b, ']')
}

// flush writes the buffer to w and empties it if it holds more than n bytes.
func (o *writer) flush(n int) {
	if len(o.b) > n && o.err == nil {
		_, o.err = o.w.Write(o.b)
		o.b = o.b[:0]
	}
}

// body writes the fields of a body, without braces; com, pose and velocity only if they differ from zero and the identity.
func (o *writer) body(b *Body) {
	o.text(`"name": `, b.Name)
	o.always(`, "mass": `, b.Mass)
	if b.Com != [3]float64{} {
		o.vector(`, "com": `, b.Com[:])
	}
	I := &b.Inertia
	o.always(`, "inertia": {"xx": `, I.XX)
	o.always(`, "yy": `, I.YY)
	o.always(`, "zz": `, I.ZZ)
	o.number(`, "xy": `, I.XY)
	o.number(`, "xz": `, I.XZ)
	o.number(`, "yz": `, I.YZ)
	o.b = append(o.b, '}')
	o.pose("pose", &b.Pose)
	o.velocity(&b.Velocity)
}

// velocity writes the parts of a velocity that are not zero.
func (o *writer) velocity(v *Velocity) {
	linear, angular := v.Linear != [3]float64{}, v.Angular != [3]float64{}
	if !linear && !angular {
		return
	}
	o.b = append(o.b, `, "velocity": {`...)
	if linear {
		o.vector(`"linear": `, v.Linear[:])
	}
	if linear && angular {
		o.b = append(o.b, ", "...)
	}
	if angular {
		o.vector(`"angular": `, v.Angular[:])
	}
	o.b = append(o.b, '}')
}

// pose writes the parts of p that differ from the identity.
func (o *writer) pose(key string, p *Pose) {
	moved := p.Position != [3]float64{}
	turned := p.Orientation != [4]float64{} && p.Orientation != [4]float64{1}
	if !moved && !turned {
		return
	}
	o.b = append(append(append(o.b, `, "`...), key...), `": {`...)
	if moved {
		o.vector(`"position": `, p.Position[:])
	}
	if moved && turned {
		o.b = append(o.b, ", "...)
	}
	if turned {
		o.vector(`"orientation": `, p.Orientation[:])
	}
	o.b = append(o.b, '}')
}

// joint writes the fields of a joint, without braces. It leaves out lists without effect.
func (o *writer) joint(j *Joint) {
	o.text(`"name": `, j.Name)
	o.text(`, "type": `, j.Type.String())
	o.text(`, "predecessor": `, j.Predecessor)
	o.text(`, "successor": `, j.Successor)
	o.pose("predecessor_frame", &j.PredecessorFrame)
	o.pose("successor_frame", &j.SuccessorFrame)
	o.number(`, "pitch": `, j.Pitch)
	o.number(`, "length": `, j.Length)
	o.wheel(j)
	o.curves(j)
	o.list(`, "force": `, j.Force)
	o.list(`, "stiffness": `, j.Stiffness)
	o.list(`, "damping": `, j.Damping)
	o.list(`, "rest": `, j.Rest)
	o.list(`, "armature": `, j.Armature)
	if !allZero(j.Turns) {
		o.b = append(o.b, `, "turns": [`...)
		for k, n := range j.Turns {
			o.comma(k)
			o.b = strconv.AppendInt(o.b, n, 10)
		}
		o.b = append(o.b, ']')
	}
	if someOf(j.Motion) {
		o.b = append(o.b, `, "motion": [`...)
		for k, m := range j.Motion {
			o.comma(k)
			o.motion(m)
		}
		o.b = append(o.b, ']')
	}
	if limited(j.Limits) {
		o.b = append(o.b, `, "limits": [`...)
		for k, l := range j.Limits {
			o.comma(k)
			o.limit(l)
		}
		o.b = append(o.b, ']')
	}
	if len(j.Axes) > 0 {
		o.b = append(o.b, `, "axes": [`...)
		for k := range j.Axes {
			o.comma(k)
			o.axis(&j.Axes[k])
		}
		o.b = append(o.b, ']')
	}
	if rubs(j.Friction) {
		o.b = append(o.b, `, "friction": [`...)
		for k := range j.Friction {
			o.comma(k)
			o.jointFriction(&j.Friction[k])
		}
		o.b = append(o.b, ']')
	}
	o.laws(`, "springs": [`, j.Springs)
	o.laws(`, "dampers": [`, j.Dampers)
}

// wheel writes the fields of a rolling joint. Other joints have zeros there, which are left out.
func (o *writer) wheel(j *Joint) {
	o.number(`, "radius": `, j.Radius)
	o.number(`, "tyre_radius": `, j.TyreRadius)
	o.number(`, "bowl_radius": `, j.BowlRadius)
	o.given(`, "terrain": `, j.Terrain)
	choose(o, `, "slip": `, j.Slip)
}

// axis writes an axis of a composite joint.
func (o *writer) axis(a *Axis) {
	o.b = append(o.b, '{')
	o.text(`"kind": `, a.Kind.String())
	o.vector(`, "axis": `, a.Axis[:])
	if a.Point != [3]float64{} {
		o.vector(`, "point": `, a.Point[:])
	}
	o.number(`, "pitch": `, a.Pitch)
	o.b = append(o.b, '}')
}

// limit writes the bounds of l and its stop; null if it does not bound.
func (o *writer) limit(l *Limit) {
	if !l.bounds() {
		o.b = append(o.b, "null"...)
		return
	}
	before := `{"`
	for k, x := range [...]float64{l.Lower, l.Upper, l.Rate, l.Force} {
		if math.IsInf(x, 0) || k >= limitRate && x == 0 {
			continue
		}
		o.always(before+limitFields[k]+`": `, x)
		before = `, "`
	}
	if l.Stop != (Stop{}) {
		o.b = append(o.b, before...)
		o.stop(&l.Stop)
	}
	o.b = append(o.b, '}')
}

// motion writes a motion with the fields of its kind; null for none.
func (o *writer) motion(m *Motion) {
	if m == nil {
		o.b = append(o.b, "null"...)
		return
	}
	o.b = append(o.b, `{"kind": "`...)
	o.b = append(append(o.b, m.Kind.String()...), '"')
	switch m.Kind {
	case joints.Harmonic:
		o.number(`, "offset": `, m.Offset)
		o.always(`, "amplitude": `, m.Amplitude)
		o.always(`, "frequency": `, m.Frequency)
		o.number(`, "phase": `, m.Phase)
	case joints.Polynomial:
		o.vector(`, "coefficients": `, m.Coefficients)
	case joints.Spline:
		o.vector(`, "times": `, m.Times)
		o.vector(`, "values": `, m.Values)
		choose(o, `, "ends": `, m.Ends)
		if m.Ends == joints.Clamped {
			o.vector(`, "rates": `, m.Rates[:])
		}
	case joints.Table:
		o.vector(`, "times": `, m.Times)
		o.vector(`, "accelerations": `, m.Accelerations)
		o.number(`, "value": `, m.Value)
		o.number(`, "rate": `, m.Rate)
		if m.Steps {
			o.text(`, "interpolation": `, "constant")
		}
	}
	if m.Hold {
		o.text(`, "outside": `, "hold")
	}
	o.b = append(o.b, '}')
}

// choose writes a choice by its name after key, unless it is the first of its type, which is the default.
func choose[T interface {
	~uint8
	String() string
}](o *writer, key string, x T) {
	if x != 0 {
		o.text(key, x.String())
	}
}

// given writes a text after key unless it is empty.
func (o *writer) given(key, text string) {
	if text != "" {
		o.text(key, text)
	}
}

// force writes the fields of a force element, without braces.
func (o *writer) force(e *ForceElement) {
	o.text(`"name": `, e.Name)
	o.text(`, "type": `, e.Type.String())
	switch e.Type {
	case ContactForce:
		o.contact(e)
		return
	case ActuatorForce:
		o.actuator(e.Actuator)
		return
	case BushingForce:
		o.bushing(e)
		return
	case CableForce:
		o.cable(e)
		return
	case Wrench:
		o.text(`, "body": `, e.A.Body)
		o.point(&e.A.Point)
		o.vector(`, "force": `, e.Force[:])
		o.vector(`, "torque": `, e.Torque[:])
		return
	}
	o.text(`, "a": {"body": `, e.A.Body)
	o.point(&e.A.Point)
	o.text(`}, "b": {"body": `, e.B.Body)
	o.point(&e.B.Point)
	o.always(`}, "stiffness": `, e.Stiffness)
	o.always(`, "damping": `, e.Damping)
	o.always(`, "rest_length": `, e.RestLength)
	o.law(`, "spring": `, e.Spring)
	o.law(`, "damper": `, e.Damper)
}

func (o *writer) point(p *[3]float64) {
	if *p != [3]float64{} {
		o.vector(`, "point": `, p[:])
	}
}

// always writes a number after key, also zero.
func (o *writer) always(key string, x float64) {
	o.b = document.AppendNumber(append(o.b, key...), x)
}

// number writes a number after key unless it is zero.
func (o *writer) number(key string, x float64) {
	if x != 0 {
		o.always(key, x)
	}
}

// list writes a list of numbers after key unless all are zero.
func (o *writer) list(key string, x []float64) {
	if !allZero(x) {
		o.vector(key, x)
	}
}

// vector writes a list of numbers after key.
func (o *writer) vector(key string, x []float64) {
	o.b = append(append(o.b, key...), '[')
	for k, v := range x {
		o.comma(k)
		o.b = document.AppendNumber(o.b, v)
	}
	o.b = append(o.b, ']')
}

// comma writes the separator before entry k of a list.
func (o *writer) comma(k int) {
	if k > 0 {
		o.b = append(o.b, ", "...)
	}
}

// text writes a string after key. It must be valid UTF-8, as Check ensures.
func (o *writer) text(key, s string) {
	o.b = append(o.b, key...)
	o.b = document.AppendText(o.b, s)
}
