package motion

import (
	"math"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/team"
)

// driftRange is the number of bodies or joints in one task of a team.
const driftRange = 512

// drifter measures errors of states and applies corrections, range by range of bodies or
// joints.
type drifter struct {
	mech   *mechanism.Mechanism
	layout *assemble.Layout
	kin    *mechanism.Kinematics // of the state whose errors are in delta and rate
	delta  []float64             // position errors of the rows
	rate   []float64             // velocity errors of the rows
	x      []float64             // correction: six numbers a body
	unit   float64               // unit of lengths, m (mechanism.Mechanism.DriftUnit)
	least  float64               // least length of a joint's longer body, in that unit, at most 1
	team   *team.Team
	watch  *team.Watch // ends passes early
	found  []driftFit  // by range
	task   driftTask

	measures int64 // passes that have computed errors
}

// newDrifter allocates a drifter with the goroutines of a solver.
func newDrifter(s *kkt.Solver) *drifter {
	l := s.Plan().Layout()
	p, nb, dim := l.Pattern, l.Mech.NumBodies(), l.Pattern.Dim()
	r := &drifter{
		mech: l.Mech, layout: l, kin: l.Mech.NewKinematics(), unit: l.Mech.DriftUnit(), least: 1, team: s.Workspace().Team(), watch: s.Workspace().Watched(),
		delta: make([]float64, dim), rate: make([]float64, dim), x: make([]float64, dim),
		found: make([]driftFit, (max(nb, p.Len()-nb)+driftRange-1)/driftRange),
	}
	length := make([]float64, nb)
	l.LengthsTo(length)
	for node := nb; node < p.Len(); node++ {
		longest := 0.0
		for _, b := range p.Ind[p.Ptr[node]:p.Ptr[node+1]] {
			longest = max(longest, length[b])
		}
		r.least = min(r.least, longest/r.unit)
	}
	return r
}

// driftFit sums up bodies and rows at one state.
type driftFit struct {
	off                mechanism.Violation // largest errors of rows
	position, velocity float64             // the same, with lengths in the drifter's unit
	lost               bool                // a row has no direction
	reach, speed, turn float64             // largest coordinate, m; largest components of a velocity, m/s, and of an angular velocity, rad/s
	apart              float64             // largest ‖E − F‖² of rotation matrices
	bad                int                 // first body that is not finite, −1 if there is none
}

// add includes the range g in f.
func (f *driftFit) add(g *driftFit) {
	f.off.Widen(&g.off)
	f.lost = f.lost || g.lost
	f.reach, f.speed = max(f.reach, g.reach), max(f.speed, g.speed)
	f.turn, f.apart = max(f.turn, g.turn), max(f.apart, g.apart)
	if f.bad < 0 {
		f.bad = g.bad
	}
}

// driftTask is one pass over n bodies or joints.
type driftTask struct {
	kind  driftPass
	n     int
	st    *mechanism.State
	times float64               // factor of x
	kin   *mechanism.Kinematics // that comparePass compares with
}

// driftPass is the kind of a pass.
type driftPass uint8

const (
	placePass   driftPass = iota // computes the kinematics of st
	movePass                     // moves the poses of st by x, and computes kinematics
	changePass                   // changes the velocities of st by x
	comparePass                  // compares rotations of the kinematics with others
	errorPass                    // computes δ and δ̇ of the rows at st
	deltaPass                    // computes δ alone, and whether rows have directions
	ratePass                     // computes δ̇ alone
	leftPass                     // computes no errors: delta and rate have them
	notePass                     // finds the largest velocities of st
)

// Do does the present task for range i.
func (r *drifter) Do(_, i int) {
	t, f := &r.task, &r.found[i]
	if *f = (driftFit{bad: -1}); r.watch.Up() {
		return
	}
	lo, hi := i*driftRange, min((i+1)*driftRange, t.n)
	switch t.kind {
	case placePass:
		r.place(f, lo, hi)
	case movePass:
		r.moveRange(f, lo, hi)
	case changePass:
		r.changeRange(f, lo, hi)
	case comparePass:
		r.compare(f, lo, hi)
	case notePass:
		for i := lo; i < hi; i++ {
			r.check(f, i, &t.st.Bodies[i])
		}
	default:
		r.errors(f, lo, hi)
	}
}

// each makes a pass over all ranges and returns their sum.
func (r *drifter) each(t driftTask) driftFit {
	ranges := (t.n + driftRange - 1) / driftRange
	r.task = t
	r.team.Run(ranges, r)
	r.task = driftTask{}
	sum := driftFit{bad: -1}
	for i := range r.found[:ranges] {
		sum.add(&r.found[i])
	}
	return sum
}

// measure stores kinematics and errors of st and sums them up.
//
// It returns mechanism.ErrNotFinite with the body's name.
func (r *drifter) measure(st *mechanism.State) (driftFit, error) { return r.measureBy(errorPass, st) }

