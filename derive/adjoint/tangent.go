package adjoint

import (
	"context"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// tangents are the changes at one stage, by direction: of its chart x, of its velocities v, and of the time derivatives vel and acc of
// both.
type tangents struct{ x, v, vel, acc [][]float64 }

// Tangents go forward over a run with changes of its start and of the parameters along several directions: the transpose of a Sweep. They
// own their memory and belong to one goroutine.
type Tangents[F any] struct {
	mech   *mechanism.Mechanism
	step   *step[F]
	fields []TangentField[F]
	joins  JointTangentField[F] // nil if the run does not project
	turns  []spatial.Mat3       // D of theory.md (V8) at the present stage, by body
	stages []tangents
	bar    [][]float64 // changes of the state of a stage, by direction
	end    [][]float64 // changes of the chart at the end, and of the velocities there
	endV   [][]float64
	gap    float64
	ends   ends

	shift   shift // projection after the last step
	shifted bool  // the run has projected the end of the last step, and the derivatives are not projected yet
	passage
}

// NewTangents returns tangents along n directions for runs of m by the explicit method tab, with a field for each of its stages.
//
// It panics without a mechanism or a method, unless there is one field a stage, if n is negative, or if the first field is a JointField but
// no JointTangentField.
func NewTangents[F any](m *mechanism.Mechanism, tab *sim.Tableau, fields []TangentField[F], n int) *Tangents[F] {
	if m == nil || tab == nil || len(fields) != len(tab.B) || n < 0 {
		panic("derive/adjoint: tangents take a mechanism, a method, a field for each of its stages and a number of directions")
	}
	plain := make([]Field[F], len(fields))
	for i := range fields {
		plain[i] = fields[i]
	}
	six := 6 * m.NumBodies()
	joins, ok := fields[0].(JointTangentField[F])
	if _, closed := plain[0].(JointField[F]); closed && !ok {
		panic("derive/adjoint: tangents take a JointTangentField where joints hold states")
	}
	if !ok || !joins.Projects() {
		joins = nil
	}
	t := &Tangents[F]{
		joins: joins, turns: make([]spatial.Mat3, m.NumBodies()),
		mech: m, step: newStep(m, tab, plain), fields: fields, stages: make([]tangents, len(fields)),
		bar: table(n, PerBody*m.NumBodies()), end: table(n, six), endV: table(n, six),
	}
	for i := range t.stages {
		t.stages[i] = tangents{x: table(n, six), v: table(n, six), vel: table(n, six), acc: table(n, six)}
	}
	return t
}

// table returns n rows of zeros.
func table(n, columns int) [][]float64 {
	all := make([][]float64, n)
	for k := range all {
		all[k] = make([]float64, columns)
	}
	return all
}

// CloseStages is as Sweep.CloseStages, for fields that are JointTangentFields.
func (t *Tangents[F]) CloseStages(p sim.Projector) { t.step.closeStages(p) }

// Gap returns the largest distance between the end of a step and the state from which the run went on, as Gradient.Gap, over all steps that
// Run has gone over.
func (t *Tangents[F]) Gap() float64 { return t.gap }

// Run takes dx, changes of the first state on the tape, to the last one in place, theory.md (V8). It adds the integral of rate i over the
// run, by the weights of the method, to value[i], and the changes of the integral to d[i].
//
// Changes at the end are those after a projection there, (V6). If there is a direction, the field of the first stage is left at that state.
//
// Shapes: dx has one entry a direction, each with PerBody entries a body; value and d have one entry a rate, d[i] one a direction.
// Direction k changes parameter k of the fields at events. Cost: for each step an evaluation a stage, and for each direction a derivative a
// stage, O(bodies + joints) each; a step allocates nothing. It returns a *StepError, an error of the fields and events, or the error of
// ctx; dx is then unspecified. It panics without a step on the tape, or on a length mismatch.
func (t *Tangents[F]) Run(ctx context.Context, tape *Tape, dx [][]float64, rates []*F, value []float64, d [][]float64) error {
	if tape.Steps() == 0 || len(dx) != len(t.bar) || len(value) != len(rates) || len(d) != len(rates) {
		panic("derive/adjoint: a tape without a step, or a length mismatch")
	}
	if tape.spent {
		panic("derive/adjoint: a tape that has been gone back over")
	}
	t.step.follow(tape)
	at, end, before := tape.state.Clone(), tape.state.Clone(), tape.state.Clone()
	k := 0
	t.shifted = false // an earlier Run may have failed
	err := tape.forward(ctx, func(x, y []float64) error {
		k++
		at.SetFlat(x)
		end.SetFlat(y)
		j, err := tape.jumpAt(k)
		if err != nil {
			return err
		}
		if j == nil {
			return t.over(tape.Before+k, at, end, tape.partsOf(k), dx, rates, value, d)
		}
		before.SetFlat(j.at)
		if err := t.over(tape.Before+k, at, before, tape.partsOf(k), dx, rates, value, d); err != nil {
			return err
		}
		return t.cross(j.event, before, end, dx, rates, d)
	})
	if err != nil || len(dx) == 0 {
		return err
	}
	if end.SetFlat(tape.last()); tape.stopped != nil {
		return t.cross(tape.stopped, end, nil, dx, rates, d)
	}
	if err := t.fields[0].At(t.step.acc, end); err != nil {
		return fault.Errorf("derive/adjoint: at the end, t = %v: %w", end.Time, err)
	}
	return t.join(end, true, dx)
}

// over takes dx over step k of the run, part by part.
func (t *Tangents[F]) over(
	k int, at, end *mechanism.State, parts [][]float64, dx [][]float64, rates []*F, value []float64, d [][]float64,
) error {
	for i := range len(parts) + 1 {
		from, to := t.ends.part(at, end, parts, i)
		gap, err := t.step.overPart(from, to, parts, i)
		if err != nil {
			return err
		}
		t.gap = max(t.gap, gap)
		if i == 0 {
			if err := t.join(from, joinsAt(k), dx); err != nil {
				return err
			}
		}
		if err := t.push(dx, rates, value, d); err != nil {
			return fault.Errorf("derive/adjoint: along the step from t = %v: %w", from.Time, err)
		}
	}
	t.shifted = t.joins != nil && t.shift.set(t.mech, t.step.end.Bodies, end.Bodies)
	return nil
}

// always is the argument joins of join for a state at which derivatives are projected even if the run has not projected it.
const always = true

// join takes the changes dx over the projection of the state at, the transpose of Sweep.arrives: if the run has projected that state, or if
// joins demands it. The field of the first stage holds at.
func (t *Tangents[F]) join(at *mechanism.State, joins bool, dx [][]float64) error {
	shifted := t.shifted
	t.shifted = false
	if t.joins == nil || len(dx) == 0 || !shifted && !joins {
		return nil
	}
	err := error(nil)
	if shifted {
		err = t.joins.Projected(t.shift.moved, t.shift.change)
	}
	if err == nil {
		err = t.joins.Join(dx)
	}
	if err == nil && shifted { // the first stage has not been projected
		err = t.joins.Projected(nil, nil)
	}
	if err != nil {
		return fault.Errorf("derive/adjoint: at t = %v: %w", at.Time, err)
	}
	return nil
}

// push takes dx over the step that was computed last, theory.md (V8).
func (t *Tangents[F]) push(dx [][]float64, rates []*F, value []float64, d [][]float64) error {
	s := t.step
	for i := range s.last + 1 {
		g, y := &s.stages[i], &t.stages[i]
		g.turnsTo(t.turns)
		for k := range dx {
			t.combine(y.x[k], y.v[k], dx[k], k, s.tab.A[i])
			s.chartTo(t.bar[k], dx[k], g.x, y.x[k], y.v[k])
			g.slopesTo(y.vel[k], y.x[k], y.v[k], t.turns)
		}
		// The run has closed the stage.
		if s.closed && len(dx) > 0 {
			if err := t.fields[i].(JointTangentField[F]).Join(t.bar); err != nil {
				return err
			}
		}
		// The integrals of the rates, with the weights of the stage.
		if w := s.h * s.tab.B[i]; w != 0 {
			for j, f := range rates {
				x, err := t.fields[i].ValueTo(d[j], t.bar, f, w)
				if err != nil {
					return err
				}
				value[j] += w * x
			}
		}
		if len(dx) == 0 {
			continue
		}
		if err := t.fields[i].PushTo(y.acc, t.bar); err != nil {
			return err
		}
	}
	for k := range dx {
		t.combine(t.end[k], t.endV[k], dx[k], k, s.tab.B[:s.last+1])
		s.chartTo(dx[k], dx[k], s.endX, t.end[k], t.endV[k])
	}
	return nil
}

// combine stores in x and v the changes of the chart and of the velocities along direction k, for the weights w of the stages.
func (t *Tangents[F]) combine(x, v, dx []float64, k int, w []float64) {
	h := t.step.h
	clear(x)
	clear(v)
	for j, a := range w {
		if a == 0 {
			continue
		}
		vel, acc := t.stages[j].vel[k], t.stages[j].acc[k]
		for i := range x {
			x[i] += a * vel[i]
			v[i] += a * acc[i]
		}
	}
	for i := range x {
		x[i], v[i] = h*x[i], h*v[i]+dx[PerBody*(i/6)+6+i%6]
	}
}

// chartTo stores in to the change of the state at x of the chart: for the change from of the start, dx of the chart, and dv of the
// velocities, theory.md (V1). to may be from.
func (s *step[F]) chartTo(to, from, x, dx, dv []float64) {
	for i := range s.start.Bodies {
		k := 6 * i
		f, y := from[PerBody*i:][:PerBody], to[PerBody*i:][:PerBody]
		theta := (*spatial.Vec3)(x[k:])
		// exp(Θ) = 1 + dexp(Θ)·Θ×
		phi := spatial.Vec3(f[:3])
		var turned spatial.Vec3
		along := theta.Cross(phi).Add(spatial.Vec3(dx[k:]))
		spatial.DexpTo(&turned, theta, &along)
		turned = turned.Add(phi)
		copy(y[:3], turned[:])
		for c := range 3 {
			y[3+c] = f[3+c] + dx[k+3+c]
		}
		copy(y[6:], dv[k:k+6])
	}
}

// turnsTo stores in D the matrices D_i of theory.md (V8): for each body the derivative of the rate of its rotation vector by that vector.
func (g *stage[F]) turnsTo(D []spatial.Mat3) {
	for i := range D {
		theta, omega := (*spatial.Vec3)(g.x[6*i:]), &g.omega[i]
		for c := range 3 {
			var unit spatial.Vec3
			unit[c] = 1
			spatial.DexpInvAdjointTo((*spatial.Vec3)(D[i][3*c:]), theta, omega, &unit)
		}
	}
}

// slopesTo stores in to the change of the time derivative of the chart at a stage: for the change dx of the chart and dv of the velocities,
// theory.md (V8).
func (g *stage[F]) slopesTo(to, dx, dv []float64, D []spatial.Mat3) {
	for i := range D {
		k := 6 * i
		y := (*spatial.Vec3)(to[k:])
		spatial.DexpInvTo(y, (*spatial.Vec3)(g.x[k:]), (*spatial.Vec3)(dv[k:]))
		*y = y.Add(D[i].MulVec(spatial.Vec3(dx[k:])))
		copy(to[k+3:k+6], dv[k+3:k+6])
	}
}
