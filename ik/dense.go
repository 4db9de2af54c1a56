package ik

import (
	"context"
	"math/rand/v2"

	"github.com/rung-mbd/rung/internal/eigen"
	"github.com/rung-mbd/rung/mechanism"
)

// newDense allocates the dense method for p on an engine, whose kind is TreeEngine or DrivenEngine.
func newDense(p *Problem, o Options, eng engine, kind Engine) *denseMethod {
	_, n := eng.Dims()
	s := &denseMethod{p: p, o: o, eng: eng, kind: kind, progress: progress{most: o.Steps}, random: rand.NewPCG(o.Seed, 0)}
	s.dice = rand.New(s.random)
	if s.most == 0 {
		s.most = defaultSteps
	}
	rows := s.sortRows(n)
	for _, v := range []*[]float64{&s.q, &s.try, &s.first, &s.unit, &s.size, &s.along, &s.from, &s.home, &s.slope, &s.before} {
		*v = make([]float64, n)
	}
	for _, v := range []*[]float64{&s.e, &s.tried, &s.want} {
		*v = make([]float64, rows)
	}
	s.low, s.high = p.lower, p.upper
	s.noLimits[0], s.noLimits[1], _ = boundless(n)
	for i := range s.unit {
		s.unit[i], s.size[i] = stepTurn, 1
		if !p.angle[i] {
			s.unit[i], s.size[i], s.lengths = stepLength, p.length, true
		}
	}
	s.allocateLevels(rows, n)
	s.kept.allocate(p, n, len(s.list))
	s.contrary = make([]bool, len(p.targets))
	s.kin = p.plan.Mechanism().NewKinematics()
	return s
}

// allocateLevels makes the memory of steps, and of levels that have ended. Held merits (heldMerit) add up to n directions to the rows that
// such levels hold.
func (s *denseMethod) allocateLevels(rows, n int) {
	most := rows
	if len(s.list) > 1 && s.o.Method == DLS && n <= secantMost {
		most += n
	}
	s.bounded, s.spectrum = newBounded(most, n, s.o.Method), eigen.NewSpectrum(s.p.m, n)
	if s.o.Method == DLS {
		s.secant = newSecant(n)
		s.bounded.allowCurve(s.secant)
	}
	if len(s.list) > 1 {
		s.fix = newBounded(most, n, DLS)
		s.fixJ, s.lack = make([]float64, rows*n), make([]float64, most)
	}
	if most > rows {
		s.fixC, s.gathered, s.aside = make([]float64, most*n), make([]float64, most*n), make([]float64, n)
		s.stay[0], s.stay[1] = make([]float64, n), make([]float64, n)
		for range s.list[1:] {
			s.heldMerits = append(s.heldMerits, newHeldMerit(rows, n))
		}
	}
}

func (s *denseMethod) engine() engine { return s.eng }

// begin makes st the current pose, with the driven freedoms within their limits. It seeds the random starts and stores the coordinates at
// which the search begins.
func (s *denseMethod) begin(st *mechanism.State) error {
	if err := s.eng.set(st); err != nil {
		return err
	}
	s.eng.coordinatesTo(s.q)
	s.outside = s.p.outside(s.q)
	s.random.Seed(s.o.Seed, 0)
	if err := s.enter(); err != nil {
		return err
	}
	copy(s.first, s.q)
	s.hasty = s.o.Method != FIKMethod && (s.starts(&s.o) > 0 || s.o.Method == DLS && s.anyLimit())
	return nil
}

func (s *denseMethod) end(st *mechanism.State) error {
	s.eng.stateTo(st)
	return nil
}

// heed does nothing, as no single step takes long.
func (s *denseMethod) heed(context.Context) (end func()) { return func() {} }

func (s *denseMethod) aim(i int, w wanted) { s.eng.aim(i, w) }

// enter moves driven freedoms that are outside their limits to the limits, and makes no limit active.
func (s *denseMethod) enter() error {
	inside := true
	for i, q := range s.q {
		s.try[i] = min(max(q, s.low[i]), s.high[i])
		inside = inside && s.try[i] == q
	}
	clear(s.bounded.side)
	if inside {
		return nil
	}
	copy(s.q, s.try)
	return s.eng.moveTo(s.q)
}

// descend brings the levels to their least errors, one after the other, from s.q, or by the filter of feedback inverse kinematics.
func (s *denseMethod) descend() error {
	if s.o.Method == FIKMethod {
		copy(s.try, s.q)
		return s.feed()
	}
	s.descendTo(len(s.list))
	return nil
}
