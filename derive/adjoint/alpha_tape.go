package adjoint

import (
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
)

// NewAlphaTape returns an empty tape for runs of m by generalized-α, with so many multipliers, one a row of the joints.
// end returns where the last step of the run has ended (sim.GeneralizedAlpha.LastEnd); states come by AddStep.
//
// It panics without a mechanism or a function.
func NewAlphaTape(m *mechanism.Mechanism, rows int, end func(s Stand) sim.AlphaEnd) *Tape {
	if end == nil {
		panic("derive/adjoint: no end of a step")
	}
	t := NewTape(m)
	t.rows, t.end = rows, end
	return t
}

// moreLen is how many numbers a row has of the end of a step: its length and whether it had no history, accelerations,
// offset, multipliers.
// Of a step of RATTLE there are accelerations, and whether there are any.
func (t *Tape) moreLen() int {
	switch {
	case t.kept != nil:
		return 1 + 6*t.mech.NumBodies()
	case t.end == nil:
		return 0
	}
	return 2 + 12*t.mech.NumBodies() + t.rows
}

// rowTo stores a state in a row of the tape.
func (t *Tape) rowTo(into []float64, st *mechanism.State, s Stand) {
	n := st.FlatLen()
	st.FlatTo(into[:n])
	if t.kept != nil {
		to := into[n:]
		clear(to)
		if a := t.kept(s); a != nil {
			to[0] = 1
			copy(to[1:], a)
		}
		return
	}
	if t.end == nil {
		return
	}
	e, to := t.end(s), into[n:]
	clear(to)
	if to[0] = e.Step; e.Step == 0 {
		return
	}
	if e.Began {
		to[1] = 1
	}
	six := 6 * t.mech.NumBodies()
	copy(to[2:], e.Accelerations)
	copy(to[2+six:], e.Offset)
	copy(to[2+2*six:], e.Multipliers[:t.rows])
}

// alphaRow reads a row of the tape.
func (t *Tape) alphaRow(st *mechanism.State, row []float64) (e sim.AlphaEnd) {
	n, six := st.FlatLen(), 6*t.mech.NumBodies()
	st.SetFlat(row[:n])
	x := row[n:]
	return sim.AlphaEnd{
		State: st, Step: x[0], Began: x[1] != 0, Accelerations: x[2 : 2+six], Offset: x[2+six : 2+2*six], Multipliers: x[2+2*six:],
	}
}
