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
	// Motions are the scalar freedoms that can still move, as "JOINT.i". Where there are none, they are the bodies that can still move,
	// on ball joints or freely, as "body NAME".
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

// drive prescribes the driven and held freedoms, and compares their number with the mobility of the mechanism at the pose of the model.
// Where they are more, it keeps an independent set of the driven ones as p.driven; the others become p.following.
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

// prescribe returns the mechanism of p, without loads, with the given driven freedoms and all held ones prescribed.
func (p *Problem) prescribe(driven []mechanism.Freedom) (*driving, error) {
	mech, err := p.plan.Mechanism().Prescribe(append(append([]mechanism.Freedom(nil), driven...), p.held...))
	if err != nil {
		return nil, fault.Errorf("ik: %w", err)
	}
	was := p.plan.Options()
	o := kkt.Options{Ordering: p.plan.Ordering(), Epsilon: was.Epsilon, Threads: max(was.Threads, p.task.Solver.Threads)}
	if o.Ordering == order.Own {
		o.Ordering = order.Auto // the order of p.plan belongs to other rows
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

// motions returns a function that stores random velocities in st at each call. The joints allow these velocities at the pose of st, and
// prescribed freedoms are at rest. The velocity of a body is about 1 in the metric of its inertia.
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

// underdriven returns the error that names the motions which are left at st; left is their number. It stores one of them in st.
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

// mostChoice is the largest number of entries of the matrix A of choose.
const mostChoice = 1 << 24

// choose keeps independent driven freedoms, docs/inverse-kinematics.md (D5); rank is their number, and mobility the number of independent
// motions that joints and held freedoms allow at st. Freedoms are chosen one by one: next comes the freedom that moves most while all
// chosen ones are at rest. The freedoms that are not kept follow. Rates of angles are multiplied by the length of the problem, and rates
// of freedoms with bounds or a posture by favour.
func (p *Problem) choose(base *driving, st *mechanism.State, rank, mobility int) error {
	n := len(p.driven)
	if n*mobility > mostChoice {
		return fmt.Errorf("ik: %d driven freedoms for %d motions: name as many as are to be driven", n, mobility)
	}
	next, err := base.motions(st)
	if err != nil {
		return err
	}
	A := make([]float64, n*mobility) // by freedom: its weighted rate in each of the motions
	m := base.plan.Mechanism()
	k := m.NewKinematics()
	if err := m.KinematicsTo(k, st); err != nil {
		return err
	}
	var jk mechanism.JointKinematics
	var qd [6]float64
	weights := p.choiceWeights()
	for c := range mobility {
		next()
		for i, f := range p.driven {
			m.JointTo(&jk, f.Joint, k, st)
			m.Joints[f.Joint].RatesTo(&qd, &jk.Frames)
			A[i*mobility+c] = qd[f.Freedom]
			A[i*mobility+c] *= weights[i]
		}
	}
	p.keep(independent(A, n, mobility, rank))
	st.Rest()
	return nil
}

// favour is the factor by which freedoms with bounds or a posture are preferred where choose picks the driven ones.
const favour = 10

// choiceWeights returns by driven freedom the weight of its rate in choose.
func (p *Problem) choiceWeights() []float64 {
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

// independent marks rows of A that are linearly independent, at most rank of them, by Gram and Schmidt's method with pivots: the next row
// is always the one with the largest remainder, the first of several equal ones. A is n×columns, and is overwritten.
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
		pivot := append([]float64(nil), A[best*columns:(best+1)*columns]...)
		for i := range pivot {
			pivot[i] /= math.Sqrt(most.Value)
		}
		for i := range n {
			row := A[i*columns : (i+1)*columns]
			s := algebra.Dot(row, pivot)
			for c := range row {
				row[c] -= s * pivot[c]
			}
		}
	}
	return chosen
}

// keep makes the chosen freedoms the driven ones; the others follow, without limits and posture.
func (p *Problem) keep(chosen []bool) {
	var driven []mechanism.Freedom
	n := 0
	now := make([]int, len(p.driven)) // new numbers of the freedoms that are kept
	for i, f := range p.driven {
		if !chosen[i] {
			p.following, p.ignored = append(p.following, f), append(p.ignored, [2]float64{p.lower[i], p.upper[i]})
			continue
		}
		driven, now[i] = append(driven, f), n
		p.lower[n], p.upper[n], p.rate[n], p.angle[n] = p.lower[i], p.upper[i], p.rate[i], p.angle[i]
		n++
	}
	var rest []restTarget
	for _, r := range p.rest {
		if chosen[r.driven] {
			rest = append(rest, restTarget{now[r.driven], r.value})
		}
	}
	p.driven, p.rest = driven, rest
	p.lower, p.upper, p.rate, p.angle = p.lower[:n], p.upper[:n], p.rate[:n], p.angle[:n]
}
