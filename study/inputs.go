package study

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/numbers"
	"github.com/rung-mbd/rung/model"
)

// Input is a number of a model that a study can vary.
type Input struct {
	Path  string // of the number, in the form of Parameter.Path, such as bodies[crank].mass
	Unit  string // empty: a pure number, or one whose unit other fields decide
	Value float64
}

// Inputs are the numbers in the document of a model by their paths, and setters for them. They belong to one goroutine.
type Inputs struct {
	text   *numbers.Text
	list   []Input
	places map[string]int // position in list of the number at a place, such as $.bodies[0].mass
}

// NewInputs returns the inputs of a document of rung-model/1, from a file or from model.Model.MarshalJSON. The inputs are
// all numbers that are written, except for the numbers of visuals and of the source, which no computation looks at. A field
// that is not written has no number, even if it has a default.
//
// Cost: O(bytes of the document); allocates. It returns the problems of model.Read, with name in the place of the file.
func NewInputs(text []byte, name string) (*Inputs, error) {
	m, err := model.Read(bytes.NewReader(text), name)
	if err != nil {
		return nil, err
	}
	t, err := numbers.Read(text)
	if err != nil {
		return nil, fault.Errorf("study: %w", err)
	}
	in := &Inputs{text: t, places: map[string]int{}}
	t.Each(func(key string) bool { return key != "visuals" && key != "source" }, func(n *numbers.Number, path string, _ []document.Step) {
		if x, err := n.Value(); err == nil {
			in.places[n.Place] = len(in.list)
			in.list = append(in.list, Input{path, m.Unit(n.Place), x})
		}
	})
	return in, nil
}

// All returns the inputs with their present values. Sections and fields are in alphabetical order, entries of lists in the
// order of the document.
func (in *Inputs) All() []Input { return slices.Clone(in.list) }

// Set gives the input at a path another value.
//
// It returns an error for a path that leads to no number of the document, and for a value that is not finite. Model returns
// the problems of a value that is out of range.
func (in *Inputs) Set(path string, x float64) error {
	if !algebra.Finite(x) {
		return fmt.Errorf("study: %s: %v is not finite", fault.Name(path), x)
	}
	steps, err := document.ParsePath(path)
	if err != nil {
		return fmt.Errorf("study: path %s %w", fault.Name(path), err)
	}
	at, err := in.text.Find(steps)
	if err != nil {
		return fmt.Errorf("study: path %s: %w", fault.Name(path), err)
	}
	i, ok := in.places[at.Place]
	if !ok {
		return fmt.Errorf("study: path %s: no computation looks at %s", fault.Name(path), fault.Line(at.Place))
	}
	at.Set(x)
	in.list[i].Value = x
	return nil
}

// MarshalJSON returns the document with the present values.
//
// Cost: O(bytes of the document); allocates.
func (in *Inputs) MarshalJSON() ([]byte, error) { return in.text.Write() }

// Model returns the model with the present values.
//
// Cost: as model.Read, whose problems it returns. Terrains in files are not loaded (model.Model.Load).
func (in *Inputs) Model() (*model.Model, error) {
	text, err := in.text.Write()
	if err != nil {
		return nil, fault.Errorf("study: %w", err)
	}
	return model.Read(bytes.NewReader(text), "model")
}
