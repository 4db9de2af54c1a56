package model

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"os"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// maxToken bounds the bytes of one token with the white space before it, and
// by that the memory of the tokenizer.
const maxToken = 16 << 20

var errTokenTooLong = errors.New("a single value or gap is longer than 16 MiB")

// source feeds the tokenizer and keeps what messages and estimates need.
type source struct {
	r     *bufio.Reader
	dec   *jsontext.Decoder
	size  int64 // of the whole input, 0 if unknown
	total int64 // bytes delivered
	lines int   // line ends among them
}

func newSource(r io.Reader) *source {
	s := &source{r: bufio.NewReaderSize(r, 1<<18)}
	switch in := r.(type) {
	case *os.File:
		if info, err := in.Stat(); err == nil && info.Mode().IsRegular() {
			s.size = info.Size()
		}
	case interface{ Len() int }:
		s.size = int64(in.Len())
	}
	s.dec = jsontext.NewDecoder(s, jsontext.AllowDuplicateNames(true))
	return s
}

// Read is called by the tokenizer.
func (s *source) Read(p []byte) (int, error) {
	if s.total-s.dec.InputOffset() > maxToken {
		return 0, errTokenTooLong
	}
	n, err := s.r.Read(p)
	s.total += int64(n)
	s.lines += bytes.Count(p[:n], []byte{'\n'})
	return n, err
}

// where names a place of the input, at or after the last token, for people.
func (s *source) where(offset int64) string {
	rest := s.dec.UnreadBuffer()
	skip := min(max(offset-s.dec.InputOffset(), 0), int64(len(rest)))
	line := 1 + s.lines - bytes.Count(rest[skip:], []byte{'\n'})
	return fmt.Sprintf("line %d, byte %d", line, offset)
}

// step is one step of the path to the current value: a key, or an index.
type step struct {
	key   string
	index int // −1 for a key
}

// decoder turns tokens into a model. Its checker holds the model and problems.
//
// What has gone wrong decides which rules are still applied, so that each problem is reported
// once and none that follows from another:
//
//   - flaw: a field was refused. The rules for this field are skipped (checker.flaws), the
//     others applied.
//   - noRefs, of the checker: there is no list of bodies, so names of bodies are not judged.
//   - partial: elements were dropped, because there are too many, or because so many problems
//     are known that the model will not be returned. Only what is read on is judged, field by
//     field; the rules of the checker are left out.
//   - fatal: the text is no JSON, or the input failed. Reading has ended, and the rules of
//     the checker are left out.
type decoder struct {
	checker
	src     *source
	dec     *jsontext.Decoder
	path    []step
	field   int   // field of the current element being read
	flaw    flaws // of the current element
	fatal   bool
	partial bool
	most    int // elements of a list of bodies, joints or forces that are read
	ioErr   error
	scratch []byte
	lists   [4][]float64 // of the current joint
	turns   []int64
	arena   []float64 // unused rest of the block that lists are cut from
}

// fail ends the reading at err.
func (d *decoder) fail(err error) {
	if d.fatal || err == nil {
		return
	}
	d.fatal = true
	var syntax *jsontext.SyntacticError
	path, rule := "$", ""
	switch {
	case errors.Is(err, errTokenTooLong):
		path, rule = d.pathString(), errTokenTooLong.Error()+", after "+d.src.where(d.dec.InputOffset())
	case errors.As(err, &syntax) && errors.Is(err, io.ErrUnexpectedEOF):
		path = pointerPath(syntax.JSONPointer)
		rule = "the document ends early, at " + d.src.where(syntax.ByteOffset)
	case errors.As(err, &syntax):
		path = pointerPath(syntax.JSONPointer)
		rule = fmt.Sprintf("syntax error: %v, at %s", syntax.Err, d.src.where(syntax.ByteOffset))
	case err == io.EOF && d.src.total == 0:
		rule = "the document is empty"
	case err == io.EOF:
		rule = "the document holds no value"
	default:
		d.ioErr = err
		return
	}
	if d.full() { // the reason of the end is always listed
		d.list = d.list[:MaxProblems-1]
		d.more++
	}
	d.add(secSyntax, 0, path, "", rule)
}

// pointerPath turns a JSON pointer into this package's notation.
func pointerPath(p jsontext.Pointer) string {
	b := []byte{'$'}
	for token := range p.Tokens() {
		if len(b) > 2*shortLen {
			return string(b) + "…"
		}
		if i, err := strconv.Atoi(token); err == nil {
			b = appendIndex(b, i)
		} else {
			b = appendKey(b, token)
		}
	}
	return string(b)
}

