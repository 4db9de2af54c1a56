package taskfile

import (
	"fmt"
	"io/fs"
	"math"
	"time"

	"github.com/rung-mbd/rung/ik"
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/model"
)

// maxNames is the largest length of a list of names, and of the list of targets.
const maxNames = model.MaxElements

// reader turns the tokens of a document into a task.
type reader struct {
	*document.Reader
	t       *ik.Task
	limits  map[string]int // indexes of freedoms in t.Limits
	folder  fs.FS          // of the file of waypoints; may be nil
	unread  bool           // the file of waypoints has faults
	missing []missing      // fields that targets lack unless the path gives them
}

// names reads a list of names, nil if it is no list.
func (d *reader) names() []string {
	list := []string{}
	if !d.OpenArray() {
		return nil
	}
	n := 0
	for ; d.Element(n); n++ {
		if n >= maxNames {
			d.Skip()
			continue
		}
		s, _ := d.Text()
		list = append(list, string(s))
	}
	d.Bound(n, maxNames)
	return list
}

// each reads an object whose keys are names, and calls read for the value of each.
func (d *reader) each(read func(name string)) {
	if !d.OpenObject() {
		return
	}
	seen := map[string]bool{}
	for {
		name, ok := d.Reader.Key(seen)
		if !ok {
			return
		}
		read(name)
	}
}

// limit returns the limit of a freedom in the task. It adds one without bounds, which leaves the bounds of the model, if there is none.
func (d *reader) limit(freedom string) *ik.Limit {
	i, ok := d.limits[freedom]
	if !ok {
		i = len(d.t.Limits)
		d.limits[freedom] = i
		d.t.Limits = append(d.t.Limits, ik.Limit{Freedom: freedom})
	}
	return &d.t.Limits[i]
}

// bounds reads [lower, upper] into l; null stands for no bound.
func (d *reader) bounds(l *ik.Limit) {
	if !d.OpenArray() {
		return
	}
	l.Lower, l.Upper = math.Inf(-1), math.Inf(1)
	n := 0
	for ; d.Element(n); n++ {
		switch {
		case n > 1:
			d.Skip()
		case d.Null():
		case n == 0:
			d.Number(&l.Lower)
		default:
			d.Number(&l.Upper)
		}
	}
	if n != 2 && !d.Fatal {
		d.Problem("", fmt.Sprintf("wrong length %d, must have 2 entries", n))
	}
	if l.Lower == 0 && l.Upper == 0 && !d.Fatal { // in a Limit, two zeros stand for no bounds given
		d.Problem("[0, 0]", "the lower bound is not below the upper one")
	}
}

// positive reads a number above 0. A document must not have 0, which stands for a default in Go. *x stays for other numbers.
func (d *reader) positive(x *float64) {
	if v := *x; d.Number(x) && !(*x > 0) {
		d.Problem(document.Number(*x), "is not positive")
		*x = v
	}
}

// count reads an integer from least to math.MaxInt32. *n stays for others.
func (d *reader) count(n *int, least int64) {
	before := d.Reader.Flaw
	d.Reader.Flaw = 0
	x := d.Integer()
	switch {
	case d.Reader.Flaw != 0:
	case x < least:
		d.Problem(fmt.Sprint(x), fmt.Sprintf("is below %d", least))
	case x > math.MaxInt32:
		d.Problem(fmt.Sprint(x), fmt.Sprintf("is above %d", math.MaxInt32))
	default:
		*n = int(x)
	}
	d.Reader.Flaw |= before
}

// seconds reads a time above 0, s. Less than a nanosecond gives a nanosecond, as 0 would stand for no bound.
func (d *reader) seconds(t *time.Duration) {
	var s float64
	if d.positive(&s); s > 0 {
		*t = max(1, time.Duration(math.Round(min(s*float64(time.Second), math.MaxInt64/2))))
	}
}

// coordinates reads numbers by the names of freedoms.
func (d *reader) coordinates() (list []ik.Coordinated) {
	d.each(func(name string) {
		c := ik.Coordinated{Freedom: name}
		d.Number(&c.Value)
		list = append(list, c)
	})
	return list
}

// names returns the names of all values below n.
func names[T interface {
	~uint8
	fmt.Stringer
}](n T) (list []string) {
	for x := range n {
		list = append(list, x.String())
	}
	return list
}

// missing is a field that a target lacks: an index of Targets, and one of targetFields.
type missing struct{ target, field int }
