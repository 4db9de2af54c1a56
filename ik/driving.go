package ik

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
)

// driving is the mechanism of a problem with its driven and held freedoms prescribed.
type driving struct {
	plan *kkt.Plan // without loads
	rows []int     // by driven freedom: its scalar row in the system
}

// UnderdrivenError says that the mechanism can move while its driven and held freedoms are at rest.
type UnderdrivenError struct {
	// Motions are the scalar freedoms that move then, JOINT.i; where there are none, the bodies that move on ball joints
	// or freely, as body NAME.
	Motions []string
	Left    int // number of independent motions; 0 if only the names are known
}

// Error names the motions.
func (e *UnderdrivenError) Error() string {
	text := "ik: the driven freedoms leave motions free: " + fault.List(e.Motions)
	if e.Left > 0 {
		text += fmt.Sprintf(" (independent: %d)", e.Left)
	}
	return text
}

// drive prescribes the driven and held freedoms, and looks at the pose of the model whether they are as many as the
// mechanism moves. Where they are more, it keeps an independent set of the driven ones; the others follow.
//
// Cost: the analysis of the system, and the ranks of two; allocates.
// It returns UnderdrivenError unless Options.Passive is set, and the error of the closer if the pose cannot be closed.
func (p *Problem) drive() (*driving, error) {
	st := p.plan.Initial()
	if err := closing.NewCloser(p.plan, closing.Options{Tolerance: closing.RunTolerance}).ClosePositions(st); err != nil {
		return nil, fault.Errorf("ik: %w", err)
	}
	d, err := p.prescribe(p.driven)
	if err != nil {
		return nil, err
	}
	all, err := d.plan.NewSolver().RankAt(st)
	if err != nil {
		return nil, fault.Errorf("ik: %w", err)
	}
	left := 6*d.plan.Mechanism().NumBodies() - all.Rank
	if left > 0 && !p.task.Solver.Passive {
		return nil, d.underdriven(st, left)
	}
	base, err := p.prescribe(nil)
	if err != nil {
		return nil, err
	}
	without, err := base.plan.NewSolver().RankAt(st)
	if err != nil {
		return nil, fault.Errorf("ik: %w", err)
	}
	if rank := all.Rank - without.Rank; rank < len(p.driven) {
		if err := p.choose(base, st, rank, rank+left); err != nil {
			return nil, err
		}
		return p.prescribe(p.driven)
	}
	return d, nil
}

// prescribe returns the mechanism with some driven freedoms and the held ones prescribed.
func (p *Problem) prescribe(driven []mechanism.Freedom) (*driving, error) {
	mech, err := p.plan.Mechanism().Prescribe(append(append([]mechanism.Freedom(nil), driven...), p.held...))
	if err != nil {
		return nil, fault.Errorf("ik: %w", err)
	}
	was := p.plan.Options()
	o := kkt.Options{Ordering: p.plan.Ordering(), Epsilon: was.Epsilon, Threads: max(was.Threads, p.task.Solver.Threads)}
	if o.Ordering == order.Own {
		o.Ordering = order.Auto // that order is of other rows
	}
	d := &driving{plan: kkt.NewPlan(mech.Unloaded(), o)}
	for _, f := range driven {
		d.rows = append(d.rows, rowOf(d.plan, f))
	}
	return d, nil
}

// rowOf returns the scalar row of a prescribed freedom in the system.
func rowOf(plan *kkt.Plan, f mechanism.Freedom) int {
	l := plan.Layout()
	return int(l.Pattern.Off[l.JointNode(f.Joint)]) + plan.Mechanism().Joints[f.Joint].PrescribedRow(f.Freedom)
}

// motions returns a maker of random velocities that a mechanism allows at st, prescribed freedoms at rest: each call puts
// them into st. Velocities of the bodies have about the size of 1 in the metric of the inertias.
func (d *driving) motions(st *mechanism.State) (next func(), err error) {
	r := newResponse(d.plan.NewWorkspace(), nil)
	if err := r.at(st); err != nil {
		return nil, err
	}
	nb := d.plan.Mechanism().NumBodies()
	rng := rand.New(rand.NewPCG(3, uint64(nb)))
	return func() {
		for i := range 6 * nb {
			r.b[i] = rng.Float64() - 0.5
		}
		r.solve()
		x := r.velocities()
		for i := range st.Bodies {
			st.Bodies[i].SetComVelocity((*[6]float64)(x[6*i:]), &r.sys.Kin.Bodies[i].Com)
		}
	}, nil
}

// movingTol is the part of the largest velocity above which something moves.
const movingTol = 1e-6

