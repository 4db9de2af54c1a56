package urdf

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
)

// pair is a loop in the file of pairs; A and B are links or joints.
type pair struct {
	Name string `yaml:"name"`
	Type string `yaml:"type"`
	A    string `yaml:"a"`
	B    string `yaml:"b"`
}

// table is the other form of that file: parallel lists.
type table struct {
	Loops      []pair     `yaml:"loops"`
	ClosedLoop [][]string `yaml:"closed_loop"`
	Type       []string   `yaml:"type"`
	Motors     []string   `yaml:"name_mot"`
	JointName  []string   `yaml:"joint_name"`
	JointType  []string   `yaml:"joint_type"`
}

const (
	largestPairs = 1 << 20         // largest size of a file of pairs, bytes
	pairsFile    = "file of loops" // its name in the report
)

// pairs reads the file o.Loops: a list of {type, a, b} in YAML or JSON, or an object with lists.
func (r *reader) pairs() {
	name, err := r.files.Resolve(source.Dir(r.name), r.o.Loops)
	if err != nil {
		r.Report.Refuse(nil, pairsFile, fault.Plain(err).Error())
		return
	}
	data, err := r.files.Include(name)
	if err == nil && len(data) > largestPairs {
		err = fmt.Errorf("formats/urdf: is larger than %d bytes", largestPairs)
	}
	at := source.Location{File: name.String()}
	if err != nil {
		r.Report.Refuse(at, pairsFile, fault.Plain(err).Error())
		return
	}
	list, t, why := parsePairs(data)
	if why != "" {
		r.Report.Refuse(at, pairsFile, why)
		return
	}
	list = append(list, t.Loops...)
	for k, ends := range t.ClosedLoop {
		if len(ends) != 2 || k >= len(t.Type) {
			r.Report.Refuse(at, fmt.Sprintf("closed_loop[%d]", k), "has to have two names and an entry of type")
			return
		}
		list = append(list, pair{Name: fmt.Sprintf("loop%d", k), Type: t.Type[k], A: ends[0], B: ends[1]})
	}
	if len(t.Motors) > 0 {
		r.Report.Note(at, "name_mot", "belongs to the control of the robot")
	}
	if len(t.JointName) != len(t.JointType) {
		r.Report.Refuse(at, "joint_name and joint_type", "differ in length")
		return
	}
	for k, name := range t.JointName {
		r.replace(at, name, t.JointType[k])
	}
	for k, p := range list {
		if p.Name == "" {
			p.Name = fmt.Sprintf("loop%d", k)
		}
		r.pair(at, p)
	}
}

// parsePairs parses a file of pairs in one of its two forms. It returns the reason if it cannot, else "".
func parsePairs(data []byte) (list []pair, t table, why string) {
	if err := yaml.Unmarshal(data, &list); err != nil {
		list = nil
		if err := yaml.Unmarshal(data, &t); err != nil {
			return nil, t, strings.TrimPrefix(err.Error(), "yaml: ")
		}
	}
	switch {
	case list == nil && t.Loops == nil && t.ClosedLoop == nil && t.JointName == nil:
		why = "names no list of loops or joints"
	case len(t.Type) > len(t.ClosedLoop):
		why = fmt.Sprintf("its list type has %d entries, its list closed_loop %d", len(t.Type), len(t.ClosedLoop))
	}
	return list, t, why
}

// pair appends the joint for the loop p, or refuses it.
func (r *reader) pair(at source.Location, p pair) {
	a, ok1 := r.end(at, p.A)
	b, ok2 := r.end(at, p.B)
	if !ok1 || !ok2 {
		return
	}
	if a == b {
		r.Report.Refuse(at, "loop "+fault.Name(p.Name), "joins a link to itself")
		return
	}
	var row []assembly.Axis
	switch strings.ToLower(p.Type) {
	case "3d", "spherical", "ball":
		row = []assembly.Axis{{At: at, Name: p.Name, Kind: assembly.Ball}}
	case "6d", "fixed", "weld":
	case "revolute", "continuous": // about z
		row = []assembly.Axis{{At: at, Name: p.Name, Kind: assembly.Revolute, Axis: zAxis}}
	case "prismatic":
		row = []assembly.Axis{{At: at, Name: p.Name, Kind: assembly.Prismatic, Axis: zAxis}}
	default:
		r.Report.Refuse(at, "loop "+fault.Name(p.Name), "its type is unknown: "+fault.Name(p.Type))
		return
	}
	frames := [2]assembly.Pose{assembly.Identity(), assembly.Identity()}
	r.append(at, p.Name, row, [2]int{a, b}, frames)
}

// end returns the link with a name or, if no link has it, the child link of the joint with the name. It refuses an unknown name and
// returns false.
func (r *reader) end(at source.Location, name string) (int, bool) {
	if k, ok := r.joints[name]; ok {
		if _, link := r.links[name]; !link {
			return r.a.Joints[k].Successor, true
		}
	}
	return r.named(at, name)
}

// replace changes the type of a joint, and reports forces and limits that are lost by that.
func (r *reader) replace(at source.Location, name, kind string) {
	k, ok := r.joints[name]
	if !ok {
		r.Report.Refuse(at, "joint "+fault.Name(name), "does not exist")
		return
	}
	j := &r.a.Joints[k]
	laden := slices.ContainsFunc(j.Axes, func(a assembly.Axis) bool {
		return a != assembly.Axis{At: a.At, Name: a.Name, Kind: a.Kind, Axis: a.Axis, Point: a.Point, Pitch: a.Pitch}
	})
	switch strings.ToUpper(kind) {
	case "SPHERICAL":
		j.Axes = []assembly.Axis{{At: at, Kind: assembly.Ball}}
	case "UJOINT", "UNIVERSAL":
		j.Axes = []assembly.Axis{
			{At: at, Name: name + "[0]", Kind: assembly.Revolute, Axis: xAxis},
			{At: at, Name: name + "[1]", Kind: assembly.Revolute, Axis: yAxis},
		}
		r.Report.Note(at, "joint "+fault.Name(name), "becomes universal; the file names no axes, x and y of its frame are taken")
	case "FIXED":
		j.Axes = nil
	default:
		r.Report.Refuse(at, "joint "+fault.Name(name), "its new type is unknown: "+fault.Name(kind))
		return
	}
	if laden {
		what := "what acts on joint " + fault.Name(name) + " and bounds it"
		r.Report.Drop(j.At, what, "the file of loops gives it other coordinates", "nothing acts on them")
	}
}
