package taskfile

import (
	"fmt"
	"slices"

	"github.com/rung-mbd/rung/ik"
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/model"
)

// targets reads the list of targets.
func (d *reader) targets() {
	if !d.OpenArray() {
		return
	}
	d.t.Targets = []ik.Target{}
	n := 0
	for ; d.Element(n); n++ {
		if n >= maxNames {
			d.Skip()
			continue
		}
		d.At, d.Flaw, d.Field = document.Place{Section: 1, Index: n}, 0, 0
		t := ik.Target{Frame: model.Pose{Orientation: [4]float64{1}}, Orientation: [4]float64{1}}
		if d.OpenObject() {
			d.target(&t)
		}
		d.t.Targets = append(d.t.Targets, t)
	}
	d.At = document.Place{}
	d.Bound(n, maxNames)
}

// target reads the fields of a target into t, after its opening brace.
func (d *reader) target(t *ik.Target) {
	var seen uint32
	known := false
	for k := range d.Members(targetFields, &seen) {
		switch k {
		case targetName:
			s, ok := d.Text()
			if t.Name = string(s); ok && t.Name == "" {
				d.Problem(`""`, "is empty")
			}
		case targetType:
			known = d.targetType(&t.Type)
		default:
			d.part(t, k)
		}
	}
	if d.Fatal {
		return
	}
	d.Require(targetFields, seen, targetName)
	if !known {
		if seen>>targetType&1 == 0 {
			d.Require(targetFields, seen, targetType)
		}
		t.Type = ik.NumTargetTypes // so that the rules of no type are applied
		return
	}
	d.wantParts(t, seen)
}

// part reads field k of a target, other than name and type, into t.
func (d *reader) part(t *ik.Target, k int) {
	switch k {
	case targetBody:
		t.Body = d.name()
	case targetFrame:
		d.pose(&t.Frame)
	case targetPoint:
		d.Vector(t.Frame.Position[:])
	case targetRelativeTo:
		t.RelativeTo = d.name()
	case targetPosition:
		d.Vector(t.Position[:])
	case targetOrientation:
		d.Orientation(&t.Orientation)
	case targetAxis:
		d.Vector(t.Axis[:])
	case targetDirection:
		d.Vector(t.Direction[:])
	case targetTo:
		d.attachment(t)
	case targetLength:
		d.Number(&t.Length)
	case targetFreedom:
		t.Freedom = d.name()
	case targetValue:
		d.Number(&t.Value)
	case targetTurns:
		t.Turns = d.Bool()
	case targetBodies:
		t.Bodies = d.names()
	case targetWeight:
		t.Weight = d.Numbers([]float64{}, 6)
	case targetPriority:
		d.count(&t.Priority, 0)
	case targetTolerance:
		d.tolerance(t)
	case targetRate:
		t.Rate = d.Numbers([]float64{}, 6)
	}
}

// wantParts reports the fields that are missing in t or have no meaning for its type. seen has a bit for each field that is there. Fields
// that the path may give are noted in d.missing.
func (d *reader) wantParts(t *ik.Target, seen uint32) {
	parts := &targetParts[t.Type]
	d.Require(targetFields, seen, parts.must...)
	for _, k := range parts.wanted {
		if seen>>k&1 == 0 {
			d.missing = append(d.missing, missing{d.At.Index, k})
		}
	}
	for k := targetBody; k < targetWeight; k++ {
		if !slices.Contains(parts.must, k) && !slices.Contains(parts.wanted, k) && !slices.Contains(parts.may, k) {
			d.Refuse(targetFields, seen, fmt.Sprintf("has no meaning for target type %v", t.Type), k)
		}
	}
	if seen>>targetFrame&1 != 0 && seen>>targetPoint&1 != 0 {
		d.ProblemAt(targetFields, targetPoint, "", "is beside frame, which has a position")
	}
}

// targetType reads the type of a target into t. It returns false, after reporting the fault, if there is no such type.
func (d *reader) targetType(t *ik.TargetType) bool {
	s, ok := d.Text()
	if !ok {
		return false
	}
	for k := range ik.NumTargetTypes {
		if k.String() == string(s) {
			*t = k
			return true
		}
	}
	d.Problem(document.Quote(s), "unknown target type"+d.Meant(string(s), names(ik.NumTargetTypes)))
	return false
}

// name reads a name of a body or a freedom.
func (d *reader) name() string {
	s, _ := d.Text()
	return string(s)
}

// tolerance reads the tolerances of a target, two numbers above 0.
func (d *reader) tolerance(t *ik.Target) {
	if d.Vector(t.Tolerance[:]) && !(t.Tolerance[0] > 0 && t.Tolerance[1] > 0) {
		d.Problem(document.Numbers(t.Tolerance[:]), "is not positive")
	}
}

