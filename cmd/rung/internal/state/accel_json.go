package state

import (
	"encoding/json"
	"io"
	"iter"
	"reflect"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/results"
)

// jsonWriter appends JSON to a buffer, which flush writes to w. It keeps the first error.
type jsonWriter struct {
	w     io.Writer
	b     []byte
	err   error
	knows func(field string) bool // reports whether a field is in the document (results.Document.Knows)
}

// WriteResult writes r as the document of rung accel --json: the fields of
// rung.Result, a line for each body, joint and coupling, numbers with the fewest digits
// that read back to the same value. Fields of LeftOut are not written.
//
// Cost: O(bodies + joints), constant memory besides the list of redundant joints.
// It returns the errors of w, and an error if a number of r is not finite.
func WriteResult(w io.Writer, r *rung.Result) error { return writeEntries(w, r, entriesOf(r)) }

// writeEntries is WriteResult with the bodies and joints of e in place of r's.
func writeEntries(w io.Writer, r *rung.Result, e entries) error {
	o := &jsonWriter{w: w, knows: r.Knows}
	o.raw("{\n \"format\": ").value(r.Format)
	o.raw(",\n \"name\": ").value(r.Name)
	o.raw(",\n \"time\": ").number(r.Time)
	o.raw(",\n \"method\": ").value(r.Method)
	o.raw(",\n \"ordering\": ").value(r.Ordering)
	jsonList(o, "bodies", e.bodies, (*jsonWriter).body)
	jsonList(o, "joints", e.joints, (*jsonWriter).joint)
	if len(r.Couplings) > 0 {
		jsonList(o, "couplings", each(r.Couplings), (*jsonWriter).coupling)
	}
	if len(r.Forces) > 0 {
		jsonList(o, "forces", each(r.Forces), (*jsonWriter).force)
	}
	o.raw(",\n \"constraints\": ").object("constraints.", r.Constraints)
	o.raw(",\n \"energy\": ").value(r.Energy)
	o.raw(",\n \"solve\": ").object("solve.", r.Solve)
	if r.IllScaled != nil {
		o.raw(",\n \"ill_scaled\": ").value(r.IllScaled)
	}
	if r.Violation != nil {
		o.raw(",\n \"violation\": ").value(r.Violation)
	}
	if len(r.BeyondLimits) > 0 {
		o.raw(",\n \"beyond_limits\": ").value(r.BeyondLimits)
	}
	if r.Contradiction != nil {
		o.raw(",\n \"contradiction\": ").value(r.Contradiction)
	}
	if r.RankDiffers != nil {
		o.raw(",\n \"rank_differs\": ").value(r.RankDiffers)
	}
	if r.Ranks != nil {
		o.raw(",\n \"ranks\": ").value(r.Ranks)
	}
	if len(r.LeftOut) > 0 {
		o.raw(",\n \"left_out\": ").value(r.LeftOut)
	}
	o.raw("\n}\n").flush(0)
	return o.err
}

// jsonList writes a field with a list of objects, one on a line. line writes the fields of an object without its braces. The
// buffer is flushed whenever it has more than 64 KiB.
func jsonList[T any](o *jsonWriter, key string, list iter.Seq[*T], line func(*jsonWriter, *T)) {
	o.raw(",\n \"" + key + "\": [")
	first := true
	for x := range list {
		if !first {
			o.raw(",")
		}
		first = false
		o.raw("\n  {")
		line(o, x)
		o.raw("}").flush(1 << 16)
	}
	if !first {
		o.raw("\n ")
	}
	o.raw("]")
}

// body writes a body without its braces.
func (o *jsonWriter) body(b *results.Body) {
	o.raw(`"name": `).value(b.Name)
	o.raw(`, "com_acceleration": `).vector(b.ComAcceleration)
	o.raw(`, "angular_acceleration": `).vector(b.AngularAcceleration)
}

// joint writes a joint without its braces: its reaction, unless reactions are left out, and residuals.
func (o *jsonWriter) joint(j *results.Joint) {
	o.raw(`"name": `).value(j.Name)
	if o.knows("joints.total_wrench") {
		o.reaction(j)
	}
	o.raw(`, "position_residual": `).number(j.PositionResidual)
	o.raw(`, "velocity_residual": `).number(j.VelocityResidual)
}