// underdriven returns the error that names what is left to move.
func (d *driving) underdriven(st *mechanism.State, left int) error {
	e := &UnderdrivenError{Left: left}
	next, err := d.motions(st)
	if err != nil {
		return err
	}
	next()
	m := d.plan.Mechanism()
	k := m.NewKinematics()
	if err := m.KinematicsTo(k, st); err != nil {
		return err
	}
	largest := 0.0
	for i := range st.Bodies {
		largest = max(largest, algebra.MaxAbs(st.Bodies[i].Omega[:]), algebra.MaxAbs(st.Bodies[i].Velocity[:]))
	}
	for _, f := range m.Moving(k, st, movingTol*largest) {
		e.Motions = append(e.Motions, fmt.Sprintf("%s.%d", m.JointName(f.Joint), f.Freedom))
	}
	if len(e.Motions) > 0 {
		return e
	}
	for i := range st.Bodies {
		if b := &st.Bodies[i]; max(algebra.MaxAbs(b.Omega[:]), algebra.MaxAbs(b.Velocity[:])) > movingTol*largest {
			e.Motions = append(e.Motions, "body "+m.BodyName(i))
		}
	}
	return e
}

// mostChoice bounds the numbers of a choice among driven freedoms.
const mostChoice = 1 << 24

// choose keeps rank of the driven freedoms, docs/inverse-kinematics.md (D5), that are independent in the motions which
// joints and held freedoms allow at st; there are mobility such motions. The next freedom is always the one that moves
// most while those chosen before are at rest. The freedoms that are not kept follow the others. Rates of angles are
// multiplied by the length of the problem; freedoms with bounds or a posture count favour times.
func (p *Problem) choose(base *driving, st *mechanism.State, rank, mobility int) error {
	n := len(p.driven)
	if n*mobility > mostChoice {
		return fmt.Errorf("ik: %d driven freedoms for %d motions: name as many as are to be driven", n, mobility)
	}
	next, err := base.motions(st)
	if err != nil {
		return err
	}
	A := make([]float64, n*mobility) // by freedom: its rate in each of the motions
	m := base.plan.Mechanism()
	k := m.NewKinematics()
	if err := m.KinematicsTo(k, st); err != nil {
		return err
	}
	var jk mechanism.JointKinematics
	var qd [6]float64
	worth := p.worth()
	for c := range mobility {
		next()
		for i, f := range p.driven {
			m.JointTo(&jk, f.Joint, k, st)
			m.Joints[f.Joint].RatesTo(&qd, &jk.Frames)
			A[i*mobility+c] = qd[f.Freedom]
			A[i*mobility+c] *= worth[i]
		}
	}
	p.keep(independent(A, n, mobility, rank))
	st.Rest()
	return nil
}

// favour is how much a freedom with bounds or a posture counts more than others in the choice of those that are driven.
const favour = 10

// worth returns what each driven freedom counts in choose, by its unit: 1/rad or 1/m.
func (p *Problem) worth() []float64 {
	w := make([]float64, len(p.driven))
	for i := range w {
		w[i] = p.unitOf(i)
		if !math.IsInf(p.lower[i], -1) || !math.IsInf(p.upper[i], 1) || !math.IsInf(p.rate[i], 1) {
			w[i] *= favour
		}
	}
	for _, r := range p.rest {
		w[r.driven] = favour * p.unitOf(r.driven)
	}
	return w
}

// independent marks rank of the n rows of A, which it changes: by Gram and Schmidt's method with the largest row left
// as the next one, of rows alike the first.
func independent(A []float64, n, columns, rank int) []bool {
	chosen := make([]bool, n)
	for range rank {
		most := algebra.NewPeak(0)
		for i := range n {
			if row := A[i*columns : (i+1)*columns]; !chosen[i] {
				most.Take(algebra.Dot(row, row), i)
			}
		}
		best := most.At
		if best < 0 {
			break
		}
		chosen[best] = true
		q := append([]float64(nil), A[best*columns:(best+1)*columns]...)
		for i := range q {
			q[i] /= math.Sqrt(most.Value)
		}
		for i := range n {
			row := A[i*columns : (i+1)*columns]
			s := algebra.Dot(row, q)
			for c := range row {
				row[c] -= s * q[c]
			}
		}
	}
	return chosen
}

// keep makes the chosen freedoms the driven ones; the others follow, without limits and posture.
func (p *Problem) keep(chosen []bool) {
	var driven []mechanism.Freedom
	n := 0
	now := make([]int, len(p.driven)) // numbers of the freedoms that stay
	for i, f := range p.driven {
		if !chosen[i] {
			p.following, p.ignored = append(p.following, f), append(p.ignored, [2]float64{p.lower[i], p.upper[i]})
			continue
		}
		driven, now[i] = append(driven, f), n
		p.lower[n], p.upper[n], p.rate[n], p.angle[n] = p.lower[i], p.upper[i], p.rate[i], p.angle[i]
		n++
	}
	var left []restTarget
	for _, r := range p.rest {
		if chosen[r.driven] {
			left = append(left, restTarget{now[r.driven], r.value})
		}
	}
	p.driven, p.rest = driven, left
	p.lower, p.upper, p.rate, p.angle = p.lower[:n], p.upper[:n], p.rate[:n], p.angle[:n]
}
