package usd

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
)

const (
	// maxPrims is the largest number of prims of a composed scene, including temporary copies.
	maxPrims = 400_000
	// maxCopied is the largest memory for copies during composition, bytes, including temporary ones.
	maxCopied = 1 << 29
	// propBytes and entryBytes are the approximate memory of a copied property and of a copied entry of a list, bytes.
	propBytes, entryBytes = 256, 64
)

// stack is a layer with its sublayers merged into it.
type stack struct {
	name source.Name
	root *prim
	meta map[string]value
}

// composer makes one tree of prims from layers.
//
// The opinions on a prim are, from the strongest to the weakest: its layers, inherits, variants, references, payloads.
// The arcs of a prim itself are stronger than the arcs of its ancestors.
type composer struct {
	files  *source.Files
	report *source.Report
	stacks map[string]*stack // by file; nil: the file cannot be read and has been refused
	opened map[string]bool   // files that are being read, to detect cycles
	depth  int
	prims  int
	copied int  // bytes copied so far
	full   bool // a bound has been exceeded, which has been refused: composition ends
}

// spend counts bytes that are to be copied for p. It refuses the scene and returns false if they are too many.
func (c *composer) spend(p *prim, bytes int) bool {
	if c.copied += bytes; c.copied > maxCopied {
		c.stop(p, "the scene", fmt.Sprintf("copies more than %d MB of prims, properties and paths", maxCopied/1_000_000))
	}
	return !c.full
}

// stop ends the composition, as what exceeds a bound at p; the first call reports that as a refusal.
func (c *composer) stop(p *prim, what, why string) {
	if !c.full {
		c.full = true
		c.report.Refuse(p, what, why)
	}
}

// mainFile is the argument main of composer.open for the file that the user names, not one that another file refers to.
const mainFile = true

// open returns the stack of a file. It refuses a file that cannot be read or that includes itself, and returns nil. For the main
// file, and for syntax errors, it returns the error instead.
func (c *composer) open(at source.Located, name source.Name, main bool) (*stack, error) {
	if c.opened[name.String()] {
		c.report.Refuse(at, "file "+fault.Name(name.String()), "is a layer of itself")
		return nil, nil
	}
	if s, ok := c.stacks[name.String()]; ok {
		return s, nil
	}
	c.stacks[name.String()], c.opened[name.String()] = nil, true
	defer delete(c.opened, name.String())
	read := c.files.Include
	if main {
		read = c.files.Read
	}
	data, err := read(name)
	if err != nil {
		if main {
			return nil, err
		}
		c.report.Refuse(at, "file "+fault.Name(name.String()), fault.Plain(err).Error())
		return nil, nil
	}
	l, err := parse(name.String(), data)
	if err != nil {
		return nil, err
	}
	s := &stack{name: name, root: l.root, meta: l.meta}
	for _, a := range l.sublayers {
		if err := c.sublayer(s, a); err != nil {
			return nil, err
		}
	}
	c.stacks[name.String()] = s
	return s, nil
}

// sublayer merges a weaker layer into a stack.
func (c *composer) sublayer(s *stack, a arc) error {
	name, ok := c.resolve(a)
	if !ok {
		return nil
	}
	w, err := c.open(a, name, !mainFile)
	if w == nil {
		return err
	}
	root := c.clone(w.root, nil)
	c.merge(s.root, root)
	return nil
}

// Location returns the position of an arc.
func (a arc) Location() source.Location {
	return source.Location{File: a.file, Line: a.line, Column: a.column}
}

// resolve returns the file that an arc names. It refuses a name that does not resolve, and returns false.
func (c *composer) resolve(a arc) (source.Name, bool) {
	from, _ := source.Address(a.file)
	name, err := c.files.Resolve(source.Dir(from), a.asset)
	if err != nil {
		c.report.Refuse(a, "file "+fault.Name(a.asset), fault.Plain(err).Error())
	}
	return name, err == nil
}

// clone copies a prim and everything within it. The copy has the parent up.
func (c *composer) clone(p, up *prim) *prim {
	if c.prims++; c.prims > maxPrims {
		c.stop(p, "the scene", fmt.Sprintf("has more than %d prims", maxPrims))
	}
	if !c.spend(p, propBytes*len(p.props)+entryBytes*(p.entries()+len(p.selection))) {
		return &prim{name: p.name, parent: up}
	}
	n := *p
	n.parent, n.children, n.names, n.props, n.byName, n.variants = up, nil, nil, nil, nil, nil
	n.selection = maps.Clone(p.selection)
	for _, x := range p.props {
		y := *x
		n.addProp(&y)
	}
	for _, s := range p.variants {
		t := &variantSet{name: s.name}
		for _, v := range s.list {
			t.list = append(t.list, &prim{name: v.name, children: []*prim{c.clone(v.children[0], up)}})
		}
		n.variants = append(n.variants, t)
	}
	for _, x := range p.children {
		n.add(c.clone(x, &n))
	}
	return &n
}

