package numbers

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

// Text is a document. It belongs to one goroutine.
type Text struct {
	root any
	of   string // name of the document in messages
}

// Read returns the JSON document in text.
func Read(text []byte) (*Text, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	t := &Text{of: "the model"}
	if err := d.Decode(&t.root); err != nil {
		return nil, fmt.Errorf("numbers: %w", err)
	}
	return t, nil
}

// Of returns t with another name in messages than "the model".
func (t *Text) Of(name string) *Text { return &Text{t.root, name} }

// Write returns the document as it is now.
func (t *Text) Write() ([]byte, error) { return json.Marshal(t.root) }

// Number is the place of a number in a document.
type Number struct {
	// Place is the path with keys and indices of entries, such as $.bodies[0].mass.
	Place string

	// The number is object[key], or list[index] if object is nil.
	object map[string]any
	key    string
	list   []any
	index  int
}

// get returns the value at the place.
func (n *Number) get() any {
	if n.object != nil {
		return n.object[n.key]
	}
	return n.list[n.index]
}

// Value returns the number. It returns an error if the number overflows float64.
func (n *Number) Value() (float64, error) {
	text, _ := n.get().(json.Number)
	x, err := text.Float64()
	if err != nil {
		return 0, fmt.Errorf("numbers: %s: %w", n.Place, err)
	}
	return x, nil
}

// Set changes the number.
func (n *Number) Set(x float64) {
	text := json.Number(document.Number(x))
	if n.object != nil {
		n.object[n.key] = text
	} else {
		n.list[n.index] = text
	}
}

// Find returns the number at a path. It does not find a field that the document leaves out, even if the format has a default for it.
//
// If there is no number, it returns an error with the place up to which the path exists. The error does not begin with the name of a
// package, because callers put the name of a document before it.
func (t *Text) Find(steps []document.Step) (at Number, err error) {
	here, place := t.root, "$"
	for _, s := range steps {
		switch v := here.(type) {
		case map[string]any:
			if _, ok := v[s.Key]; !ok || s.Entry {
				meant := fault.Meant(s.Key, slices.Sorted(maps.Keys(v))...)
				return Number{}, fmt.Errorf("%s has no %s in %s%s", t.of, fault.Name(s.Key), fault.Line(place), meant)
			}
			at = Number{object: v, key: s.Key}
			place = document.Key(place, s.Key)
		case []any:
			i := -1
			if s.Entry {
				i = entry(v, s.Key)
			}
			if i < 0 {
				return Number{}, fmt.Errorf("%s has no entry %s in %s%s", t.of, fault.Name(s.Key), fault.Line(place), meantEntry(s, v))
			}
			at = Number{list: v, index: i}
			place = document.Entry(place, i)
		default:
			return Number{}, fmt.Errorf("%s has nothing inside %s", t.of, fault.Line(place))
		}
		here = at.get()
	}
	if _, ok := here.(json.Number); !ok {
		return Number{}, fmt.Errorf("%s of %s is no number", fault.Line(place), t.of)
	}
	at.Place = place
	return at, nil
}

// Each calls f with every number below the keys of the document for which wanted returns true: keys in alphabetical order, entries of
// lists in the order of the document. path names entries by their names, and Find finds the number by it. steps has entries by their
// indices.
func (t *Text) Each(wanted func(key string) bool, f func(n *Number, path string, steps []document.Step)) {
	root, _ := t.root.(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(root)) {
		if wanted(key) {
			(&Number{Place: document.Key("$", key), object: root, key: key}).each(key, []document.Step{{Key: key}}, f)
		}
	}
}

// each calls f with the numbers at and below a place.
func (n *Number) each(path string, steps []document.Step, f func(n *Number, path string, steps []document.Step)) {
	switch v := n.get().(type) {
	case json.Number:
		f(n, path, steps)
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			below := &Number{Place: document.Key(n.Place, key), object: v, key: key}
			below.each(path+"."+key, append(slices.Clip(steps), document.Step{Key: key}), f)
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
			} else if named[name] { // another entry has this number as its name
				continue
			}
			below := &Number{Place: document.Entry(n.Place, i), list: v, index: i}
			below.each(path+"["+document.InBrackets(name)+"]", append(slices.Clip(steps), document.Step{Key: strconv.Itoa(i), Entry: true}), f)
		}
	}
}

// entryName returns the name of an entry, or "" if it has none.
func entryName(entry any) string {
	o, _ := entry.(map[string]any)
	name, _ := o["name"].(string)
	return name
}

// entry returns the index of the entry with the name key. If no entry has this name, key may be the index. It returns −1 if there is
// no such entry.
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

// meantEntry returns the suggestion of an entry for a step that finds none, as fault.Meant does. For a step without brackets it
// suggests the brackets if there is an entry with this name.
func meantEntry(s document.Step, list []any) string {
	if !s.Entry && entry(list, s.Key) >= 0 {
		return ", did you mean [" + fault.Line(s.Key) + "]?"
	}
	return fault.MeantOf(s.Key, len(list), func(i int) string { return entryName(list[i]) })
}
