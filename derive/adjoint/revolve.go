package adjoint

import (
	"context"
	"errors"
	"slices"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/sim"
)

// revolve are the checkpoints of a tape. The run is divided into leaves of so many steps as half of the memory has states for. The other
// half has checkpoints: while the run goes on, at equal distances, which double when they fill it; on the way back, where the binomial
// schedule of Griewank & Walther 2000 puts them, theory.md (V15).
type revolve struct {
	leaf     int // steps of a leaf, 0 as long as that is not known
	most     int // checkpoints that fit
	stride   int // steps between those of the run itself
	marks    []mark
	repeated int64
	spent    bool // states have been written over on the way back
}

// mark is a checkpoint before a step.
type mark struct {
	step int
	at   *sim.Checkpoint
}

// fewest is how many states and how many checkpoints have to fit.
const fewest = 2

// errEnough ends a repetition.
var errEnough = errors.New("derive/adjoint: enough")

// divide shares the memory out, one half for states in a row and one for checkpoints. It returns a *MemoryError if a half is too small.
func (t *Tape) divide(s Stand) error {
	c, err := s.Checkpoint()
	if err != nil {
		return err
	}
	half, state := t.memory()/2, 8*int64(len(t.first))
	t.leaf, t.most = int(half/state)-1, int(half/checkpointBytes(c))
	if t.leaf+1 < fewest || t.most < fewest {
		t.leaf = 0
		return &MemoryError{Time: s.State().Time, Memory: t.memory()}
	}
	t.stride = t.leaf
	return nil
}

// checkpointBytes returns about how many bytes a checkpoint takes.
func checkpointBytes(c *sim.Checkpoint) int64 {
	const rest = 2048 // texts and counts
	return rest + 8*int64(13*len(c.Bodies)+len(c.Angles)+len(c.Internal)+len(c.Kept)+len(c.Inputs)) + 64*int64(len(c.Events))
}

// mark keeps a checkpoint of a run that is between two steps. Where they fill their memory, every other one goes.
func (t *Tape) mark(s Stand, step int) error {
	if len(t.marks) == t.most {
		n := 0
		for i := 0; i < len(t.marks); i += 2 {
			t.marks[n] = t.marks[i]
			n++
		}
		clear(t.marks[n:])
		t.marks = t.marks[:n]
		if t.stride *= 2; step%t.stride != 0 {
			return nil
		}
	}
	c, err := s.Checkpoint()
	if err != nil {
		return err
	}
	t.marks = append(t.marks, mark{step, c})
	return nil
}

// rewind goes back over a leaf that ends at step *hi with the state end, by repeating the run from the last checkpoint before it. On the
// way there it takes further checkpoints.
func (t *Tape) rewind(ctx context.Context, hi *int, end []float64, back func(states [][]float64) error) error {
	for t.marks[len(t.marks)-1].step >= *hi {
		t.marks = t.marks[:len(t.marks)-1]
	}
	t.spent = true
	from := t.marks[len(t.marks)-1]
	stops := t.schedule(from.step, *hi)
	low := max(from.step, *hi-t.leaf)
	at, kept := from.step-1, 0
	err := t.Repeat(ctx, from.at, func(s Stand) error {
		if at++; at > from.step {
			t.repeated++
		}
		if len(stops) > 0 && stops[0] == at {
			c, err := s.Checkpoint()
			if err != nil {
				return err
			}
			t.marks, stops = append(t.marks, mark{at, c}), stops[1:]
		}
		if at >= low {
			if kept == len(t.states) {
				t.states = append(t.states, make([]float64, len(t.first)))
			}
			t.rowTo(t.states[kept], s.State(), s)
			kept++
		}
		if at == *hi {
			return errEnough
		}
		return nil
	})
	if !errors.Is(err, errEnough) {
		if err == nil {
			err = fault.Errorf("%w: it ends after step %d of %d", ErrNotRepeatable, at, *hi)
		}
		return err
	}
	if !slices.Equal(t.states[kept-1], end) {
		return fault.Errorf("%w: step %d ends elsewhere", ErrNotRepeatable, *hi)
	}
	return back(t.states[:kept])
}

// schedule returns the steps after from at which a repetition up to step to takes checkpoints, (V15).
func (t *Tape) schedule(from, to int) (stops []int) {
	n, s := (to-from+t.leaf-1)/t.leaf, t.most-len(t.marks)+1
	for n > 1 && s > 1 {
		m := split(n, s)
		from += m * t.leaf
		stops = append(stops, from)
		n, s = n-m, s-1
	}
	return stops
}

// split returns how many of n leaves, two or more, come before the next checkpoint if s of them fit, the one at hand included: the least
// number with which the rest, with one checkpoint less, and these leaves take as few repetitions as can be.
func split(n, s int) int {
	r := 0
	for reach(s, r) < n {
		r++
	}
	m := n - reach(s-1, r)
	if r > 1 {
		m = max(m, reach(s, r-2))
	}
	return min(max(m, 1), n-1)
}

// reach returns how many leaves s checkpoints serve with r repetitions of each at most: s + r over s, or a number that is large enough.
func reach(s, r int) int {
	const large = 1 << 24
	x := int64(1)
	for k := 1; k <= r; k++ {
		if x = x * int64(s+k) / int64(k); x > large {
			return large
		}
	}
	return int(x)
}
