package mjcf

import (
	"fmt"

	"github.com/rung-mbd/rung/formats/internal/xmltree"
	"github.com/rung-mbd/rung/internal/fault"
)

// class is a class of defaults. sets has, for each kind of element and each attribute, the last element that sets it. up is the class
// around this one, nil for main.
type class struct {
	up    *class
	depth int
	sets  map[string]map[string]*xmltree.Node
}

// maxClasses is the largest depth of nested classes.
const maxClasses = 100

func newClass(up *class) *class {
	c := &class{up: up, sets: map[string]map[string]*xmltree.Node{}}
	if up != nil {
		c.depth = up.depth + 1
	}
	return c
}

// defaults reads a top-level element default. It is the class main, whatever its name.
func (r *reader) defaults(n *xmltree.Node) {
	if name, _ := n.Attr("class"); name != "" {
		r.classes[name] = r.main
	}
	r.class(n, r.main)
}

// class reads the elements of n into c, and the classes within n.
func (r *reader) class(n *xmltree.Node, c *class) {
	n.Use()
	for _, e := range n.Children {
		if e.Name == "default" || e.Name == "include" {
			continue
		}
		if c.sets[e.Name] == nil {
			c.sets[e.Name] = map[string]*xmltree.Node{}
		}
		for k := range e.Attrs {
			c.sets[e.Name][e.Attrs[k].Name] = e
		}
	}
	for _, e := range n.Children {
		if e.Name != "default" {
			continue
		}
		name := r.Required(e, "class")
		if name == "" {
			continue
		}
		sub := r.classes[name]
		if sub == nil {
			if sub = newClass(c); sub.depth > maxClasses {
				r.Report.Refuse(e, "class "+fault.Name(name), fmt.Sprintf("stands deeper than %d in others", maxClasses))
				continue
			}
			r.classes[name] = sub
		} else if sub.up != c {
			r.Report.Refuse(e, "class "+fault.Name(name), "stands in two classes")
			continue
		}
		r.class(e, sub)
	}
}

// element is an element with its kind, by which defaults are found, and its class of defaults; nil: no defaults.
type element struct {
	*xmltree.Node
	kind string
	c    *class
}

// element returns n with the class that it names, or else the class around it. kind selects the defaults.
func (r *reader) element(n *xmltree.Node, kind string, around *class) element {
	n.Use()
	if name, ok := n.Attr("class"); ok {
		around = r.known(n, name)
	}
	return element{n, kind, around}
}

// known returns the class with a name. It refuses an unknown name and returns the class main.
func (r *reader) known(n *xmltree.Node, name string) *class {
	if c, ok := r.classes[name]; ok {
		return c
	}
	r.Refuse(n, "class", "is unknown: "+fault.Name(name))
	return r.main
}

// has returns the element that sets an attribute of e: e itself or an element of its classes; nil if none does.
func (e element) has(name string) *xmltree.Node {
	n, _ := e.first(name)
	return n
}

// first returns the first element that sets one of the attributes names, and that attribute: e itself, or an element of its classes from
// the innermost out. which is "" if several of the attributes are set there; found is nil if none is set anywhere.
func (e element) first(names ...string) (found *xmltree.Node, which string) {
	look := func(get func(name string) *xmltree.Node) bool {
		for _, name := range names {
			switch n := get(name); {
			case n == nil:
			case found == nil:
				found, which = n, name
			default:
				which = ""
			}
		}
		return found != nil
	}
	if look(func(name string) *xmltree.Node {
		if e.Has(name) {
			return e.Node
		}
		return nil
	}) {
		return found, which
	}
	for c := e.c; c != nil; c = c.up {
		if set := c.sets[e.kind]; set != nil && look(func(name string) *xmltree.Node { return set[name] }) {
			return found, which
		}
	}
	return nil, ""
}

// The following functions read attributes of e, or its defaults, as the functions of xmltree.Values.

func (r *reader) numbers(e element, name string, least, most int) []float64 {
	if n := e.has(name); n != nil {
		return r.Numbers(n, name, least, most)
	}
	return nil
}

func (r *reader) number(e element, name string, usual float64) float64 {
	if n := e.has(name); n != nil {
		return r.Number(n, name, usual)
	}
	return usual
}

func (r *reader) vector(e element, name string, usual [3]float64) [3]float64 {
	if n := e.has(name); n != nil {
		return r.Vector(n, name, usual)
	}
	return usual
}

func (r *reader) text(e element, name string) string {
	if n := e.has(name); n != nil {
		text, _ := n.Attr(name)
		return text
	}
	return ""
}

func (r *reader) choice(e element, name string, usual int, among ...string) int {
	if n := e.has(name); n != nil {
		return r.Choice(n, name, usual, among...)
	}
	return usual
}

func (r *reader) truth(e element, name string, usual bool) bool {
	if n := e.has(name); n != nil {
		return r.True(n, name, usual)
	}
	return usual
}
