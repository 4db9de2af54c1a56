package formula

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rung-mbd/rung/internal/fault"
)

// Limits of expressions.
const (
	mostBytes   = 1 << 16
	mostNesting = 200
)

// Problem is the place where a text is no expression, and the message.
type Problem struct {
	Expression string
	Position   int    // of a character, from 1
	Text       string // what was expected there, and what was found
}

// functionOps are the functions of expressions by their names.
var functionOps = map[string]op{
	"sin": opSin, "cos": opCos, "tan": opTan, "asin": opAsin, "acos": opAcos, "atan": opAtan, "atan2": opAtan2,
	"sinh": opSinh, "cosh": opCosh, "tanh": opTanh, "exp": opExp, "log": opLog, "sqrt": opSqrt, "abs": opAbs, "min": opMin, "max": opMax,
}

// Beginnings of the messages of a Problem.
const (
	operandWanted  = "expected a number, %s, pi, a function, a sign or \"(\""
	operatorWanted = "expected an operator"
)

// parser turns a text into steps, by recursive descent. After an error
// the rest of the text is skipped, and the steps are not used.
type parser struct {
	text    string
	names   []string // names of the variables
	at      int      // index of the next byte
	f       Formula
	depth   int // number of elements on the stack after the steps so far
	nesting int // number of open brackets, signs and powers
	err     *Problem
}

// Parse returns the formula of a text in x and y, in the grammar of docs/ground.md. If the text is no expression, it returns nil and
// the problem.
//
// Cost: O(length); allocates.
func Parse(text string) (*Formula, *Problem) { return ParseIn(text, "x", "y") }

// ParseIn is Parse for one or two variables with other names. They are the arguments x and y of At, in this order.
func ParseIn(text string, names ...string) (*Formula, *Problem) {
	p := &parser{text: text, names: names}
	if len(text) > mostBytes {
		p.at = mostBytes
		p.fail("expected the end: an expression has %d bytes at most", mostBytes)
	}
	p.sum()
	if p.peek() != 0 {
		p.fail("%s or the end, found %s", operatorWanted, p.found())
	}
	if p.err != nil {
		return nil, p.err
	}
	return &p.f, nil
}

// fail stores the problem at the current place, unless there is one already, and goes to the end of the text.
func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = &Problem{p.text, 1 + utf8.RuneCountInString(p.text[:p.at]), fmt.Sprintf(format, args...)}
	}
	p.at = len(p.text)
}

// found returns the word or character at the current place for messages, or "the end".
func (p *parser) found() string {
	if p.peek() == 0 {
		return "the end"
	}
	if w := p.word(); w != "" {
		return fault.Name(w)
	}
	_, n := utf8.DecodeRuneInString(p.text[p.at:])
	return fault.Name(p.text[p.at : p.at+n])
}

// peek skips white space and returns the next byte, or 0 at the end. For a byte 0 in the text it returns 1, which no token begins
// with.
func (p *parser) peek() byte {
	for p.at < len(p.text) {
		switch b := p.text[p.at]; b {
		case ' ', '\t', '\n', '\r':
			p.at++
		case 0:
			return 1
		default:
			return b
		}
	}
	return 0
}

// take skips b if it comes next, and reports whether it did.
func (p *parser) take(b byte) bool {
	if p.peek() != b {
		return false
	}
	p.at++
	return true
}

// want skips b if it comes next, and fails otherwise.
func (p *parser) want(b byte) {
	if !p.take(b) {
		p.fail("%s or %q, found %s", operatorWanted, string(b), p.found())
	}
}

// enter counts a level of brackets, signs or powers. It fails and returns false if there are too many.
func (p *parser) enter() bool {
	if p.nesting++; p.nesting > mostNesting {
		p.fail("expected fewer brackets, signs or powers in each other: %d at most", mostNesting)
	}
	return p.err == nil
}

// sum parses product {(+|-) product}.
func (p *parser) sum() {
	for p.product(); p.err == nil; {
		switch {
		case p.take('+'):
			p.product()
			p.emit(opAdd)
		case p.take('-'):
			p.product()
			p.emit(opSub)
		default:
			return
		}
	}
}

// product parses factor {(*|/) factor}.
func (p *parser) product() {
	for p.factor(); p.err == nil; {
		switch {
		case p.take('*'):
			p.factor()
			p.emit(opMul)
		case p.take('/'):
			p.factor()
			p.emit(opDiv)
		default:
			return
		}
	}
}

