package ik

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
)

// verdict says what ends a level whose gradient is zero.
func (s *sparseMethod) verdict(l int) Status {
	switch {
	case l == s.p.levels:
		return Reached
	case s.sys.linearize(s.st) != nil:
		return Nearest
	case s.pressed(l):
		return AgainstLimit
	case s.contradict(l):
		return Conflicting
	}
	return Nearest
}

// contradict marks the targets of level l that pull, each for itself, and reports whether there are several. As the
// gradient is zero, they pull against each other. The rows of l are left out of the factor for that.
func (s *sparseMethod) contradict(l int) bool {
	clear(s.contrary)
	s.setRows(l-1, 0)
	s.setBounds()
	if s.sys.factorize() != nil {
		return false
	}
	pulling := 0
	for i := range s.p.targets {
		if t := &s.p.targets[i]; t.level == l && s.pull(i) > pullPart {
			s.contrary[i] = true
			pulling++
		}
	}
	return pulling > 1
}

// pull returns the gradient of target i alone, relative to its rows and errors.
func (s *sparseMethod) pull(i int) float64 {
	t := &s.p.targets[i]
	e := s.e[t.first : t.first+t.n]
	clear(s.chord)
	var w [6]float64
	for k, x := range e {
		for j := range s.sys.sight[i].sides {
			side := &s.sys.sight[i].sides[j]
			s.sys.weighTo(&w, side.body, &side.F[k])
			out := s.chord[6*int(side.body):]
			for c, v := range w {
				out[c] += x * v
			}
		}
	}
	all := math.Sqrt(algebra.Dot(s.chord, s.chord))
	if !(all > 0) {
		return 0
	}
	s.sys.correct(s.chord)
	return s.sys.stepSize() / all
}

// pressed reports whether limits keep the targets of level l from coming nearer. Some active
// limit holds against a pull: its multiplier has the sign of one and is a part of those of
// the level's rows. And without limits there is a gradient. The first alone does not tell,
// as multipliers are not unique where the rows of the levels before depend on limits.
func (s *sparseMethod) pressed(l int) bool {
	c := float64(sparseDamp)
	if !s.limited || s.damped(l, &c) != nil || !s.holding(l) {
		return false
	}
	s.limited = false
	defer func() { s.limited = true }()
	s.setRows(l, math.Sqrt(s.scaleOf(l))) // damped so much, a step is along the gradient
	if _, err := s.solveBounded(); err != nil {
		return false
	}
	s.promise(l, 0)
	return s.step.flat > pullPart
}

// holding reports whether the multiplier of an active limit is that of a pull of the rows of level l.
func (s *sparseMethod) holding(l int) bool {
	most := 0.0
	for k := range s.sys.rows {
		if r := &s.sys.rows[k]; r.level == l && r.bound < 0 {
			for i, y := range s.sys.multipliers(r) {
				o := int(s.sys.W.Pattern.Off[r.node]) + i
				most = max(most, math.Abs(y)*math.Sqrt(s.sys.scale[o]))
			}
		}
	}
	for k := range s.sys.rows {
		if r := &s.sys.rows[k]; r.bound >= 0 && s.sys.bounds[r.bound].side != 0 {
			o := int(s.sys.W.Pattern.Off[r.node])
			if s.sys.multipliers(r)[0]*float64(s.sys.bounds[r.bound].side)*math.Sqrt(s.sys.scale[o]) > pullPart*most {
				return true
			}
		}
	}
	return false
}
