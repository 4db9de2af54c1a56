package ik

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
)

// lower brings the errors of level l to their least with those of the
// levels before held, from s.st, and says how that ended.
func (s *sparseMethod) lower(l, kicks int) Status {
	c, flat, least := sparseDamp, 0, math.Inf(1)
	s.sigma, s.sys.way, s.rough = 0, kkt.DropWeak, 0
	for !s.met(l) {
		if s.steps >= s.most || s.over() {
			return OutOfSteps
		}
		s.show()
		s.steps++
		if err := s.sys.linearize(s.st); err != nil {
			if s.steps == 1 { // later there is a pose that is nearer than the start
				s.blocked = err
			}
			return OutOfSteps
		}
		moved := false
		for !moved && c <= sparseDampMax {
			if s.damped(l, &c) != nil {
				c *= sparseRaise
				continue
			}
			if !(s.step.flat > sparseFlat) {
				break
			}
			if moved = s.attempt(l, &c); !moved && s.over() {
				return OutOfSteps
			}
		}
		if flat++; s.step.flat < 0.9*least {
			flat, least = 0, s.step.flat
		}
		if moved && !(flat > flatSteps && s.step.predicted < hastyGain*s.step.merit) {
			continue
		}
		if l < s.p.levels && kicks > 0 && s.kick(l, kicks) {
			c, flat, least = sparseDamp, 0, math.Inf(1)
			continue
		}
		return s.verdict(l)
	}
	s.show()
	return Reached
}

// setRows makes the rows of level l soft with the damping root², those
// before hard and those after absent; the right sides are errors.
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

// modeOf returns what the rows of a level do in a step of level l.
func (s *sparseMethod) modeOf(level, l int) mode {
	switch {
	case level < l:
		return hard
	case level == l:
		return soft
	}
	return absent
}

// rightTo stores the right sides of rows whose errors begin at e[first].
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