// pose reads a pose into p.
func (d *reader) pose(p *model.Pose) { d.Pose(p.Position[:], &p.Orientation) }

// attachmentFields are the fields of the second point of a distance.
var attachmentFields = []string{"body", "point"}

// attachment reads the second point of a distance into t.
func (d *reader) attachment(t *ik.Target) {
	d.Object(attachmentFields, []int{0}, func(k int) {
		if k == 0 {
			t.RelativeTo = d.name()
		} else {
			d.Vector(t.Position[:])
		}
	})
}

// pathFields are the fields of a path. Its other keys are names of targets.
var pathFields = []string{"file", "times", "interpolation", "step", "exact", "from", "stretch"}

// Indexes of pathFields.
const (
	pathOwnFile = iota
	pathTimes
	pathInterpolation
	pathStep
	pathExact
	pathFrom
	pathStretch
)

// pathOf reads a path: its fields, and waypoints by the names of targets. It returns nil if it is no object.
func (d *reader) pathOf() *ik.Path {
	p, file := new(ik.Path), ""
	if !d.OpenObject() {
		return nil
	}
	seen := map[string]bool{}
	for {
		key, ok := d.Reader.Key(seen)
		if !ok {
			break
		}
		switch slices.Index(pathFields, key) {
		case pathOwnFile:
			file = d.name()
		case pathTimes:
			p.Times = d.Numbers([]float64{}, joints.MaxTimes)
		case pathInterpolation:
			p.Spline = d.Choice("linear", "spline") == 1
		case pathStep:
			d.positive(&p.Step)
		case pathExact:
			p.Exact = d.Bool()
		case pathFrom:
			p.FromPose = d.Choice("start", "pose") == 1
		case pathStretch:
			p.Stretch = d.Bool()
		default:
			p.Targets = append(p.Targets, d.waypoints(key))
		}
	}
	switch {
	case d.Fatal:
	case seen["file"] && seen["times"]:
		d.NoteAt("times", "", "means nothing beside \"file\", which has the times")
	case seen["file"]:
		readPathFile(d.folder, file, p, func(value, rule string) {
			d.unread = true
			d.NoteAt("file", value, rule)
		})
	case !seen["times"]:
		d.NoteAt("times", "", document.RuleMissing)
	}
	return p
}

// waypointFields are the fields of the waypoints of a target.
var waypointFields = []string{"position", "orientation", "value"}

// waypoints reads the waypoints of one target.
func (d *reader) waypoints(target string) ik.Waypoints {
	w := ik.Waypoints{Target: target}
	d.Object(waypointFields, nil, func(k int) {
		switch k {
		case 0:
			w.Position = vectors(d, func(v *[3]float64) { d.Vector(v[:]) })
		case 1:
			w.Orientation = vectors(d, d.Orientation)
		default:
			w.Value = d.Numbers([]float64{}, joints.MaxTimes)
		}
	})
	return w
}

// vectors reads a list of up to joints.MaxTimes vectors, each by read.
func vectors[T any](d *reader, read func(*T)) []T {
	if !d.OpenArray() {
		return nil
	}
	list := []T{}
	n := 0
	for ; d.Element(n); n++ {
		if n >= joints.MaxTimes {
			d.Skip()
			continue
		}
		var v T
		read(&v)
		list = append(list, v)
	}
	d.Bound(n, joints.MaxTimes)
	return list
}

// fillPlaces fills in each missing field of a target from the first waypoint of the path. It reports fields that are missing in both.
func (d *reader) fillPlaces() {
	if d.unread { // the file of the path could not be read
		return
	}
	for _, m := range d.missing {
		if t := &d.t.Targets[m.target]; !first(d.t.Path, t, m.field) {
			path := document.Key(document.Entry("$.targets", m.target), targetFields[m.field])
			d.Add(document.Place{Section: 1, Index: m.target}, path, "", document.RuleMissing)
		}
	}
}

// first stores in a field of t the first waypoint for it in p, which may be nil. It returns false if there is none.
func first(p *ik.Path, t *ik.Target, field int) bool {
	if p == nil {
		return false
	}
	for i := range p.Targets {
		w := &p.Targets[i]
		switch {
		case w.Target != t.Name:
		case field == targetPosition && len(w.Position) > 0:
			t.Position = w.Position[0]
			return true
		case field == targetOrientation && len(w.Orientation) > 0:
			t.Orientation = w.Orientation[0]
			return true
		case field == targetLength && len(w.Value) > 0:
			t.Length = w.Value[0]
			return true
		case field == targetValue && len(w.Value) > 0:
			t.Value = w.Value[0]
			return true
		}
	}
	return false
}