// factor parses a power with signs before it: -x^2 is -(x^2).
func (p *parser) factor() {
	if !p.enter() {
		return
	}
	defer func() { p.nesting-- }()
	switch {
	case p.take('-'):
		p.factor()
		p.emit(opNeg)
	case p.take('+'):
		p.factor()
	default:
		p.power()
	}
}

// power parses operand [^ factor]: x^y^2 is x^(y^2).
func (p *parser) power() {
	p.operand()
	if p.take('^') {
		p.factor()
		p.emit(opPow)
	}
}

// operand parses a number, a name or an expression in brackets.
func (p *parser) operand() {
	switch b := p.peek(); {
	case b == '(':
		p.at++
		p.sum()
		p.want(')')
	case b >= '0' && b <= '9' || b == '.':
		p.number()
	case p.word() != "":
		p.name()
	default:
		p.noOperand(p.found())
	}
}

// word returns the name that begins at p.at, or "". It does not advance.
func (p *parser) word() string {
	end := p.at
	for end < len(p.text) && (letter(p.text[end]) || end > p.at && p.text[end] >= '0' && p.text[end] <= '9') {
		end++
	}
	return p.text[p.at:end]
}

// letter reports whether b is a letter of ASCII or an underscore.
func letter(b byte) bool { return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b == '_' }

// noOperand fails because an operand is missing; found is the text at its place.
func (p *parser) noOperand(found string) {
	p.fail(operandWanted+", found %s", strings.Join(p.names, ", "), found)
}

// name parses a variable, pi, or a function with its arguments. It fails for another name.
func (p *parser) name() {
	w := p.word()
	variable := slices.Index(p.names, w)
	switch {
	case variable == 0:
		p.push(step{op: opX})
	case variable == 1:
		p.push(step{op: opY})
	case w == "pi":
		p.push(step{opNumber, math.Pi})
	default:
		o, ok := functionOps[w]
		if !ok {
			p.noOperand(fault.Name(w))
			return
		}
		p.at += len(w)
		p.arguments(w, o)
		return
	}
	p.at += len(w)
}

// arguments parses the arguments of a function, in brackets, and adds its operation o.
func (p *parser) arguments(name string, o op) {
	if !p.take('(') {
		p.fail("expected \"(\" after %s, found %s", name, p.found())
		return
	}
	p.sum()
	if o.two() {
		if !p.take(',') {
			p.fail("expected an operator or \",\", found %s: %s takes two arguments", p.found(), name)
		}
		p.sum()
	}
	p.want(')')
	p.emit(o)
}

// number parses a number: digits with a point and an exponent, both optional.
func (p *parser) number() {
	end := p.at
	digits := func() {
		for end < len(p.text) && p.text[end] >= '0' && p.text[end] <= '9' {
			end++
		}
	}
	digits()
	if end < len(p.text) && p.text[end] == '.' {
		end++
		digits()
	}
	if rest := p.text[end:]; len(rest) > 1 && (rest[0] == 'e' || rest[0] == 'E') {
		sign := 1
		if rest[1] == '+' || rest[1] == '-' {
			sign = 2
		}
		if len(rest) > sign && rest[sign] >= '0' && rest[sign] <= '9' {
			end += sign
			digits()
		}
	}
	v, err := strconv.ParseFloat(p.text[p.at:end], 64)
	if err != nil {
		p.fail("expected a number that is finite, found %s", fault.Name(p.text[p.at:end]))
		return
	}
	p.at = end
	p.push(step{opNumber, v})
}

// push adds a step that puts an element on the stack.
func (p *parser) push(s step) {
	if p.depth++; p.depth > mostStack {
		p.fail("expected a simpler expression: it needs more than %d numbers at a time", mostStack)
		return
	}
	p.f.steps = append(p.f.steps, s)
	p.f.depth = max(p.f.depth, p.depth)
}

// emit adds operation o. An operation on constants is computed at once, so that a constant exponent is one number. An argument is
// constant if its last step is opNumber.
func (p *parser) emit(o op) {
	if p.err != nil {
		return
	}
	s := p.f.steps
	n := len(s)
	switch {
	case !o.two() && s[n-1].op == opNumber:
		a := Jet{Z: s[n-1].number}
		s[n-1].number = a.unary(o).Z
	case o.two() && s[n-1].op == opNumber && s[n-2].op == opNumber:
		a, b := Jet{Z: s[n-2].number}, Jet{Z: s[n-1].number}
		s[n-2].number = a.binary(o, &b).Z
		p.f.steps = s[:n-1]
	default:
		p.f.steps = append(s, step{op: o})
	}
	if o.two() {
		p.depth--
	}
}
