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
	defaultRestarts = 100 // with the engine on trees

	// stepTurn and stepLength bound a step of a driven freedom: in rad, and in lengths of the problem.
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

	q, try, first []float64 // n: current coordinates, coordinates of the engine, and coordinates at which the search began
	finished
	slopes
	kept     kept // best of the starts
	random   *rand.PCG
	dice     *rand.Rand
	contrary []bool // by target: others of its priority pull against it
	hasty    bool   // starts are given up once a step promises little, as others wait
	track    *track // nil before the first path or filter
	designed *FilterResult
	kin      *mechanism.Kinematics // of the report
}

// slopes has gradients of the merit of one level, and memory of steps on it.
type slopes struct {
	along, home   []float64 // n: direction away from a saddle, and coordinates there (kick)
	from          []float64 // n: coordinates before a step
	slope, before []float64 // n: gradient of a level, and the gradient before a step
	secant        *secant   // nil for many driven freedoms
	predicted     float64   // decrease of the merit that the step should bring
}

// levelRows are the rows of the targets, sorted by levels, and then the rows of the posture.
type levelRows struct {
	list          []levelState
	order         []int32   // by row: its number in the engine; nil: the same
	place         []int     // by target: its first row here
	e, raw, tried []float64 // errors: by levels at q, in the order of the engine, and by levels at try
	J, rawJ       []float64 // 𝒥 by levels with the rows of the posture, and in the order of the engine without them
}

// units are the units in which steps are counted.
type units struct {
	size    []float64 // n: one unit, 1 rad, or the length of the problem, m, for a freedom that is a length
	lengths bool      // there is such a freedom
	unit    []float64 // n: largest step, in units of size
}

// limitsNow are the limits in force.
type limitsNow struct {
	low, high []float64 // n: limits of the driven freedoms, or others for a part of the search
	noLimits  [2][]float64
}

// finished has the conditions that levels which have ended put on later ones.
type finished struct {
	want       []float64    // errors at which the rows of finished levels are held
	fix        *bounded     // finds corrections that bring finished levels back; nil for one level
	fixJ, fixC []float64    // 𝒥 at the pose that is corrected, and the rows of gatherTo there
	lack       []float64    // by row of fixC: the correction that is needed
	heldMerits []*heldMerit // by level, for levels that are not reached; nil for one level, or many driven freedoms
	meritsHeld bool         // a level before the present one is not reached, and holds its merit
	level      int          // the present one
	gathered   []float64    // rows that the levels before hold
	stay       [2][]float64 // low and high after settle
	aside      []float64    // n: coordinates near a pose
}

// levelState holds the rows of one priority, or the rows of the posture.
type levelState struct {
	first, end int     // its rows are first … end−1
	targets    []int32 // of the problem; nil for the posture
	status     Status
}

// sortRows puts the rows in the order of their levels, the posture last, allocates 𝒥, and returns the number of rows. n is the number of
// driven freedoms.
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
		s.J[(p.m+k)*n+r.driven] = p.length // for an angle and a length alike: unitOf times the unit of a step
	}
	return rows
}

// errorsTo stores the errors of the rows by levels, at the coordinates s.try of the engine.
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
	if s.meritsHeld {
		s.heldMeritsAt(s.level, s.q) // after a failure at a pose nearby, the held merits of the pose before stay
		copy(s.aside, s.q)
		_ = s.eng.moveTo(s.aside) // back to q, where the engine was
	}
}

// jacobianTo stores 𝒥 by levels, in the units of steps: columns of lengths are multiplied by the length of the problem. So neither damping
// nor steps depend on the unit of length. The rows of the posture, which are constant, are not touched.
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

// met reports whether all targets of a level are within their tolerances. The posture has no tolerance: its errors have to be zero.
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

// kept is the best pose of several starts.
type kept struct {
	q     []float64
	state *mechanism.State
	merit []float64 // by level; reached ones are zero
}

// allocate makes the memory for n driven freedoms.
func (k *kept) allocate(p *Problem, n, levels int) {
	k.q, k.merit, k.state = make([]float64, n), make([]float64, levels), p.plan.Mechanism().Initial()
}

// track is the memory of a path.
type track struct {
	course    *course
	want      []wanted     // by target
	ways      [][7]float64 // by way of the course: rates of the wanted place of its target, as wantTo stores them
	raw, rate []float64    // wanted rates: of the m rows in the order of the engine, and by levels with the rows of the posture
	moved     []float64    // m: rates of the rows by the motions of the model
	missing   []float64    // rows: wanted rates less the rates that earlier levels bring about
	dq, null  []float64    // n: rates of the driven freedoms, and the rates that the posture asks for
	from      []float64    // n: coordinates at the sample before
	low, high []float64    // n: limits of a sample
	damping   float64      // k, m²
	feedback  float64      // κ, 1/s
	lost      bool         // the start of the path is not reached
	filter    *fik.Filter  // nil unless FIKMethod
}
