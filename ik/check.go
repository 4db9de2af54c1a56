package ik

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// checker looks up the names of a task and collects the rules that it breaks.
type checker struct {
	p     *Problem
	m     *mechanism.Mechanism
	scale float64 // typical length of the mechanism, m

	taken  map[mechanism.Freedom]string // driven and held freedoms, with the path in the document that names each
	place  map[mechanism.Freedom]int    // number of each driven freedom
	joints index
	bodies index
	hints  fault.Hints // for names that nothing has

	faults document.Faults
	broken int // number of broken rules, with those that the reader of the document has reported
}

// newChecker returns a checker of the task of p, whose names are those of its mechanism.
func newChecker(p *Problem) *checker {
	m := p.plan.Mechanism()
	return &checker{
		p: p, m: m, scale: m.TypicalLength(),
		taken: map[mechanism.Freedom]string{}, place: map[mechanism.Freedom]int{},
		joints: index{n: m.NumJoints(), name: m.JointName, find: m.JointIndex},
		bodies: index{n: m.NumBodies(), name: m.BodyName, find: m.BodyIndex},
	}
}

// index finds the number of a name: at first by search, and from the ninth name on in a map.
type index struct {
	n     int
	name  func(i int) string
	find  func(name string) (int, error)
	asked int // names so far
	all   map[string]int
}

// fewNames is how many names are searched for before a map is made. Another value costs time only.
const fewNames = 8

// number returns the number of a name and whether there is one.
func (x *index) number(name string) (int, bool) {
	if x.asked++; x.asked <= fewNames {
		i, err := x.find(name)
		return i, err == nil
	}
	if x.all == nil {
		x.all = make(map[string]int, x.n)
		for i := range x.n {
			x.all[x.name(i)] = i
		}
	}
	i, ok := x.all[name]
	return i, ok
}

// meant returns the hint for an unknown name: the nearest name that there is.
func (x *index) meant(name string, hints *fault.Hints) string { return hints.Meant(name, x.n, x.name) }

// meantOrWorld is meant where the world may be named, too.
func (x *index) meantOrWorld(name string, hints *fault.Hints) string {
	return hints.Meant(name, x.n+1, func(i int) string {
		if i == x.n {
			return model.World
		}
		return x.name(i)
	})
}

// add counts a broken rule, and records it unless the reader of the document has reported the value at this path.
func (c *checker) add(path, value, format string, args ...any) {
	c.broken++
	if !c.p.task.judged(path) {
		c.faults.Add(document.Place{}, path, value, fmt.Sprintf(format, args...))
	}
}

var (
	errNoScalar = errors.New("has no freedom with a scalar coordinate")
	errNoNumber = errors.New("has no scalar freedom of that number")
	errSeveral  = errors.New("has several freedoms: one has to be named, as JOINT.0")
)

// freedomsOf returns the scalar freedoms that a name means: freedom i for JOINT.i, all of them for JOINT.
func (c *checker) freedomsOf(name string) ([]mechanism.Freedom, error) {
	if j, ok := c.joints.number(name); ok {
		var list []mechanism.Freedom
		for i := range c.m.Joints[j].Kind.Freedoms() {
			if c.m.Joints[j].Kind.Scalar(i) {
				list = append(list, mechanism.Freedom{Joint: j, Freedom: i})
			}
		}
		if list == nil {
			return nil, fmt.Errorf("joint %s %w", fault.Name(name), errNoScalar)
		}
		return list, nil
	}
	dot := strings.LastIndexByte(name, '.')
	if dot >= 0 {
		j, ok := c.joints.number(name[:dot])
		i, err := strconv.Atoi(name[dot+1:])
		switch {
		case !ok:
		case err != nil || !c.m.Joints[j].Kind.Scalar(i):
			return nil, fmt.Errorf("joint %s %w", fault.Name(name[:dot]), errNoNumber)
		default:
			return []mechanism.Freedom{{Joint: j, Freedom: i}}, nil
		}
	}
	return nil, fmt.Errorf("there is no joint %s%s", fault.Name(name), c.joints.meant(name, &c.hints))
}