// measureBy is measure with a pass for the errors: errorPass, or deltaPass, which leaves velocity errors out.
func (r *drifter) measureBy(pass driftPass, st *mechanism.State) (driftFit, error) {
	bodies := r.each(driftTask{kind: placePass, n: len(st.Bodies), st: st})
	if bodies.bad >= 0 {
		return bodies, r.mech.NotFinite(bodies.bad)
	}
	if err := r.mech.CheckTime(st); err != nil {
		return bodies, err
	}
	if err := r.specialRows(pass, st); err != nil {
		return bodies, err
	}
	return r.rows(pass, st, bodies), nil
}

// specialRows is mechanism.Mechanism.RowsTo for a pass. With deltaPass searches on curves and terrain are rough, as exact ones follow at
// the last pose.
func (r *drifter) specialRows(pass driftPass, st *mechanism.State) error {
	r.kin.Rough = pass == deltaPass
	err := r.mech.RowsTo(r.kin, st)
	r.kin.Rough = false
	return err
}

// measureRates stores the errors of the velocities of st, whose pose was the last to be measured, and sums them up.
//
// It returns mechanism.ErrNotFinite with the body's name.
func (r *drifter) measureRates(st *mechanism.State) (driftFit, error) {
	bodies := r.each(driftTask{kind: notePass, n: len(st.Bodies), st: st})
	if bodies.bad >= 0 {
		return bodies, r.mech.NotFinite(bodies.bad)
	}
	return r.rows(ratePass, st, bodies), nil
}

// rows makes a pass over the joints that stores errors at st, whose kinematics have been computed, and returns its sum with bodies.
func (r *drifter) rows(pass driftPass, st *mechanism.State, bodies driftFit) driftFit {
	n := r.layout.Pattern.Len() - len(st.Bodies)
	if pass != leftPass {
		r.measures++
	}
	fit := r.each(driftTask{kind: pass, n: n, st: st})
	fit.add(&bodies)
	fit.position, fit.velocity = fit.off.In(r.unit)
	return fit
}

// move moves st by s times r.x, and measures it. It reports whether poses are finite, all rows have directions, and coordinates are where
// laws of couplings are defined.
func (r *drifter) move(st *mechanism.State, s float64) (driftFit, bool) {
	return r.moveBy(errorPass, st, s)
}

// moveBy is move with a pass for the errors, as in measureBy.
func (r *drifter) moveBy(pass driftPass, st *mechanism.State, s float64) (driftFit, bool) {
	bodies := r.each(driftTask{kind: movePass, n: len(st.Bodies), st: st, times: s})
	ok := bodies.bad < 0 && r.specialRows(pass, st) == nil
	fit := r.rows(pass, st, bodies)
	return fit, ok && !fit.lost
}

// change adds s times r.x to the velocities of st, and measures it. It reports whether the velocities are finite.
func (r *drifter) change(st *mechanism.State, s float64) (driftFit, bool) {
	return r.changeBy(errorPass, st, s)
}

// changeBy is change with a pass for the errors: errorPass, ratePass, which leaves position errors out, or leftPass, which takes the errors
// that are stored.
func (r *drifter) changeBy(pass driftPass, st *mechanism.State, s float64) (driftFit, bool) {
	bodies := r.each(driftTask{kind: changePass, n: len(st.Bodies), st: st, times: s})
	return r.rows(pass, st, bodies), bodies.bad < 0
}

// distance returns the largest rotation of a body, rad, between k and the drifter's kinematics. It is for small rotations θ, as in the
// Frobenius norm ‖E − F‖² = 8·sin²(θ/2).
func (r *drifter) distance(k *mechanism.Kinematics) float64 {
	return math.Sqrt(r.each(driftTask{kind: comparePass, n: len(k.Bodies), kin: k}).apart / 2)
}

// place computes the kinematics of bodies lo … hi−1, and includes their coordinates and velocities in f.
func (r *drifter) place(f *driftFit, lo, hi int) {
	m, st, kin := r.mech, r.task.st, r.kin.Bodies
	for i := lo; i < hi; i++ {
		if !m.BodyTo(&kin[i], st, i) {
			f.bad = i
			return
		}
		f.note(&st.Bodies[i])
	}
}

// note includes position and velocities of a body in f.
func (f *driftFit) note(b *mechanism.BodyState) {
	for i := range 3 {
		f.reach, f.speed, f.turn = max(f.reach, math.Abs(b.Position[i])), max(f.speed, math.Abs(b.Velocity[i])), max(f.turn, math.Abs(b.Omega[i]))
	}
}

// moveRange moves bodies lo … hi−1 by x times the factor of the task.
func (r *drifter) moveRange(f *driftFit, lo, hi int) {
	st, s := r.task.st, r.task.times
	for i := lo; i < hi; i++ {
		b := &st.Bodies[i]
		b.Displace(s, (*[6]float64)(r.x[6*i:]), &r.kin.Bodies[i], &r.mech.Bodies[i].Com)
		r.check(f, i, b)
	}
}

