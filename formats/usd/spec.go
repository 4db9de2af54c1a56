package usd

import (
	"slices"
	"strings"

	"github.com/rung-mbd/rung/formats/source"
)

// kind is the kind of a value.
type kind uint8

const (
	none    kind = iota // None, which hides weaker values
	numbers             // one number, a tuple, or a list of either
	texts               // one string, file or name, or a list
	other               // what nothing here looks at
)

// value is a value of a file. The numbers of tuples and lists stand in a row.
type value struct {
	kind  kind
	nums  []float64
	texts []string
}

// list is a list that layers edit.
type list[T comparable] struct {
	set         bool // it replaces what is weaker
	items       []T
	first, last []T
	gone, added []T
}

// prim is a prim of a file, or a composed one.
type prim struct {
	file         string
	line, column int
	parent       *prim
	specifier    string // def, over or class
	kind         string // the name of its schema
	name         string
	props        []*prop
	byName       map[string]*prop // the properties, once there are many
	children     []*prim
	names        map[string]*prim // of the children

	apis       list[string]
	references list[arc]
	payload    list[arc]
	inherits   list[arc]
	special    bool // it specializes something
	selection  map[string]string
	variants   []*variantSet
	inactive   *bool
	rest       int // entries of its metadata without effect on mechanics

	class source.Class
}

// arc is what a prim takes its opinions from.
type arc struct {
	file         string // the layer that says so
	line, column int
	asset        string // "" is the same layer
	path         string // "" is the default prim
}

// variantSet has its variants in the order of the file.
type variantSet struct {
	name string
	list []*prim
}

// prop is an attribute or a relationship.
type prop struct {
	file         string
	line, column int
	owner        *prim
	name         string
	rel          bool
	value        *value
	sample       *value // the first, of those in time
	time         float64
	samples      int
	targets      list[string]

	class source.Class
}

const (
	// maxDepth is how deep prims, values and arcs stand in each other.
	maxDepth = 128
	// maxPath is the longest path of a prim in its file, bytes.
	maxPath = 4096
	// fewProps is the number of properties up to which one is looked for among all. Another value costs time only.
	fewProps = 16
)

// Location returns the place of p.
func (p *prim) Location() source.Location {
	return source.Location{File: p.file, Line: p.line, Column: p.column, Element: p.path()}
}

// Location returns the place of a property.
func (p *prop) Location() source.Location {
	return source.Location{File: p.file, Line: p.line, Column: p.column, Element: p.owner.path() + "." + p.name}
}

// path returns the path of p; that of the root is "".
func (p *prim) path() string {
	var names []string
	for ; p.parent != nil; p = p.parent {
		names = append(names, p.name)
	}
	slices.Reverse(names)
	if len(names) == 0 {
		return ""
	}
	return "/" + strings.Join(names, "/")
}

// add adds a child, whose name no other has.
func (p *prim) add(c *prim) {
	if p.names == nil {
		p.names = map[string]*prim{}
	}
	c.parent = p
	p.children = append(p.children, c)
	p.names[c.name] = c
}

// child returns the child of a name, or nil.
func (p *prim) child(name string) *prim { return p.names[name] }

// find returns the prim at a path below the root p, or nil.
func (p *prim) find(at string) *prim {
	if !strings.HasPrefix(at, "/") {
		return nil
	}
	for name := range strings.SplitSeq(at[1:], "/") {
		if p = p.child(name); p == nil {
			return nil
		}
	}
	return p
}

// addProp adds a property, whose name no other has.
func (p *prim) addProp(x *prop) {
	x.owner = p
	p.props = append(p.props, x)
	if p.byName != nil {
		p.byName[x.name] = x
	}
}

// prop returns the property of a name, or nil.
func (p *prim) prop(name string) *prop {
	if len(p.props) > fewProps {
		if p.byName == nil {
			p.byName = make(map[string]*prop, len(p.props))
			for _, x := range p.props {
				p.byName[x.name] = x
			}
		}
		return p.byName[name]
	}
	for _, x := range p.props {
		if x.name == name {
			return x
		}
	}
	return nil
}

// has reports whether a schema is applied to p.
func (p *prim) has(api string) bool { return slices.Contains(p.apis.resolve(nil), api) }

// over returns the edits of l on those of a weaker list.
func over[T comparable](l, weak list[T]) list[T] {
	switch {
	case l.set || l.empty() && weak.set:
		if l.set {
			return l
		}
		return weak
	case l.empty():
		return weak
	case weak.empty():
		return l
	case weak.set:
		return list[T]{set: true, items: l.resolve(weak.items)}
	}
	gone := set(l.gone)
	join := func(a, b []T) []T {
		have, out := set(a), slices.Clone(a)
		for _, x := range b {
			if !have[x] && !gone[x] {
				have[x] = true
				out = append(out, x)
			}
		}
		return out
	}
	return list[T]{
		first: join(l.first, weak.first), last: join(l.last, weak.last), added: join(l.added, weak.added),
		gone: append(slices.Clone(l.gone), weak.gone...),
	}
}

// len returns the number of entries of l.
func (l *list[T]) len() int {
	return len(l.items) + len(l.first) + len(l.last) + len(l.gone) + len(l.added)
}

// empty reports whether l edits nothing.
func (l *list[T]) empty() bool {
	return !l.set && l.len() == 0
}

func set[T comparable](items []T) map[T]bool {
	m := make(map[T]bool, len(items))
	for _, x := range items {
		m[x] = true
	}
	return m
}

// resolve applies the edits of l to the list of a weaker opinion, and returns the result: l's first entries, the weaker list or the one
// that l sets in its place, l's added entries, and l's last ones, each entry once and without the removed ones.
func (l *list[T]) resolve(weak []T) []T {
	if l.set {
		weak = l.items
	}
	last, gone, have := set(l.last), set(l.gone), map[T]bool{}
	var out []T
	put := func(from []T, unless ...map[T]bool) {
		for _, x := range from {
			skip := have[x]
			for _, u := range unless {
				skip = skip || u[x]
			}
			if !skip {
				have[x] = true
				out = append(out, x)
			}
		}
	}
	put(l.first, last)
	put(weak, gone, last, have)
	put(l.added, last)
	put(l.last)
	return out
}
