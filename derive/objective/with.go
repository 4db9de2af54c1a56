package objective

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/numbers"
)

// With returns the problem with other values of the parameters. values[k] is the new number at the first path of parameter k; the numbers
// at its other paths change by the same amount. If such a number belongs to an orientation q, the model gets q/|q|; derivatives are by the
// number in q. If the state of the changed model violates its joints, runs begin at the nearest state on them, and terms of the state are
// taken there.
//
// Cost: as reading the model; data are not read again. It returns the problems of the changed model. It panics unless there is a value for
// each parameter.
func (g *Problem) With(values []float64) (*Problem, error) {
	text, task, lengths, err := g.textsWith(values)
	if err != nil {
		return nil, err
	}
	source := g.source
	source.Text, source.kept.task, source.kept.lengths = text, task, lengths
	return newProblem(g.o, g.file, source, g.files, startClosed)
}

// TextWith returns the documents of the model and of the task with other values of the parameters, as With changes them. task is nil
// without AtReach.
func (g *Problem) TextWith(values []float64) (text, task []byte, err error) {
	text, task, _, err = g.textsWith(values)
	return text, task, err
}

// textsWith is TextWith. lengths has for each parameter the length of the orientation that it changes, 1 for others. The texts of g hold
// the other values while they are written, and are restored afterwards.
func (g *Problem) textsWith(values []float64) (text, task []byte, lengths []float64, err error) {
	if len(values) != len(g.o.Parameters) {
		panic("derive/objective: not a value for each parameter")
	}
	var c changed
	defer c.back()
	for k, list := range g.numbers {
		for i := range list {
			was := g.values[k][i]
			x := was + (values[k] - g.values[k][0])
			if i == 0 {
				x = values[k] // exactly
			}
			c.set(&list[i], was, x)
		}
	}
	if lengths, err = g.normalize(&c); err != nil {
		return nil, nil, nil, fault.Errorf("derive/objective: %w", err)
	}
	if g.task != nil {
		if task, err = g.task.text.Write(); err != nil {
			return nil, nil, nil, fault.Errorf("derive/objective: %w", err)
		}
	}
	if text, err = g.text.Write(); err != nil {
		return nil, nil, nil, fault.Errorf("derive/objective: %w", err)
	}
	return text, task, lengths, nil
}

// changed records numbers that have been set, with their values before.
type changed struct {
	list []*numbers.Number
	was  []float64
}

// set sets a number whose value was is to x.
func (c *changed) set(n *numbers.Number, was, x float64) {
	c.list, c.was = append(c.list, n), append(c.was, was)
	n.Set(x)
}

// back restores all numbers.
func (c *changed) back() {
	for i := len(c.list) - 1; i >= 0; i-- {
		c.list[i].Set(c.was[i])
	}
}

// unitTol is the largest difference of lengths of orientations that count as equal: documents have smaller ones.
const unitTol = 1e-5

// normalize scales each orientation that a parameter changes to the length 1, and returns its length before, by parameter.
//
// It returns an error for a parameter that changes orientations of different lengths, or an orientation and other numbers: the scaled model
// has no one derivative by it.
func (g *Problem) normalize(c *changed) (lengths []float64, err error) {
	var all [][4]numbers.Number
	for k := range g.o.Parameters {
		length := 1.0
		for i, path := range g.o.Parameters[k].Paths {
			q, size, err := g.orientation(path)
			if err != nil {
				return nil, err
			}
			if i > 0 && !(math.Abs(size-length) <= unitTol) {
				return nil, fmt.Errorf("parameter %s changes an orientation together with other numbers: there, it is of length %v",
					fault.Name(g.o.Parameters[k].Name), max(size, length))
			}
			if length = size; q != nil {
				all = append(all, *q)
			}
		}
		lengths = append(lengths, length)
	}
	for i := range all {
		var x [4]float64
		square := 0.0
		for j := range x {
			if x[j], err = all[i][j].Value(); err != nil {
				return nil, err
			}
			square += x[j] * x[j]
		}
		for j := range x {
			c.set(&all[i][j], x[j], x[j]/math.Sqrt(square))
		}
	}
	return lengths, nil
}

// orientation returns the four numbers of the orientation that the number at a path belongs to, and their length; nil and 1 if it belongs
// to none.
func (g *Problem) orientation(path string) (q *[4]numbers.Number, length float64, err error) {
	in, steps, err := g.whose(path)
	last := len(steps) - 1
	if err != nil || last < 1 || steps[last-1].Key != "orientation" {
		return nil, 1, err
	}
	text, square := g.text, 0.0
	if in {
		text = g.task.text
	}
	q = new([4]numbers.Number)
	for i := range q {
		of := append([]document.Step(nil), steps...)
		of[last].Key = string(rune('0' + i))
		var x float64
		if q[i], err = text.Find(of); err == nil {
			x, err = q[i].Value()
		}
		if err != nil {
			return nil, 0, err
		}
		square += x * x
	}
	if square == 0 {
		return nil, 0, fmt.Errorf("%s: an orientation of zeros", fault.Name(path))
	}
	return q, math.Sqrt(square), nil
}

// lengthened returns the factor from the derivative by parameter k in the scaled model to the derivative by the number that With was given.
func (g *Problem) lengthened(k int) float64 {
	if g.source.kept.lengths == nil {
		return 1
	}
	return 1 / g.source.kept.lengths[k]
}
