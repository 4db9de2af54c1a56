package adjoint

import (
	"context"
	"errors"
	"slices"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/sim"
)

// revolve holds the checkpoints of a tape. Half of the memory has states, and a leaf is the number of steps whose states fit there. The
// other half has checkpoints. While the run goes on they lie at equal distances, which double when they fill it. On the way back they
// follow the binomial schedule of Griewank & Walther 2000, theory.md (V15).
type revolve struct {
	leaf     int // steps of a leaf, 0 before divide
	most     int // number of checkpoints that fit
	stride   int // steps between the checkpoints of the first run
	marks    []mark
	repeated int64 // number of repeated steps
	spent    bool  // states have been written over on the way back
}

// mark is a checkpoint at the start of a step.
type mark struct {
	step int // number of steps before it
	at   *sim.Checkpoint
}

// fewest is the least number of states and of checkpoints that have to fit.
const fewest = 2

// errEnough ends a repetition.
var errEnough = errors.New("derive/adjoint: enough")

// divide divides the memory, one half for states and one for checkpoints. It returns a *MemoryError if a half is too small.
func (t *Tape) divide(s Stand) error {
	c, err := s.Checkpoint()
	if err != nil {
		return err
	}
	half, state := t.memory()/2, 8*int64(len(t.first))
	t.leaf, t.most = int(half/state)-1, int(half/checkpointBytes(c)) // a leaf of steps has one state more
	if t.leaf+1 < fewest || t.most < fewest {
		t.leaf = 0
		return &MemoryError{Time: s.State().Time, Memory: t.memory()}
	}
	t.stride = t.leaf
	return nil
}

// checkpointBytes returns the approximate size of a checkpoint in bytes.
func checkpointBytes(c *sim.Checkpoint) int64 {
	const rest = 2048 // texts and counts
	// 13 numbers a body, and some 64 bytes an event
	return rest + 8*int64(13*len(c.Bodies)+len(c.Angles)+len(c.Internal)+len(c.Kept)+len(c.Inputs)) + 64*int64(len(c.Events))
}

// mark keeps a checkpoint of the run before step+1. If the memory of checkpoints is full, it removes every other one and doubles their
// distance first.
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

// rewind goes back over the leaf that ends at step *hi with the state end. It repeats the run from the last checkpoint before the leaf,
// takes further checkpoints by the schedule, and calls back with the states of the leaf. It returns an error that wraps ErrNotRepeatable if
// the repetition ends elsewhere.
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
		if at++; at > from.step { // the first call is at the checkpoint itself
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

// schedule returns the steps at which a repetition between the steps from and to takes checkpoints, (V15).
func (t *Tape) schedule(from, to int) (stops []int) {
	n, s := (to-from+t.leaf-1)/t.leaf, t.most-len(t.marks)+1 // leaves, and checkpoints with the one at from
	for n > 1 && s > 1 {
		m := split(n, s)
		from += m * t.leaf
		stops = append(stops, from)
		n, s = n-m, s-1
	}
	return stops
}

// split returns the number of leaves before the next checkpoint, of n leaves, at least two, with s checkpoints, the present one included.
// It is the least number with which both these leaves and the rest, which has one checkpoint less, need the fewest repetitions.
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

// reach returns the number of leaves that s checkpoints serve with at most r repetitions of each: C(s + r, s) of (V15), or a number that is
// large enough.
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
