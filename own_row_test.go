package rung_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/batch"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/ik"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/linear"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/tree"
)

// ownRowTol is rounding of accelerations and multipliers of order 10.
const ownRowTol = 1e-12

// rope goes from each anchor in the world to a point of each body, in its frame, over pulleys without mass: the parts have a length in all.
type rope struct {
	anchor, point []spatial.Vec3
	length        float64
}

// RowTo adds up the parts: with the direction u of a part of length d and the velocity ṗ of its end, φ̈ is u·p̈ + (ṗ² − (u·ṗ)²)/d.
func (r *rope) RowTo(w []spatial.Force, at []mechanism.BodyMotion, _ float64) (out mechanism.OwnTerms, err error) {
	out.Error = -r.length
	for i := range at {
		arm, v := at[i].Point(r.point[i])
		part := at[i].Position.Add(at[i].Com).Add(arm).Sub(r.anchor[i])
		d := part.Norm()
		if d == 0 {
			return out, errors.New("a part of the rope has no direction")
		}
		u := part.Scale(1 / d)
		w[i] = spatial.NewForce(arm.Cross(u), u)
		out.Error += d
		omega := at[i].Omega
		out.Bias += u.Dot(omega.Cross(omega.Cross(arm))) + (v.Dot(v)-u.Dot(v)*u.Dot(v))/d
	}
	return out, nil
}

// edge allows no velocity of a point of a body along a direction of it (joint no_slip on the body).
type edge struct{ point, across spatial.Vec3 }

func (e *edge) RowTo(w []spatial.Force, at []mechanism.BodyMotion, _ float64) (out mechanism.OwnTerms, err error) {
	arm, v := at[0].Point(e.point)
	n, omega := at[0].E.MulVec(e.across), at[0].Omega
	w[0] = spatial.NewForce(arm.Cross(n), n)
	out.Bias = omega.Cross(n).Dot(v) + n.Dot(omega.Cross(omega.Cross(arm)))
	return out, nil
}

// shaken moves the centre of a body along z by a sine.
type shaken struct{ height, amplitude, frequency float64 }

func (s *shaken) RowTo(w []spatial.Force, at []mechanism.BodyMotion, t float64) (out mechanism.OwnTerms, err error) {
	sin, cos := math.Sincos(s.frequency * t)
	w[0][5] = 1
	out.Error = at[0].Position[2] + at[0].Com[2] - s.height - s.amplitude*sin
	out.Drift = -s.amplitude * s.frequency * cos
	out.Bias = s.amplitude * s.frequency * s.frequency * sin
	return out, nil
}

// ownPlan returns the plan of a builder's model with rows of one's own.
func ownPlan(t testing.TB, b *rung.Builder, rows ...mechanism.Demand) *kkt.Plan {
	t.Helper()
	doc, err := b.Model()
	require.NoError(t, err)
	mech, err := mechanism.NewWithRows(context.Background(), doc, rows...)
	require.NoError(t, err)
	p, err := kkt.NewPlanContext(context.Background(), mech, kkt.Options{})
	require.NoError(t, err)
	return p
}

// blocks returns two bodies that are no symmetric ones, and a rope from two pulleys to points of them, as long as it is.
func blocks(t testing.TB, moving bool) (*rung.Builder, *rope, [2]rung.Body) {
	b := rung.NewBuilder("blocks").Gravity(0, 0, -gravity)
	var list [2]rung.Body
	r := &rope{anchor: []spatial.Vec3{{-1, 0, 3}, {1, 0.2, 3}}, point: []spatial.Vec3{{0.1, 0.2, 0.3}, {-0.2, 0.1, 0.2}}}
	for i, mass := range []float64{2, 3} {
		d, err := bodies.New(mass, spatial.Vec3{0.05, 0.02, -0.01}, spatial.Sym3{0.1, 0.12, 0.15, 0.01, 0, 0.02})
		require.NoError(t, err)
		at := spatial.Vec3{-1 + 2.1*float64(i), 0.1, 1 - 0.4*float64(i)}
		body := b.Body([]string{"left", "right"}[i], d, rung.At(at[0], at[1], at[2]))
		v, w := spatial.Vec3{}, spatial.Vec3{}
		if moving {
			w = spatial.Vec3{0.3, -0.2 + 0.4*float64(i), 0.5}
		}
		end := at.Add(r.point[i])
		part := end.Sub(r.anchor[i])
		r.length += part.Norm()
		v = w.Cross(r.point[i]).Neg().Add(spatial.Vec3{part[1], -part[0], 0}) // the end moves across its part
		if !moving {
			v = spatial.Vec3{}
		}
		b.Move(body, v, w)
		list[i] = body
	}
	return b, r, list
}

