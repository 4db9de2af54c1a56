package directions

import (
	"fmt"
	"io"

	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
)

const format = "rung-directions/1"

// Read reads one document of rung-directions/1 from r up to its end; file names it in messages.
//
// Cost: O(bytes of the document). It returns a *model.Problems with everything that is wrong with the document: directions without a name
// or with the name of another, changes without the name of the body, joint or parameter, and values that are no numbers. Errors of r are
// returned wrapped.
func Read(r io.Reader, file string) ([]derive.NamedDirection, error) {
	d := &reader{document.NewReader(r)}
	list := d.all()
	if err := d.Err(); err != nil {
		return nil, fmt.Errorf("derive/directions: read %s: %w", file, err)
	}
	bad, more := d.Sorted()
	if len(bad) == 0 {
		return list, nil
	}
	p := &model.Problems{More: more}
	for _, f := range bad {
		p.List = append(p.List, &model.Problem{File: file, Path: f.Path, Value: f.Value, Rule: f.Rule})
	}
	return nil, p
}

// reader turns the tokens of a document into directions.
type reader struct{ *document.Reader }

// documentFields are the fields of a document; the constants are their indices.
var documentFields = []string{documentSchema: "$schema", documentFormat: "format", documentDirections: "directions"}

const (
	documentSchema = iota
	documentFormat
	documentDirections
)

// all reads the document.
func (d *reader) all() (list []derive.NamedDirection) {
	if !d.Begin(format) {
		return nil
	}
	var seen uint32
	for k := range d.Members(documentFields, &seen) {
		switch k {
		case documentSchema:
			d.Text()
		case documentFormat:
			d.Format(format)
		case documentDirections:
			before := d.Len()
			list = document.List(d.Reader, Max, d.direction)
			if len(list) == 0 && !d.Fatal && d.Len() == before {
				d.Problem("", "is empty")
			}
		}
	}
	d.Require(documentFields, seen, documentFormat, documentDirections)
	if !d.Fatal {
		d.End()
		d.distinct(list)
	}
	return list
}

// inDirections is the section of problems of directions.
const inDirections = 1

// distinct reports directions with the name of an earlier one.
func (d *reader) distinct(list []derive.NamedDirection) {
	first := make(map[string]int, len(list))
	for i := range list {
		s := list[i].Name
		if s == "" {
			continue // reported where it was read
		}
		k, ok := first[s]
		if !ok {
			first[s] = i
			continue
		}
		at := document.Place{Section: inDirections, Index: i}
		d.Add(at, document.Entry("$.directions", i)+".name", fault.Name(document.Cut(s)), "is the name of "+document.Entry("$.directions", k))
	}
}
