package adjoint

import (
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// stage is one stage of a step, theory.md (V2).
type stage[F any] struct {
	field  Field[F]
	state  mechanism.State
	angles []float64 // angles of the state, where turns are counted
	// chart: rotation vector and travel of the centre of mass since the start of the step, six numbers a body
	x []float64
	// time derivatives of x and of the velocities, six numbers a body each; the stepper owns them
	vel, acc []float64
	omega    []spatial.Vec3 // angular velocities before the stage is closed
	// cotangents of vel and acc
	velBar, accBar []float64
}

// step is a step of a Runge–Kutta method with all of its stages, which the stepper of runs computes again, and the transpose of the step.
type step[F any] struct {
	mech   *mechanism.Mechanism
	tab    *sim.Tableau
	taped  sim.Taped
	stages []stage[F]
	last   int // index of the last stage that has a weight in the end
	at     int // index of the stage that is evaluated next
	start  mechanism.State
	h      float64
	end    mechanism.State
	endX   []float64             // x at the end
	acc    []float64             // accelerations of a state between steps
	bar    []float64             // cotangents of the state of one stage, PerBody a body
	turn   []float64             // cotangents of its rotation vectors alone, three a body
	length float64               // typical length of the mechanism
	closer sim.Projector         // closes stages; nil: no stage is closed
	may    bool                  // the run may have closed stages
	all    bool                  // the run has closed the stages of each step
	doubts bool                  // an open step has been in doubt: the next ones are tried closed first
	wait   int                   // steps that are tried closed first as an open one has led elsewhere
	closed bool                  // the stages of this step are closed
	open   []mechanism.BodyState // bodies at a stage before it was closed
	shift  shift                 // change that has closed the stage
}

// newStep allocates a step of the method tab over m. Each stage has a field of its own.
func newStep[F any](m *mechanism.Mechanism, tab *sim.Tableau, fields []Field[F]) *step[F] {
	n := m.NumBodies()
	tab = tab.Weighted()
	s := &step[F]{
		mech: m, tab: tab, stages: make([]stage[F], len(tab.B)), last: len(tab.B) - 1, length: m.TypicalLength(),
		endX: make([]float64, 6*n), acc: make([]float64, 6*n), bar: make([]float64, PerBody*n), turn: make([]float64, 3*n),
	}
	s.taped = sim.NewRungeKutta(m, (*stages[F])(s), tab, sim.Tolerance{})
	s.end.Bodies, s.open = make([]mechanism.BodyState, n), make([]mechanism.BodyState, n)
	for i := range s.stages {
		s.stages[i] = stage[F]{
			field: fields[i], state: mechanism.State{Bodies: make([]mechanism.BodyState, n)},
			x: make([]float64, 6*n), omega: make([]spatial.Vec3, n), velBar: make([]float64, 6*n), accBar: make([]float64, 6*n),
		}
	}
	return s
}

// closeStages is Sweep.CloseStages.
func (s *step[F]) closeStages(p sim.Projector) { s.closer, s.doubts, s.wait = p, false, 0 }

// follow sets which stages the run on a tape has closed.
func (s *step[F]) follow(t *Tape) {
	s.all = s.closer != nil && t.ClosesAll
	s.may = s.all || s.closer != nil && t.MayClose
}

// joint returns the field of the first stage as a JointField; nil if the run does not project.
func (s *step[F]) joint() JointField[F] {
	if f, ok := s.stages[0].field.(JointField[F]); ok && f.Projects() {
		return f
	}
	return nil
}

// stages are the dynamics of a step: each evaluation goes to the field of the next stage, which keeps its state.
type stages[F any] step[F]

// Accelerations implements sim.Dynamics: it is called once for each stage, in order, and uses the field of the stage.
func (s *stages[F]) Accelerations(a []float64, st *mechanism.State) error {
	g := &s.stages[s.at]
	s.at++
	y := &g.state
	y.Time = st.Time
	y.Angles, y.Internal, y.Bearings = s.start.Angles, s.start.Internal, s.start.Bearings
	copy(y.Bodies, st.Bodies)
	s.followTurns(g)
	return g.field.At(a, y)
}

// farTurn is the angle of a body over the step, rad, from which a stage counts turns. It is far below half a turn, which two bodies turn
// against each other.
const farTurn = 0.5

// followTurns counts the turns of joint angles at a stage whose bodies may have turned by farTurn since the start of the step, if states
// carry all angles. Otherwise the angles of the start are within half a turn.
func (s *stages[F]) followTurns(g *stage[F]) {
	y := &g.state
	n := s.mech.NumAngles()
	if n == s.mech.NumSprung() || len(y.Angles) != n {
		return
	}
	square := 0.0
	for i := range y.Bodies {
		a, b := &s.start.Bodies[i].Omega, &y.Bodies[i].Omega
		square = max(square, a.Dot(*a), b.Dot(*b))
	}
	if h := y.Time - s.start.Time; h*h*square < farTurn*farTurn {
		return
	}
	g.angles = append(g.angles[:0], y.Angles...)
	y.Angles = g.angles
	s.mech.FollowTurns(y, &s.start)
}

// closedGap is the largest gap (StepError.Gap) of a step with open stages that is accepted in a run whose stages may be closed. Where
// geometry alone makes rows redundant, accelerations of open stages are as wrong as without a row.
const closedGap = 1e-12

// closedWait is how many steps of a run that has closed all stages are tried closed first after an open one that has led elsewhere. Open
// ones save the derivatives of closing where they lead to the same end. Another value costs time only.
const closedWait = 7

// over computes the step of a run from at to end again, with open or closed stages as in the run, and returns the gap between its end and
// end. Stages at which derivatives are in doubt are closed in any case: the computed accelerations are near those of the closed stage, and
// have no derivative of their own.
func (s *step[F]) over(at, end *mechanism.State) (gap float64, err error) {
	if gap, err = s.tried(at, end); err == nil && s.closed {
		err = s.tellClosed()
	}
	return gap, err
}

// tellClosed tells the fields of closed stages by which changes they were closed (JointField.Projected).
func (s *step[F]) tellClosed() error {
	for i := range s.last + 1 {
		g := &s.stages[i]
		s.openTo(g, s.tab.A[i])
		var moved, change []float64
		if s.shift.set(s.mech, s.open, g.state.Bodies) {
			moved, change = s.shift.moved, s.shift.change
		}
		if err := g.field.(JointField[F]).Projected(moved, change); err != nil {
			return fault.Errorf("derive/adjoint: stage %d from t = %v: %w", i, s.start.Time, err)
		}
	}
	return nil
}

// tried computes the step as over does, without tellClosed. Once a step was in doubt, later steps are tried with closed stages first.
// Otherwise a step is tried with open stages. If these are in doubt, or the run may have closed stages and the gap is above closedGap, it
// is computed with closed stages, and the way with the smaller gap is kept. With a doubt, or if the run has closed all stages, only the
// closed way is kept: if it fails, so does the step.
func (s *step[F]) tried(at, end *mechanism.State) (gap float64, err error) {
	if s.closed = s.doubts || s.wait > 0; s.closed {
		s.wait = max(0, s.wait-1)
		if gap, err = s.leads(at, end); err == nil {
			return gap, nil
		}
	}
	s.closed = false
	gap, err = s.leads(at, end)
	doubt := s.doubt(at, err)
	if doubt == nil && (!s.may || err == nil && gap <= closedGap) {
		return gap, err
	}
	if s.closer == nil {
		return gap, doubt
	}
	s.closed, s.doubts = true, doubt != nil
	by, fails := s.leads(at, end)
	if s.all {
		s.wait = closedWait
	}
	if doubt != nil || s.all || fails == nil && (err != nil || by < gap) {
		return by, fails
	}
	s.closed = false
	return s.leads(at, end)
}

// doubt returns the first doubt of a stage of the step from at. It returns nil if computing the step has ended with the error err.
func (s *step[F]) doubt(at *mechanism.State, err error) error {
	if err != nil {
		return nil
	}
	for i := range s.last + 1 {
		f, ok := s.stages[i].field.(DoubtfulField[F])
		if !ok {
			return nil
		}
		if err := f.Doubt(); err != nil {
			return fault.Errorf("derive/adjoint: step from t = %v: %w", at.Time, err)
		}
	}
	return nil
}

// leads computes the step from at, with stages closed if s.closed says so, and returns the gap between its end and end.
func (s *step[F]) leads(at, end *mechanism.State) (float64, error) {
	if err := s.run(at, end.Time-at.Time); err != nil {
		return 0, fault.Errorf("derive/adjoint: step from t = %v: %w", at.Time, err)
	}
	return meets(s.mech, s, at, end)
}

// run computes the step of length h from st: its stages, theory.md (V2), and its end. It keeps st.
func (s *step[F]) run(st *mechanism.State, h float64) error {
	s.start, s.h, s.at = *st, h, 0
	var p sim.Projector
	if s.closed {
		p = s.closer
	}
	s.taped.CloseStages(p)
	s.taped.Restart()
	if _, err := s.taped.Try(st, st.Time+h); err != nil {
		return err
	}
	for i := range s.stages {
		g := &s.stages[i]
		g.vel, g.acc = s.taped.Rates(i)
		s.chartAt(g.x, s.tab.A[i])
		s.turnsAt(g.omega, s.tab.A[i])
	}
	s.chartAt(s.endX, s.tab.B)
	s.taped.AtTo(&s.end, 1)
	return nil
}

// turnsAt stores in omega the angular velocities at a stage before it is closed. w are the weights of the stage.
func (s *step[F]) turnsAt(omega []spatial.Vec3, w []float64) {
	for i := range omega {
		omega[i] = s.start.Bodies[i].Omega
		for j, a := range w {
			if a != 0 {
				omega[i] = omega[i].Add(spatial.Vec3(s.stages[j].acc[6*i:]).Scale(s.h * a))
			}
		}
	}
}

// openTo stores in s.open the bodies at stage g before it is closed. w are the weights of the stage.
func (s *step[F]) openTo(g *stage[F], w []float64) {
	for i := range s.open {
		from, b, com := &s.start.Bodies[i], &s.open[i], s.mech.Bodies[i].Com
		was, theta := from.Rotation.Rotate(com), spatial.Vec3(g.x[6*i:])
		spatial.TurnTo(&b.Rotation, &theta, &from.Rotation)
		arm := b.Rotation.Rotate(com)
		b.Position = from.Position.Add(was).Add(spatial.Vec3(g.x[6*i+3:])).Sub(arm)
		v := from.Velocity.Add(from.Omega.Cross(was))
		for j, a := range w {
			if a != 0 {
				v = v.Add(spatial.Vec3(s.stages[j].acc[6*i+3:]).Scale(s.h * a))
			}
		}
		b.Omega = g.omega[i]
		b.Velocity = v.Sub(b.Omega.Cross(arm))
	}
}

// chartAt stores in x the chart h·Σ w_j·k_j of (V2) for the weights w.
func (s *step[F]) chartAt(x, w []float64) {
	clear(x)
	for j, a := range w {
		if a == 0 {
			continue
		}
		for k, v := range s.stages[j].vel {
			x[k] += s.h * a * v
		}
	}
}

// pull replaces the cotangents bar of the end of the step by the cotangents of its start, and adds the cotangents of the parameters to p,
// theory.md (V4). It integrates rate over the step by the weights of the method, with the cotangent 1, and returns the integral; a nil rate
// counts as zero.
func (s *step[F]) pull(bar, p []float64, rate *F) (integral float64, err error) {
	for i := range s.last + 1 {
		clear(s.stages[i].velBar)
		clear(s.stages[i].accBar)
	}
	clear(s.turn)
	s.spread(bar, bar, s.endX, s.tab.B[:s.last+1])
	for i := s.last; i >= 0; i-- {
		g := &s.stages[i]
		clear(s.bar)
		f, w := rate, s.h*s.tab.B[i]
		if w == 0 {
			f = nil
		}
		value, err := g.field.PullTo(s.bar, p, g.accBar, f, w)
		if err != nil {
			return 0, err
		}
		integral += w * value
		if s.closed {
			if err := g.field.(JointField[F]).JoinBack(s.bar, p); err != nil {
				return 0, err
			}
		}
		s.pullSlopes(g)
		s.spread(bar, s.bar, g.x, s.tab.A[i])
	}
	return integral, nil
}

// pullSlopes takes the cotangents g.velBar of the derivative of the chart back to the velocities of the stage, added to s.bar, and to its
// rotation vectors, stored in s.turn, theory.md (V3).
func (s *step[F]) pullSlopes(g *stage[F]) {
	for i := range g.state.Bodies {
		k, bar := 6*i, s.bar[PerBody*i:][:PerBody]
		theta, y := (*spatial.Vec3)(g.x[k:]), (*spatial.Vec3)(g.velBar[k:])
		minus := theta.Neg()
		var w spatial.Vec3
		spatial.DexpInvTo(&w, &minus, y)
		spatial.DexpInvAdjointTo((*spatial.Vec3)(s.turn[3*i:]), theta, &g.omega[i], y)
		for c := range 3 {
			bar[6+c] += w[c]
			bar[9+c] += g.velBar[k+3+c]
		}
	}
}

// spread takes cotangents of a state back through its chart x, theory.md (V4): to the slopes of the stages, which have the weights w in the
// chart, and to the start of the step, added to bar. The cotangents are from and, of the rotation vectors alone, s.turn. bar may be from;
// it is then overwritten.
func (s *step[F]) spread(bar, from, x, w []float64) {
	for i := range s.start.Bodies {
		k := 6 * i
		f := [PerBody]float64(from[PerBody*i:])
		if &bar[0] == &from[0] {
			clear(bar[PerBody*i:][:PerBody])
		}
		minus, phi := (*spatial.Vec3)(x[k:]).Neg(), spatial.Vec3(f[:3])
		own := [6]float64{3: f[3], 4: f[4], 5: f[5]} // cotangents of x
		spatial.DexpTo((*spatial.Vec3)(own[:]), &minus, &phi)
		back := phi.Add(minus.Cross(spatial.Vec3(own[:3]))) // exp(−Θ) = 1 − Θ×dexp(−Θ)
		to := bar[PerBody*i:][:PerBody]
		for c := range 3 {
			own[c] += s.turn[3*i+c]
			to[c] += back[c]
			to[3+c] += own[3+c]
			to[6+c] += f[6+c]
			to[9+c] += f[9+c]
		}
		for j, a := range w {
			if a == 0 {
				continue
			}
			g := &s.stages[j]
			for c := range 6 {
				g.velBar[k+c] += s.h * a * own[c]
				g.accBar[k+c] += s.h * a * f[6+c]
			}
		}
	}
}