// entries returns the total number of entries of the lists of p.
func (p *prim) entries() int {
	return p.apis.len() + p.references.len() + p.payload.len() + p.inherits.len()
}

// merge merges a weaker prim into p, for opinions that p does not have. p takes over its parts without copying.
func (c *composer) merge(p, weak *prim) {
	if weak.entries() > 0 && !c.spend(p, entryBytes*(p.entries()+weak.entries())) {
		return
	}
	if p.specifier == "over" && weak.specifier != "" {
		p.specifier = weak.specifier
		if weak.specifier != "over" {
			p.file, p.line, p.column = weak.file, weak.line, weak.column
		}
	}
	if p.kind == "" {
		p.kind = weak.kind
	}
	p.apis, p.references, p.payload = over(p.apis, weak.apis), over(p.references, weak.references), over(p.payload, weak.payload)
	p.inherits, p.special, p.rest = over(p.inherits, weak.inherits), p.special || weak.special, p.rest+weak.rest
	if p.inactive == nil {
		p.inactive = weak.inactive
	}
	if p.selection == nil {
		p.selection = map[string]string{}
	}
	for set, v := range weak.selection {
		if _, ok := p.selection[set]; !ok {
			p.selection[set] = v
		}
	}
	for _, s := range weak.variants {
		c.mergeSet(p, s)
	}
	for _, y := range weak.props {
		x := p.prop(y.name)
		if x == nil {
			p.addProp(y)
			continue
		}
		if x.targets.len() > 0 && y.targets.len() > 0 && !c.spend(p, entryBytes*(x.targets.len()+y.targets.len())) {
			return
		}
		x.targets = over(x.targets, y.targets)
		if x.value == nil && x.samples == 0 {
			x.value, x.sample, x.time, x.samples = y.value, y.sample, y.time, y.samples
		}
	}
	for _, w := range weak.children {
		if x := p.child(w.name); x != nil {
			c.merge(x, w)
		} else {
			p.add(w)
		}
	}
}

// mergeSet merges a weaker variant set into the sets of p.
func (c *composer) mergeSet(p *prim, s *variantSet) {
	if !c.spend(p, entryBytes*len(p.variants)) {
		return
	}
	for _, mine := range p.variants {
		if mine.name != s.name {
			continue
		}
		for _, v := range s.list {
			if !c.spend(p, entryBytes*len(mine.list)) {
				return
			}
			i := slices.IndexFunc(mine.list, func(x *prim) bool { return x.name == v.name })
			if i < 0 {
				mine.list = append(mine.list, v)
			} else {
				c.merge(mine.list[i].children[0], v.children[0])
			}
		}
		return
	}
	p.variants = append(p.variants, s)
}

// expand merges the targets of all arcs of p, and of the prims within it, into them. Arcs without a file refer to the stack s.
func (c *composer) expand(p *prim, s *stack) error {
	if c.depth++; c.depth > maxDepth {
		c.stop(p, "prim "+fault.Name(p.name), fmt.Sprintf("stands deeper than %d in prims and arcs", maxDepth))
	}
	defer func() { c.depth-- }()
	if !c.spend(p, entryBytes*p.entries()) {
		return nil
	}
	for _, x := range slices.Clone(p.children) {
		if err := c.expand(x, s); err != nil {
			return err
		}
	}
	if p.special {
		c.report.Refuse(p, "prim "+fault.Name(p.name), "specializes another, which is not read")
	}
	inherits, references, payload := p.inherits.resolve(nil), p.references.resolve(nil), p.payload.resolve(nil)
	p.inherits, p.references, p.payload, p.special = list[arc]{}, list[arc]{}, list[arc]{}, false
	for _, a := range inherits {
		if err := c.pull(p, s, a); err != nil {
			return err
		}
	}
	if err := c.variants(p, s); err != nil {
		return err
	}
	for _, a := range slices.Concat(references, payload) {
		if err := c.pull(p, s, a); err != nil {
			return err
		}
	}
	return nil
}

