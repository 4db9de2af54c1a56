package assembly

import (
	"fmt"
	"math"
	"strconv"

	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// Build makes the model of a. It modifies the links and joints of a.
//
// Cost: O(links + joints). It returns the errors of the report, including earlier ones, or the errors of model.Check.
func (a *Assembly) Build(o *source.Options, report *source.Report) (*source.Result, error) {
	if err := report.Err(false); err != nil {
		return nil, err
	}
	if o.Gravity != nil {
		a.Gravity = *o.Gravity
	}
	tree := a.trees()
	if o.Snap >= 0 {
		a.snap(tree, o, report)
		a.align(tree, o, report)
	}
	poses, rates := a.placed(tree)
	r := &source.Result{Links: make([]source.Where, len(a.Links))}
	a.residual(tree, poses, r)
	if o.Within && o.Key == "" && max(r.Linear, r.Angular) > source.Closed && a.within(tree, o, report) {
		poses, rates = a.placed(tree)
		r.Linear, r.Angular, r.Worst = 0, 0, ""
		a.residual(tree, poses, r)
	}
	if e := max(r.Linear, r.Angular); e > source.Closed {
		report.Note(nil, "the loops are open in this pose", fmt.Sprintf("by %.3g m and %.3g rad; the worst is joint %s; the solver can close them", r.Linear, r.Angular, fault.Name(r.Worst)))
	}
	a.tellCouplings(tree, poses, report)
	for i := range a.Links {
		a.Links[i].Pose = poses[i]
	}
	c := a.carriers(o, report)
	alive := a.merge(c)
	f := a.fold(alive, o, report)
	b := builder{a: a, o: o, report: report, f: f, c: c, poses: poses, rates: rates, names: newNames(), coordinates: map[int]coordinate{}}
	b.m = model.New(a.Name)
	b.m.Gravity = a.Gravity
	b.m.Bodies, b.m.Joints = make([]model.Body, 0, len(a.Links)), make([]model.Joint, 0, len(a.Joints))
	b.bodies(r)
	for k := range a.Joints {
		if f.joints[k] {
			b.joint(&a.Joints[k])
		}
	}
	b.couplings()
	b.forces()
	b.servos()
	b.carried(r)
	if err := report.Err(o.Strict); err != nil {
		return nil, err
	}
	b.m.Canonicalize()
	if err := model.Check(b.m); err != nil {
		return nil, err
	}
	r.Model, r.Coordinates = b.m, b.named
	return r, nil
}

// builder makes the model from the folded assembly.
type builder struct {
	a           *Assembly
	o           *source.Options
	report      *source.Report
	f           *folder
	c           []carrier
	poses       []Pose
	rates       []twist
	m           *model.Model
	body        []string // name of the body of each link
	names       names    // of joints
	coordinates map[int]coordinate
	named       []source.Coordinate
}

// coordinate is the freedom of the model for a coordinate of the file, and its sign, 1 or −1.
type coordinate struct {
	joint   string
	freedom int
	sign    float64
}

// names makes names unique by suffixes.
type names struct {
	seen map[string]bool
	next map[string]int
}

func newNames() names { return names{map[string]bool{}, map[string]int{}} }

// unique returns the given name, with #2, #3, … appended if an earlier call has returned it.
func (n *names) unique(name string) string {
	out := name
	for n.seen[out] {
		n.next[name]++
		out = name + "#" + strconv.Itoa(n.next[name]+1)
	}
	n.seen[out] = true
	return out
}

// bodies makes the bodies, and stores in r the body and the pose of each link.
func (b *builder) bodies(r *source.Result) {
	b.body = make([]string, len(b.a.Links))
	n := newNames()
	n.seen[model.World] = true
	for i := range b.a.Links {
		if !b.f.alive[i] {
			continue
		}
		l := &b.a.Links[i]
		if l.Mass == 0 && l.Inertia == (spatial.Sym3{}) && b.report.Failed() {
			continue // refused already
		}
		checkInertia(l, b.o, b.report)
		name := l.Name
		if name == model.World {
			name = "world_"
		}
		b.body[i] = n.unique(name)
		if b.body[i] != l.Name {
			b.report.Note(l.At, "link "+fault.Name(l.Name), "its body is "+fault.Name(b.body[i]))
		}
		x := b.poses[i]
		b.m.Bodies = append(b.m.Bodies, model.Body{
			Name: b.body[i], Mass: l.Mass, Com: l.Com, Pose: x.model(),
			Inertia:  model.Inertia{XX: l.Inertia[0], YY: l.Inertia[1], ZZ: l.Inertia[2], XY: l.Inertia[3], XZ: l.Inertia[4], YZ: l.Inertia[5]},
			Velocity: model.Velocity{Linear: b.rates[i].v, Angular: b.rates[i].w},
		})
		if b.o.KeepFree && len(b.f.at(i)) == 0 {
			b.m.Joints = append(b.m.Joints, model.Joint{Name: b.names.unique(l.Name + "#free"), Type: model.Free, Predecessor: model.World, Successor: b.body[i]})
		}
	}
	for i := range b.a.Links {
		r.Links[i] = source.Where{Link: b.a.Links[i].Name, Body: model.World, Pose: b.c[i].pose.model()}
		if l := b.c[i].link; l != World {
			r.Links[i].Body = b.body[l]
		}
	}
}

// name returns the name of the body of a link, or World.
func (b *builder) name(link int) string {
	if link == World {
		return model.World
	}
	return b.body[link]
}

// joint makes the joints of the model for j.
func (b *builder) joint(j *Joint) {
	pred, succ := b.name(j.Predecessor), b.name(j.Successor)
	if pred == "" || succ == "" {
		return // refused already
	}
	if j.Name == "" {
		j.Name = "joint"
	}
	if j.Typed {
		b.m.Joints = append(b.m.Joints, model.Joint{
			Name: b.names.unique(j.Name), Type: j.Type, Predecessor: pred, Successor: succ,
			PredecessorFrame: j.P.model(), SuccessorFrame: j.S.model(), Length: j.Length, Curve: j.Curve,
		})
		return
	}
	b.dropBallDampers(j)
	parts, ok := combine(j.Axes)
	if !ok {
		b.composite(j, pred, succ)
		return
	}
	switch {
	case len(parts) == 0:
		b.report.Note(j.At, "joint "+fault.Name(j.Name), "lets everything pass and is left out")
	case parts[0].kind == model.Spherical && len(j.Axes) == 3:
		b.report.Note(j.At, "joint "+fault.Name(j.Name), "its three rotations become spherical: where they lock, the joint does not")
	}
	for k := range parts {
		p := &parts[k]
		name := j.Name
		if k > 0 {
			name += "#" + p.kind.String()
		}
		s := p.frame
		if p.frameS != nil {
			s = *p.frameS
		}
		out := model.Joint{
			Name: b.names.unique(name), Type: p.kind, Predecessor: pred, Successor: succ,
			PredecessorFrame: j.P.Mul(p.frame).model(), SuccessorFrame: j.S.Mul(s).model(),
			Length: p.length, Pitch: p.pitch, Curve: p.curve,
		}
		if p.reversed {
			out.Predecessor, out.Successor = out.Successor, out.Predecessor
			out.PredecessorFrame, out.SuccessorFrame = out.SuccessorFrame, out.PredecessorFrame
		}
		b.freedoms(&out, p.freedoms, j.Axes)
		b.m.Joints = append(b.m.Joints, out)
	}
}

// freedoms sets the lists of a joint: forces, springs, limits, motions and turns of the freedoms in list, whose motions are in row.
func (b *builder) freedoms(out *model.Joint, list []freedom, row []Axis) {
	kind := out.Kind()
	n := kind.Freedoms()
	turn := 0
	for k := range list {
		rotational := kind.Scalar(k) && kind.Rotational(k)
		f := list[k]
		if f.axis < 0 {
			if rotational {
				turn++
			}
			continue
		}
		a := &row[f.axis]
		set := func(to *[]float64, x float64) {
			if x == 0 {
				return
			}
			if *to == nil {
				*to = make([]float64, n)
			}
			(*to)[k] = x
		}
		if a.Kind == Ball {
			set(&out.Damping, a.Damping)
			continue
		}
		set(&out.Force, f.sign*a.Force)
		set(&out.Stiffness, a.Stiffness)
		set(&out.Damping, a.Damping)
		if a.Stiffness != 0 || a.Springs != [2]float64{} {
			set(&out.Rest, f.sign*a.Rest)
		}
		b.extras(out, k, n, a, f.sign)
		b.limit(out, k, n, a, f.sign)
		if a.Motion != nil {
			if out.Motion == nil {
				out.Motion = make([]*model.Motion, n)
			}
			out.Motion[k] = a.Motion
		}
		if rotational {
			if out.Type == model.Composite {
				turn = k // Turns of a composite has an entry for each axis
			}
			b.wind(out, turn, a, f.sign)
			turn++
		}
		if a.Coordinate != 0 {
			b.coordinates[a.Coordinate] = coordinate{out.Name, k, f.sign}
		}
		if a.Name != "" {
			b.named = append(b.named, source.Coordinate{Name: a.Name, Joint: len(b.m.Joints), Freedom: k, Sign: f.sign})
		}
	}
}

// limit sets the limit of freedom k of n from axis a; sign −1 reverses it.
func (b *builder) limit(out *model.Joint, k, n int, a *Axis, sign float64) {
	if l := a.Limit; l != nil && !(l.Lower < l.Upper) {
		b.report.DropUsed(a.At, "limits of joint "+fault.Name(a.Name), fmt.Sprintf("the lower one, %g, is not below the upper one, %g", l.Lower, l.Upper), "")
	} else if l != nil && *l != model.NoLimit() {
		if out.Limits == nil {
			out.Limits = make([]*model.Limit, n)
		}
		c := *l
		if sign < 0 {
			c.Lower, c.Upper = -l.Upper, -l.Lower
		}
		out.Limits[k] = &c
		if !math.IsInf(l.Lower, -1) || !math.IsInf(l.Upper, 1) {
			b.report.Note(a.At, "limits of coordinates are kept", "they do not stop the motion, unless a stop is put into the model")
		}
	}
}

// mostTurns is the largest number of turns: up to it a float64 represents all integers.
const mostTurns = 1 << 53

// wind stores the whole turns of axis a in out.Turns[turn]. Fewer than one turn, and helical axes, store nothing.
func (b *builder) wind(out *model.Joint, turn int, a *Axis, sign float64) {
	most := out.Kind().Turns()
	turns := math.Round((a.Value - math.Remainder(a.Value, 2*math.Pi)) / (2 * math.Pi))
	if turns == 0 || turn >= most || a.Kind == Helical {
		return
	}
	if math.Abs(turns) > mostTurns {
		b.report.Refuse(a.At, "coordinate of "+fault.Name(a.Name), fmt.Sprintf("%g rad are more turns than can be counted", a.Value))
		return
	}
	if out.Turns == nil {
		out.Turns = make([]int64, most)
	}
	out.Turns[turn] = int64(sign * turns)
}

// forces makes the force elements. Forces between points of one body are left out with a note.
func (b *builder) forces() {
	n := newNames()
	for k := range b.a.Forces {
		f := &b.a.Forces[k]
		if f.Type == model.Wrench && f.A == World {
			continue // on the ground
		}
		e := model.ForceElement{
			Name: n.unique(f.Name), Type: f.Type, A: model.Attachment{Body: b.name(f.A), Point: f.PointA},
			Force: f.Force, Torque: f.Torque, Stiffness: f.Stiffness, Damping: f.Damping, RestLength: f.RestLength, Spring: f.Spring, Damper: f.Damper,
		}
		one := f.A == f.B
		switch f.Type {
		case model.SpringDamper, model.BushingForce:
			e.B = model.Attachment{Body: b.name(f.B), Point: f.PointB}
			if f.Type == model.BushingForce { // the same stiffness and damping in all directions
				e.Stiffness, e.Damping = 0, 0
				e.Bushing = &model.Bushing{
					Stiffness: model.Diagonal([6]float64{3: f.Stiffness, 4: f.Stiffness, 5: f.Stiffness}),
					Damping:   model.Diagonal([6]float64{3: f.Damping, 4: f.Damping, 5: f.Damping}),
				}
			}
		case model.CableForce:
			e.A, e.Cable, one = model.Attachment{}, &model.Cable{}, true
			for _, p := range f.Points {
				e.Cable.Points = append(e.Cable.Points, model.Attachment{Body: b.name(p.Link), Point: p.At})
				one = one && p.Link == f.Points[0].Link
			}
		default:
			one = false
		}
		if one {
			b.report.Note(f.At, "force "+fault.Name(f.Name), "acts between points of one body and is left out")
			continue
		}
		b.m.Forces = append(b.m.Forces, e)
	}
}
