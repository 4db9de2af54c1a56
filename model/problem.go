package model

import (
	"fmt"
	"strings"

	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
)

// Problem is one rule broken at one place of a document.
type Problem struct {
	File  string `json:"file"`            // as given to Read; the model's name, or "model", from Check
	Path  string `json:"path"`            // JSON path, such as $.bodies[1].mass
	Value string `json:"value,omitempty"` // the value in the document, shortened; empty if there is none
	Rule  string `json:"rule"`            // the rule that is broken
}

// Error returns the problem on one line.
func (p *Problem) Error() string {
	s := p.File + ": " + p.Path + ": " + p.Rule
	if p.Value != "" {
		s += " (value " + p.Value + ")"
	}
	return fault.Line(s)
}

// Problems are all the problems of one document, in its order; at least one.
// errors.As finds a *Problem in it.
type Problems struct {
	List []*Problem `json:"problems"`       // at most 1000
	More int        `json:"more,omitempty"` // number of further problems, which are not kept
}

// Error returns a line for each problem, and a last line with the number of problems that are not kept.
func (p *Problems) Error() string {
	var b strings.Builder
	for i, q := range p.List {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(q.Error())
	}
	if p.More > 0 {
		fmt.Fprintf(&b, "\n%s: $: %d more problems", p.List[0].File, p.More)
	}
	return b.String()
}

// Unwrap returns the problems.
func (p *Problems) Unwrap() []error {
	errs := make([]error, len(p.List))
	for i, q := range p.List {
		errs[i] = q
	}
	return errs
}

// Sections of the document; problems are sorted by them.
const (
	secDocument = iota
	secBodies
	secJoints
	secCouplings
	secTerrains
	secForces
	secFrames
	secVisuals
	secSource // no list
)

var sectionKeys = [...]string{
	secBodies: "bodies", secJoints: "joints", secCouplings: "couplings", secTerrains: "terrains", secForces: "forces", secFrames: "frames", secVisuals: "visuals",
	secSource: "source",
}

// elementPath returns the path of element i of section s, such as $.bodies[1].
func elementPath(s, i int) string { return document.Entry("$."+sectionKeys[s], i) }

// problems returns the faults f of a file as *Problems in the order of the document, or nil if there are none.
func problems(file string, f *document.Faults) error {
	list, more := f.Sorted()
	if len(list) == 0 {
		return nil
	}
	p := &Problems{List: make([]*Problem, len(list)), More: more}
	for i, f := range list {
		p.List[i] = &Problem{file, f.Path, f.Value, f.Rule}
	}
	return p
}
