package adjoint

import (
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// stage is one stage of a step, theory.md (V2).
type stage[F any] struct {
	field Field[F]
	state mechanism.State
	// of the chart: rotation vector and travel of the centre of mass since the start of the step, six numbers a body
	x []float64
	// slopes, six numbers a body: of x, and of the velocities
	vel, acc []float64
	// cotangents of the slopes
	velBar, accBar []float64
}

// step is a step of a Runge–Kutta method, computed again with all of its stages, and its transpose.
type step[F any] struct {
	mech   *mechanism.Mechanism
	tab    *sim.Tableau
	stages []stage[F]
	last   int // stages up to here have a weight in the end
	start  mechanism.State
	h      float64
	arms   []spatial.Vec3 // at the start
	v      []float64      // velocities at the start, six a body
	end    mechanism.State
	endX   []float64 // x at the end
	endV   []float64 // velocities there
	bar    []float64 // of one stage, PerBody a body
	turn   []float64 // of its rotation vectors alone, three a body
}

func newStep[F any](m *mechanism.Mechanism, tab *sim.Tableau, fields []Field[F]) *step[F] {
	n := m.NumBodies()
	s := &step[F]{
		mech: m, tab: tab, stages: make([]stage[F], len(tab.B)), arms: make([]spatial.Vec3, n), v: make([]float64, 6*n),
		endX: make([]float64, 6*n), endV: make([]float64, 6*n), bar: make([]float64, PerBody*n), turn: make([]float64, 3*n),
	}
	s.end.Bodies = make([]mechanism.BodyState, n)
	for i := range s.stages {
		s.stages[i] = stage[F]{
			field: fields[i], state: mechanism.State{Bodies: make([]mechanism.BodyState, n)},
			x: make([]float64, 6*n), vel: make([]float64, 6*n), acc: make([]float64, 6*n),
			velBar: make([]float64, 6*n), accBar: make([]float64, 6*n),
		}
		if tab.B[i] != 0 {
			s.last = i
		}
	}
	return s
}

// run computes the step of the length h from st, which is kept: stages, theory.md (V2), and the end.
func (s *step[F]) run(st *mechanism.State, h float64) error {
	s.start, s.h = *st, h
	for i := range st.Bodies {
		var E spatial.Mat3
		st.Bodies[i].Rotation.MatTo(&E)
		E.MulVecTo(&s.arms[i], &s.mech.Bodies[i].Com)
		st.Bodies[i].ComVelocityTo((*[6]float64)(s.v[6*i:]), &s.arms[i])
	}
	for i := range s.last + 1 {
		g := &s.stages[i]
		s.combineTo(&g.state, g.x, g.vel, s.tab.A[i], s.tab.C[i])
		if err := g.field.At(g.acc, &g.state); err != nil {
			return err
		}
		for k := 0; k < len(g.vel); k += 6 {
			w := (*spatial.Vec3)(g.vel[k:])
			spatial.DexpInvTo(w, (*spatial.Vec3)(g.x[k:]), w)
		}
	}
	s.combineTo(&s.end, s.endX, s.endV, s.tab.B[:s.last+1], 1)
	return nil
}

// combineTo stores in y the state after the part c of the step by the weights w of the stages, in x its chart, and in v its velocities.
func (s *step[F]) combineTo(y *mechanism.State, x, v, w []float64, c float64) {
	y.Time = s.start.Time + c*s.h
	y.Angles, y.Internal, y.Bearings = s.start.Angles, s.start.Internal, s.start.Bearings
	for k := range s.v {
		moved, faster := 0.0, 0.0
		for j, a := range w {
			moved += a * s.stages[j].vel[k]
			faster += a * s.stages[j].acc[k]
		}
		x[k], v[k] = s.h*moved, s.v[k]+s.h*faster
	}
	for i := range y.Bodies {
		b, kin := &y.Bodies[i], mechanism.BodyKinematics{Com: s.arms[i]}
		b.Position, b.Rotation = s.start.Bodies[i].Position, s.start.Bodies[i].Rotation
		b.Displace(1, (*[6]float64)(x[6*i:]), &kin, &s.mech.Bodies[i].Com)
		b.SetComVelocity((*[6]float64)(v[6*i:]), &kin.Com)
	}
}

// pull takes the cotangents bar of the end of the step to its start, in place, and adds those of the parameters to p,
// theory.md (V4). rate is integrated along the step by the weights of the method; nil: nothing is. It returns the
// integral.
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
		s.pullSlopes(g)
		s.spread(bar, s.bar, g.x, s.tab.A[i])
	}
	return integral, nil
}

// pullSlopes takes the cotangents of the slopes of the chart at a stage to its velocities, in s.bar, and to its
// rotation vectors, in s.turn, theory.md (V3).
func (s *step[F]) pullSlopes(g *stage[F]) {
	for i := range g.state.Bodies {
		k, bar := 6*i, s.bar[PerBody*i:][:PerBody]
		theta, y := (*spatial.Vec3)(g.x[k:]), (*spatial.Vec3)(g.velBar[k:])
		minus := theta.Neg()
		var w spatial.Vec3
		spatial.DexpInvTo(&w, &minus, y)
		spatial.DexpInvAdjointTo((*spatial.Vec3)(s.turn[3*i:]), theta, &g.state.Bodies[i].Omega, y)
		for c := range 3 {
			bar[6+c] += w[c]
			bar[9+c] += g.velBar[k+3+c]
		}
	}
}

// spread takes the cotangents from of a state, and s.turn of its rotation vectors, through its chart x, theory.md
// (V4): to the slopes, which have the weights w in it, and to the start of the step in bar. bar may be from, whose
// numbers are then replaced.
func (s *step[F]) spread(bar, from, x, w []float64) {
	for i := range s.start.Bodies {
		k := 6 * i
		f := [PerBody]float64(from[PerBody*i:])
		if &bar[0] == &from[0] {
			clear(bar[PerBody*i:][:PerBody])
		}
		minus, phi := (*spatial.Vec3)(x[k:]).Neg(), spatial.Vec3(f[:3])
		own := [6]float64{3: f[3], 4: f[4], 5: f[5]} // of x
		spatial.DexpTo((*spatial.Vec3)(own[:]), &minus, &phi)
		back := spatial.Exp(minus).Rotate(phi)
		to := bar[PerBody*i:][:PerBody]
		for c := range 3 {
			own[c] += s.turn[3*i+c]
			to[c] += back[c]
			to[3+c] += own[3+c]
			to[6+c] += f[6+c]
			to[9+c] += f[9+c]
		}
		for j, a := range w {
			g := &s.stages[j]
			for c := range 6 {
				g.velBar[k+c] += s.h * a * own[c]
				g.accBar[k+c] += s.h * a * f[6+c]
			}
		}
	}
}
