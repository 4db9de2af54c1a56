package usd

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/fault"
)

// magic begins a file in text, binary a file in the crate format, and zipped a package.
const (
	magic  = "#usda "
	binary = "PXR-USDC"
	zipped = "PK\x03\x04"
)

// Sniff reports whether a file is in USD, text, binary or a package, by its first bytes or the ending of its name.
func Sniff(name string, data []byte) bool {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	return bytes.HasPrefix(data, []byte(magic)) || bytes.HasPrefix(data, []byte(binary)) ||
		bytes.HasPrefix(data, []byte(zipped)) || ending(name) == ".usdc" || ending(name) == ".usdz"
}

// ending returns the ending of a name, with the point, in lower case; "" if there is none.
func ending(name string) string {
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		return strings.ToLower(name[i:])
	}
	return ""
}

// asText returns a name for the text form of a file, for messages.
func asText(file string) string {
	e := ending(file)
	if e == ".usda" {
		return strings.TrimSuffix(file, file[len(file)-len(e):]) + "-text.usda"
	}
	return strings.TrimSuffix(file, file[len(file)-len(e):]) + ".usda"
}

// layer is a file that has been parsed.
type layer struct {
	file      string
	root      *prim
	meta      map[string]value
	sublayers []arc
}

// parser parses a layer; it panics with a *source.SyntaxError, which parse recovers.
type parser struct {
	lexer
	l        *layer
	depth    int
	relative int // bytes of the relative paths so far, made absolute
}

// maxRelative bounds the memory of the relative paths of a file when they are made absolute, bytes.
const maxRelative = 64 << 20

// parse parses the text of a layer.
//
// Cost: O(bytes). It returns a *source.SyntaxError with the position.
func parse(file string, data []byte) (l *layer, err error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	p := &parser{lexer: lexer{file: file, data: string(data), line: 1, tLine: 1, tByte: 1}}
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(error)
			var s *source.SyntaxError
			if !ok || !errors.As(e, &s) {
				panic(r)
			}
			l, err = nil, s
		}
	}()
	switch e := ending(file); {
	case bytes.HasPrefix(data, []byte(zipped)) || e == ".usdz":
		p.fail("packages of USD are not read; usdcat --flatten -o %s %s writes one as text", asText(file), file)
	case bytes.HasPrefix(data, []byte(binary)) || e == ".usdc":
		p.fail("USD in binary is not read; usdcat -o %s %s writes it as text", asText(file), file)
	case !bytes.HasPrefix(data, []byte(magic)):
		p.fail("no USD in text: it does not begin with %s", fault.Name(magic+"1.0"))
	case !utf8.Valid(data):
		p.fail("the file is not UTF-8")
	}
	p.l = &layer{file: file, root: &prim{file: file, line: 1, column: 1, specifier: "def"}, meta: map[string]value{}}
	p.next()
	if p.take("(") {
		p.layerMeta()
	}
	for p.kind != end {
		p.prim(p.l.root)
	}
	return p.l, nil
}

// deeper counts a nested prim or value, until the function that it returns is called. It fails beyond maxDepth.
func (p *parser) deeper() func() {
	if p.depth++; p.depth > maxDepth {
		p.fail("prims and values stand deeper than %d in each other", maxDepth)
	}
	return func() { p.depth-- }
}

// layerMeta reads the metadata of the file.
func (p *parser) layerMeta() {
	for !p.take(")") {
		if p.kind == text || p.is(";") {
			p.next()
			continue
		}
		p.edit()
		key := p.expect(word, "the name of an entry")
		switch key {
		case "relocates":
			p.fail("relocates are not read")
		case "subLayers":
			p.want("=")
			l := list[arc]{}
			p.arcs(&l, "")
			p.l.sublayers = l.items
		default:
			p.want("=")
			p.l.meta[key] = p.value()
		}
	}
}

// edit reads the keyword by which an entry edits a list; "" if there is none.
func (p *parser) edit() string {
	for _, s := range [...]string{"prepend", "append", "add", "delete", "reorder"} {
		if p.take(s) {
			return s
		}
	}
	return ""
}

// put stores items in the part of a list for an edit.
func put[T comparable](l *list[T], edit string, items []T) {
	switch edit {
	case "":
		l.set, l.items = true, items
	case "prepend":
		l.first = items
	case "append":
		l.last = items
	case "add":
		l.added = items
	case "delete":
		l.gone = items
	}
}