// A rope to one body is a joint of type distance: accelerations and force are the same.
func TestOwnRowIsADistance(t *testing.T) {
	b, r, _ := blocks(t, true)
	r.length = 0
	part := &rope{anchor: r.anchor[1:], point: r.point[1:]}
	end := spatial.Vec3{1.1, 0.1, 0.6}.Add(r.point[1])
	part.length = end.Sub(part.anchor[0]).Norm()
	p := ownPlan(t, b, mechanism.Demand{Name: "rope", Bodies: []int{1}, Row: part})
	require.NoError(t, p.Mechanism().CheckRows(p.Initial()))
	s := p.NewSolver()
	require.NoError(t, s.Solve(p.Initial()))
	own := make([]float64, 12)
	s.AccelerationsTo(own)

	b, _, list := blocks(t, true)
	b.Distance("rope", rung.World, list[1], part.anchor[0], end)
	q := planOf(t, b)
	d := q.NewSolver()
	require.NoError(t, d.Solve(q.Initial()))
	want := make([]float64, 12)
	d.AccelerationsTo(want)
	assert.InDeltaSlice(t, want, own, ownRowTol*gravity)
	var lambda [6]float64
	require.Equal(t, 1, d.Reactions().MultipliersTo(&lambda, 0))
	assert.InDelta(t, lambda[0], s.Reactions().CouplingMultiplier(0), 10*ownRowTol)
	require.NotZero(t, lambda[0])
}

// Two masses on a rope over two pulleys (Atwood): a = g (m₂ − m₁)/(m₁ + m₂), tension 2 g m₁ m₂/(m₁ + m₂).
func TestOwnRowAtwood(t *testing.T) {
	const m1, m2, h1, h2, top = 2.0, 3.0, 1.0, 0.5, 4.0
	b := rung.NewBuilder("atwood").Gravity(0, 0, -gravity)
	b.Body("left", bodies.Body{Mass: m1, Inertia: spatial.Diag3(1, 1, 1)}, rung.At(-1, 0, h1))
	b.Body("right", bodies.Body{Mass: m2, Inertia: spatial.Diag3(1, 1, 1)}, rung.At(1, 0, h2))
	r := &rope{anchor: []spatial.Vec3{{-1, 0, top}, {1, 0, top}}, point: make([]spatial.Vec3, 2), length: 2*top - h1 - h2}
	p := ownPlan(t, b, mechanism.Demand{Name: "rope", Bodies: []int{0, 1}, Row: r})
	s := p.NewSolver()
	require.NoError(t, s.Solve(p.Initial()))
	assert.InDelta(t, gravity*(m2-m1)/(m1+m2), s.ComAcceleration(0)[2], ownRowTol)
	assert.InDelta(t, -gravity*(m2-m1)/(m1+m2), s.ComAcceleration(1)[2], ownRowTol)
	assert.InDelta(t, -2*gravity*m1*m2/(m1+m2), s.Reactions().CouplingMultiplier(0), 10*ownRowTol)
}

// An edge of one's own is a joint of type no_slip on the body whose edge it is, and mobility is told at both levels.
func TestOwnRowOfVelocities(t *testing.T) {
	sleigh := func() (*rung.Builder, rung.Body) {
		b := rung.NewBuilder("sleigh").Gravity(0, 0, -gravity)
		body := b.Body("sleigh", bodies.Body{Mass: 2, Inertia: spatial.Diag3(0.1, 0.2, 0.3)}, rung.At(0, 0, 0))
		b.Planar("ice", rung.World, body, spatial.Vec3{}, spatial.Vec3{0, 0, 1})
		omega := spatial.Vec3{0, 0, 0.7}
		b.Move(body, spatial.Vec3{1.5, 0, 0}.Add(omega.Cross(spatial.Vec3{0.4, 0, 0})), omega)
		return b, body
	}
	at := spatial.Vec3{-0.4, 0, 0}
	b, _ := sleigh()
	p := ownPlan(t, b, mechanism.Demand{Name: "edge", Bodies: []int{0}, Row: &edge{at, spatial.Vec3{0, 1, 0}}, Rates: true})
	require.NoError(t, p.Mechanism().CheckRows(p.Initial()))
	require.NoError(t, closing.NewCloser(p, closing.Options{}).ClosePositions(p.Initial()))
	s := p.NewSolver()
	require.NoError(t, s.Solve(p.Initial()))
	report, err := s.Report()
	require.NoError(t, err)
	assert.Equal(t, []int{2, 3}, []int{report.Mobility, report.Reaches})

	b, body := sleigh()
	b.NoSlip("edge", body, rung.World, at, spatial.Vec3{0, 1, 0})
	q := planOf(t, b)
	d := q.NewSolver()
	require.NoError(t, d.Solve(q.Initial()))
	own, want := make([]float64, 6), make([]float64, 6)
	s.AccelerationsTo(own)
	d.AccelerationsTo(want)
	assert.InDeltaSlice(t, want, own, ownRowTol)
	assert.NotZero(t, want[5])

	err = p.Mechanism().Holonomic()
	require.ErrorIs(t, err, mechanism.ErrNonholonomic)
	require.ErrorContains(t, err, `"edge"`)
}

