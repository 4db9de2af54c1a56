package ik

import (
	"math"
	"math/rand/v2"

	"github.com/rung-mbd/rung/mechanism"
)

// kept is the best place of several starts.
type kept struct {
	q     []float64
	state *mechanism.State
	merit []float64 // by level; reached ones are zero
	some  bool
}

// make allocates for n driven freedoms.
func (k *kept) make(p *Problem, n, levels int) {
	k.q, k.merit, k.state = make([]float64, n), make([]float64, levels), p.plan.Mechanism().Initial()
}

// restarts returns the largest number of further starts.
func (s *Solver) restarts() int {
	switch {
	case s.o.Restarts != 0:
		return max(s.o.Restarts, 0)
	case s.result.Engine != TreeEngine:
		return 0
	case s.o.All:
		return allRestarts
	}
	return defaultRestarts
}

// allRestarts is the number of starts from which all solutions are looked for.
const allRestarts = 1000

// search descends from s.q, then from random coordinates, until the targets are met, or with All to the last one.
func (s *Solver) search() {
	most := s.restarts()
	s.result.Restarts, s.result.Steps, s.kept.some = 0, 0, false
	s.result.Solutions = s.result.Solutions[:0]
	s.hasty = most > 0 || s.o.Method == DLS && s.limited()
	s.descend()
	s.gather()
	if s.o.Method == DLS && s.limited() && !s.reached() && !s.over() {
		s.around()
	}
	for s.result.Restarts < most && (s.o.All || !s.reached()) && !s.over() {
		s.result.Restarts++
		if s.scatter() {
			s.descend()
			s.gather()
		}
	}
	if !s.hasty || s.reached() && !s.o.All {
		return
	}
	s.toKept()
	if s.hasty = false; !s.reached() && !s.over() {
		s.descend()
		s.result.Steps += s.steps
	}
}

// limited reports whether a driven freedom has limits.
func (s *Solver) limited() bool {
	for i, x := range s.p.lower {
		if !math.IsInf(x, -1) || !math.IsInf(s.p.upper[i], 1) {
			return true
		}
	}
	return false
}

// reached reports whether all levels of the last start are.
func (s *Solver) reached() bool {
	for l := range s.levels {
		if s.levels[l].status != Reached {
			return false
		}
	}
	return true
}

// gather keeps the place of the last start if it is the best, and collects solutions.
func (s *Solver) gather() {
	s.result.Steps += s.steps
	if s.o.All && s.reached() {
		s.collect()
	}
	if s.kept.some && !s.better() {
		return
	}
	s.kept.some = true
	copy(s.kept.q, s.q)
	for l := range s.levels {
		s.kept.merit[l] = s.meritOf(l)
	}
	if s.result.Engine != TreeEngine {
		s.eng.stateTo(s.kept.state)
	}
}

// meritOf returns the merit of a level, zero where it is reached.
func (s *Solver) meritOf(l int) float64 {
	v := &s.levels[l]
	if v.targets != nil && v.status == Reached {
		return 0
	}
	return v.merit(s.e)
}

// better reports whether the last start ended better than the best before: the first level that differs decides.
func (s *Solver) better() bool {
	for l, best := range s.kept.merit {
		if m := s.meritOf(l); m != best {
			return m < best
		}
	}
	return false
}

// scatter goes to random coordinates within the limits, and reports whether the mechanism can.
func (s *Solver) scatter() bool {
	for i := range s.try {
		s.try[i] = s.p.between(i, s.low[i], s.high[i], s.start[i], s.dice)
	}
	clear(s.bounded.side)
	if s.eng.moveTo(s.try) != nil {
		return false
	}
	copy(s.q, s.try)
	return true
}

// toKept goes to the best place, with its statuses as far as merits tell them.
func (s *Solver) toKept() {
	if s.result.Engine != TreeEngine {
		s.eng.set(s.kept.state) // which was the engine's, so that it can be taken
	}
	clear(s.bounded.side)
	s.returnTo(s.kept.q)
	for l := range s.levels {
		v := &s.levels[l]
		if v.status = OutOfSteps; s.kept.merit[l] == 0 || v.targets == nil {
			v.status = Reached
		}
	}
}

