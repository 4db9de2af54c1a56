package ik

import (
	"slices"
	"strings"

	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/model"
)

// judged reports whether the reader has complained about a value at path, around it or in it.
func (t *Task) judged(path string) bool {
	if t.faults == nil {
		return false
	}
	list, _ := t.faults.Sorted()
	return slices.ContainsFunc(list, func(f document.Fault) bool { return inside(path, f.Path) || inside(f.Path, path) })
}

// inside reports whether path is outer or inside of it.
func inside(path, outer string) bool {
	rest, ok := strings.CutPrefix(path, outer)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// problems returns the faults of the reader and those of more, in the order of the document; nil if there are none.
func (t *Task) problems(more *document.Faults) error {
	var all document.Faults
	for _, f := range []*document.Faults{t.faults, more} {
		if f != nil {
			all.Append(f, placeOf)
		}
	}
	list, left := all.Sorted()
	if len(list) == 0 {
		return nil
	}
	file := t.fileName()
	p := &model.Problems{List: make([]*model.Problem, len(list)), More: left}
	for i, f := range list {
		p.List[i] = &model.Problem{File: file, Path: f.Path, Value: f.Value, Rule: f.Rule}
	}
	return p
}

// fileName returns the name of the task's document for messages.
func (t *Task) fileName() string {
	if t.file == "" {
		return "task"
	}
	return t.file
}

// placeOf returns where a path belongs among the others: by the field of the task, and in a list by the entry.
func placeOf(path string) document.Place {
	rest := strings.TrimPrefix(path, "$")
	key := strings.TrimPrefix(rest, ".")
	if i := strings.IndexAny(key, ".["); i >= 0 {
		key, rest = key[:i], key[i:]
	}
	at := document.Place{Section: 1 + slices.Index(taskFields, key)}
	if n, ok := strings.CutPrefix(rest, "["); ok {
		for i := 0; i < len(n) && '0' <= n[i] && n[i] <= '9'; i++ {
			at.Index = 10*at.Index + int(n[i]-'0')
		}
	}
	return at
}