// oneFreedom is freedomsOf for a name that has to mean one freedom. Beside an error it returns joint −1.
func (c *checker) oneFreedom(name string) (mechanism.Freedom, error) {
	list, err := c.freedomsOf(name)
	switch {
	case err != nil:
		return mechanism.Freedom{Joint: -1}, err
	case len(list) > 1:
		return mechanism.Freedom{Joint: -1}, fmt.Errorf("joint %s %w", fault.Name(name), errSeveral)
	}
	return list[0], nil
}

// drivenFreedoms returns the freedoms of $.driven. If the task has none, it returns all that are not prescribed, from which heldFreedoms
// removes the held ones.
func (c *checker) drivenFreedoms(names []string) []mechanism.Freedom {
	if names == nil {
		return c.allFreedoms()
	}
	list := c.listedFreedoms(names, "driven")
	if len(names) == 0 {
		c.add("$.driven", "[]", "names no freedom")
	}
	return list
}

// heldFreedoms returns the freedoms of $.hold. If the task has no $.driven, it removes them from the driven freedoms c.p.driven. It
// stores in c.place the index of each driven freedom.
func (c *checker) heldFreedoms(names []string) []mechanism.Freedom {
	list := c.listedFreedoms(names, "hold")
	if c.p.task.Driven == nil {
		c.p.driven = slices.DeleteFunc(c.p.driven, func(f mechanism.Freedom) bool { return slices.Contains(list, f) })
	}
	for i, f := range c.p.driven {
		c.place[f] = i
	}
	return list
}

// allFreedoms returns all scalar freedoms that are not prescribed.
func (c *checker) allFreedoms() []mechanism.Freedom {
	var list []mechanism.Freedom
	for j := range c.m.Joints {
		jt := &c.m.Joints[j]
		for i := range jt.Kind.Freedoms() {
			if jt.Kind.Scalar(i) && !jt.Prescribed(i) {
				list = append(list, mechanism.Freedom{Joint: j, Freedom: i})
			}
		}
	}
	return list
}

// listedFreedoms returns the freedoms that the list $.key of the document names. Each freedom may be named once over all lists.
func (c *checker) listedFreedoms(names []string, key string) []mechanism.Freedom {
	var out []mechanism.Freedom
	for i, name := range names {
		path := fmt.Sprintf("$.%s[%d]", key, i)
		list, err := c.freedomsOf(name)
		if err != nil {
			c.add(path, fault.Name(name), "%v", err)
			continue
		}
		for _, f := range list {
			before, again := c.taken[f]
			switch {
			case c.m.Joints[f.Joint].Prescribed(f.Freedom):
				c.add(path, fault.Name(name), "freedom %d is prescribed by the model", f.Freedom)
			case again:
				c.add(path, fault.Name(name), "freedom %d is in %s already", f.Freedom, before)
			default:
				c.taken[f] = path
				out = append(out, f)
			}
		}
	}
	return out
}

// mergeLimits starts with the limits of the model. For each freedom that the task names, the interval of the task replaces the interval of
// the model, unless the task gives nothing but a rate; and a rate of the task replaces the rate of the model.
func (c *checker) mergeLimits(list []Limit) {
	p := c.p
	n := len(p.driven)
	p.lower, p.upper, p.rate = boundless(n)
	p.angle = make([]bool, n)
	for i, f := range p.driven {
		p.angle[i] = isAngle(c.m, f)
		l := c.m.Limit(f)
		if p.lower[i], p.upper[i] = l.Lower, l.Upper; l.Rate > 0 {
			p.rate[i] = l.Rate
		}
	}
	seen := map[int]bool{}
	for _, l := range list {
		path, rate := document.Key("$.limits", l.Freedom), document.Key("$.rates", l.Freedom)
		rateOnly := l.Lower == 0 && l.Upper == 0 && l.Rate > 0
		if !rateOnly && !(l.Lower < l.Upper) {
			c.add(path, fmt.Sprintf("[%v, %v]", l.Lower, l.Upper), "the lower bound is not below the upper one")
		}
		for k, x := range [2]float64{l.Lower, l.Upper} {
			if algebra.Finite(x) && math.Abs(x) > mostNumber {
				c.add(fmt.Sprintf("%s[%d]", path, k), document.Number(x), "%s", sizeRule(x))
			}
		}
		switch {
		case !(l.Rate >= 0):
			c.add(rate, document.Number(l.Rate), "is not positive")
		case !(l.Rate <= mostNumber):
			c.add(rate, document.Number(l.Rate), "%s", sizeRule(l.Rate))
		}
		f, err := c.oneFreedom(l.Freedom)
		if err != nil {
			c.add(path, "", "%v", err)
			continue
		}
		i, ok := c.place[f]
		switch {
		case !ok:
			c.add(path, "", "the freedom is not driven")
		case seen[i]:
			c.add(path, "", "is given twice")
		default:
			seen[i] = true
			if !rateOnly {
				p.lower[i], p.upper[i] = l.Lower, l.Upper
			}
			if l.Rate > 0 {
				p.rate[i] = l.Rate
			}
		}
	}
}

