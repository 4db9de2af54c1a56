package usd

import (
	"slices"
	"strings"

	"github.com/rung-mbd/rung/formats/source"
)

// kind is the kind of a value.
type kind uint8

const (
	none    kind = iota // None: hides weaker values
	numbers             // one number, a tuple, or a list of either
	texts               // one string, file or name, or a list
	other               // anything else, which is not read
)

// value is a value of a file. Nested tuples and lists are flattened.
type value struct {
	kind  kind
	nums  []float64
	texts []string
}

// list is a list, or the edits of one by layers. See resolve.
type list[T comparable] struct {
	set         bool // items replace weaker lists
	items       []T
	first, last []T // prepended and appended entries
	gone, added []T // deleted and added entries
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
	byName       map[string]*prop // the properties by name; nil until there are more than fewProps
	children     []*prim
	names        map[string]*prim // the children by name

	apis       list[string]
	references list[arc]
	payload    list[arc]
	inherits   list[arc]
	special    bool              // it specializes another prim
	selection  map[string]string // selected variants by set
	variants   []*variantSet
	inactive   *bool
	rest       int // number of entries of its metadata without mechanical meaning

	class source.Class
}

// arc is a reference to a prim from which another prim takes opinions.
type arc struct {
	file         string // of the layer with the arc
	line, column int
	asset        string // file of the target; "": the same layer
	path         string // path of the target; "": the default prim
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
	sample       *value // the value at the earliest time, if it has samples
	time         float64
	samples      int
	targets      list[string]

	class source.Class
}

const (
	// maxDepth is the largest depth of nested prims, values and arcs.
	maxDepth = 128
	// maxPath is the longest path of a prim in its file, bytes.
	maxPath = 4096
	// fewProps is the largest number of properties that are searched linearly. It affects only speed.
	fewProps = 16
)

// Location returns the position of p.
func (p *prim) Location() source.Location {
	return source.Location{File: p.file, Line: p.line, Column: p.column, Element: p.path()}
}

// Location returns the position of a property.
func (p *prop) Location() source.Location {
	return source.Location{File: p.file, Line: p.line, Column: p.column, Element: p.owner.path() + "." + p.name}
}

// path returns the path of p, "" for the root.
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

// add adds a child; no other child may have its name.
func (p *prim) add(c *prim) {
	if p.names == nil {
		p.names = map[string]*prim{}
	}
	c.parent = p
	p.children = append(p.children, c)
	p.names[c.name] = c
}

// child returns the child with a name, or nil.
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

// addProp adds a property; no other property of p may have its name.
func (p *prim) addProp(x *prop) {
	x.owner = p
	p.props = append(p.props, x)
	if p.byName != nil {
		p.byName[x.name] = x
	}
}

// prop returns the property with a name, or nil.
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

// over returns the composition of l with a weaker list, whose edits apply first.
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

// set returns the set of items.
func set[T comparable](items []T) map[T]bool {
	m := make(map[T]bool, len(items))
	for _, x := range items {
		m[x] = true
	}
	return m
}

// resolve applies the edits of l to a weaker list and returns the result: the prepended entries, the weaker list (or the items of l
// if set), the added entries and the appended ones. Each entry occurs once. Deleted entries of the weaker list are left out.
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
