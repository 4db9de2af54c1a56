package ik

import (
	"math/rand/v2"

	"github.com/rung-mbd/rung/ik/fik"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/eigen"
	"github.com/rung-mbd/rung/mechanism"
)

const (
	defaultSteps    = 200
	defaultRestarts = 100 // of trees

	// stepTurn and stepLength bound a step of a driven freedom: rad, and a part of the length of the problem.
	stepTurn, stepLength = 0.8, 0.3
)

// denseMethod is the method with the Jacobian of the driven freedoms: damped least squares within limits, its relatives, and feedback
// inverse kinematics.
type denseMethod struct {
	progress
	p    *Problem
	o    Options
	eng  engine
	kind Engine
	levelRows
	units
	limitsNow
	bounded  *bounded
	spectrum *eigen.Spectrum // of the report

	q, try, first []float64 // n: coordinates, those at which the engine is, those of the call
	finished
	slopes
	kept     kept // best of the starts
	random   *rand.PCG
	dice     *rand.Rand
	contrary []bool // by target: others of its priority pull against it
	hasty    bool   // a start is given up where it gains little
	track    *track // nil before the first path or filter
	designed *FilterResult
	kin      *mechanism.Kinematics // of the report
}

// slopes are what steps know of the merit at hand.
type slopes struct {
	along, home   []float64 // n: of kicks
	from          []float64 // n: of a step
	slope, before []float64 // n: gradient of a level, and that before a step
	secant        *secant   // nil for many driven freedoms
	predicted     float64   // what the step should take away from the merit
}

// levelRows are the rows of the targets by levels, and of the posture.
type levelRows struct {
	list          []levelState
	order         []int32   // row of the engine for each row here; nil: the same
	place         []int     // by target: its first row here
	e, raw, tried []float64 // errors of the rows by levels, as the engine gives them, and of a trial
	J, rawJ       []float64 // 𝒥 by levels, with the rows of the posture
}

// units are those of steps.
type units struct {
	size    []float64 // n: rad, or m of one unit of a step: the length of the problem where a freedom is a length
	lengths bool      // there is such a freedom
	unit    []float64 // n: largest step, in these units
}

// limitsNow are the limits that hold at the moment.
type limitsNow struct {
	low, high []float64 // n: limits of the driven freedoms, or for a while others
	noLimits  [2][]float64
}

// finished is what levels that have ended ask of later ones.
type finished struct {
	want       []float64    // errors at which the rows of finished levels are held
	fix        *bounded     // of the rows of finished levels; nil for one level
	fixJ, fixC []float64    // 𝒥 there, and with the rows of held merits
	lack       []float64    // what finished levels lack after a step
	heldMerits []*heldMerit // by level, of those that are not reached; nil for one level, or many driven freedoms
	bent       bool         // a level before the one at hand is not reached
	level      int          // at hand
	gathered   []float64    // what the levels before hold
	stay       [2][]float64
	aside      []float64 // n: coordinates near a pose
}

// levelState holds the rows of one priority, or those of the posture.
type levelState struct {
	first, end int
	targets    []int32 // of the problem; nil for the posture
	status     Status
}

// sortRows puts the rows in the order of their levels, the posture last, and returns their number.
func (s *denseMethod) sortRows(n int) int {
	p := s.p
	s.place = make([]int, len(p.targets))
	inOrder := true
	for l := range p.levels {
		v := levelState{first: len(s.order)}
		for t := range p.targets {
			if g := &p.targets[t]; g.level == l {
				v.targets, s.place[t] = append(v.targets, int32(t)), len(s.order)
				for i := range g.n {
					inOrder = inOrder && g.first+i == len(s.order)
					s.order = append(s.order, int32(g.first+i))
				}
			}
		}
		v.end = len(s.order)
		s.list = append(s.list, v)
	}
	rows := p.m
	if len(p.rest) > 0 {
		rows += len(p.rest)
		s.list = append(s.list, levelState{first: p.m, end: rows})
	}
	s.J, s.raw, s.rawJ = make([]float64, rows*n), make([]float64, p.m), make([]float64, p.m*n)
	if inOrder {
		s.order = nil
	}
	for k, r := range p.rest {
		s.J[(p.m+k)*n+r.driven] = p.length // unitOf times the unit of a step
	}
	return rows
}

