package ik

import (
	"cmp"
	"slices"
	"strings"

	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/model"
)

// judged reports whether the reader of the document has reported a problem at path, of a value that contains it, or inside it.
func (t *Task) judged(path string) bool {
	return t.Broken != nil && slices.ContainsFunc(t.Broken.List, func(p *model.Problem) bool { return inside(path, p.Path) || inside(p.Path, path) })
}

// inside reports whether path is outer or inside of it.
func inside(path, outer string) bool {
	rest, ok := strings.CutPrefix(path, outer)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// problems returns the problems that the reader has found together with more, in the order of the document; nil if there are none.
func (t *Task) problems(more *document.Faults) error {
	var all document.Faults
	unlisted := 0 // problems that are counted only
	if t.Broken != nil {
		unlisted = t.Broken.More
		for _, p := range t.Broken.List {
			all.Add(placeOf(p.Path), p.Path, p.Value, p.Rule)
		}
	}
	all.Append(more, placeOf)
	list, beyond := all.Sorted()
	if len(list) == 0 {
		return nil
	}
	out := &model.Problems{List: make([]*model.Problem, len(list)), More: unlisted + beyond}
	for i, f := range list {
		out.List[i] = &model.Problem{File: t.fileName(), Path: f.Path, Value: f.Value, Rule: f.Rule}
	}
	return out
}

// fileName returns the name of the task's document for messages.
func (t *Task) fileName() string { return cmp.Or(t.File, "task") }

// sections are the fields of a document of rung-ik/1 in the order in which problems are listed.
var sections = []string{
	"$schema", "format", "driven", "hold", "limits", "rates", "targets", "posture", "path", "solver", "fik",
}

// placeOf returns the place of a path in this order.
func placeOf(path string) document.Place { return document.PlaceOf(sections, path) }