// Rows of one's own hold over time, moved and not, by all ways to accelerations that know them, and with error control.
func TestOwnRowsRun(t *testing.T) {
	check.Long(t)
	b, r, _ := blocks(t, true)
	swing := &shaken{height: 0.99, amplitude: 0.1, frequency: 7}
	rows := []mechanism.Demand{
		{Name: "rope", Bodies: []int{1, 0}, Row: &rope{[]spatial.Vec3{r.anchor[1], r.anchor[0]}, []spatial.Vec3{r.point[1], r.point[0]}, r.length}},
	}
	for _, forced := range []bool{false, true} {
		if forced {
			rows = append(rows, mechanism.Demand{Name: "shaken", Bodies: []int{0}, Row: swing})
		}
		for _, o := range []runs.Options{{Tolerance: 1e-10}, {Integrator: runs.GeneralizedAlpha, Step: 1e-3}, {Integrator: runs.Rattle, Step: 1e-3}} {
			t.Run(fmt.Sprint(forced, o.Integrator), func(t *testing.T) {
				p := ownPlan(t, b, rows...)
				mech := p.Mechanism()
				o.From = p.Initial()
				require.NoError(t, closing.NewCloser(p, closing.Options{}).ClosePositions(o.From))
				require.NoError(t, closing.NewCloser(p, closing.Options{}).ProjectVelocities(o.From))
				k := mech.NewKinematics()
				require.NoError(t, mech.KinematicsTo(k, o.From))
				before := energyOf(mech, o.From)
				s, err := rung.NewSimulation(p, o)
				require.NoError(t, err)
				require.NoError(t, s.Run(2))
				require.NoError(t, mech.KinematicsTo(k, s.State()))
				for i := range rows {
					phi, rate := mech.CouplingErrors(i, k, s.State())
					assert.InDelta(t, 0, phi, 1e-9)
					assert.InDelta(t, 0, rate, 1e-8)
				}
				if forced {
					assert.InDelta(t, swing.height+swing.amplitude*math.Sin(14), s.State().Bodies[0].Position[2]+k.Bodies[0].Com[2], 1e-9)
				} else if o.Integrator == runs.DormandPrince {
					assert.InDelta(t, before, energyOf(mech, s.State()), 1e-8*before)
				}
			})
		}
	}
}

// energyOf returns kinetic and potential energy, J.
func energyOf(m *mechanism.Mechanism, s *mechanism.State) float64 {
	k := m.NewKinematics()
	if m.KinematicsTo(k, s) != nil {
		return math.NaN()
	}
	sum := 0.0
	for i := range m.Bodies {
		w := s.Bodies[i].Omega
		v := s.Bodies[i].Velocity.Add(w.Cross(k.Bodies[i].Com))
		Iw := k.I[i].MulVec(w)
		sum += 0.5*(m.Bodies[i].Mass*v.Dot(v)+w.Dot(Iw)) + gravity*m.Bodies[i].Mass*(s.Bodies[i].Position[2]+k.Bodies[i].Com[2])
	}
	return sum
}

// A rope that is given twice is redundant, by name, and its tension undetermined.
func TestOwnRowRedundant(t *testing.T) {
	b, r, _ := blocks(t, true)
	p := ownPlan(t, b, mechanism.Demand{Name: "rope", Bodies: []int{0, 1}, Row: r}, mechanism.Demand{Name: "again", Bodies: []int{0, 1}, Row: r})
	s := p.NewSolver()
	require.NoError(t, s.Solve(p.Initial()))
	report, err := s.Report()
	require.NoError(t, err)
	assert.Equal(t, 1, report.Redundant)
	assert.Equal(t, 1, report.RedundantRows[0]+report.RedundantRows[1])
	assert.Equal(t, []bool{true, true}, report.UndeterminedCouplings)
	assert.Equal(t, "again", p.Mechanism().CouplingName(1))
	assert.True(t, report.LeastNorm)
	twice := s.Reactions().CouplingMultiplier(0)
	assert.InDelta(t, twice, s.Reactions().CouplingMultiplier(1), 1e-9, "of least norm: each bears half")
}