// prim reads a prim within another.
func (p *parser) prim(up *prim) {
	if p.take(";") {
		return
	}
	if p.is("reorder") {
		p.next()
		p.expect(word, "what is reordered")
		p.want("=")
		p.value()
		return
	}
	n := &prim{file: p.file, line: p.tLine, column: p.tByte, parent: up}
	switch n.specifier = p.s; {
	case p.kind != word || n.specifier != "def" && n.specifier != "over" && n.specifier != "class":
		p.fail("%s in place of def, over or class", p.shown())
	}
	p.next()
	if p.kind == word {
		n.kind = p.s
		p.next()
	}
	n.name = p.expect(text, "the name of a prim")
	if !valid(n.name) {
		p.fail("%s cannot be the name of a prim", fault.Name(n.name))
	}
	if up.child(n.name) != nil {
		p.fail("the prim %s stands twice", fault.Name(n.name))
	}
	if up.add(n); len(n.path()) > maxPath {
		p.fail("the path of a prim is longer than %d bytes: %s", maxPath, fault.Name(n.path()))
	}
	if p.take("(") {
		p.primMeta(n)
	}
	p.want("{")
	p.contents(n)
}

// valid reports whether name is a valid name of a prim.
func valid(name string) bool {
	l := lexer{data: name}
	l.word()
	return l.kind == word && l.at == len(name) && !strings.Contains(name, ":")
}

// contents reads the elements of a prim or a variant up to its closing brace.
func (p *parser) contents(n *prim) {
	defer p.deeper()()
	for !p.take("}") {
		switch {
		case p.is("def") || p.is("over") || p.is("class") || p.is(";"):
			p.prim(n)
		case p.is("variantSet"):
			p.variantSet(n)
		default:
			p.property(n)
		}
	}
}

// variantSet reads a set of variants.
func (p *parser) variantSet(n *prim) {
	p.next()
	s := &variantSet{name: p.expect(text, "the name of a variant set")}
	p.want("=")
	p.want("{")
	for !p.take("}") {
		v := &prim{file: p.file, line: p.tLine, column: p.tByte, parent: n.parent, name: n.name, specifier: "over"}
		name := p.expect(text, "the name of a variant")
		if p.take("(") {
			p.primMeta(v)
		}
		p.want("{")
		p.contents(v)
		holder := &prim{name: name, children: []*prim{v}}
		s.list = append(s.list, holder)
	}
	n.variants = append(n.variants, s)
}

// primMeta reads the metadata of a prim.
func (p *parser) primMeta(n *prim) {
	defer p.deeper()()
	for !p.take(")") {
		if p.kind == text || p.is(";") {
			p.next()
			n.rest++
			continue
		}
		edit := p.edit()
		key := p.expect(word, "the name of an entry")
		p.want("=")
		switch key {
		case "references":
			p.edited(&n.references, edit, n.path())
		case "payload":
			p.edited(&n.payload, edit, n.path())
		case "inherits":
			p.edited(&n.inherits, edit, n.path())
		case "specializes":
			p.value()
			n.special = edit != "delete"
		case "apiSchemas":
			put(&n.apis, edit, p.value().texts)
		case "variants":
			p.selections(n)
		case "active":
			if v := p.value(); len(v.nums) == 1 {
				off := v.nums[0] == 0
				n.inactive = &off
			}
		default:
			p.value()
			n.rest++
		}
	}
}

// edited reads arcs and stores them in the part of a list for an edit.
func (p *parser) edited(l *list[arc], edit, at string) {
	one := list[arc]{}
	p.arcs(&one, at)
	put(l, edit, one.items)
}

// selections reads the selected variants of a prim.
func (p *parser) selections(n *prim) {
	p.want("{")
	if n.selection == nil {
		n.selection = map[string]string{}
	}
	for !p.take("}") {
		if p.take(";") || p.take(",") {
			continue
		}
		p.expect(word, "a type")
		set := p.s
		p.next()
		p.want("=")
		n.selection[set] = p.expect(text, "the name of a variant")
	}
}

