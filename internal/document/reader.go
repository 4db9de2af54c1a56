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

// Flaws is the set of fields with a problem. Bit k stands for field k of a list of fields.
type Flaws uint32

// Has reports whether the field is in the set.
func (f Flaws) Has(field int) bool { return f>>field&1 != 0 }

// Reader reads the tokens of one document and collects the document's faults, each with its path.
//
// A document is an object. Some of its fields are lists of elements. The fields At, Flaw and
// Field serve the code that reads elements: it skips the rules of fields with a problem, so
// each problem is reported once, and no problem that follows from another.
type Reader struct {
	Faults
	At    Place // place of the current element; its Section is 0 outside of elements
	Field int   // field of the current element that is being read
	Flaw  Flaws // refused fields of the current element
	Fatal bool  // reading has ended early: the text is no JSON, the format is another, or the input failed

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

// fail ends the reading because of err. It adds a fault for an error of the text, and keeps an error of the input for Err. It does
// nothing if err is nil or the reading has already ended.
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
	if d.Full() { // the fault that ended the reading is always listed
		d.list = d.list[:MaxFaults-1]
		d.more++
	}
	d.Add(Place{Section: Last}, path, "", rule)
}

// pathString returns the path of the current value, such as $.bodies[2].mass.
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

// read consumes the next token and returns its text, or nil after an error.
func (d *Reader) read() []byte {
	raw := d.src.token()
	if raw == nil {
		d.fail(d.src.err)
	}
	return raw
}

// Problem is Note for a value that cannot be used. It adds the current field to Flaw, so that its further rules are skipped.
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

// Require reports each field of need that is not in seen as missing. Bit k of seen stands for field k of fields.
func (d *Reader) Require(fields []string, seen uint32, need ...int) {
	for _, k := range need {
		if seen>>k&1 == 0 && !d.Fatal {
			d.ProblemAt(fields, k, "", RuleMissing)
		}
	}
}

// Skip consumes the next value and returns a short description of it for messages.
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

// Wrong consumes the next value and reports that it is not want, a description with its article.
func (d *Reader) Wrong(want string) {
	value := d.Skip()
	if !d.Fatal {
		d.Problem(value, "is not "+want)
	}
}

// open enters the next value, which has to start with kind. Otherwise it reports that the value is not want, and returns false.
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

// OpenObjectOr is OpenObject for a value that could also be of the kind other, which the caller has already ruled out. The message
// names both.
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

// Members returns an iterator over the known fields of the current object. It yields the position of each field in fields, and sets the
// bit of the field in seen. Unknown and repeated fields are reported and skipped. At the end the object has been left.
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

// Member goes to the next field of the current object as Members does. It returns the field's position in fields, or 0 and false at
// the end.
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

// findField returns the position of key in fields, or len(fields) if it is not there. It looks at
// position guess first.
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

// Meant returns fault.MeantType, or nothing if the fault would not be kept.
func (d *Reader) Meant(name string, names []string) string {
	if d.Full() {
		return ""
	}
	return fault.MeantType(name, names...)
}

// Element goes to entry i of the current list and returns true. At the end it leaves the list and returns false.
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

// unquote returns the text of a JSON string, without quotes and escapes. It is valid until the next token.
func (d *Reader) unquote(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 && len(raw) >= 2 {
		return raw[1 : len(raw)-1]
	}
	d.scratch = appendUnquoted(d.scratch[:0], raw)
	return d.scratch
}

// Text reads a string. The result is valid until the next token. It returns false if the value is no string.
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

// Number reads a number into x. If the value is no finite number, it returns false and does not change x.
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

// Vector reads a list of len(x) numbers into x. It returns false if the length is another, or a value is no finite number.
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

// Numbers reads a list of at most most numbers and appends them to x. A longer list is reported, and its further numbers are
// skipped.
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

// Bound reports a list of n entries as too long if n > most.
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