// wrongRow is a row with one of its terms wrong.
type wrongRow struct {
	mechanism.OwnRow
	spoil func(w []spatial.Force, out *mechanism.OwnTerms)
}

func (r wrongRow) RowTo(w []spatial.Force, at []mechanism.BodyMotion, t float64) (mechanism.OwnTerms, error) {
	out, err := r.OwnRow.RowTo(w, at, t)
	r.spoil(w, &out)
	return out, err
}

// CheckRows finds each term that is wrong, and names it. Numbers that are not finite and errors end a solution, with the name of the row.
func TestOwnRowThatIsWrong(t *testing.T) {
	b, r, _ := blocks(t, true)
	for _, tt := range []struct {
		want  string
		spoil func(w []spatial.Force, out *mechanism.OwnTerms)
	}{
		{`coupling "rope": terms of a row do not agree with differences: the moment along x in the part for body "left" is`, func(w []spatial.Force, _ *mechanism.OwnTerms) { w[0][0] += 1e-4 }},
		{`the force along z in the part for body "right" is`, func(w []spatial.Force, _ *mechanism.OwnTerms) { w[1][5] *= -1 }},
		{`Drift is 0.001, by differences`, func(_ []spatial.Force, out *mechanism.OwnTerms) { out.Drift = 1e-3 }},
		{`Bias is`, func(_ []spatial.Force, out *mechanism.OwnTerms) { out.Bias += 1e-3 }},
	} {
		p := ownPlan(t, b, mechanism.Demand{Name: "rope", Bodies: []int{0, 1}, Row: wrongRow{r, tt.spoil}})
		err := p.Mechanism().CheckRows(p.Initial())
		require.ErrorIs(t, err, mechanism.ErrRowTerms)
		assert.ErrorContains(t, err, tt.want)
	}
	for name, spoil := range map[string]func(w []spatial.Force, out *mechanism.OwnTerms){
		"part":  func(w []spatial.Force, _ *mechanism.OwnTerms) { w[1][2] = math.NaN() },
		"φ":     func(_ []spatial.Force, out *mechanism.OwnTerms) { out.Error = math.Inf(1) },
		"Drift": func(_ []spatial.Force, out *mechanism.OwnTerms) { out.Drift = math.NaN() },
		"Bias":  func(_ []spatial.Force, out *mechanism.OwnTerms) { out.Bias = math.NaN() },
	} {
		p := ownPlan(t, b, mechanism.Demand{Name: "rope", Bodies: []int{0, 1}, Row: wrongRow{r, spoil}})
		err := p.NewSolver().Solve(p.Initial())
		require.ErrorIs(t, err, mechanism.ErrNotFinite, name)
		assert.ErrorContains(t, err, `coupling "rope"`)
	}
	flat := &rope{anchor: []spatial.Vec3{{}}, point: make([]spatial.Vec3, 1)}
	at := rung.NewBuilder("flat")
	at.Body("ball", bodies.Body{Mass: 1, Inertia: spatial.Diag3(1, 1, 1)}, rung.At(0, 0, 0))
	p := ownPlan(t, at, mechanism.Demand{Name: "rope", Bodies: []int{0}, Row: flat})
	assert.EqualError(t, p.NewSolver().Solve(p.Initial()), `mechanism: coupling "rope": a part of the rope has no direction`)
}

// Demands that make no sense are refused with their name and number.
func TestOwnRowRefused(t *testing.T) {
	b, r, _ := blocks(t, false)
	doc, err := b.Model()
	require.NoError(t, err)
	for want, rows := range map[string][]mechanism.Demand{
		`mechanism: row of one's own refused: name "" is empty or given twice`:                             {{Bodies: []int{0}, Row: r}},
		`mechanism: row of one's own refused: name "a" is empty or given twice`:                            {{Name: "a", Bodies: []int{0}, Row: r}, {Name: "a", Bodies: []int{1}, Row: r}},
		`mechanism: row of one's own refused: row "a" is of no body`:                                       {{Name: "a", Row: r}},
		`mechanism: row of one's own refused: row "a" is of body 2, which is out of range or given twice`:  {{Name: "a", Bodies: []int{0, 2}, Row: r}},
		`mechanism: row of one's own refused: row "a" is of body -1, which is out of range or given twice`: {{Name: "a", Bodies: []int{-1}, Row: r}},
		`mechanism: row of one's own refused: row "a" is of body 1, which is out of range or given twice`:  {{Name: "a", Bodies: []int{1, 1}, Row: r}},
	} {
		_, err := mechanism.NewWithRows(context.Background(), doc, rows...)
		require.ErrorIs(t, err, mechanism.ErrDemand)
		assert.EqualError(t, err, want)
	}
	assert.Panics(t, func() {
		_, _ = mechanism.NewWithRows(context.Background(), doc, mechanism.Demand{Name: "a", Bodies: []int{0}})
	})
}

