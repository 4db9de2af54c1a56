package xmltree

import (
	"strings"

	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
)

// Rule has the class of an element and the classes of its attributes. Account treats an element or attribute of class Used that
// nobody has read as meaningless in its place.
type Rule struct {
	Element string // name, or PARENT/NAME if the rule depends on the parent
	Class   source.Class
	Why     string // reason, for elements that are not used
	// Names of the attributes of each class, separated by blanks, for an element of class Used.
	Used, Visual, Ignored, Dropped string
}

// Table has the rules of a format, by element.
type Table struct {
	rules map[string]rule
}

type rule struct {
	class source.Class
	why   string
	attrs map[string]source.Class
}

// NewTable returns the table of some rules. It panics if there are two for an element or an attribute.
func NewTable(rules []Rule) *Table {
	t := &Table{rules: map[string]rule{}}
	for _, r := range rules {
		if _, ok := t.rules[r.Element]; ok {
			panic("xmltree: two rules for " + r.Element)
		}
		attrs := map[string]source.Class{}
		for class, names := range map[source.Class]string{
			source.Used: r.Used, source.Visual: r.Visual, source.Ignored: r.Ignored, source.Dropped: r.Dropped,
		} {
			for _, name := range strings.Fields(names) {
				if attrs[name] != source.Unread {
					panic("xmltree: two rules for " + r.Element + "@" + name)
				}
				attrs[name] = class
			}
		}
		t.rules[r.Element] = rule{r.Class, r.Why, attrs}
	}
	return t
}

// ruleOf returns the rule of an element, and whether there is one. A rule for PARENT/NAME precedes the rule for NAME.
func (t *Table) ruleOf(n *Node) (rule, bool) {
	if n.Parent != nil {
		if r, ok := t.rules[n.Parent.Name+"/"+n.Name]; ok {
			return r, true
		}
	}
	r, ok := t.rules[n.Name]
	return r, ok
}

// Class returns the class of n, which is final after Account.
func (n *Node) Class() source.Class { return n.class }

// Use marks n as used, unless it has a class already, and returns it.
func (n *Node) Use() *Node {
	if n.class == source.Unread {
		n.class = source.Used
	}
	return n
}

// Set sets the class of n; for classes other than Used, everything within n takes it. If why is not empty, Account reports n as
// dropped or ignored; if it is empty, the caller must report it.
func (n *Node) Set(class source.Class, why string) { n.class, n.why = class, why }

// SetAttr sets the class of an attribute of n. If why is not empty, Account reports it; if it is empty, the caller must.
func (n *Node) SetAttr(name string, class source.Class, why string) {
	for k := range n.Attrs {
		if n.Attrs[k].Name == name {
			n.Attrs[k].class, n.Attrs[k].why = class, nil
			if why != "" {
				n.Attrs[k].why = &why
			}
		}
	}
}

// Attr returns the value of an attribute of n, and whether n has it. It marks both n and the attribute as used.
func (n *Node) Attr(name string) (string, bool) {
	n.Use()
	for k := range n.Attrs {
		if a := &n.Attrs[k]; a.Name == name {
			if a.class == source.Unread {
				a.class = source.Used
			}
			return a.Value, true
		}
	}
	return "", false
}

// Has reports whether n has an attribute. It marks nothing as used.
func (n *Node) Has(name string) bool {
	for k := range n.Attrs {
		if n.Attrs[k].Name == name {
			return true
		}
	}
	return false
}

// Child returns the first child of n with a name, marked as used, or nil. Further children with that name remain unread, so that
// Account reports them.
func (n *Node) Child(name string) *Node {
	for _, c := range n.Children {
		if c.Name == name {
			return c.Use()
		}
	}
	return nil
}

// Account sets the class of every element and attribute in root that has none yet, by the table. It counts all classes in the
// report, and reports elements and attributes that are dropped or ignored.
//
// Cost: O(elements + attributes), and O(siblings) for each line of the report.
func Account(root *Node, t *Table, report *source.Report) {
	a := accountant{t: t, report: report}
	a.node(root)
}

type accountant struct {
	t      *Table
	report *source.Report
}

const (
	unknown     = "unknown to this reader"
	meaningless = "has no meaning here"
	lacking     = "the model has no such thing"
	effectless  = "has no effect on the motion"
)

// node sets the class of an element that nobody has read, reports it, and continues with its attributes and children.
func (a *accountant) node(n *Node) {
	r, known := a.t.ruleOf(n)
	if n.class == source.Unread {
		switch {
		case !known:
			n.class, n.why = source.Dropped, unknown
		case r.class == source.Used:
			n.class, n.why = source.Ignored, meaningless
		default:
			n.class, n.why = r.class, r.why
		}
		switch n.class {
		case source.Dropped:
			a.report.Drop(n, "element "+fault.Name(n.Name), n.why, "")
		case source.Ignored:
			a.report.Note(n, "elements "+fault.Name(n.Name)+" have no effect on the motion", n.why)
		}
	} else if n.class == source.Ignored && n.why != "" {
		a.report.Note(n, "elements "+fault.Name(n.Name)+" have no effect on the motion", n.why)
	} else if n.class == source.Dropped && n.why != "" {
		a.report.Drop(n, "element "+fault.Name(n.Name), n.why, "")
	}
	if n.class != source.Used {
		a.inherit(n, n.class)
		return
	}
	a.report.Settle(n, "", source.Used)
	for k := range n.Attrs {
		a.attr(n, &n.Attrs[k], r)
	}
	for _, c := range n.Children {
		a.node(c)
	}
}

// attr sets the class of an attribute that nobody has read, by the rule r of its element, and reports it.
func (a *accountant) attr(n *Node, at *Attr, r rule) {
	why := ""
	if at.why != nil {
		why = *at.why
	}
	if at.class == source.Unread {
		at.class = r.attrs[at.Name]
		switch {
		case at.class == source.Dropped:
			why = lacking
		case at.class == source.Ignored:
			why = effectless
		case at.class == source.Used:
			at.class, why = source.Ignored, meaningless
		case at.class == source.Unread && space(at.Name):
			at.class = source.Ignored
		case at.class == source.Unread:
			at.class, why = source.Dropped, unknown
		}
	}
	a.report.Settle(n, at.Name, at.class)
	if why == "" {
		return
	}
	name := fault.Name(at.Name) + " of " + fault.Name(n.Name)
	switch at.class {
	case source.Dropped:
		a.report.Drop(n, "attribute "+name, why, "its value is "+fault.Name(at.Value))
	case source.Ignored:
		a.report.Note(n, "attributes "+name+" are not read", why)
	}
}

// space reports whether an attribute belongs to XML itself, as name spaces do, and not to the format.
func space(name string) bool {
	return name == "xmlns" || strings.HasPrefix(name, "xmlns:") || strings.HasPrefix(name, "xsi:") || strings.HasPrefix(name, "xml:")
}

// inherit sets the class of n and everything within it. Within class Visual, parts that were dropped stay dropped.
func (a *accountant) inherit(n *Node, class source.Class) {
	if class == source.Visual && n.class == source.Dropped {
		class = source.Dropped
	}
	n.class = class
	a.report.Settle(n, "", class)
	for k := range n.Attrs {
		if at := &n.Attrs[k]; class != source.Visual || at.class != source.Dropped {
			at.class = class
		}
		a.report.Settle(n, n.Attrs[k].Name, n.Attrs[k].class)
	}
	for _, c := range n.Children {
		a.inherit(c, class)
	}
}
