package study

import (
	"slices"

	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/sim"
)

// Columns are the quantities of a mechanism that the runs of a study record.
type Columns struct {
	Names        []string // of all, time left out
	Units        []string // of all; empty for pure numbers
	Trajectories int      // so many of the first ones are kept over time
	Outputs      []int    // the column of each output
}

// Columns finds the columns of a study among all columns of a mechanism.
//
// It returns *model.Problems with the patterns that no column matches, and the outputs that more than one column matches.
func (s *Study) Columns(all *sim.Catalogue, file string) (*Columns, error) {
	var bad document.Faults
	note := func(section, i int, path, name, rule string) {
		bad.Add(document.Place{Section: section, Index: i}, path, fault.Name(document.Cut(name)), rule)
	}
	look := &lookup{all: all, units: map[string]string{}}
	c := &Columns{Outputs: make([]int, len(s.Outputs))}
	at := map[string]int{}
	add := func(name string) int {
		i, ok := at[name]
		if !ok {
			i = len(c.Names)
			at[name], c.Names, c.Units = i, append(c.Names, name), append(c.Units, look.units[name])
		}
		return i
	}
	for i, pattern := range s.Trajectories {
		names := look.list(pattern)
		if len(names) == 0 {
			note(2, i, document.Entry("$.trajectories", i), pattern, look.absent(pattern))
		}
		for _, name := range names {
			if _, ok := at[name]; ok {
				note(2, i, document.Entry("$.trajectories", i), pattern, "has column "+fault.Name(name)+" twice")
				break
			}
			add(name)
		}
	}
	c.Trajectories = len(c.Names)
	for i := range s.Outputs {
		o := &s.Outputs[i]
		names, path := look.list(o.Column), document.Entry("$.outputs", i)+".column"
		if slices.Contains(names, o.Column) {
			names = []string{o.Column}
		}
		switch len(names) {
		case 0:
			note(1, i, path, o.Column, look.absent(o.Column))
		case 1:
			c.Outputs[i] = add(names[0])
		default:
			note(1, i, path, o.Column, "is more than one column; an output is one")
		}
	}
	if err := problems(file, &bad); err != nil {
		return nil, err
	}
	return c, nil
}

// lookup finds the columns that a model has.
type lookup struct {
	all   *sim.Catalogue
	units map[string]string // of the columns found
}

// list returns the names of the columns that match a pattern, and notes their units.
func (l *lookup) list(pattern string) (names []string) {
	l.all.Each(func(c sim.Column) bool {
		if sim.Like(c.Name, pattern) {
			names = append(names, c.Name)
			l.units[c.Name] = c.Unit
		}
		return true
	})
	return names
}

// absent returns the text of the problem that no column matches a pattern, with similar names.
func (l *lookup) absent(pattern string) string {
	near := fault.NearPattern(pattern, 1, func(look func(string) bool) {
		l.all.Each(func(c sim.Column) bool { return look(c.Name) })
	})
	return "the model has no such column" + fault.Meant(pattern, near...)
}