// Functions that need derivatives or freedoms of rows refuse user-defined rows by name, and batches solve their states one by one.
func TestOwnRowElsewhere(t *testing.T) {
	b, r, _ := blocks(t, true)
	p := ownPlan(t, b, mechanism.Demand{Name: "rope", Bodies: []int{0, 1}, Row: r})
	_, err := tree.NewPlan(p.Mechanism(), tree.Options{})
	require.ErrorIs(t, err, mechanism.ErrOwnRow)
	require.ErrorContains(t, err, `tree: coupling "rope": the row is one's own`)
	_, err = linear.Equilibrate(p, p.Initial(), linear.EquilibriumOptions{})
	require.ErrorIs(t, err, mechanism.ErrOwnRow)
	err = linear.NewSystem(p).Linearize(p.Initial())
	require.ErrorIs(t, err, mechanism.ErrOwnRow)
	require.ErrorContains(t, err, `linear: coupling "rope"`)
	_, err = motion.New(p, motion.Methods()[1])
	require.ErrorIs(t, err, mechanism.ErrOwnRow)

	many, err := batch.New(p, batch.Options{Threads: 2})
	require.NoError(t, err)
	assert.Equal(t, "rows are one's own", many.OneByOne())
	states := many.NewStates(9)
	out := many.NewResults(9)
	many.Solve(states, out)
	s := p.NewSolver()
	require.NoError(t, s.Solve(p.Initial()))
	for i := range 9 {
		require.NoError(t, out.Error(i))
		assert.Equal(t, s.ComAcceleration(1), out.ComAcceleration(i, 1))
	}
}

// Inverse kinematics takes rows of one's own as it takes others: a slide is pulled up by a rope, which another one draws.
func TestOwnRowInInverseKinematics(t *testing.T) {
	b := rung.NewBuilder("pulled")
	ball := bodies.Body{Mass: 1, Inertia: spatial.Diag3(1, 1, 1)}
	drawn := b.Body("drawn", ball, rung.At(1, 0, 0))
	lifted := b.Body("lifted", ball, rung.At(-1, 0, -3))
	b.Prismatic("along", rung.World, drawn, spatial.Vec3{}, spatial.Vec3{1, 0, 0})
	b.Prismatic("up", rung.World, lifted, spatial.Vec3{-1, 0, 0}, spatial.Vec3{0, 0, 1})
	row := &rope{anchor: []spatial.Vec3{{0, 0, 0}, {-1, 0, 0}}, point: make([]spatial.Vec3, 2), length: 4}
	p := ownPlan(t, b, mechanism.Demand{Name: "rope", Bodies: []int{0, 1}, Row: row})
	for _, method := range []ik.Method{ik.DLS, ik.Sparse} {
		task := &ik.Task{
			Driven:  []string{"along"},
			Targets: []ik.Target{{Name: "load", Type: ik.Point, Body: "lifted", Position: [3]float64{-1, 0, -2.25}, Frame: model.Pose{Orientation: [4]float64{1, 0, 0, 0}}}},
		}
		task.Solver.Method = method
		problem, err := ik.NewProblem(p, task)
		require.NoError(t, err)
		solver, err := problem.NewSolver(task.Solver)
		require.NoError(t, err)
		st := p.Initial()
		_, err = solver.Reach(st)
		require.NoError(t, err)
		assert.InDelta(t, 1.75, st.Bodies[0].Position[0], 1e-9)
	}
}

// A solution with rows of one's own allocates nothing.
func TestOwnRowAllocatesNothing(t *testing.T) {
	b, r, _ := blocks(t, true)
	p := ownPlan(t, b, mechanism.Demand{Name: "rope", Bodies: []int{0, 1}, Row: r})
	s, st := p.NewSolver(), p.Initial()
	require.NoError(t, s.Solve(st))
	assert.Zero(t, testing.AllocsPerRun(20, func() {
		if s.Solve(st) != nil {
			panic("no solution")
		}
	}))
}
