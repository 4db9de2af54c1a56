package study

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
)

// step is one step of a path: a key, or an entry by its name or number.
type step struct {
	key   string
	entry bool
}

// parsePath takes a path such as bodies[crank].com[0] apart. Names of entries may be in quotes, as in JSON.
func parsePath(path string) ([]step, error) {
	var steps []step
	rest := strings.TrimPrefix(path, "$.")
	for first := true; first || rest != ""; first = false {
		if !first && rest[0] == '[' {
			name, after, err := entryOf(rest[1:])
			if err != nil {
				return nil, err
			}
			steps, rest = append(steps, step{name, true}), after
			continue
		}
		if !first {
			if rest[0] != '.' {
				return nil, errors.New("has text after ]")
			}
			rest = rest[1:]
		}
		end := strings.IndexAny(rest, ".[")
		if end < 0 {
			end = len(rest)
		}
		if end == 0 {
			return nil, errors.New("is no path: a key is empty")
		}
		steps, rest = append(steps, step{rest[:end], false}), rest[end:]
	}
	return steps, nil
}

// entryOf takes what is in brackets from the head of s, behind the opening one.
func entryOf(s string) (name, rest string, err error) {
	if strings.HasPrefix(s, `"`) {
		quoted, err := strconv.QuotedPrefix(s)
		if err != nil {
			return "", "", errors.New("has quotes that do not end")
		}
		name, err = strconv.Unquote(quoted)
		if err != nil {
			return "", "", errors.New("has quotes that do not end")
		}
		if rest, ok := strings.CutPrefix(s[len(quoted):], "]"); ok {
			return name, rest, nil
		}
		return "", "", errors.New("has a bracket that does not end")
	}
	name, rest, ok := strings.Cut(s, "]")
	switch {
	case !ok:
		return "", "", errors.New("has a bracket that does not end")
	case name == "":
		return "", "", errors.New("has empty brackets")
	}
	return name, rest, nil
}

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
			steps, err = parsePath(p.Path)
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
func meantEntry(s step, list []any) string {
	if !s.entry && entry(list, s.key) >= 0 {
		return ", did you mean [" + fault.Line(s.key) + "]?"
	}
	return fault.MeantOf(s.key, len(list), func(i int) string { return entryName(list[i]) })
}

// find returns where the number at a path is, and its path by keys and numbers alone.
func find(root any, steps []step) (at slot, place string, err error) {
	here, place := root, "$"
	for _, s := range steps {
		switch v := here.(type) {
		case map[string]any:
			if _, ok := v[s.key]; !ok || s.entry {
				return slot{}, "", fmt.Errorf("the model has no %s in %s%s", fault.Name(s.key), fault.Line(place), fault.Meant(s.key, slices.Sorted(maps.Keys(v))...))
			}
			at = slot{object: v, key: s.key}
			place = document.Key(place, s.key)
		case []any:
			i := -1
			if s.entry {
				i = entry(v, s.key)
			}
			if i < 0 {
				return slot{}, "", fmt.Errorf("the model has no entry %s in %s%s", fault.Name(s.key), fault.Line(place), meantEntry(s, v))
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