// reaction writes the wrenches of a joint, the forces of its rotors, and the components that redundancy leaves undetermined.
func (o *jsonWriter) reaction(j *results.Joint) {
	o.raw(`, "constraint_wrench": `).wrench(&j.ConstraintWrench)
	o.raw(`, "total_wrench": `).wrench(&j.TotalWrench)
	for i, f := range j.ArmatureForce {
		if i == 0 {
			o.raw(`, "armature_force": [`)
		} else {
			o.raw(", ")
		}
		o.number(f)
	}
	if len(j.ArmatureForce) > 0 {
		o.raw("]")
	}
	o.raw(`, "wrench_unique": ` + strconv.FormatBool(j.WrenchUnique))
	o.raw(`, "undetermined": [`)
	for i, name := range j.Undetermined {
		if i > 0 {
			o.raw(", ")
		}
		o.value(name)
	}
	o.raw("]")
}

// coupling writes a coupling without its braces: its multiplier, unless multipliers are left out, and residuals.
func (o *jsonWriter) coupling(c *results.Coupling) {
	o.raw(`"name": `).value(c.Name)
	if o.knows("couplings.multiplier") {
		o.raw(`, "multiplier": `).number(c.Multiplier)
		o.raw(`, "multiplier_unique": ` + strconv.FormatBool(c.MultiplierUnique))
	}
	o.raw(`, "position_residual": `).number(c.PositionResidual)
	o.raw(`, "velocity_residual": `).number(c.VelocityResidual)
}

// force writes a force element without its braces.
func (o *jsonWriter) force(f *results.Force) {
	o.raw(`"name": `).value(f.Name)
	o.raw(`, "type": `).value(f.Type)
	o.raw(`, "length": `).number(f.Length)
	o.raw(`, "rate": `).number(f.Rate)
	o.raw(`, "tension": `).number(f.Tension)
	o.raw(`, "energy": `).value(f.Energy)
	if f.Force != nil {
		o.raw(`, "force": `).vector(*f.Force)
	}
	if f.Torque != nil {
		o.raw(`, "torque": `).vector(*f.Torque)
	}
}

// wrench writes a wrench as an object.
func (o *jsonWriter) wrench(w *results.Wrench) {
	o.raw(`{"force": `).vector(w.Force)
	o.raw(`, "moment": `).vector(w.Moment)
	o.raw("}")
}

// vector writes a list of three numbers.
func (o *jsonWriter) vector(v [3]float64) {
	o.raw("[").number(v[0])
	o.raw(", ").number(v[1])
	o.raw(", ").number(v[2])
	o.raw("]")
}

// raw appends s as it is.
func (o *jsonWriter) raw(s string) *jsonWriter {
	o.b = append(o.b, s...)
	return o
}

// number appends x with the fewest digits that read back to the same value. A number that is not finite is an error.
func (o *jsonWriter) number(x float64) {
	if !algebra.Finite(x) && o.err == nil {
		o.err = shell.ErrNotFinite
	}
	o.b = strconv.AppendFloat(o.b, x, 'g', -1, 64)
}

// object appends the struct of as encoding/json writes it, but without the fields that are left out of the document (knows);
// path, such as "solve.", goes before the names of the fields.
func (o *jsonWriter) object(path string, of any) {
	v, first := reflect.ValueOf(of), true
	o.raw("{")
	for i := range v.NumField() {
		name, option, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		f := v.Field(i)
		empty := f.IsZero() || f.Kind() == reflect.Slice && f.Len() == 0
		if option == "omitempty" && empty || !o.knows(path+name) {
			continue
		}
		if !first {
			o.raw(",")
		}
		first = false
		o.raw(`"` + name + `":`).value(f.Interface())
	}
	o.raw("}")
}

// value appends v as encoding/json writes it.
func (o *jsonWriter) value(v any) {
	b, err := json.Marshal(v)
	if err != nil && o.err == nil {
		o.err = shell.ErrNotFinite
	}
	o.b = append(o.b, b...)
}

// flush writes the buffer to w and empties it, if it holds more than n bytes. After an error it only empties it.
func (o *jsonWriter) flush(n int) {
	if len(o.b) > n {
		if o.err == nil {
			_, o.err = o.w.Write(o.b)
		}
		o.b = o.b[:0]
	}
}
