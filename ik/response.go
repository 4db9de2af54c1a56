package ik

import (
	"errors"
	"fmt"
	"math"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
)

// response solves the system K_d of a mechanism with driven freedoms at one state, docs/inverse-kinematics.md (D1). It
// finds the velocities of the bodies for given rates of the driven freedoms, and the reactions in the rows of these
// freedoms to given wrenches. It works in mass-weighted coordinates (assemble.Weighted).
type response struct {
	plan  *kkt.Plan
	sys   *assemble.Weighted
	fac   *kkt.Factored
	b     []float64 // right side
	probe []float64 // right side of a random motion of the prescribed freedoms
	x, r  []float64 // solution, and memory for its refinement
	once  []float64 // solution without refinement
	rough bool      // solves have to be refined

	unfilled bool // the system could not be filled at the last state

	unit []float64             // by row: the unit of its error, see measureUnits
	kin  *mechanism.Kinematics // memory of misfit
}

// errDependent is wrapped by the error for a singular pose, at which driven freedoms depend on each other.
var errDependent = errors.New("ik: driven freedoms depend on each other at this pose")

const (
	// probeTol is the largest residual of a row, relative to its terms, with which driven freedoms count as moving at their given rates.
	probeTol = 1e-9
	// solveTol is the largest difference between the velocities of a refined solution and of a single solve, relative to the largest
	// velocity, with which solves are not refined.
	solveTol = 1e-12
)

// newResponse allocates a response for the plan of w, in the memory of w. rows are the scalar rows whose rates are given.
func newResponse(w *kkt.Workspace, rows []int) *response {
	p := w.Plan()
	n := p.Layout().Pattern.Dim()
	r := &response{plan: p, sys: p.Layout().NewWeightedOn(w.Team()), b: make([]float64, n), probe: make([]float64, n), x: make([]float64, n), r: make([]float64, n),
		once: make([]float64, n)}
	r.fac = kkt.NewFactored(w.Factor(), r.sys.Matrix, r.probe, r.sys.Scale, p.Options().Epsilon, kkt.KeepAllFirmly, p.Layout().At)
	r.kin = &mechanism.Kinematics{Bodies: make([]mechanism.BodyKinematics, p.Mechanism().NumBodies())}
	r.measureUnits(p.Layout())
	for k, row := range rows {
		r.probe[row] = 1 - 0.7*float64((k*k)%5) // neighbours have different rates
	}
	return r
}

// at factors the system at st. It tries one way of kkt to factor after the other, until in a solution all rows with given rates have these
// rates.
//
// Cost: a factorization and a few solves, no allocation but for errors. It returns an error that wraps errDependent, or the errors of
// assemble.System.FillTo.
func (r *response) at(st *mechanism.State) error {
	err := r.factor(st)
	if r.unfilled {
		return err
	}
	for err == nil {
		refined := r.fac.Refine(r.x, r.r, 0)
		if refined.Worst.Ratio <= probeTol && refined.Error <= probeTol {
			if r.rough = refined.Steps > 0; r.rough {
				r.fac.SolveTo(r.once, r.probe)
				r.rough = !r.alike(r.once, r.x)
			}
			return nil
		}
		err = r.fac.FactorizeFrom(r.fac.Way()+1, errDependent)
	}
	if errors.Is(err, errDependent) {
		return r.dependent()
	}
	return fmt.Errorf("%w: %w", errDependent, err)
}

// factor is at without the test of the solution: its caller judges the factor by the errors that steps with it leave.
func (r *response) factor(st *mechanism.State) error {
	r.fac.Changed()
	err := r.sys.FillTo(st)
	if r.unfilled = err != nil; r.unfilled {
		return err
	}
	return r.fac.FactorizeFrom(kkt.DropWeak, nil)
}

// alike reports whether the velocities of the bodies in two solutions differ by at most solveTol of the largest one.
func (r *response) alike(a, b []float64) bool {
	most, off := 0.0, 0.0
	for i := range 6 * r.sys.Layout.Mech.NumBodies() {
		most, off = max(most, math.Abs(b[i])), max(off, math.Abs(a[i]-b[i]))
	}
	return off <= solveTol*most
}

// dependent returns errDependent with the joint that has the weakest row of the factor, if there is one.
func (r *response) dependent() error {
	node, row, _ := r.fac.Weakest()
	if node < 0 {
		return errDependent
	}
	return fmt.Errorf("%w: %w", errDependent, r.plan.Layout().At(node, row, errors.New("row follows from the others")))
}