func (d *decoder) pathString() string {
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

// note records a problem at the current path.
func (d *decoder) note(value, rule string) {
	if d.full() {
		d.more++
		return
	}
	d.add(d.sec, d.index, d.pathString(), value, rule)
}

// problem is note for a value that is no use, so its rules are skipped.
func (d *decoder) problem(value, rule string) {
	d.flaw |= 1 << d.field
	d.note(value, rule)
}

// problemAt is problem for field k of the object that was just read.
func (d *decoder) problemAt(fields []string, k int, value, rule string) {
	d.path = append(d.path, step{fields[k], -1})
	if d.atElement() {
		d.field = k
	}
	d.problem(value, rule)
	d.path = d.path[:len(d.path)-1]
}

// atElement reports whether the path ends at a field of an element.
func (d *decoder) atElement() bool { return len(d.path) == 3 && d.sec != secDocument }

// require reports the fields of need that were not seen.
func (d *decoder) require(fields []string, seen uint32, need ...int) {
	for _, k := range need {
		if seen>>k&1 == 0 {
			d.problemAt(fields, k, "", ruleMissing)
		}
	}
}

// skip passes the next value and describes it in a few characters.
func (d *decoder) skip() string {
	switch kind := d.dec.PeekKind(); kind {
	case jsontext.KindBeginObject, jsontext.KindBeginArray:
		d.fail(d.dec.SkipValue())
		if kind == jsontext.KindBeginObject {
			return "an object"
		}
		return "a list"
	default:
		raw, err := d.dec.ReadValue()
		d.fail(err)
		return cutShort(string(raw[:min(len(raw), shortLen+8)]))
	}
}

// wrong reports that the next value is not what it should be.
func (d *decoder) wrong(want string) {
	value := d.skip()
	if !d.fatal {
		d.problem(value, "is not "+want)
	}
}

// open enters the next value, which has to start with kind.
func (d *decoder) open(kind jsontext.Kind, want string) bool {
	if d.dec.PeekKind() != kind {
		d.wrong(want)
		return false
	}
	_, err := d.dec.ReadToken()
	d.fail(err)
	d.path = append(d.path, step{index: -1})
	return true
}

func (d *decoder) openObject() bool { return d.open(jsontext.KindBeginObject, "an object") }
func (d *decoder) openArray() bool  { return d.open(jsontext.KindBeginArray, "a list") }

// close leaves the current object or array.
func (d *decoder) close() {
	_, err := d.dec.ReadToken()
	d.fail(err)
	d.path = d.path[:len(d.path)-1]
}

// member goes to the next known field of the current object and returns its
// position in fields; seen collects them. Unknown and repeated fields are
// reported and passed. At the end of the object it leaves it.
func (d *decoder) member(fields []string, seen *uint32) (int, bool) {
	for !d.fatal {
		if d.dec.PeekKind() == jsontext.KindEndObject {
			d.close()
			return 0, false
		}
		raw, err := d.dec.ReadValue()
		if err != nil {
			d.fail(err)
			return 0, false
		}
		key := d.unquote(raw)
		k := findField(fields, key, bits.Len32(*seen))
		here := &d.path[len(d.path)-1]
		if k < len(fields) && *seen>>k&1 == 0 {
			*seen |= 1 << k
			here.key = fields[k]
			if d.atElement() {
				d.field = k
			}
			return k, true
		}
		here.key = cutShort(string(key[:min(len(key), shortLen+8)]))
		value := d.skip()
		switch {
		case d.fatal:
		case k < len(fields):
			d.note(value, "duplicate key")
		default:
			d.note(value, "unknown field"+similar(fields, here.key))
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

// similar returns a hint for a field name with the wrong case.
func similar(fields []string, key string) string {
	for _, f := range fields {
		if strings.EqualFold(f, key) {
			return ", did you mean " + f + "?"
		}
	}
	return ""
}

// element goes to entry i of the current array; at its end it leaves it.
func (d *decoder) element(i int) bool {
	if d.fatal {
		return false
	}
	if d.dec.PeekKind() == jsontext.KindEndArray {
		d.close()
		return false
	}
	d.path[len(d.path)-1].index = i
	return true
}

// unquote returns the text of a JSON string, valid until the next token.
func (d *decoder) unquote(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 && len(raw) >= 2 {
		return raw[1 : len(raw)-1]
	}
	d.scratch, _ = jsontext.AppendUnquote(d.scratch[:0], raw) // the tokenizer has checked it
	return d.scratch
}

// text reads a string, valid until the next token.
func (d *decoder) text() ([]byte, bool) {
	if d.dec.PeekKind() != jsontext.KindString {
		d.wrong("a string")
		return nil, false
	}
	raw, err := d.dec.ReadValue()
	if err != nil {
		d.fail(err)
		return nil, false
	}
	return d.unquote(raw), true
}

// number reads a number into x, which stays as it is if there is none.
func (d *decoder) number(x *float64) bool {
	if d.dec.PeekKind() != jsontext.KindNumber {
		d.wrong("a number")
		return false
	}
	raw, err := d.dec.ReadValue()
	if err != nil {
		d.fail(err)
		return false
	}
	v, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		d.problem(cutShort(string(raw)), ruleNotFinite)
		return false
	}
	*x = v
	return true
}

// vector reads a list of len(x) numbers and reports whether all are good.
func (d *decoder) vector(x []float64) bool {
	if !d.openArray() {
		return false
	}
	good, n := true, 0
	for ; d.element(n); n++ {
		if n >= len(x) {
			d.skip()
			continue
		}
		good = d.number(&x[n]) && good
	}
	if n != len(x) && !d.fatal {
		d.problem("", fmt.Sprintf("wrong length %d, must have %d entries", n, len(x)))
	}
	return good && n == len(x)
}

// numbers appends a list of at most most numbers to x. Of a longer one it stores no more.
func (d *decoder) numbers(x []float64, most int) []float64 {
	if !d.openArray() {
		return x
	}
	n := 0
	for ; d.element(n); n++ {
		if n >= most {
			d.skip()
			continue
		}
		var v float64
		d.number(&v)
		x = append(x, v)
	}
	d.bound(n, most)
	return x
}

// bound reports a list of n entries, more than most.
func (d *decoder) bound(n, most int) {
	if n > most && !d.fatal {
		d.problem("", fmt.Sprintf("wrong length %d, must have at most %d entries", n, most))
	}
}