const (
	// polishSteps is the largest number of steps that bring a solution from its tolerances to rounding.
	polishSteps = 5
	// sameSolution is the largest difference of coordinates of one solution, rad or lengths.
	sameSolution = 1e-6
)

// collect adds the place to the solutions unless it is among them.
func (s *Solver) collect() {
	s.polish()
	for _, other := range s.result.Solutions {
		if s.same(other) {
			return
		}
	}
	q := make([]float64, len(s.q))
	for i, x := range s.q {
		if q[i] = x; s.p.angle[i] && math.IsInf(s.low[i], -1) && math.IsInf(s.high[i], 1) {
			q[i] = math.Remainder(x, 2*math.Pi)
		}
	}
	s.result.Solutions = append(s.result.Solutions, q)
}

// polish steps on without damping while that makes the errors less.
func (s *Solver) polish() {
	for l := range s.levels {
		v := &s.levels[l]
		for k := 0; k < polishSteps && v.targets != nil && v.merit(s.e) > 0; k++ {
			before, c := v.merit(s.e), dampMin
			s.step(v, c)
			if !s.attempt(v, &c) || v.merit(s.e) > before/2 {
				break
			}
		}
	}
}

// same reports whether the coordinates are those of q, up to whole turns of angles.
func (s *Solver) same(q []float64) bool {
	for i, x := range s.q {
		d := (x - q[i]) / s.p.length
		if s.p.angle[i] {
			d = math.Remainder(x-q[i], 2*math.Pi)
		}
		if math.Abs(d) > sameSolution {
			return false
		}
	}
	return true
}

// around looks for a pose within the limits on a way through poses beyond them, from the start of the call. Joints may pass
// their limits on the way. At its end they are brought back by whole turns, or to the nearest limit. The way takes the
// levels up to the first one that has not been reached: later levels have no effect on where that one ends.
func (s *Solver) around() {
	levels := 1
	for s.levels[levels-1].status == Reached {
		levels++
	}
	copy(s.try, s.start)
	if s.eng.moveTo(s.try) != nil {
		return
	}
	copy(s.q, s.try)
	clear(s.bounded.side)
	s.low, s.high = s.noLimits[0], s.noLimits[1]
	hasty := s.hasty
	s.hasty = s.restarts() > 0
	s.descendTo(levels)
	s.hasty = hasty
	s.result.Steps += s.steps
	s.low, s.high = s.p.lower, s.p.upper
	for i, q := range s.q {
		if s.p.angle[i] {
			q = turnedWithin(q, s.low[i], s.high[i])
		}
		s.try[i] = min(max(q, s.low[i]), s.high[i])
	}
	clear(s.bounded.side)
	if s.eng.moveTo(s.try) != nil {
		return
	}
	copy(s.q, s.try)
	s.descend()
	s.gather()
}

// turnedWithin returns the angle q plus the whole turns that bring it between lower and upper, or as near as they can.
func turnedWithin(q, lower, upper float64) float64 {
	switch turn := 2 * math.Pi; {
	case q > upper:
		q -= turn * math.Ceil((q-upper)/turn)
		if d := q + turn - upper; q < lower && d < lower-q {
			q += turn
		}
	case q < lower:
		q += turn * math.Ceil((lower-q)/turn)
		if d := lower - (q - turn); q > upper && d < q-upper {
			q -= turn
		}
	}
	return q
}

// between returns a random coordinate of driven freedom i within its limits, a turn or two lengths wide about at where
// there is none, and from the limit on where there is one.
func (p *Problem) between(i int, lower, upper, at float64, dice *rand.Rand) float64 {
	wide := p.length
	if p.angle[i] {
		wide = math.Pi
	}
	switch {
	case math.IsInf(lower, -1) && math.IsInf(upper, 1):
		lower, upper = at-wide, at+wide
	case math.IsInf(lower, -1):
		lower = upper - 2*wide
	case math.IsInf(upper, 1):
		upper = lower + 2*wide
	}
	return lower + (upper-lower)*dice.Float64()
}