// arcs reads one arc, a file, a path or both, or a list of arcs. Relative paths begin at the path at.
func (p *parser) arcs(l *list[arc], at string) {
	l.set = true
	if p.take("None") {
		return
	}
	many := p.take("[")
	for !many || !p.take("]") {
		if many && p.take(",") {
			continue
		}
		a := arc{file: p.file, line: p.tLine, column: p.tByte}
		if p.kind != asset && p.kind != path {
			p.fail("%s in place of a file or a path", p.shown())
		}
		if p.kind == asset {
			a.asset = p.s
			p.next()
		}
		if p.kind == path {
			a.path = p.absolute(at, p.s)
			p.next()
		}
		if p.take("(") { // an offset in time
			p.skip(")")
		}
		l.items = append(l.items, a)
		if !many {
			return
		}
	}
}

// absolute returns the absolute path for a path s in the prim at the path at. It fails if all relative paths of the file together become
// too long, as each grows by the length of its parent.
func (p *parser) absolute(at, s string) string {
	if !strings.HasPrefix(s, "/") {
		if p.relative += len(at) + len(s); p.relative > maxRelative {
			p.fail("the relative paths of the file take more than %d MiB", maxRelative>>20)
		}
	}
	return absolute(at, s)
}

// absolute returns the absolute path for s, which may be relative to the path at.
func absolute(at, s string) string {
	if s == "" || strings.HasPrefix(s, "/") {
		return s
	}
	for strings.HasPrefix(s, "../") || s == ".." {
		at = at[:max(strings.LastIndexByte(at, '/'), 0)]
		s = strings.TrimPrefix(strings.TrimPrefix(s, ".."), "/")
	}
	if s == "" || s == "." {
		return at
	}
	return at + "/" + s
}

// skip reads past a closing character, and skips everything before it, including nested brackets.
func (p *parser) skip(closing string) {
	stack := []string{closing}
	for len(stack) > 0 {
		switch {
		case p.kind == end:
			p.fail("the file ends before %s", fault.Name(stack[len(stack)-1]))
		case p.is(stack[len(stack)-1]):
			stack = stack[:len(stack)-1]
		case p.is("("):
			stack = append(stack, ")")
		case p.is("["):
			stack = append(stack, "]")
		case p.is("{"):
			stack = append(stack, "}")
		case p.is(")") || p.is("]") || p.is("}"):
			p.fail("%s in place of %s", p.shown(), fault.Name(stack[len(stack)-1]))
		}
		p.next()
	}
}

// property reads an attribute or a relationship.
func (p *parser) property(n *prim) {
	line, column := p.tLine, p.tByte
	edit := p.edit()
	if edit == "reorder" {
		p.expect(word, "what is reordered")
		p.want("=")
		p.value()
		return
	}
	for p.take("custom") || p.take("uniform") || p.take("varying") || p.take("config") {
	}
	typ := p.expect(word, "a type, a prim or a brace")
	if p.take("[") {
		p.want("]")
	}
	name := p.expect(word, "the name of a property")
	x := n.prop(name)
	if x == nil {
		x = &prop{file: p.file, line: line, column: column, name: name, rel: typ == "rel"}
		n.addProp(x)
	}
	field := ""
	if p.take(".") {
		field = p.expect(word, "what of the property is set")
	}
	if p.take("=") {
		p.assign(x, edit, field)
	}
	if p.take("(") {
		p.skip(")")
	}
}

// assign reads the value of a property, or of a field of it.
func (p *parser) assign(x *prop, edit, field string) {
	switch {
	case field == "timeSamples":
		p.samples(x)
	case field == "connect":
		p.value()
	case field != "" && field != "default":
		p.want("{")
		p.skip("}")
		x.samples = max(x.samples, 1)
	case x.rel:
		v, at := p.value(), x.owner.path()
		for i, s := range v.texts {
			v.texts[i] = p.absolute(at, s)
		}
		put(&x.targets, edit, v.texts)
	default:
		v := p.value()
		x.value = &v
	}
}

// samples reads values at times, and keeps the one at the earliest time.
func (p *parser) samples(x *prop) {
	p.want("{")
	for !p.take("}") {
		if p.take(",") || p.take(";") {
			continue
		}
		t := p.number()
		p.want(":")
		v := p.value()
		if x.samples == 0 || t < x.time {
			x.sample, x.time = &v, t
		}
		x.samples++
	}
}