// errorsTo stores the errors of the rows by levels.
func (s *denseMethod) errorsTo(e []float64) {
	s.errorsOfTargetsTo(e)
	for k, r := range s.p.rest {
		e[s.p.m+k] = s.p.unitOf(r.driven) * (r.value - s.try[r.driven])
	}
}

// errorsOfTargetsTo is errorsTo without the rows of the posture.
func (s *denseMethod) errorsOfTargetsTo(e []float64) {
	if s.order == nil {
		s.eng.errorsTo(e[:s.p.m])
	} else {
		s.eng.errorsTo(s.raw)
		for i, r := range s.order {
			e[i] = s.raw[r]
		}
	}
}

// refresh computes 𝒥 by levels, and the held merits of levels before the one at hand.
func (s *denseMethod) refresh() {
	s.jacobianTo(s.J)
	if s.bent {
		s.heldMeritsAt(s.level, s.q) // where a pose nearby cannot be had, they stay as at the pose before
		copy(s.aside, s.q)
		_ = s.eng.moveTo(s.aside) // it has come from there
	}
}

// jacobianTo stores 𝒥 by levels, in the units of steps: columns of lengths times the length of the problem. So neither
// dampingOf nor steps depend on the unit of length. Rows of the posture stay.
func (s *denseMethod) jacobianTo(J []float64) {
	J = J[:len(s.rawJ)]
	n := len(s.q)
	if s.order == nil {
		s.eng.jacobianTo(J)
	} else {
		s.eng.jacobianTo(s.rawJ)
		for i, r := range s.order {
			copy(J[i*n:i*n+n], s.rawJ[int(r)*n:])
		}
	}
	if s.lengths {
		for r := 0; r < len(J); r += n {
			for i, size := range s.size {
				J[r+i] *= size
			}
		}
	}
}

// merit returns half the square sum of the errors of a level.
func (v *levelState) merit(e []float64) float64 {
	e = e[v.first:v.end]
	return algebra.Dot(e, e) / 2
}

// met reports whether all targets of a level are within their tolerances, or whether the posture, which has none, is taken exactly.
func (s *denseMethod) met(v *levelState) bool {
	if v.targets == nil {
		return v.merit(s.e) == 0
	}
	at := v.first
	for _, t := range v.targets {
		g := &s.p.targets[t]
		linear, angular := g.missingOf(s.e[at:])
		if !(linear <= g.tolerance[0] && angular <= g.tolerance[1]) {
			return false
		}
		at += g.n
	}
	return true
}

// kept is the best place of several starts.
type kept struct {
	q     []float64
	state *mechanism.State
	merit []float64 // by level; reached ones are zero
}

// allocate allocates for n driven freedoms.
func (k *kept) allocate(p *Problem, n, levels int) {
	k.q, k.merit, k.state = make([]float64, n), make([]float64, levels), p.plan.Mechanism().Initial()
}

// track is the memory of a path.
type track struct {
	course    *course
	want      []wanted     // by target
	ways      [][7]float64 // by way: rates of the place of its target
	raw, rate []float64    // m, as the engine orders rows, and by levels with those of the posture: wanted rates
	moved     []float64    // m: rates of the rows by the motions of the model
	missing   []float64    // rows: what a level still has to do
	dq, null  []float64    // n: rates of the driven freedoms, and those of the posture
	from      []float64    // n: coordinates at the sample before
	low, high []float64    // n: limits of a sample
	damping   float64
	feedback  float64
	lost      bool        // the start of the path is not reached
	filter    *fik.Filter // nil unless FIKMethod
}
