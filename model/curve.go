package model

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/joints/curves"
	"github.com/rung-mbd/rung/spatial"
)

var pointCurveFields = []string{
	"kind", "ends", "center", "axis", "start", "radius", "points", "parameters", "natural", "file", "x", "y", "z", "range", "closed",
	"planar", "parameter",
}

const (
	curveKind = iota
	curveEnds
	curveCenter
	curveAxis
	curveStart
	curveRadius
	curvePoints
	curveParameters
	curveNatural
	curveFile
	curveX
	curveY
	curveZ
	curveRange
	curveClosed
	curvePlanar
	curveParameter
)

// curveParts has the mandatory and the optional fields of each kind of curve, beside kind, planar and parameter.
var curveParts = [...]parts{
	curves.Line:     {must: []int{curveEnds}},
	curves.Circle:   {[]int{curveRadius}, []int{curveCenter, curveAxis, curveStart, curveRange}},
	curves.Spline:   {may: []int{curvePoints, curveParameters, curveNatural, curveFile, curveClosed}},
	curves.Function: {[]int{curveX, curveY, curveRange}, []int{curveZ, curveClosed}},
}

// curve reads a curve. It returns nil, after a problem, if the value is not an object.
func (d *decoder) curve() *PointCurve {
	if !d.OpenObject() {
		return nil
	}
	c := new(PointCurve)
	var seen uint32
	known := false
	for f := range d.Members(pointCurveFields, &seen) {
		if f == curveKind {
			before := d.faults.Len()
			c.Kind = curves.Kind(d.Choice(curves.KindNames...))
			known = d.faults.Len() == before
			continue
		}
		d.curveField(c, f)
	}
	if d.Fatal {
		return c
	}
	d.Require(pointCurveFields, seen, curveKind)
	if known {
		d.curveParts(c, seen)
	}
	return c
}

// curves reports the curves of a joint that are missing or have no meaning.
func (d *decoder) curves(j *Joint, seen uint32) {
	for _, c := range []struct {
		field int
		curve **PointCurve
		has   bool
	}{
		{jointCurve, &j.Curve, j.Type == PointOnCurve || j.Type == CurveOnCurve},
		{jointSuccessorCurve, &j.SuccessorCurve, j.Type == CurveOnCurve},
	} {
		if c.has {
			d.Require(jointFields, seen, c.field)
		} else if *c.curve != nil && !d.Flaw.Has(c.field) {
			d.ProblemAt(jointFields, c.field, "", meaningless("joint type", j.Type.String()))
			*c.curve = nil
		}
	}
}

// curveField reads a field of a curve.
func (d *decoder) curveField(c *PointCurve, field int) {
	switch field {
	case curveEnds:
		if list := d.points(len(c.Ends)); len(list) == len(c.Ends) {
			c.Ends = [2]spatial.Vec3(list)
		} else if !d.Fatal {
			d.Problem("", "wrong length, must have 2 entries")
		}
	case curveCenter:
		d.Vector(c.Center[:])
	case curveAxis:
		d.direction(&c.Axis)
	case curveStart:
		d.direction(&c.Start)
	case curveRadius:
		d.Number(&c.Radius)
	case curvePoints:
		c.Points = d.points(curves.MaxPoints)
	case curveParameters:
		c.Parameters = d.Numbers([]float64{}, curves.MaxPoints+1)
	case curveNatural:
		c.Natural = d.Bool()
	case curveFile:
		c.File = d.name()
	case curveX:
		c.X = d.name()
	case curveY:
		c.Y = d.name()
	case curveZ:
		c.Z = d.name()
	case curveRange:
		if d.Vector(c.Range[:]) && c.Range == [2]float64{} { // in Go, zeros mean that there is no range
			d.Problem(document.Numbers(c.Range[:]), "must rise")
		}
	case curveClosed:
		c.Closed = d.Bool()
	case curvePlanar:
		c.Planar = d.Bool()
	case curveParameter:
		c.Parameter = new(float64)
		d.Number(c.Parameter)
	}
}

// direction reads a vector of any length except zero; in Go, zero means that there is no direction.
func (d *decoder) direction(v *spatial.Vec3) {
	if d.Vector(v[:]) && *v == (spatial.Vec3{}) {
		d.Problem(document.Numbers(v[:]), "has no direction")
	}
}

// points reads a list of points. It skips entries beyond the number most and reports them.
func (d *decoder) points(most int) []spatial.Vec3 {
	if !d.OpenArray() {
		return nil
	}
	list := []spatial.Vec3{}
	n := 0
	for ; d.Element(n); n++ {
		if n >= most {
			d.Skip()
			continue
		}
		var x spatial.Vec3
		d.Vector(x[:])
		list = append(list, x)
	}
	d.Bound(n, most)
	return list
}

