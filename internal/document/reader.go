package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"math/bits"

	"github.com/rung-mbd/rung/internal/fault"
)

// step is one step of the path to the current value: a key, or an index.
type step struct {
	key   string
	index int // −1 for a key
}

// Flaws are fields, as bits, that have been complained about. The bits are the positions in a list of fields.
type Flaws uint32

// Has reports whether a field is one of them.
func (f Flaws) Has(field int) bool { return f>>field&1 != 0 }

// Reader goes through the tokens of one document and collects what is wrong with it, each with its path. After an end
// that is Fatal, the text is no JSON, or the input failed, and nothing more is read.
//
// A document is an object, of which some fields are lists of elements. At, Flaw and
// Field are for those who read elements: they say which rules are still applied, so
// that each problem is reported once and none that follows from another.
type Reader struct {
	Faults
	At    Place // of the current element; its Section is 0 outside of elements
	Field int   // field of the current element that is read
	Flaw  Flaws // of the current element: fields that were refused
	Fatal bool

	src     *scanner
	path    []step
	ioErr   error
	scratch []byte
}

// NewReader returns a Reader of the document that r holds.
func NewReader(r io.Reader) *Reader {
	return &Reader{src: newScanner(r), path: make([]step, 0, 16)}
}

// Err returns the error of the input, nil if it has none.
func (d *Reader) Err() error { return d.ioErr }

// Offset returns the number of bytes that have been read.
func (d *Reader) Offset() int64 { return d.src.offset() }

// Left returns the number of bytes that are still to be read; below 1 if it is not known.
func (d *Reader) Left() int64 { return d.src.size - d.src.offset() }

// fail ends the reading at err.
func (d *Reader) fail(err error) {
	if d.Fatal || err == nil {
		return
	}
	d.Fatal = true
	var syntax *syntaxError
	path, rule := "$", ""
	switch {
	case errors.Is(err, errTokenTooLong):
		path, rule = d.pathString(), errTokenTooLong.Error()+", after "+d.src.where(d.src.offset())
	case errors.As(err, &syntax) && syntax.early:
		path, rule = syntax.path, "the document ends early, at "+d.src.where(syntax.offset)
	case errors.As(err, &syntax):
		path, rule = syntax.path, "syntax error: "+syntax.text+", at "+d.src.where(syntax.offset)
	case err == io.EOF && d.src.base+int64(len(d.src.buf)) == 0:
		rule = "the document is empty"
	case err == io.EOF:
		rule = "the document holds no value"
	default:
		d.ioErr = err
		return
	}
	if d.Full() { // the reason of the end is always listed
		d.list = d.list[:MaxFaults-1]
		d.more++
	}
	d.Add(Place{Section: Last}, path, "", rule)
}

// pathString returns the path of the value that is read, such as $.bodies[2].mass.
func (d *Reader) pathString() string {
	b := []byte{'$'}
	for _, s := range d.path {
		if s.index >= 0 {
			b = appendIndex(b, s.index)
		} else {
			b = appendKey(b, s.key)
		}
	}
	return string(b)
}

// Note records a problem at the current path.
func (d *Reader) Note(value, rule string) {
	if d.Full() {
		d.more++
		return
	}
	d.Add(d.At, d.pathString(), value, rule)
}

// read passes the next token and returns its text, nil after an error.
func (d *Reader) read() []byte {
	raw := d.src.token()
	if raw == nil {
		d.fail(d.src.err)
	}
	return raw
}

// Problem is Note for a value that is no use, so its rules are skipped.
func (d *Reader) Problem(value, rule string) {
	d.Flaw |= 1 << d.Field
	d.Note(value, rule)
}

// ProblemAt is Problem for field k of the object that was just read.
func (d *Reader) ProblemAt(fields []string, k int, value, rule string) {
	d.path = append(d.path, step{fields[k], -1})
	if d.atElement() {
		d.Field = k
	}
	d.Problem(value, rule)
	d.path = d.path[:len(d.path)-1]
}

// atElement reports whether the path ends at a field of an element.
func (d *Reader) atElement() bool { return len(d.path) == 3 && d.At.Section != 0 }

// Require reports the fields of need that were not seen.
func (d *Reader) Require(fields []string, seen uint32, need ...int) {
	for _, k := range need {
		if seen>>k&1 == 0 && !d.Fatal {
			d.ProblemAt(fields, k, "", RuleMissing)
		}
	}
}

// Skip passes the next value and describes it in a few characters.
func (d *Reader) Skip() string {
	switch kind := d.src.peek(); kind {
	case '{', '[':
		d.src.skip()
		d.fail(d.src.err)
		if kind == '{' {
			return "an object"
		}
		return "a list"
	case '}', ']':
		d.src.wrong(d.src.at, true, invalid([]byte{kind}, "at start of value"))
	}
	raw := d.read()
	return Cut(string(raw[:min(len(raw), shortLen+8)]))
}

// Wrong reports that the next value is not what it should be.
func (d *Reader) Wrong(want string) {
	value := d.Skip()
	if !d.Fatal {
		d.Problem(value, "is not "+want)
	}
}

// open enters the next value, which has to start with kind.
func (d *Reader) open(kind byte, want string) bool {
	if d.src.peek() != kind {
		d.Wrong(want)
		return false
	}
	d.read()
	d.path = append(d.path, step{index: -1})
	return true
}