// solve solves for the right side r.b, and clears it. The solution is in r.x.
func (r *response) solve() {
	if r.rough {
		r.fac.SolveRefinedTo(r.x, r.r, r.b, r.sys.Matrix, 0)
	} else {
		r.fac.SolveTo(r.x, r.b)
	}
	clear(r.b)
}

// velocities returns the velocities of the bodies in the solution, six numbers a body about its centre of mass.
func (r *response) velocities() []float64 {
	r.sys.AccelerationsTo(r.x, r.x)
	return r.x[:6*r.sys.Layout.Mech.NumBodies()]
}

// measureUnits stores in r.unit the unit of the error of each row: 1 rad for an angle, the length of the longer body, m, for a distance,
// both multiplied by the factor of rowUnits.
func (r *response) measureUnits(l *assemble.Layout) {
	p, nb := l.Pattern, l.Mech.NumBodies()
	length := make([]float64, nb)
	l.LengthsTo(length)
	r.unit = make([]float64, p.Dim())
	for node := nb; node < p.Len(); node++ {
		longest := 0.0
		for _, b := range p.Ind[p.Ptr[node]:p.Ptr[node+1]] {
			longest = max(longest, length[b])
		}
		angles, size := rowUnits(l, node)
		for k := range int(p.Size[node]) {
			unit := longest
			if angles>>k&1 != 0 {
				unit = 1
			}
			r.unit[int(p.Off[node])+k] = unit * size
		}
	}
}

// rowUnits returns which rows of a joint's or coupling's node are angles, as bits, and the factor from an angle or a length to the error of
// a row: 1 for joints.
func rowUnits(l *assemble.Layout, node int) (angles uint8, size float64) {
	if j := l.NodeJoint(node); j >= 0 {
		return l.Mech.Joints[j].Angles, 1
	}
	c := &l.Mech.Couplings[l.NodeConstraint(node)-l.Mech.NumJoints()]
	if c.Angle {
		angles = 1
	}
	return angles, c.Size
}

// misfit stores in the right side −δ, δ the position errors of all rows at st, and returns the largest error in its unit. It returns NaN if
// the state is not finite.
func (r *response) misfit(st *mechanism.State) (size float64) {
	l := r.plan.Layout()
	m, p := l.Mech, l.Pattern
	if m.KinematicsTo(r.kin, st) != nil {
		return math.NaN()
	}
	if m.NumCouplings() > 0 {
		m.FollowAngles(r.kin, st)
	}
	var delta, rate [6]float64
	var jk mechanism.JointKinematics
	for node := m.NumBodies(); node < p.Len(); node++ {
		j := l.NodeJoint(node)
		if j < 0 {
			delta[0], _ = m.CouplingErrors(l.NodeConstraint(node)-m.NumJoints(), r.kin, st)
		} else if jt := &m.Joints[j]; jt.Motion == nil {
			_ = m.ErrorsTo(&delta, &rate, j, r.kin, st) // quickest for revolute joints; its error is about the rates, which are not used
		} else {
			m.JointTo(&jk, j, r.kin, st)
			jt.PositionErrorTo(&delta, &jk.Frames, st.Time)
		}
		o := int(p.Off[node])
		for k := range int(p.Size[node]) {
			r.b[o+k] = -delta[k]
			size = max(size, math.Abs(delta[k])/r.unit[o+k])
		}
	}
	return size
}

const (
	chords    = 6    // largest number of steps of chord
	chordGain = 0.02 // largest part of the errors that a step of chord may leave
)

// chord closes the joints of st by steps with the present factor, which may be of another pose nearby, as long as each makes the errors
// much smaller. It reports whether the joints are closed to closing.AngleTol.
//
// Cost: O(bodies + joints) and a solve a step, no allocation.
func (r *response) chord(st *mechanism.State) bool {
	last := math.Inf(1)
	for k := 0; ; k++ {
		size := r.misfit(st)
		if size <= closing.AngleTol || k == chords || !(size <= chordGain*last) {
			clear(r.b)
			return size <= closing.AngleTol
		}
		last = size
		r.solve()
		r.plan.Mechanism().DisplaceTo(st, st, 1, r.velocities())
	}
}

// polishMost is the largest number of corrections of polish.
const polishMost = 4

// polish closes the joints of st, which are closed to their tolerance, down to rounding. It is for mechanisms whose solves have to be
// refined: in long chains of loops, errors of the pose and of 𝒥 are larger than the errors of joints by the square of the length.
func (r *response) polish(st *mechanism.State) {
	last := math.Inf(1)
	for range polishMost {
		size := r.misfit(st)
		if !(size < last/2) {
			break
		}
		last = size
		r.solve()
		r.plan.Mechanism().DisplaceTo(st, st, 1, r.velocities())
	}
	clear(r.b)
}
