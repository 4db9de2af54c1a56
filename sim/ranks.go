package sim

import (
	"fmt"
	"hash/fnv"
	"io"

	"github.com/rung-mbd/rung/mechanism"
)

// Ranks is implemented by the Dynamics of one piece of a mechanism whose other pieces are on other ranks
// (package dist). Each rank then has a RungeKutta and a Simulation of its piece. All ranks call the same functions and
// methods together, New and NewRungeKutta included, with the same options. They take the same steps, as errors, turns and drift
// are the largest over all ranks, and a step that fails on one rank fails on all.
//
// Each rank has its own events. Their functions depend on its piece alone, and their actions return Continue. A step ends at the
// first crossing on all ranks (Event.Land, which is set on all ranks or on none).
//
// Recorder, OnStep and Controllers are called on all ranks. Recorder and OnStep have to return an
// error on all ranks or on none.
type Ranks interface {
	// TypicalLength is mechanism.Mechanism.TypicalLength of the whole mechanism.
	TypicalLength() float64
	// Largest replaces each number of v by the largest over all ranks. NaN counts as the largest.
	Largest(v []float64)
	// Agree returns nil on all ranks if err is nil on all. Otherwise it
	// returns an error on all ranks: err if it is not nil, else the error of another rank.
	Agree(err error) error
	// JointCounts reports whether a joint counts on this rank in sums
	// over all ranks. A joint between ranks counts on one of them.
	JointCounts(joint int) bool
}

// ranks wraps the Ranks of a Dynamics. all is nil if this process has the whole mechanism.
type ranks struct {
	all Ranks
	v   [4]float64 // scratch
}

// ranksOf returns the ranks of d.
func ranksOf(d Dynamics) *ranks {
	r := new(ranks)
	if b, ok := d.(*Baumgarte); ok {
		r.all, _ = b.Dynamics.(Ranks)
	} else {
		r.all, _ = d.(Ranks)
	}
	return r
}

// typicalLength returns the typical length of the whole mechanism of which m is a piece, m.
func (r *ranks) typicalLength(m *mechanism.Mechanism) float64 {
	if r.all == nil {
		return m.TypicalLength()
	}
	return r.all.TypicalLength()
}

// driftUnit returns the unit of lengths for drift, m, of the whole mechanism of which m is a piece.
func (r *ranks) driftUnit(m *mechanism.Mechanism) float64 {
	if r.all == nil {
		return m.DriftUnit()
	}
	return min(1, r.all.TypicalLength())
}

// largest returns the largest x of all ranks.
func (r *ranks) largest(x float64) float64 {
	if r.all == nil {
		return x
	}
	r.v[0] = x
	r.all.Largest(r.v[:1])
	return r.v[0]
}

// least returns the least x of all ranks.
func (r *ranks) least(x float64) float64 { return -r.largest(-x) }

// some reports whether yes is true on some rank.
func (r *ranks) some(yes bool) bool {
	if r.all == nil {
		return yes
	}
	x := 0.0
	if yes {
		x = 1
	}
	return r.largest(x) > 0
}

// agree returns an error on all ranks if one of them has one.
func (r *ranks) agree(err error) error {
	if r.all == nil || !r.some(err != nil) {
		return err
	}
	return r.all.Agree(err)
}

// sameRun returns an error on all ranks unless they all begin the same run: from the same time, until the same time,
// with the same method and options (a text).
func (r *ranks) sameRun(from, until float64, options func() string) error {
	if r.all == nil {
		return nil
	}
	settings := fnv.New64a()
	io.WriteString(settings, options())
	var err error
	for _, x := range []struct {
		what string
		mine float64
	}{
		{"the end of the run is at", until},
		{"the run begins at", from},
		{"method and options have the fingerprint", float64(settings.Sum64() >> 12)},
	} {
		r.v[0], r.v[1] = x.mine, -x.mine
		r.all.Largest(r.v[:2])
		if least, most := -r.v[1], r.v[0]; least != most && err == nil && x.mine != most {
			err = fmt.Errorf("sim: %s %v here and %v on another rank", x.what, x.mine, most)
		}
	}
	return r.all.Agree(err)
}

// violation returns the largest violation over all ranks, or an error on all of them if a rank has one.
func (r *ranks) violation(v mechanism.Violation, err error) (mechanism.Violation, error) {
	if r.all == nil {
		return v, err
	}
	if err = r.agree(err); err != nil {
		return v, err
	}
	r.v = [4]float64{v.Length, v.Angle, v.Speed, v.Turn}
	r.all.Largest(r.v[:])
	return mechanism.Violation{Length: r.v[0], Angle: r.v[1], Speed: r.v[2], Turn: r.v[3]}, nil
}

// chosen returns on all ranks the error of the rank with the largest size.
func (r *ranks) chosen(size float64, err error) error {
	if r.all == nil {
		return err
	}
	if r.largest(size) > size {
		err = nil
	}
	return r.all.Agree(err)
}

// counts reports whether a joint counts here in sums over all ranks.
func (r *ranks) counts(joint int) bool { return r.all == nil || r.all.JointCounts(joint) }