// openTo stores in B what is missing of the joints of loops, and of couplings, at st, whose kinematics are k, and
// returns the largest, angles or relative to the length of the problem.
func (s *sparseMethod) openTo(B []float64, k *mechanism.Kinematics, st *mechanism.State) (most float64) {
	var delta, rate [6]float64
	for _, j := range s.loops {
		_ = s.mech.ConstraintErrorsTo(&delta, &rate, j, k, st) // an error is of the rates
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

// damped solves for the step of level l with the damping c, and stores
// what it promises. It raises c until the step is found.
//
// The first guess of σ may be far too large. The least damping may leave most of the errors, where rows of targets
// nearly depend on each other: less is possible where only the weakest pivots count as those of redundant rows. And
// with limits the step has to be of a size for which the rows hold before an active set is looked for.
func (s *sparseMethod) damped(l int, c *float64) error {
	f := math.Min(1, math.Sqrt(2*s.meritOf(l, s.e))/s.sys.reach)
	guess := s.sigma == 0
	if guess {
		s.sigma = s.scaleOf(l)
	}
	for {
		least := sparseSoft * s.scaleOf(l)
		if s.sys.way == kkt.DropWeakest {
			least *= sparseKeen
		}
		damping := max(*c*s.sigma*f*f, least)
		s.setRows(l, math.Sqrt(damping))
		how, err := s.solveBounded()
		if err != nil {
			return err
		}
		sigma := s.promise(l, damping)
		first := guess
		if guess = false; sigma > s.sigma || first {
			s.sigma = sigma
		}
		switch {
		case first && sigma > 0 && damping > max(sparseOver*sigma, least):
		case (how == tooLong || how == feasible && !(s.step.flat > sparseWithin)) && *c < sparseDampMax:
			s.standing()
			*c = max(*c*sparseRaise, sparseRaise*damping/(s.sigma*f*f))
		case damping == least && s.sys.way == kkt.DropWeak && s.step.merit-s.step.predicted > sparseLeft*s.step.merit:
			s.sys.way = kkt.DropWeakest
		case s.undamped != nil && !s.limited && damping == least && s.step.merit-s.step.predicted > sparseLeft*s.step.merit:
			s.undamp(l, damping)
			s.promise(l, 0)
			return nil
		default:
			return nil
		}
	}
}

// scaleOf returns the largest square of a row of level l on free bodies.
func (s *sparseMethod) scaleOf(l int) (most float64) {
	for i := range s.sys.rows {
		r := &s.sys.rows[i]
		if r.level != l {
			continue
		}
		v := s.sys.val[12*r.first : 12*(r.first+r.n)]
		blocks := len(v) / (6 * r.n)
		for k := range r.n {
			sum := 0.0
			for b := range blocks {
				w := v[6*(b*r.n+k) : 6*(b*r.n+k)+6]
				sum += algebra.Dot(w, w)
			}
			most = max(most, sum)
		}
	}
	if b := s.sys.border; b != nil {
		row := 0
		for _, i := range b.targets {
			for range s.p.targets[i].n {
				if s.p.targets[i].level == l {
					most = max(most, algebra.Dot(b.C[row], b.C[row]))
				}
				row++
			}
		}
	}
	return most
}

// promise stores what the step at hand promises, and returns the size
// σ = ‖x‖²/‖λ‖² of the matrix of its rows along the multipliers λ.
//
// Where damping > 0 is that of the level's rows and no right side of a hard row is left,
// e·Tx = ‖Tx‖² + damping·‖x‖². That sum does not cancel as the left side does near the
// least of large errors, and takes its place where they differ by rounding only.
func (s *sparseMethod) promise(l int, damping float64) (sigma float64) {
	var merit, slope, bend float64 // ‖e‖², e·Tx, ‖Tx‖²
	note := func(e, change float64) {
		merit += e * e
		slope += e * change
		bend += change * change
	}
	lambda := 0.0
	for i := range s.sys.rows {
		r := &s.sys.rows[i]
		if r.level != l || r.bound >= 0 {
			continue
		}
		for k, y := range s.sys.multipliers(r) {
			e := s.e[s.first[i]+k]
			note(e, s.sys.product(r, k))
			lambda += y * y
		}
	}
	if b := s.sys.border; b != nil {
		row := 0
		for _, i := range b.targets {
			t := &s.p.targets[i]
			for k := range t.n {
				if t.level == l {
					note(s.e[t.first+k], algebra.Dot(b.C[row], s.sys.x))
					lambda += b.lambda[row] * b.lambda[row]
				}
				row++
			}
		}
	}
	size := s.sys.stepSize()
	if sum := bend + damping*size*size; damping > 0 && s.o.Metric != Joints && math.Abs(slope-sum) < slopeSeen*merit {
		slope = sum
	}
	s.step = sparseStep{merit: merit / 2, slope: slope, bend: bend, turn: s.sys.turn()}
	s.step.predicted = s.step.promised(1)
	s.step.flat = math.Sqrt(max(0, s.step.predicted) / s.step.merit)
	if !(lambda > 0) {
		return 0
	}
	if s.loops == nil && !s.limited && l == 0 {
		s.rough = sparseRough * size
	}
	return size * size / lambda
}

// promised returns what a part h of the step should take away from the merit.
func (p *sparseStep) promised(h float64) float64 {
	return h * (p.slope - h*p.bend/2)
}

// attempt takes a part of the step at hand that makes the errors less, and adapts c. It reports whether there is one.
func (s *sparseMethod) attempt(l int, c *float64) bool {
	h := min(1, sparseTurn/s.step.turn, s.room())
	for range sparseHalves {
		ok, err := s.move(h, l)
		if err != nil {
			break
		}
		if ok && s.better(l, h, c) {
			s.accept()
			return true
		}
		h /= 2
	}
	*c *= sparseRaise
	return false
}

// better compares the errors at s.try with what was promised, and lowers c where that came true.
func (s *sparseMethod) better(l int, h float64, c *float64) bool {
	merit, promised := s.meritOf(l, s.tried), s.step.promised(h)
	if promised < meritSeen*s.step.merit { // is not to be seen
		return merit <= s.step.merit*(1+meritSeen/100)
	}
	ratio := (s.step.merit - merit) / promised
	if ratio > 0.75 {
		*c = max(*c/sparseLower, sparseDampMin)
	} else if ratio < 0.25 {
		*c = min(*c*sparseLower, sparseDampMax)
	}
	return ratio > acceptPart
}

// move stores in s.try the pose after a part h of the step, with loops closed and
// the levels before l held, in s.tried the errors there, and reports whether that
// worked and goes beyond no limit. Level −1 is the way into the limits, which may.
//
// Bodies move along the tree, or each for itself if that opens the joints of loops less.
func (s *sparseMethod) move(h float64, l int) (bool, error) {
	if err := s.mover.MoveWithTo(s.try, s.kin, s.st, s.sys.y.Kin, s.sys.d, h); err != nil {
		return false, err
	}
	if s.coupled() {
		s.try.Angles = append(s.try.Angles[:0], s.st.Angles...)
		s.mech.MoveAngles(s.try.Angles, s.sys.y.Kin, s.st, h, s.sys.d)
		s.spare.Angles = append(s.spare.Angles[:0], s.try.Angles...)
	}
	if s.loops != nil {
		s.mech.DisplaceTo(s.spare, s.st, h, s.sys.d)
		if s.mover.Gap(s.spare) < s.mover.Gap(s.try) {
			s.try, s.spare = s.spare, s.try
			if err := s.mech.KinematicsTo(s.kin, s.try); err != nil {
				return false, err
			}
		}
	}
	s.wind(s.try)
	s.errorsTo(s.tried, s.kin, s.try)
	s.open = 0
	if s.loops != nil || l > 0 || s.limited {
		if ok, err := s.restore(h, l); !ok || err != nil {
			return false, err
		}
	}
	if !s.limited {
		return true, nil
	}
	s.coordinatesTo(s.qTried, s.try)
	return l < 0 || s.keeps(s.qTried), nil
}

// restore closes loops and holds the levels before l and active limits at s.try by corrections with the factor at hand:
// each is the least displacement that takes the errors away, to first order at s.st, docs/inverse-kinematics.md (S2).
func (s *sparseMethod) restore(h float64, l int) (bool, error) {
	whole := s.sys.turn()
	s.aimBounds(h)
	copy(s.along, s.sys.d)
	defer func() {
		copy(s.sys.d, s.along)
		s.sys.turned = whole
	}()
	last := math.Inf(1)
	for range sparseRestores {
		if s.open = s.openAt(l); s.open <= restoredTol || !(s.open < restoreGain*last) {
			break
		}
		last = s.open
		s.sys.correct(s.chord)
		if err := s.shift(); err != nil {
			return false, err
		}
	}
	if s.open <= restoredTol || s.open <= sparseOpen*h*whole {
		return true, nil
	}
	if l > 0 || s.closer.ClosePositions(s.try) != nil {
		return false, nil
	}
	s.open = 0
	return true, s.lookAt(s.try)
}

// shift moves s.try by a correction. Where there are loops, all joints
// are among the rows, and each body moves for itself.
func (s *sparseMethod) shift() error {
	if s.loops != nil {
		s.mech.DisplaceTo(s.try, s.try, 1, s.sys.d)
		return s.lookAt(s.try)
	}
	if err := s.mover.MoveWithTo(s.spare, s.kin, s.try, nil, s.sys.d, 1); err != nil {
		return err
	}
	if s.coupled() {
		s.spare.Angles = append(s.spare.Angles[:0], s.try.Angles...)
	}
	s.try, s.spare = s.spare, s.try
	s.wind(s.try)
	s.errorsTo(s.tried, s.kin, s.try)
	return nil
}

// openAt stores in s.chord what is missing of the hard rows at s.try,
// and returns the largest, angles or relative to lengths.
func (s *sparseMethod) openAt(l int) (most float64) {
	clear(s.chord)
	most = s.openTo(s.chord, s.kin, s.try)
	note := func(out []float64, level, first int) {
		clear(out)
		if level < l {
			s.rightTo(out, hard, first, s.tried)
			most = max(most, algebra.MaxAbs(out)/s.p.length)
		}
	}
	for i := range s.sys.rows {
		if r := &s.sys.rows[i]; r.bound < 0 {
			note(s.sys.rowsOf(s.chord, r), r.level, s.first[i])
		}
	}
	if b := s.sys.border; b != nil {
		row := 0
		for _, i := range b.targets {
			t := &s.p.targets[i]
			note(b.e[row:row+t.n], t.level, t.first)
			row += t.n
		}
	}
	if s.limited {
		most = max(most, s.strayed())
	}
	return most
}

// settle makes the hard rows of level l hold at its end: steps may leave them open by a
// part of what they gain. Where corrections do not get there, the last pose at which they
// have held is taken. Where the only hard rows are those of joints, end closes them.
func (s *sparseMethod) settle(l int) {
	if l == 0 && !s.limited {
		return
	}
	for range settleSteps {
		if !(s.ajar > closedTol) || s.over() || s.sys.linearize(s.st) != nil {
			break
		}
		s.setRows(l, math.Sqrt(s.scaleOf(l)))
		if how, err := s.solveBounded(); err != nil || how == tooLong {
			break
		}
		before := s.ajar
		if ok, err := s.move(1, l); err != nil || !ok || !(s.open < before) {
			break
		}
		s.accept()
	}
	if s.ajar > closedTol && s.tight != nil {
		copy(s.st.Bodies, s.tight)
		s.setAngles(s.tightAngles)
		copy(s.q, s.tightQ)
		copy(s.turned, s.tightTurned)
		s.stand()
		s.ajar = 0
		s.standing()
	}
}

// kick moves off a saddle of level l, and reports whether there was one: some steps after a random motion that the
// joints allow and the hard rows do not see. If not, all is as it was.
func (s *sparseMethod) kick(l, kicks int) bool {
	merit, steps, ajar := s.meritOf(l, s.e), s.most, s.ajar
	copy(s.before.Bodies, s.st.Bodies)
	s.before.Angles = append(s.before.Angles[:0], s.st.Angles...)
	for range kicks {
		if s.over() || s.sys.linearize(s.st) != nil {
			break
		}
		s.setRows(l, math.Sqrt(s.sigma)) // what the targets see is damped, not gone
		if _, err := s.solveBounded(); err != nil {
			break
		}
		clear(s.chord)
		for i := range 6 * len(s.st.Bodies) {
			s.chord[i] = s.dice.NormFloat64()
		}
		s.sys.correct(s.chord)
		if ok, err := s.move(sparseKick/max(s.sys.turn(), sparseKick), l); err == nil && ok {
			s.accept()
			s.most = min(steps, s.steps+kickSteps)
			s.lower(l, 0)
			s.most = steps
			if s.meritOf(l, s.e) < merit*(1-kickGain) {
				return true
			}
		}
		copy(s.st.Bodies, s.before.Bodies)
		s.setAngles(s.before.Angles)
		s.stand()
		s.ajar = ajar
	}
	return false
}

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
