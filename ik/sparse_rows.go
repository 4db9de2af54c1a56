package ik

import (
	"math"

	"github.com/rung-mbd/rung/mechanism"
)

// setRows makes the rows of level l soft with the damping root², the rows of levels before it hard and the rows of later levels absent. The
// right sides are errors, of joints too. Rows of limits are left to setBounds.
func (s *sparseMethod) setRows(l int, root float64) {
	clear(s.sys.B)
	for i := range s.sys.rows {
		r := &s.sys.rows[i]
		if r.bound >= 0 {
			continue
		}
		how := s.modeOf(r.level, l)
		s.sys.set(r, how, root)
		s.rightTo(s.sys.right(r), how, s.first[i], s.e)
	}
	s.openTo(s.sys.B, s.sys.y.Kin, s.st)
	b := s.sys.border
	if b == nil {
		return
	}
	row := 0
	for _, i := range b.targets {
		t := &s.p.targets[i]
		how := s.modeOf(t.level, l)
		s.rightTo(b.e[row:row+t.n], how, t.first, s.e)
		for k := range t.n {
			switch b.root[row+k] = root; how {
			case absent:
				b.root[row+k] = -1
			case hard:
				b.root[row+k] = 0
			}
		}
		row += t.n
	}
}

// modeOf returns the mode of the rows of a level in a step of level l.
func (s *sparseMethod) modeOf(level, l int) mode {
	switch {
	case level < l:
		return hard
	case level == l:
		return soft
	}
	return absent
}

// rightTo stores the right sides of rows whose errors begin at e[first]: the errors, for hard rows less the errors at which they are held
// (s.want), and zeros for absent rows.
func (s *sparseMethod) rightTo(out []float64, how mode, first int, e []float64) {
	for k := range out {
		switch how {
		case absent:
			out[k] = 0
		case soft:
			out[k] = e[first+k]
		case hard:
			out[k] = e[first+k] - s.want[first+k]
		}
	}
}

// openTo stores in B the negative position errors of the joints and couplings s.loops at st, whose kinematics are k. It returns the largest
// error, rad or relative to the length of the problem.
func (s *sparseMethod) openTo(B []float64, k *mechanism.Kinematics, st *mechanism.State) (most float64) {
	var delta, rate [6]float64
	for _, j := range s.loops {
		_ = s.mech.ConstraintErrorsTo(&delta, &rate, j, k, st) // its error is about the rates, which are not used
		angles, size := rowUnits(s.sys.layout, s.sys.layout.ConstraintNode(j))
		rows := s.sys.constraintRows(B, j)
		for i := range rows {
			rows[i] = -delta[i]
			off := math.Abs(delta[i]) / size
			if angles>>i&1 == 0 {
				off /= s.p.length
			}
			most = max(most, off)
		}
	}
	return most
}