// checkPosture checks the posture and stores the coordinates to which it draws driven freedoms.
func (c *checker) checkPosture(o *Posture) {
	if o == nil {
		return
	}
	if !(o.Gain > 0) {
		c.add("$.posture.gain", document.Number(o.Gain), "is not positive")
	} else if rule := sizeRule(o.Gain); rule != "" {
		c.add("$.posture.gain", document.Number(o.Gain), "%s", rule)
	}
	c.numbersOf("$.posture.values", o.Values, func(i int, value float64) {
		c.p.rest = append(c.p.rest, restTarget{driven: i, value: value})
	})
}

// options checks the solver options of the task.
func (c *checker) options(o *Options) {
	if len(c.p.task.Targets) == 0 {
		c.add("$.targets", "", "there is no target")
	}
	bad := func(wrong bool, key string, value any, rule string) {
		if wrong {
			c.add("$.solver."+key, fmt.Sprint(value), "%s", rule)
		}
	}
	bad(o.Method >= NumMethods, "method", o.Method, "is no method")
	bad(o.Engine >= NumEngines, "engine", o.Engine, "is no engine")
	bad(o.Metric >= NumMetrics, "metric", o.Metric, "is no metric")
	bad(o.Steps < 0, "steps", o.Steps, "is negative")
	bad(o.Restarts < -1, "restarts", o.Restarts, "is below -1")
	bad(o.Restarts > MaxRestarts && o.MaxTime == 0, "restarts", o.Restarts, fault.TooDear(float64(o.Restarts), MaxRestarts, "starts", "take fewer, or bound their time (max_time)"))
	bad(!(o.Damping >= 0), "damping", o.Damping, "is negative or no number")
	bad(o.Damping > mostNumber, "damping", o.Damping, "is beyond 1e50")
	bad(o.MaxTime < 0, "max_time", o.MaxTime, "is negative")
	bad(!(o.Length >= 0), "length", o.Length, "is negative or no number")
	bad(o.Length > mostNumber || o.Length > 0 && o.Length < 1/mostNumber, "length", o.Length, "is not within 1e-50 … 1e50")
	bad(o.Threads < 0 || o.Threads > kkt.MaxThreads, "threads", o.Threads, "is out of range")
}

// numbersOf checks a list of numbers that belong to driven freedoms. It calls take, unless that is nil, with each valid number and the
// index of its driven freedom.
func (c *checker) numbersOf(path string, list []Coordinated, take func(i int, value float64)) {
	for _, v := range list {
		at := document.Key(path, v.Freedom)
		f, err := c.oneFreedom(v.Freedom)
		i, driven := c.place[f]
		switch {
		case err != nil:
			c.add(at, fault.Name(v.Freedom), "%v", err)
		case !driven:
			c.add(at, fault.Name(v.Freedom), "the freedom is not driven")
		case sizeRule(v.Value) != "":
			c.add(at, document.Number(v.Value), "%s", sizeRule(v.Value))
		case take != nil:
			take(i, v.Value)
		}
	}
}