// changeRange adds x times the factor of the task to the velocities of bodies lo … hi−1, and notes in f bodies that are not finite then.
func (r *drifter) changeRange(f *driftFit, lo, hi int) {
	st, s := r.task.st, r.task.times
	for i := lo; i < hi; i++ {
		b := &st.Bodies[i]
		b.AddComVelocity(s, (*[6]float64)(r.x[6*i:]), &r.kin.Bodies[i].Com)
		r.check(f, i, b)
	}
}

// check includes body i in f, and notes if it is not finite.
func (r *drifter) check(f *driftFit, i int, b *mechanism.BodyState) {
	if !b.IsFinite() && f.bad < 0 {
		f.bad = i
	}
	f.note(b)
}

// compare includes ‖E − F‖² in f for bodies lo … hi−1, with E and F the rotation matrices in the drifter's kinematics and in the task's.
func (r *drifter) compare(f *driftFit, lo, hi int) {
	for i := lo; i < hi; i++ {
		E, F := &r.kin.Bodies[i].E, &r.task.kin.Bodies[i].E
		a, b, c := E[0]-F[0], E[1]-F[1], E[2]-F[2]
		d, e, g := E[3]-F[3], E[4]-F[4], E[5]-F[5]
		h, k, l := E[6]-F[6], E[7]-F[7], E[8]-F[8]
		f.apart = max(f.apart, (a*a+b*b+c*c)+(d*d+e*e+g*g)+(h*h+k*k+l*l))
	}
}

// errors computes the errors of the rows of nodes lo … hi−1, counted from the first joint, and includes the largest in f.
func (r *drifter) errors(f *driftFit, lo, hi int) {
	p, nb := r.layout.Pattern, r.mech.NumBodies()
	var gap, turned, speed, turn float64
	for node := nb + lo; node < nb+hi; node++ {
		j := r.layout.NodeJoint(node)
		if j < 0 {
			r.couplingErrors(f, node)
			continue
		}
		o, n := int(p.Off[node]), int(p.Size[node])
		d, v := r.delta[o:o+n], r.rate[o:o+n]
		if r.task.kind != leftPass {
			r.jointErrors(f, d, v, j)
		}
		angles := r.mech.Joints[j].Angles
		for k := range n {
			x, y := math.Abs(d[k]), math.Abs(v[k])
			if angles>>k&1 != 0 {
				turned, turn = max(turned, x), max(turn, y)
			} else {
				gap, speed = max(gap, x), max(speed, y)
			}
		}
	}
	f.off.Widen(&mechanism.Violation{Length: gap, Angle: turned, Speed: speed, Turn: turn})
}

// jointErrors stores in d and v the position and velocity errors of the rows of joint j that the pass is for. If the joint has lost its
// direction, it notes that in f, with the joint's violation.
func (r *drifter) jointErrors(f *driftFit, d, v []float64, j int) {
	var delta, rate [6]float64
	if r.errorsTo(&delta, &rate, j) != nil {
		f.lost = true
		off := r.mech.ViolationOf(j, r.kin, r.task.st)
		f.off.Widen(&off)
	}
	if r.task.kind != ratePass {
		copy(d, delta[:])
	}
	if r.task.kind == deltaPass {
		rate = [6]float64{}
	}
	copy(v, rate[:])
}

// errorsTo stores the errors of joint j that the pass is for. It computes both errors of plain joints together. It also does so where a
// joint may lose its direction, which velocity errors need: a distance or a composite joint. For curves RowsTo checks the direction, and
// other joints have directions at all poses.
func (r *drifter) errorsTo(delta, rate *[6]float64, j int) error {
	t, jt := &r.task, &r.mech.Joints[j]
	if t.kind == errorPass || jt.Kind.Plain() || t.kind == deltaPass && (jt.Kind == joints.Distance || jt.Axes != nil) {
		return r.mech.ErrorsTo(delta, rate, j, r.kin, t.st)
	}
	if t.kind == deltaPass {
		return r.mech.ErrorsTo(delta, nil, j, r.kin, t.st) // specialRows has called RowsTo at this pose
	}
	return r.mech.ErrorsTo(nil, rate, j, r.kin, t.st)
}

// couplingErrors stores the errors of the coupling of a node that the pass is for, and includes them in f.
func (r *drifter) couplingErrors(f *driftFit, node int) {
	i, o := r.layout.NodeConstraint(node), r.layout.Pattern.Off[node]
	var delta, rate [6]float64
	switch r.task.kind {
	case leftPass:
		delta[0], rate[0] = r.delta[o], r.rate[o]
	case deltaPass:
		_ = r.mech.ConstraintErrorsTo(&delta, nil, i, r.kin, r.task.st) // only joints return errors
	case ratePass:
		delta[0] = r.delta[o]
		_ = r.mech.ConstraintErrorsTo(nil, &rate, i, r.kin, r.task.st)
	default:
		_ = r.mech.ConstraintErrorsTo(&delta, &rate, i, r.kin, r.task.st)
	}
	r.delta[o], r.rate[o] = delta[0], rate[0]
	c := &r.mech.Couplings[i-r.mech.NumJoints()]
	f.off.Note(c.Angle, delta[0]/c.Size, rate[0]/c.Size)
}