// variants merges the selected variants of p into it, including nested ones.
func (c *composer) variants(p *prim, s *stack) error {
	for len(p.variants) > 0 {
		set := p.variants[0]
		p.variants = p.variants[1:]
		pick := p.selection[set.name]
		if pick == "" {
			c.report.Note(p, "variant set "+fault.Name(set.name), "has no selection; none of its variants counts")
			continue
		}
		i := slices.IndexFunc(set.list, func(x *prim) bool { return x.name == pick })
		if i < 0 {
			c.report.Refuse(p, "variant set "+fault.Name(set.name), "has no variant "+fault.Name(pick))
			continue
		}
		v := set.list[i].children[0]
		nested := v.variants // merged into the sets of p below
		v.parent, v.variants = p.parent, nil
		if err := c.expand(v, s); err != nil {
			return err
		}
		c.merge(p, v)
		for _, n := range nested {
			c.mergeSet(p, n)
		}
	}
	return nil
}

// pull merges the prim that an arc of p names into p, with its own arcs expanded.
func (c *composer) pull(p *prim, s *stack, a arc) error {
	from := s
	if c.full {
		return nil
	}
	if a.asset != "" {
		name, ok := c.resolve(a)
		if !ok {
			return nil
		}
		var err error
		if from, err = c.open(a, name, !mainFile); from == nil {
			return err
		}
		c.units(a, s, from)
	}
	at := a.path
	if at == "" {
		if v := from.meta["defaultPrim"]; len(v.texts) == 1 {
			at = absolute("", v.texts[0])
			if !strings.HasPrefix(at, "/") {
				at = "/" + at
			}
		} else {
			c.report.Refuse(a, "file "+fault.Name(from.name.String()), "has no default prim, and no prim of it is named")
			return nil
		}
	}
	target := from.root.find(at)
	if target == nil {
		c.report.Refuse(a, "prim "+fault.Name(at), "is not in "+fault.Name(from.name.String()))
		return nil
	}
	for up := target.parent; up != nil; up = up.parent {
		if !up.inherits.empty() || !up.references.empty() || !up.payload.empty() || len(up.variants) > 0 {
			c.report.Refuse(a, "prim "+fault.Name(at),
				"stands in one that is composed itself, "+fault.Name(up.path())+", which is not read")
			return nil
		}
	}
	n := c.clone(target, target.parent)
	if !c.spend(p, entryBytes*len(p.selection)) {
		return nil
	}
	prefer(n, p)
	if err := c.expand(n, from); err != nil {
		return err
	}
	if n.specifier == "class" { // a prim that inherits from a class is not abstract itself
		n.specifier = "over"
	}
	c.remap(n, at, p.path(), from != s || a.asset != "")
	c.merge(p, n)
	return nil
}

// units reports layers whose units differ: composition does not convert them.
func (c *composer) units(a arc, s, from *stack) {
	for _, name := range [...]string{"metersPerUnit", "kilogramsPerUnit"} {
		if x, y := unit(s.meta, name), unit(from.meta, name); x != y {
			c.report.Note(a, "file "+fault.Name(from.name.String()),
				fmt.Sprintf("has %s %g, and the file that names it %g; numbers are not converted, as the format says", name, y, x))
		}
	}
}

// prefer replaces the selections of variants in n, and in prims within it, by the selections of a stronger prim.
func prefer(n, strong *prim) {
	if n.selection == nil {
		n.selection = map[string]string{}
	}
	maps.Copy(n.selection, strong.selection)
	for _, c := range n.children {
		if x := strong.child(c.name); x != nil {
			prefer(c, x)
		}
	}
}

// remap changes the paths within n, which has moved from the path from to the path to. If n comes from another file (other), paths that
// lead out of n become invalid.
func (c *composer) remap(n *prim, from, to string, other bool) {
	move := func(items []string) []string {
		out := make([]string, 0, len(items))
		for _, s := range items {
			switch rest, ok := strings.CutPrefix(s, from); {
			case ok && (rest == "" || rest[0] == '/' || rest[0] == '.'):
				s = to + rest
			case other:
				s = "outside:" + s
			}
			out = append(out, s)
		}
		return out
	}
	for _, x := range n.props {
		t := &x.targets
		if !c.spend(n, (entryBytes+len(to))*t.len()) {
			return
		}
		if t.set {
			t.items = move(t.items)
		}
		t.first, t.last, t.added, t.gone = move(t.first), move(t.last), move(t.added), move(t.gone)
	}
	for _, x := range n.children {
		c.remap(x, from, to, other)
	}
}
