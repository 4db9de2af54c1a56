package model

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rung-mbd/rung/internal/fault"
)

// MaxProblems is the number of problems of one document that are kept; of
// further ones only the count is.
const MaxProblems = 1000

// Problem is one rule broken at one place of a document.
type Problem struct {
	File  string `json:"file"`            // as given to Read; the model's name, or "model", from Check
	Path  string `json:"path"`            // JSON path, such as $.bodies[1].mass
	Value string `json:"value,omitempty"` // what is there, cut short; empty if nothing is
	Rule  string `json:"rule"`            // what is wrong
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
	List []*Problem `json:"problems"`       // at most MaxProblems
	More int        `json:"more,omitempty"` // problems found beyond them
}

// Error returns one line a problem and a last one for those not kept.
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

// section names a part of the document; problems are sorted by it.
type section uint8

const (
	secDocument section = iota
	secBodies
	secJoints
	secForces
	secSyntax // stops the reading, so it comes last
)

var sectionKeys = [...]string{secBodies: "bodies", secJoints: "joints", secForces: "forces"}

// elementPath returns the path of element i of s, such as $.bodies[1].
func elementPath(s section, i int) string {
	return "$." + sectionKeys[s] + "[" + strconv.Itoa(i) + "]"
}

// found is a problem with its place in the document's order.
type found struct {
	*Problem
	sec   section
	index int
}

// collector gathers the problems of one document.
type collector struct {
	file string
	list []found
	more int
}

// full reports whether further problems are only counted.
func (c *collector) full() bool { return len(c.list) >= MaxProblems }

// add records one problem of element index of sec.
func (c *collector) add(sec section, index int, path, value, rule string) {
	if c.full() {
		c.more++
		return
	}
	p := &Problem{File: c.file, Path: path, Value: value, Rule: rule}
	c.list = append(c.list, found{p, sec, index})
}

// err returns the problems in the document's order, or nil.
func (c *collector) err() error {
	if len(c.list) == 0 {
		return nil
	}
	slices.SortStableFunc(c.list, func(a, b found) int {
		if a.sec != b.sec {
			return int(a.sec) - int(b.sec)
		}
		return a.index - b.index
	})
	p := &Problems{List: make([]*Problem, len(c.list)), More: c.more}
	for i, f := range c.list {
		p.List[i] = f.Problem
	}
	return p
}

// shortLen is the length, in bytes, beyond which texts are cut in messages.
const shortLen = 60

// cutShort returns s without the bytes after shortLen, cut between runes.
func cutShort(s string) string {
	if len(s) <= shortLen {
		return s
	}
	n := shortLen
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// quoteBytes is fault.Name for the beginning of a text that is not a string yet.
func quoteBytes(s []byte) string { return fault.Name(string(s[:min(len(s), 1<<12)])) }

func formatFloat(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// formatFloats returns x as a list, cut after a few entries.
func formatFloats(x []float64) string {
	const most = 8
	b := []byte{'['}
	for i, v := range x {
		if i > 0 {
			b = append(b, ", "...)
		}
		if i == most {
			b = append(b, "…"...)
			break
		}
		b = strconv.AppendFloat(b, v, 'g', -1, 64)
	}
	return string(append(b, ']'))
}

// appendKey appends one step of a JSON path: .key, or ["key"] if key is not an
// identifier.
func appendKey(b []byte, key string) []byte {
	if isIdentifier(key) && len(key) <= shortLen {
		return append(append(b, '.'), key...)
	}
	b = append(b, '[')
	b = strconv.AppendQuote(b, cutShort(key))
	return append(b, ']')
}

func appendIndex(b []byte, i int) []byte {
	b = append(b, '[')
	b = strconv.AppendInt(b, int64(i), 10)
	return append(b, ']')
}

func isIdentifier(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}
