package ik

import (
	"math"
	"math/rand/v2"
	"slices"
)

// starts returns the largest number of starts after the first.
func (s *denseMethod) starts(o *Options) int {
	switch {
	case o.Method == FIKMethod:
		return 0
	case o.Restarts != 0:
		return max(o.Restarts, 0)
	case s.kind != TreeEngine:
		return 0
	case o.All:
		return allRestarts
	}
	return defaultRestarts
}

// allRestarts is the default number of starts after the first from which Options.All looks for all solutions.
const allRestarts = 1000

// anyLimit reports whether a driven freedom has limits.
func (s *denseMethod) anyLimit() bool {
	for i, x := range s.p.lower {
		if !math.IsInf(x, -1) || !math.IsInf(s.p.upper[i], 1) {
			return true
		}
	}
	return false
}

// keep stores the current pose and the merits of all levels, to which the search may return. The engine on trees needs no state for that.
func (s *denseMethod) keep() {
	copy(s.kept.q, s.q)
	for l := range s.list {
		s.kept.merit[l] = s.remaining(l)
	}
	if s.kind != TreeEngine {
		s.eng.stateTo(s.kept.state)
	}
}

// remaining returns the merit of a level, zero where its targets are reached.
func (s *denseMethod) remaining(l int) float64 {
	v := &s.list[l]
	if v.targets != nil && v.status == Reached {
		return 0
	}
	return v.merit(s.e)
}

// scatter moves to random coordinates within the limits, and reports whether all joints can be closed there.
func (s *denseMethod) scatter() bool {
	for i := range s.try {
		s.try[i] = s.p.between(i, s.low[i], s.high[i], s.first[i], s.dice)
	}
	clear(s.bounded.side)
	if s.eng.moveTo(s.try) != nil {
		return false
	}
	copy(s.q, s.try)
	return true
}

// finish goes to the best pose if starts were given up early (hasty), so that a descent may go on from there. It sets the status of each
// level by its merit: Reached, or OutOfSteps.
func (s *denseMethod) finish(bool) bool {
	if !s.hasty || allReached(s) && !s.o.All {
		return false
	}
	s.hasty = false
	if s.kind != TreeEngine {
		s.eng.set(s.kept.state) // cannot fail, as the engine has been at this state
	}
	clear(s.bounded.side)
	s.returnTo(s.kept.q)
	for l := range s.list {
		v := &s.list[l]
		if v.status = OutOfSteps; s.kept.merit[l] == 0 || v.targets == nil {
			v.status = Reached
		}
	}
	return true
}

const (
	// polishSteps is the largest number of steps that bring a solution from its tolerances to rounding.
	polishSteps = 5
	// sameSolution is the largest difference of a coordinate between poses that count as one solution, rad or lengths of the problem.
	sameSolution = 1e-6
)

// collect polishes the coordinates and appends a copy to the list unless the list has them (same). It collects nothing for FIKMethod,
// which starts once.
func (s *denseMethod) collect(list [][]float64) [][]float64 {
	if s.o.Method == FIKMethod {
		return list
	}
	s.polish()
	for _, other := range list {
		if s.same(other) {
			return list
		}
	}
	return append(list, s.unwound())
}

// unwound returns a copy of the current coordinates, with angles without limits in [−π, π].
func (s *denseMethod) unwound() []float64 {
	q := slices.Clone(s.q)
	for i, x := range q {
		if s.p.angle[i] && math.IsInf(s.low[i], -1) && math.IsInf(s.high[i], 1) {
			q[i] = math.Remainder(x, 2*math.Pi)
		}
	}
	return q
}

// polish takes further steps with the least damping, level by level, while each halves the merit.
func (s *denseMethod) polish() {
	for l := range s.list {
		v := &s.list[l]
		for k := 0; k < polishSteps && v.targets != nil && v.merit(s.e) > 0; k++ {
			before, c := v.merit(s.e), dampMin
			s.step(v, c)
			if !s.attempt(v, &c) || v.merit(s.e) > before/2 {
				break
			}
		}
	}
}

// same reports whether the current coordinates agree with q to sameSolution, up to whole turns of angles.
func (s *denseMethod) same(q []float64) bool {
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

// startBeyondLimits moves to another start: it descends from the start of the call without limits, and then brings the driven freedoms back
// within their limits by whole turns, or to the nearest limit. It descends by the levels up to the first one that has not been reached, as
// later levels do not influence where that one ends. It returns false for methods other than DLS, for problems without limits, and if the
// joints cannot be closed.
func (s *denseMethod) startBeyondLimits() bool {
	if s.o.Method != DLS || !s.anyLimit() {
		return false
	}
	levels := 1
	for s.list[levels-1].status == Reached {
		levels++
	}
	copy(s.try, s.first)
	if s.eng.moveTo(s.try) != nil {
		return false
	}
	copy(s.q, s.try)
	clear(s.bounded.side)
	s.low, s.high = s.noLimits[0], s.noLimits[1]
	hasty := s.hasty
	s.hasty = s.starts(&s.o) > 0
	s.descendTo(levels)
	s.hasty = hasty
	s.low, s.high = s.p.lower, s.p.upper
	for i, q := range s.q {
		if s.p.angle[i] {
			q = turnedWithin(q, s.low[i], s.high[i])
		}
		s.try[i] = min(max(q, s.low[i]), s.high[i])
	}
	clear(s.bounded.side)
	if s.eng.moveTo(s.try) != nil {
		return false
	}
	copy(s.q, s.try)
	return true
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

// between returns a random coordinate of driven freedom i within its limits, rad or m. Where a limit is missing, the interval is a turn,
// or twice the length of the problem: it begins at the one limit that there is, and lies around at if there is none.
func (p *Problem) between(i int, lower, upper, at float64, dice *rand.Rand) float64 {
	half := p.length
	if p.angle[i] {
		half = math.Pi
	}
	switch {
	case math.IsInf(lower, -1) && math.IsInf(upper, 1):
		lower, upper = at-half, at+half
	case math.IsInf(lower, -1):
		lower = upper - 2*half
	case math.IsInf(upper, 1):
		upper = lower + 2*half
	}
	return lower + (upper-lower)*dice.Float64()
}
