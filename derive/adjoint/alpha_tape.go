package adjoint

import (
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
)

// NewAlphaTape returns an empty tape for runs of m by generalized-α. rows is the number of multipliers, one a row of the joints. end
// returns the end of the last step of the run (sim.GeneralizedAlpha.LastEnd); states are added by AddStep.
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

// moreLen is the number of entries of a tape row behind the state. A step of generalized-α has its length, a flag for a step without
// history, accelerations, offset and multipliers. A step of RATTLE has a flag for the presence of accelerations, and these.
func (t *Tape) moreLen() int {
	switch {
	case t.kept != nil:
		return 1 + 6*t.mech.NumBodies()
	case t.end == nil:
		return 0
	}
	return 2 + 12*t.mech.NumBodies() + t.rows
}

// rowTo stores in into the row of the tape for the state st: the state, and the entries of moreLen.
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

// alphaRow reads a row of the tape of a run of generalized-α. The result refers to st, which it sets, and to row.
func (t *Tape) alphaRow(st *mechanism.State, row []float64) (e sim.AlphaEnd) {
	n, six := st.FlatLen(), 6*t.mech.NumBodies()
	st.SetFlat(row[:n])
	x := row[n:]
	return sim.AlphaEnd{
		State: st, Step: x[0], Began: x[1] != 0, Accelerations: x[2 : 2+six], Offset: x[2+six : 2+2*six], Multipliers: x[2+2*six:],
	}
}
