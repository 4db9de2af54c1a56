package study

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
)

// Base is the document of a model whose numbers can be replaced. It belongs to one goroutine.
type Base struct {
	text   any
	s      *Study
	at     []slot
	places []string
}

// slot is where a number is.
type slot struct {
	object map[string]any // or
	list   []any
	key    string
	index  int
}

func (s *slot) get() any {
	if s.object != nil {
		return s.object[s.key]
	}
	return s.list[s.index]
}

func (s *slot) set(x any) {
	if s.object != nil {
		s.object[s.key] = x
	} else {
		s.list[s.index] = x
	}
}

// NewBase returns the document of the model of a study, which model.Read has found to be one.
//
// It returns *model.Problems with the parameters whose path leads to no number of it, or to that of another parameter.
// A field that is not written has no number, even if it has a default.
func (s *Study) NewBase(text []byte, file string) (*Base, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	b := &Base{s: s, at: make([]slot, len(s.Parameters)), places: make([]string, len(s.Parameters))}
	if err := d.Decode(&b.text); err != nil {
		return nil, fmt.Errorf("study: %w", err)
	}
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
		var at slot
		var place string
		if err == nil {
			at, place, err = find(b.text, steps)
		}
		if err != nil {
			note(err.Error())
			continue
		}
		if k, ok := places[place]; ok {
			note("is the number of " + document.Entry("$.parameters", k))
			continue
		}
		b.at[i], b.places[i], places[place] = at, place, i
	}
	if err := problems(file, &bad); err != nil {
		return nil, err
	}
	return b, nil
}

// Places are where the numbers of the parameters are, with entries by their numbers, such as $.bodies[0].mass.
func (b *Base) Places() []string { return slices.Clone(b.places) }

// meantEntry asks for the entry of a list that a step may mean, which stands in brackets.
func meantEntry(s document.Step, list []any) string {
	if !s.Entry && entry(list, s.Key) >= 0 {
		return ", did you mean [" + fault.Line(s.Key) + "]?"
	}
	return fault.MeantOf(s.Key, len(list), func(i int) string { return entryName(list[i]) })
}

// find returns where the number at a path is, and its path by keys and numbers alone.
func find(root any, steps []document.Step) (at slot, place string, err error) {
	here, place := root, "$"
	for _, s := range steps {
		switch v := here.(type) {
		case map[string]any:
			if _, ok := v[s.Key]; !ok || s.Entry {
				return slot{}, "", fmt.Errorf("the model has no %s in %s%s", fault.Name(s.Key), fault.Line(place), fault.Meant(s.Key, slices.Sorted(maps.Keys(v))...))
			}
			at = slot{object: v, key: s.Key}
			place = document.Key(place, s.Key)
		case []any:
			i := -1
			if s.Entry {
				i = entry(v, s.Key)
			}
			if i < 0 {
				return slot{}, "", fmt.Errorf("the model has no entry %s in %s%s", fault.Name(s.Key), fault.Line(place), meantEntry(s, v))
			}
			at = slot{list: v, index: i}
			place = document.Entry(place, i)
		default:
			return slot{}, "", fmt.Errorf("the model has nothing inside %s", fault.Line(place))
		}
		here = at.get()
	}
	if _, ok := here.(json.Number); !ok {
		return slot{}, "", fmt.Errorf("%s of the model is no number", fault.Line(place))
	}
	return at, place, nil
}

// entryName returns the name of an entry, "" if it has none.
func entryName(entry any) string {
	o, _ := entry.(map[string]any)
	name, _ := o["name"].(string)
	return name
}

// entry returns the place of an entry by its name, or by its number if none has the name; −1 if there is none.
func entry(list []any, key string) int {
	for i, e := range list {
		if name := entryName(e); name == key && name != "" {
			return i
		}
	}
	if i, err := strconv.Atoi(key); err == nil && i >= 0 && i < len(list) && strconv.Itoa(i) == key {
		return i
	}
	return -1
}

// With returns the document with values of the parameters in it, in the order of the study.
//
// Cost: O(bytes of the document); allocates.
func (b *Base) With(values []float64) ([]byte, error) {
	for i, x := range values {
		b.at[i].set(json.Number(document.Number(x)))
	}
	return json.Marshal(b.text)
}
