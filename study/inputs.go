package study

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
)

// Input is a number of a model that a study can vary.
type Input struct {
	Path  string // of the number, as of Parameter, such as bodies[crank].mass
	Unit  string // empty: a pure number, or one whose unit other fields decide
	Value float64
}

// Inputs are the numbers in the document of a model by their paths, and setters for them. They belong to one goroutine.
type Inputs struct {
	root   any
	list   []Input
	places map[string]int // of each, with entries by their numbers
}

// NewInputs returns the inputs of a document of rung-model/1: what a file has, or model.Model.MarshalJSON returns. They are
// all numbers that are written, but for those of visuals and of the source, which no computation looks at. A field that is
// not written has no number, even if it has a default.
//
// Cost: O(bytes of the document); allocates. It returns the problems of model.Read, with name in the place of the file.
func NewInputs(text []byte, name string) (*Inputs, error) {
	m, err := model.Read(bytes.NewReader(text), name)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	in := &Inputs{places: map[string]int{}}
	if err := d.Decode(&in.root); err != nil {
		return nil, fault.Errorf("study: %w", err)
	}
	root, _ := in.root.(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(root)) {
		if key != "visuals" && key != "source" {
			in.add(slot{object: root, key: key}, key, document.Key("$", key), []document.Step{{Key: key}}, m)
		}
	}
	return in, nil
}

// add lists the numbers at and below a place.
func (in *Inputs) add(at slot, path, place string, steps []document.Step, m *model.Model) {
	switch v := at.get().(type) {
	case json.Number:
		if x, err := v.Float64(); err == nil {
			in.places[place] = len(in.list)
			in.list = append(in.list, Input{path, unitOf(steps, m), x})
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			in.add(slot{object: v, key: key}, path+"."+key, document.Key(place, key), append(slices.Clip(steps), document.Step{Key: key}), m)
		}
	case []any:
		named := map[string]bool{}
		for _, e := range v {
			named[entryName(e)] = true
		}
		for i, e := range v {
			name := strconv.Itoa(i)
			if own := entryName(e); own != "" {
				name = own
			} else if named[name] { // by which another entry is meant
				continue
			}
			in.add(slot{list: v, index: i}, path+"["+inBrackets(name)+"]", document.Entry(place, i), append(slices.Clip(steps), document.Step{Key: strconv.Itoa(i), Entry: true}), m)
		}
	}
}

// inBrackets returns the name of an entry as paths have it.
func inBrackets(name string) string {
	if strings.ContainsRune(name, ']') || strings.HasPrefix(name, `"`) {
		return strconv.Quote(name)
	}
	return name
}

// All returns the inputs with their present values, by section and field in the order of letters, and of lists in the order
// of the document.
func (in *Inputs) All() []Input { return slices.Clone(in.list) }

// Set gives the input at a path another value.
//
// It returns an error for a path that leads to no number of the document, and for a value that is not finite. Whether the
// model may have it, Model says.
func (in *Inputs) Set(path string, x float64) error {
	if !algebra.Finite(x) {
		return fmt.Errorf("study: %s: %v is not finite", fault.Name(path), x)
	}
	steps, err := document.ParsePath(path)
	if err != nil {
		return fmt.Errorf("study: path %s %w", fault.Name(path), err)
	}
	at, place, err := find(in.root, steps)
	if err != nil {
		return fmt.Errorf("study: path %s: %w", fault.Name(path), err)
	}
	i, ok := in.places[place]
	if !ok {
		return fmt.Errorf("study: path %s: no computation looks at %s", fault.Name(path), fault.Line(place))
	}
	at.set(json.Number(document.Number(x)))
	in.list[i].Value = x
	return nil
}

// MarshalJSON returns the document with the present values.
//
// Cost: O(bytes of the document); allocates.
func (in *Inputs) MarshalJSON() ([]byte, error) { return json.Marshal(in.root) }

// Model returns the model with the present values.
//
// Cost: that of model.Read, whose problems it returns. Terrains in files are not loaded (model.Model.Load).
func (in *Inputs) Model() (*model.Model, error) {
	text, err := json.Marshal(in.root)
	if err != nil {
		return nil, fault.Errorf("study: %w", err)
	}
	return model.Read(bytes.NewReader(text), "model")
}