// OpenObject enters the next value, which has to be an object.
func (d *Reader) OpenObject() bool { return d.open('{', "an object") }

// OpenObjectOr is OpenObject where there may be something else, which has not been found.
func (d *Reader) OpenObjectOr(other string) bool {
	return d.open('{', "an object or "+other)
}

// OpenArray enters the next value, which has to be a list.
func (d *Reader) OpenArray() bool { return d.open('[', "a list") }

// close leaves the current object or array.
func (d *Reader) close() {
	d.read()
	d.path = d.path[:len(d.path)-1]
}

// Members goes through the known fields of the current object, by their positions in fields; seen collects them. Unknown and
// repeated fields are reported and passed. At the end of the object it leaves it.
//
// Cost: some 10 ns a field more than a loop over Member.
func (d *Reader) Members(fields []string, seen *uint32) iter.Seq[int] {
	return func(yield func(int) bool) {
		for {
			if k, ok := d.Member(fields, seen); !ok || !yield(k) {
				return
			}
		}
	}
}

// Member goes to the next of Members, and reports whether there is one.
func (d *Reader) Member(fields []string, seen *uint32) (int, bool) {
	for !d.Fatal {
		if d.src.peek() == '}' {
			d.close()
			return 0, false
		}
		raw := d.read()
		if raw == nil {
			return 0, false
		}
		key := d.unquote(raw)
		k := findField(fields, key, bits.Len32(*seen))
		here := &d.path[len(d.path)-1]
		if k < len(fields) && *seen>>k&1 == 0 {
			*seen |= 1 << k
			here.key = fields[k]
			if d.atElement() {
				d.Field = k
			}
			return k, true
		}
		here.key = Cut(string(key[:min(len(key), shortLen+8)]))
		value := d.Skip()
		switch {
		case d.Fatal:
		case k < len(fields):
			d.Note(value, "duplicate key")
		default:
			d.Note(value, "unknown field"+d.Meant(here.key, fields))
		}
	}
	return 0, false
}

// findField returns the position of key in fields, or len(fields); it looks
// first where the usual order would have it.
func findField(fields []string, key []byte, guess int) int {
	if guess < len(fields) && fields[guess] == string(key) {
		return guess
	}
	for k, f := range fields {
		if f == string(key) {
			return k
		}
	}
	return len(fields)
}

// Meant is fault.MeantType where the fault is still kept.
func (d *Reader) Meant(name string, names []string) string {
	if d.Full() {
		return ""
	}
	return fault.MeantType(name, names...)
}

// Element goes to entry i of the current array; at its end it leaves it.
func (d *Reader) Element(i int) bool {
	if d.Fatal {
		return false
	}
	if d.src.peek() == ']' {
		d.close()
		return false
	}
	d.path[len(d.path)-1].index = i
	return true
}

// unquote returns the text of a JSON string, valid until the next token.
func (d *Reader) unquote(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 && len(raw) >= 2 {
		return raw[1 : len(raw)-1]
	}
	d.scratch = appendUnquoted(d.scratch[:0], raw)
	return d.scratch
}

// Text reads a string, valid until the next token.
func (d *Reader) Text() ([]byte, bool) {
	if d.src.peek() != '"' {
		d.Wrong("a string")
		return nil, false
	}
	raw := d.read()
	if raw == nil {
		return nil, false
	}
	return d.unquote(raw), true
}

// Number reads a number into x, which stays as it is if there is none.
func (d *Reader) Number(x *float64) bool {
	if d.src.peek() != '0' {
		d.Wrong("a number")
		return false
	}
	raw := d.read()
	if raw == nil {
		return false
	}
	v, err := parse(raw)
	if err != nil {
		d.Problem(Cut(string(raw)), RuleNotFinite)
		return false
	}
	*x = v
	return true
}

// Vector reads a list of len(x) numbers and reports whether all are good.
func (d *Reader) Vector(x []float64) bool {
	if !d.OpenArray() {
		return false
	}
	good, n := true, 0
	for ; d.Element(n); n++ {
		if n >= len(x) {
			d.Skip()
			continue
		}
		good = d.Number(&x[n]) && good
	}
	if n != len(x) && !d.Fatal {
		d.Problem("", fmt.Sprintf("wrong length %d, must have %d entries", n, len(x)))
	}
	return good && n == len(x)
}

// Numbers appends a list of at most most numbers to x. Of a longer one it stores no more.
func (d *Reader) Numbers(x []float64, most int) []float64 {
	if !d.OpenArray() {
		return x
	}
	n := 0
	for ; d.Element(n); n++ {
		if n >= most {
			d.Skip()
			continue
		}
		var v float64
		d.Number(&v)
		x = append(x, v)
	}
	d.Bound(n, most)
	return x
}

// Bound reports a list of n entries, more than most.
func (d *Reader) Bound(n, most int) {
	if n > most && !d.Fatal {
		d.Problem("", fmt.Sprintf("wrong length %d, must have at most %d entries", n, most))
	}
}

// NoteAt is Note at a key of the object that was just read.
func (d *Reader) NoteAt(key, value, rule string) {
	d.path = append(d.path, step{key, -1})
	d.Note(value, rule)
	d.path = d.path[:len(d.path)-1]
}