// curveParts reports the fields of a curve that are missing, and fields of the document that its kind does not have or a file replaces. Bit
// k of seen stands for field k of pointCurveFields in the document.
func (d *decoder) curveParts(c *PointCurve, seen uint32) {
	own := &curveParts[c.Kind]
	d.Require(pointCurveFields, seen, own.must...)
	d.refuseOthers(pointCurveFields[:curvePlanar], curveEnds, seen, own, meaningless("kind", c.Kind.String()))
	if c.Kind != curves.Spline {
		return
	}
	if seen>>curveFile&1 == 0 {
		d.Require(pointCurveFields, seen, curvePoints)
	} else {
		d.Refuse(pointCurveFields, seen, "stands beside a file, which has it", curvePoints, curveParameters)
	}
}

// checkCurves applies the rules to the curves of a joint.
func (c *checker) checkCurves(j *Joint, f document.Flaws) {
	touch := j.Type == CurveOnCurve
	if j.LiftsOff && !touch && !f.Has(jointLiftsOff) {
		c.report(".lifts_off", "true", meaningless("joint type", j.Type.String()))
	}
	first := f.Has(jointCurve) || c.checkCurve(j, ".curve", j.Curve, touch || j.Type == PointOnCurve)
	second := f.Has(jointSuccessorCurve) || c.checkCurve(j, ".successor_curve", j.SuccessorCurve, touch)
	if !touch || !first || !second || j.Curve == nil || j.SuccessorCurve == nil {
		return
	}
	for i, k := range [2]*PointCurve{j.Curve, j.SuccessorCurve} {
		if k.Planar {
			c.report([2]string{".curve", ".successor_curve"}[i]+".planar", "true", meaningless("joint type", j.Type.String()))
		}
	}
	switch one, two := j.Curve.Parameter != nil, j.SuccessorCurve.Parameter != nil; {
	case one && !two:
		c.report(".successor_curve.parameter", "", "is missing: that of the other curve is there")
	case two && !one:
		c.report(".curve.parameter", "", "is missing: that of the other curve is there")
	}
}

// checkCurve applies the rules to the curve k of a joint, and loads its file if the checker has files. wanted tells that the type of the
// joint has the curve. It returns whether the curve is there if and only if it is wanted.
func (c *checker) checkCurve(j *Joint, tail string, k *PointCurve, wanted bool) bool {
	switch {
	case !wanted && k == nil:
		return true
	case !wanted:
		c.report(tail, "", meaningless("joint type", j.Type.String()))
		return false
	case k == nil:
		c.report(tail, "", document.RuleMissing)
		return false
	}
	c.checkCurveOf(tail, k, k.Planar || j.Type == CurveOnCurve, j.LiftsOff)
	return true
}

// checkCurveOf applies the rules to the curve at path tail. With flat, z is ignored. With separates, the two curves of the joint may
// separate, and the parameter may be beyond the ends.
func (c *checker) checkCurveOf(tail string, k *PointCurve, flat, separates bool) {
	if x := k.Parameter; x != nil {
		c.number(tail+".parameter", *x)
	}
	if k.inFile() && !c.checkCurveFile(tail, k) {
		return
	}
	if c.goodCurve(tail, k, flat) {
		c.checkParameter(tail, k, separates)
	}
}

// inFile reports whether the points of a curve are in a file.
func (k *PointCurve) inFile() bool { return k.File != "" && k.Kind == curves.Spline }

// checkCurveFile loads the points of a curve from its file if the checker has files. It returns whether the points are there. Without
// files, or after the end of the context, it returns false and reports no problem: code that needs the points reports that they are
// not loaded.
func (c *checker) checkCurveFile(tail string, k *PointCurve) bool {
	switch {
	case !utf8.ValidString(k.File):
		c.report(tail+".file", fault.Name(k.File), "is no text")
		return false
	case k.Points == nil && c.files == nil, c.ctx != nil && c.ctx.Err() != nil:
		return false
	}
	return k.Points != nil || c.loadCurve(tail, k)
}

// goodCurve reports the problems of the settings of a curve, and returns whether there are none. It remembers functions without
// problems, as models often have many equal curves.
func (c *checker) goodCurve(tail string, k *PointCurve, flat bool) bool {
	key := ""
	if k.Kind == curves.Function {
		if key = fmt.Sprintf("curve %t %+v", flat, k.Settings()); c.smooth[key] {
			return true
		}
	}
	good := true
	k.Faults(flat, func(field, value, rule string) {
		good = false
		if k.inFile() && (strings.HasPrefix(field, "points") || strings.HasPrefix(field, "parameters")) {
			rule, field, value = field+": "+rule, "file", fault.Name(k.File)
		}
		c.report(tail+"."+field, value, rule)
	})
	if good && key != "" {
		if c.smooth == nil {
			c.smooth = map[string]bool{}
		}
		c.smooth[key] = true
	}
	return good
}

