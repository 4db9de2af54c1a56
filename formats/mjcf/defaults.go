package mjcf

import (
	"github.com/rung-mbd/rung/formats/xmltree"
	"github.com/rung-mbd/rung/internal/fault"
)

// class is a class of defaults: the elements that set attributes of their kind, and the class around it.
type class struct {
	up       *class
	elements map[string][]*xmltree.Node // by kind; of one attribute the last counts
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
		if e.Name != "default" && e.Name != "include" {
			c.elements[e.Name] = append(c.elements[e.Name], e)
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
			sub = &class{up: c, elements: map[string][]*xmltree.Node{}}
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
	return e.first(func(n *xmltree.Node) bool { return n.Has(name) })
}

// first returns the first of e and its defaults of which something holds, or nil.
func (e element) first(holds func(*xmltree.Node) bool) *xmltree.Node {
	if holds(e.Node) {
		return e.Node
	}
	for c := e.c; c != nil; c = c.up {
		list := c.elements[e.kind]
		for k := len(list) - 1; k >= 0; k-- {
			if holds(list[k]) {
				return list[k]
			}
		}
	}
	return nil
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
