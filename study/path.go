package study

import (
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/numbers"
)

// Base is the document of a model whose numbers can be replaced. It belongs to one goroutine.
type Base struct {
	text *numbers.Text
	at   []numbers.Number // of each parameter
}

// NewBase returns the document of the model of a study. model.Read must have accepted text.
//
// It returns *model.Problems with the parameters whose path leads to no number of text, or to the number of another parameter.
// A field that is not written has no number, even if it has a default.
func (s *Study) NewBase(text []byte, file string) (*Base, error) {
	t, err := numbers.Read(text)
	if err != nil {
		return nil, fault.Errorf("study: %w", err)
	}
	b := &Base{text: t, at: make([]numbers.Number, len(s.Parameters))}
	var bad document.Faults
	places := map[string]int{}
	for i := range s.Parameters {
		p := &s.Parameters[i]
		note := func(rule string) {
			bad.Add(document.Place{Section: 1, Index: i}, document.Entry("$.parameters", i)+".path", fault.Name(document.Cut(p.Path)), rule)
		}
		steps, err := p.steps, error(nil)
		if steps == nil { // a study in Go
			steps, err = document.ParsePath(p.Path)
		}
		var at numbers.Number
		if err == nil {
			at, err = t.Find(steps)
		}
		if err != nil {
			note(err.Error())
			continue
		}
		if k, ok := places[at.Place]; ok {
			note("is the number of " + document.Entry("$.parameters", k))
			continue
		}
		b.at[i], places[at.Place] = at, i
	}
	if err := problems(file, &bad); err != nil {
		return nil, err
	}
	return b, nil
}

// Places returns the JSON path of the number of each parameter, with entries of lists by index, such as $.bodies[0].mass.
func (b *Base) Places() []string {
	list := make([]string, len(b.at))
	for i := range b.at {
		list[i] = b.at[i].Place
	}
	return list
}

// With returns the document with values of the parameters in it, in the order of the study.
//
// Cost: O(bytes of the document); allocates.
func (b *Base) With(values []float64) ([]byte, error) {
	for i, x := range values {
		b.at[i].Set(x)
	}
	return b.text.Write()
}
