package mjcf

import (
	"fmt"

	"github.com/rung-mbd/rung/formats/internal/xmltree"
	"github.com/rung-mbd/rung/internal/fault"
)

// class is a class of defaults: for each kind of element the elements that set its attributes, the last ones if there
// are several, and the class around it.
type class struct {
	up    *class
	depth int
	sets  map[string]map[string]*xmltree.Node
}

// maxClasses is how deep classes may stand in each other.
const maxClasses = 100

func newClass(up *class) *class {
	c := &class{up: up, sets: map[string]map[string]*xmltree.Node{}}
	if up != nil {
		c.depth = up.depth + 1
	}
	return c
}

// defaults reads a top-level element default, which is the class main whatever it is called.
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

// element is an element with the defaults that hold for it.
type element struct {
	*xmltree.Node
	kind string
	c    *class
}

// element returns n with its class, or that of its surroundings. Defaults of its kind count.
func (r *reader) element(n *xmltree.Node, kind string, around *class) element {
	n.Use()
	if name, ok := n.Attr("class"); ok {
		around = r.known(n, name)
	}
	return element{n, kind, around}
}

// known returns the class of a name.
func (r *reader) known(n *xmltree.Node, name string) *class {
	if c, ok := r.classes[name]; ok {
		return c
	}
	r.Refuse(n, "class", "is unknown: "+fault.Name(name))
	return r.main
}

// has returns the element that sets an attribute of e: e, or one of its defaults. nil: none does.
func (e element) has(name string) *xmltree.Node {
	n, _ := e.first(name)
	return n
}

// first returns the first of e and its defaults, inwards out, that sets any of some attributes, and the one that it
// sets. It returns "" for the attribute if it sets several.
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

// The values of attributes, with defaults. See xmltree.Values.

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