// mostLaps is the largest number of laps in a parameter: beyond it, rounding leaves too few digits for the position on the curve.
const mostLaps = 1e9

// checkParameter reports a parameter beyond the ends of its curve, which is allowed if the curves may separate, and a parameter of more
// than mostLaps laps.
func (c *checker) checkParameter(tail string, k *PointCurve, separates bool) {
	if k.Parameter == nil || !algebra.Finite(*k.Parameter) {
		return
	}
	switch from, to, past := k.Past(*k.Parameter); {
	case math.Abs(*k.Parameter-from) > mostLaps*(to-from):
		c.report(tail+".parameter", document.Number(*k.Parameter), fmt.Sprintf("is more than %g lengths of its curve from the start", mostLaps))
	case past && !separates:
		c.report(tail+".parameter", document.Number(*k.Parameter),
			fmt.Sprintf("is past the ends of its curve, which goes from %s to %s", document.Number(from), document.Number(to)))
	}
}

// loadCurve reads the points of a curve from its file. It reports problems, and returns whether there are none.
func (c *checker) loadCurve(tail string, k *PointCurve) bool {
	path := pathIn(c.files, k.File)
	f, err := c.files.Open(k.File)
	if err != nil {
		if p := new(fs.PathError); errors.As(err, &p) {
			err = p.Err
		}
		c.report(tail+".file", path, fault.Line("cannot be opened: "+err.Error()))
		return false
	}
	defer f.Close() // reading only: an error of Close loses nothing
	points, parameters, err := curves.ReadTable(f, k.Closed)
	if err != nil {
		if p := new(fs.PathError); errors.As(err, &p) { // the message names the path already
			err = p.Err
		}
		c.report(tail+".file", path, fault.Line(fault.Plain(err).Error()))
		return false
	}
	const number = 8 // bytes of a float64
	if c.readAgain(k.File, number*float64(3*len(points)+len(parameters))); c.again > MaxTerrainBytes {
		c.report(tail+".file", path, "the file is read again, and with the curves before it that "+
			fault.TooDear(c.again, MaxTerrainBytes, "B", "let a curve have fewer points"))
		return false
	}
	k.Points, k.Parameters = points, parameters
	return true
}

// curves writes the curves of a joint.
func (o *writer) curves(j *Joint) {
	if j.Curve != nil {
		o.curve(`, "curve": {"kind": `, j.Curve)
	}
	if j.SuccessorCurve != nil {
		o.curve(`, "successor_curve": {"kind": `, j.SuccessorCurve)
	}
	if j.LiftsOff {
		o.b = append(o.b, `, "lifts_off": true`...)
	}
}

// curve writes a curve after the name of its kind.
func (o *writer) curve(name string, c *PointCurve) {
	o.text(name, c.Kind.String())
	zero := spatial.Vec3{}
	switch c.Kind {
	case curves.Line:
		o.points(`, "ends": [`, c.Ends[:])
	case curves.Circle:
		for _, v := range []struct {
			name string
			of   *spatial.Vec3
		}{{`, "center": `, &c.Center}, {`, "axis": `, &c.Axis}, {`, "start": `, &c.Start}} {
			if *v.of != zero {
				o.vector(v.name, v.of[:])
			}
		}
		o.number(`, "radius": `, c.Radius)
	case curves.Spline:
		if c.File != "" {
			o.text(`, "file": `, c.File)
			break
		}
		o.points(`, "points": [`, c.Points)
		if c.Parameters != nil {
			o.vector(`, "parameters": `, c.Parameters)
		}
	case curves.Function:
		o.text(`, "x": `, c.X)
		o.text(`, "y": `, c.Y)
		if c.Z != "" {
			o.text(`, "z": `, c.Z)
		}
	}
	if c.Range != [2]float64{} {
		o.vector(`, "range": `, c.Range[:])
	}
	for _, flag := range []struct {
		name string
		set  bool
	}{{"natural", c.Natural}, {"closed", c.Closed}, {"planar", c.Planar}} {
		if flag.set {
			o.b = append(o.b, `, "`+flag.name+`": true`...)
		}
	}
	if c.Parameter != nil {
		o.always(`, "parameter": `, *c.Parameter)
	}
	o.b = append(o.b, '}')
}

// points writes a list of points after its opening bracket.
func (o *writer) points(name string, list []spatial.Vec3) {
	o.b = append(o.b, name...)
	for i := range list {
		o.comma(i)
		o.vector("", list[i][:])
	}
	o.b = append(o.b, ']')
}
