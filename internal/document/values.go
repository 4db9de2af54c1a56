package document

import (
	"io"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/internal/fault"
)

// Begin enters the object of a document. If the document is no object, it reports that it has not the given format, and returns
// false.
func (d *Reader) Begin(format string) bool {
	if d.src.peek() != '{' {
		d.Wrong("an object, so not a " + format + " document")
		return false
	}
	return d.OpenObject()
}

// Format reads the field that names the format, and reports another name than format. The reading ends if the name is a format of
// Rung of another kind, since none of its fields would be known.
func (d *Reader) Format(format string) {
	if s, ok := d.Text(); ok && string(s) != format {
		d.Problem(Quote(s), `is not "`+format+`"`)
		kind, _, _ := strings.Cut(format, "/")
		other, _, _ := strings.Cut(string(s), "/")
		d.Fatal = d.Fatal || other != kind && strings.HasPrefix(other, "rung-")
	}
}

// Null consumes the next value if it is null, and reports whether it was.
func (d *Reader) Null() bool {
	if d.src.peek() != 'n' {
		return false
	}
	d.Skip()
	return true
}

// NextIsList reports whether the next value is a list.
func (d *Reader) NextIsList() bool { return d.src.peek() == '[' }

// NextIsNumber reports whether the next value is a number.
func (d *Reader) NextIsNumber() bool { return d.src.peek() == '0' }

// Bool reads true or false.
func (d *Reader) Bool() bool {
	switch d.src.peek() {
	case 't', 'f':
		return string(d.read()) == "true"
	}
	d.Wrong("true or false")
	return false
}

// Object reads an object. It calls read with the position in fields of each known field, and reports the fields of need that are
// missing.
func (d *Reader) Object(fields []string, need []int, read func(k int)) {
	if !d.OpenObject() {
		return
	}
	var seen uint32
	for {
		k, ok := d.Member(fields, &seen)
		if !ok {
			break
		}
		read(k)
	}
	d.Require(fields, seen, need...)
}

// NotEmpty reads a string, and reports a problem if it is empty.
func (d *Reader) NotEmpty() string {
	s, ok := d.Text()
	if ok && len(s) == 0 {
		d.Problem("", "is empty")
	}
	return string(s)
}

// List reads a list of at most most elements, each by a call of read. Further elements are skipped, and reported as one problem.
func List[T any](d *Reader, most int, read func(*T)) (all []T) {
	if !d.OpenArray() {
		return nil
	}
	n := 0
	for ; d.Element(n); n++ {
		if n >= most {
			d.Skip()
			continue
		}
		var x T
		read(&x)
		all = append(all, x)
	}
	d.Bound(n, most)
	return all
}

// Key goes to the next member of the current object, whose keys are free, and returns its key. It adds the key to seen.
// Repeated keys are reported and skipped. At the end it leaves the object and returns false.
func (d *Reader) Key(seen map[string]bool) (string, bool) {
	for !d.Fatal {
		if d.src.peek() == '}' {
			d.close()
			break
		}
		raw := d.read()
		if raw == nil {
			break
		}
		key := string(d.unquote(raw))
		d.path[len(d.path)-1].key = key
		if !seen[key] {
			seen[key] = true
			return key, true
		}
		if value := d.Skip(); !d.Fatal {
			d.Note(value, "duplicate key")
		}
	}
	return "", false
}

// Integer reads an integer within ±2^53; a form such as 1e3 is allowed. It returns 0 after a problem.
func (d *Reader) Integer() int64 {
	if d.src.peek() != '0' {
		d.Wrong("a number")
		return 0
	}
	raw := d.read()
	if raw == nil {
		return 0
	}
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		if n > MaxInteger || n < -MaxInteger {
			d.Problem(Cut(string(raw)), RuleInteger)
			return 0
		}
		return n
	}
	x, err := parse(raw)
	if err != nil || x > MaxInteger || x < -MaxInteger || x != float64(int64(x)) {
		d.Problem(Cut(string(raw)), RuleInteger)
		return 0
	}
	return int64(x)
}

// Choice reads one of the given texts and returns its index in texts. It returns 0 after a problem.
func (d *Reader) Choice(texts ...string) int {
	s, ok := d.Text()
	if !ok {
		return 0
	}
	for i, t := range texts {
		if t == string(s) {
			return i
		}
	}
	d.Problem(Quote(s), "must be one of "+strings.Join(texts, ", ")+fault.AfterList(d.Meant(string(s), texts)))
	return 0
}

// Refuse reports by rule each forbidden field that is in seen. A field of an
// element that has another problem is not reported.
func (d *Reader) Refuse(fields []string, seen uint32, rule string, forbidden ...int) {
	element := len(d.path) == 2
	for _, k := range forbidden {
		if seen>>k&1 != 0 && !(element && d.Flaw.Has(k)) {
			d.ProblemAt(fields, k, "", rule)
		}
	}
}

// End reports text that follows the document.
func (d *Reader) End() {
	offset := d.src.offset()
	d.src.token()
	switch err := d.src.err; {
	case err == io.EOF:
	case err == nil:
		d.trailing(offset)
	default:
		if d.fail(err); d.ioErr == nil {
			d.list = d.list[:len(d.list)-1]
			d.Fatal = false // the document itself is complete
			d.trailing(offset)
		}
	}
}

// trailing adds the fault that text follows the document; offset is the end of the document.
func (d *Reader) trailing(offset int64) {
	d.Add(Place{Section: Last}, "$", "", "there is more after the end of the document, at "+d.src.where(offset))
}
