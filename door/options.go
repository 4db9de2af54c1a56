package door

import (
	"bytes"
	"fmt"
	"math"
	"strings"

	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/model"
)

// option is a field of an object of options, and a pointer to its value: *bool, *int, *int64, *float64, *string, *[]string, *[]float64,
// *map[string]string, or *[]byte for the JSON text of the value. An empty list in the object is stored as an empty list, not as nil.
type option struct {
	name string
	into any
}

// decode reads a JSON object into options. Options that it does not have, or has as null, keep their values; an empty text stands for an
// empty object. The error has all problems, each with its path: unknown fields, fields that occur twice, and values of another
// type. source stands for the name of a file in messages.
func decode(source string, text []byte, options ...option) error {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil
	}
	names := make([]string, len(options))
	for i, o := range options {
		names[i] = o.name
	}
	d := document.NewReader(bytes.NewReader(text))
	d.Object(names, nil, func(k int) {
		if !d.Null() {
			readOption(d, text, options[k].into)
		}
	})
	if !d.Fatal {
		d.End()
	}
	list, more := d.Sorted()
	if len(list) == 0 {
		return nil
	}
	p := &model.Problems{More: more}
	for _, f := range list {
		p.List = append(p.List, &model.Problem{File: source, Path: f.Path, Value: f.Value, Rule: f.Rule})
	}
	return as(Input, p)
}

// mostOptionNumbers is the largest number of numbers in an option.
const mostOptionNumbers = 100_000_000

// mostNames is the largest number of texts in an option.
const mostNames = 100_000

// readOption reads the value of an option from d into a pointer (option). whole is the text that d reads.
func readOption(d *document.Reader, whole []byte, into any) {
	text := func(to *string) {
		s, _ := d.Text()
		*to = string(s)
	}
	switch to := into.(type) {
	case *bool:
		*to = d.Bool()
	case *int:
		n := d.Integer()
		if *to = int(n); n > math.MaxInt32 || n < math.MinInt32 {
			d.Problem(fmt.Sprint(n), "is beyond 32 bits")
		}
	case *int64:
		*to = d.Integer()
	case *float64:
		d.Number(to)
	case *string:
		text(to)
	case *[]byte:
		start := d.Offset()
		d.Skip()
		*to = bytes.TrimLeft(whole[start:d.Offset()], " \t\r\n:")
	case *[]float64:
		*to = d.Numbers([]float64{}, mostOptionNumbers) // not nil for an empty list
	case *[]string:
		if *to = document.List(d, mostNames, text); *to == nil {
			*to = []string{}
		}
	case *map[string]string:
		*to = map[string]string{}
		if !d.OpenObject() {
			return
		}
		seen := map[string]bool{}
		for key, ok := d.Key(seen); ok; key, ok = d.Key(seen) {
			var s string
			text(&s)
			(*to)[key] = s
		}
	default:
		panic("door: an option of no type")
	}
}

// within refuses an integer x of a field that is not from least to most.
func within(what, field string, x, least, most int64) error {
	if x < least || x > most {
		return refuse(Input, "%s: %s is %d, and has to be from %d to %d", what, field, x, least, most)
	}
	return nil
}

// quoted returns names in quotation marks, with commas between them.
func quoted(names []string) string {
	list := make([]string, len(names))
	for i, n := range names {
		list[i] = fmt.Sprintf("%q", n)
	}
	return strings.Join(list, ", ")
}
