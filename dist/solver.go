package dist

import (
	"errors"
	"fmt"
	"time"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/team"
)

// Solver solves the forward dynamics of a mechanism in pieces. Each rank has one, of its own piece, which belongs to
// one goroutine at a time. All ranks call Solve together.
type Solver struct {
	plan *Plan
	comm *meter
	sys  *assemble.Weighted
	fac  *factor.Factor
	team *team.Team
	root Root
	hub  *hub // nil but on rank 0

	x, r         []float64  // solution and residual of the piece
	share, right []float64  // share of this rank in the matrix and the right side of the root
	y, rows      []float64  // by held row of this rank: solution of the root; scales or parts of residuals
	low          []float64  // low parts of rows with twice the digits; nil until needed
	terms        []float64  // by held node (factor.Factor.ResidualHeldTo)
	message      []float64  // to rank 0
	verdict      [3]float64 // last verdict of rank 0, with two numbers
	folded       []float64  // on rank 0: numbers of another rank in fold

	size   float64 // largest norm of a +1 node of all ranks
	worst  factor.Worst
	way    kkt.Way
	weak   int     // redundant rows of all ranks
	lost   int     // pivots of the root that were replaced, on rank 0
	least  float64 // least pivot of a row that is not redundant, relative to its scale, over all ranks; 0 if the root does not know it
	steps  int     // corrections
	solved bool
	st     *mechanism.State // of the last Solve
	joint  agreement        // of the state of the last Solve
	sent   int64            // bytes sent in the last Solve
	waited time.Duration    // in the last Solve
}

// NewSolver allocates a solver. All ranks call it together.
//
// It returns the error of the Root, on all ranks.
func (p *Plan) NewSolver() (*Solver, error) {
	t := team.New(p.threads)
	s := &Solver{plan: p, comm: p.comm, team: t, sys: p.layout.NewWeightedOn(t), fac: p.factors.NewFactorOn(t)}
	s.fac.TrackWeak()
	n, rows := p.layout.Pattern.Dim(), len(p.held.Rows)
	s.x, s.r = make([]float64, n), make([]float64, n)
	s.share, s.right = make([]float64, factor.ShareSize(rows)), make([]float64, rows)
	s.y, s.rows, s.terms = make([]float64, rows), make([]float64, rows), make([]float64, len(p.owned))
	s.message = make([]float64, 0, 8+3*rows)
	if p.comm.Rank() == 0 {
		s.hub = newHub(p.comm, &p.held)
		s.hub.refine = p.refine
	}
	root, err := p.root(p.comm, &p.held)
	if err = Agree(p.comm, err); err != nil {
		return nil, err
	}
	s.root = root
	return s, nil
}

// Plan returns the plan of s.
func (s *Solver) Plan() *Plan { return s.plan }

// Close ends the root of s. All ranks call it together.
func (s *Solver) Close() error { return s.root.Close() }

// Verdicts: each rank gives one on its factorization, and rank 0 gives one on the next step of all ranks.
const (
	holds    = iota // the factorization or the solution is accepted
	fails           // this way to factor does not work; the next way follows
	ends            // there is an error that no other way removes
	condense        // an estimate of the solution's error with the factor follows
	correct         // a correction follows, and then the residuals are computed again
	finish          // the last correction follows
	twice           // corrections follow whose residuals have twice the digits
	differ          // the states of the ranks do not agree

	statuses // number of verdicts
)

// Solve computes accelerations and constraint multipliers at st, the state of the piece with its halo. All ranks call it together, with
// states that agree: times are equal, and a body of a halo has the same bits as on the rank
// to which it belongs. If they do not agree, Solve returns an error on all ranks, with the body and the ranks.
//
// Cost: assembly and factorization of the piece; a message with its share, and some of held rows; no allocation with
// the Root of this package but for errors. The result holds until the next Solve. It returns the errors of
// kkt.Solver.Solve with the name of the body or joint on the rank that has it, and a *RankError on the others. Rows
// that are more nearly dependent than the ways up to kkt.KeepAll can solve are refused as kkt.ErrInaccurate or
// kkt.ErrInconsistent; one process can go on with orthogonal factors or twice the digits. A state that violates the joints is
// taken as it is; Holds tells. It panics if st is nil or
// of another mechanism.
func (s *Solver) Solve(st *mechanism.State) error {
	return s.solveWith(st, 0, 0)
}

// Holds returns nil on all ranks if the states of the last Solve satisfy the joints of all pieces (mechanism.Mechanism.Holds). Else it
// returns an error that wraps a *mechanism.ViolationError on ranks that have a violated joint, and a *RankError on the others. All ranks
// call it together. Solve itself takes every state as it is.
//
// Cost: O(bodies + joints) and a message. It panics without a result. The state must not have changed.
func (s *Solver) Holds() error {
	s.mustHave()
	m := s.plan.mech
	err := m.HoldsIn(s.sys.Kin, s.st, min(1, s.plan.typical))
	if err != nil {
		err = fault.Errorf("dist: %w", err)
	}
	return Agree(s.comm, err)
}

// solveWith is Solve with feedback, alpha and beta in 1/s; zeros stand for none (StabilizedAccelerations).
func (s *Solver) solveWith(st *mechanism.State, alpha, beta float64) error {
	before, waited := s.comm.sent, s.comm.waited
	s.solved, s.st = false, st
	filled := s.fill(st, alpha, beta)
	if filled == nil {
		s.joint = s.plan.agreementOf(st)
	}
	err := s.solve(filled)
	s.sent, s.waited = s.comm.sent-before, s.comm.waited-waited
	s.solved = err == nil
	return err
}

// errFails says that a way to factor does not work; explain says why.
var errFails = errors.New("dist: no way to factor works")

// solve tries the ways to factor one after the other until a solution holds, and computes accelerations. filled is the error of the
// assembly on this rank.
func (s *Solver) solve(filled error) error {
	refined := false
	err := kkt.Try(kkt.DropWeak, kkt.KeepAll, nil, func(w kkt.Way) (done bool, err error) {
		s.way, s.steps = w, 0
		next, err := s.factorize(filled, w)
		if refined = err == nil && next == holds; refined {
			next, err = s.refine(w)
		}
		if err == nil && next != holds {
			return false, errFails
		}
		return true, err
	})
	switch err {
	case nil:
		s.sys.AccelerationsTo(s.x, s.x)
	case errFails:
		return s.explain(refined)
	}
	return err
}

// fill assembles the piece and clears the parts that other ranks contribute: loads and blocks of the bodies of the halo, and the
// right sides of held rows that another rank owns.
func (s *Solver) fill(st *mechanism.State, alpha, beta float64) error {
	if err := s.sys.FillTo(st); err != nil {
		return err
	}
	if alpha != 0 || beta != 0 {
		if err := s.sys.FeedBack(st, alpha, beta); err != nil {
			return err
		}
	}
	p := s.plan
	clear(s.sys.Right[6*p.piece.Own : 6*p.mech.NumBodies()])
	for _, z := range p.zero {
		clear(s.sys.Matrix.Val[z[0]:z[1]])
	}
	off := p.layout.Pattern.Off
	for i, v := range p.factors.Held() {
		if !p.owned[i] {
			clear(s.sys.Right[off[v]:off[v+1]])
		}
	}
	return nil
}

// say brings the message of each rank to rank 0, which has all of them in hub.from afterwards.
func (s *Solver) say() {
	if s.hub == nil {
		s.comm.Send(0, s.message)
		return
	}
	u := s.hub
	copy(u.from[0], s.message)
	for r := 1; r < len(u.from); r++ {
		// Messages have different lengths, as ranks hold and own different numbers of rows (expect).
		s.comm.Recv(r, u.from[r][:u.length(r)])
	}
}

// tell brings a verdict of rank 0 with two numbers a and b to all ranks, in s.verdict, and returns it. With withRows it also brings the
// solution of the held rows to s.y.
func (s *Solver) tell(verdict int, a, b float64, withRows bool) int {
	n := len(s.verdict)
	if u := s.hub; u != nil {
		s.verdict = [3]float64{float64(verdict), a, b}
		for r := range u.from {
			m := append(s.message[:0], s.verdict[:]...)
			if withRows {
				for _, i := range u.h.lists[r] {
					m = append(m, u.y[i])
				}
			}
			if s.message = m[:0]; r > 0 {
				s.comm.Send(r, m)
			} else if withRows {
				copy(s.y, m[n:])
			}
		}
		return verdict
	}
	if withRows {
		n += len(s.y)
	}
	s.message = s.message[:n]
	s.comm.Recv(0, s.message)
	copy(s.verdict[:], s.message)
	if withRows {
		copy(s.y, s.message[len(s.verdict):])
	}
	return int(s.verdict[0])
}

// factorize factors the pieces and the root in one way and solves for the held rows. It returns holds or fails; an
// error ends the Solve on all ranks.
func (s *Solver) factorize(filled error, w kkt.Way) (int, error) {
	p, u := s.plan, s.hub
	policy, shrink, _ := w.Settings()
	eps := shrink * p.epsilon
	status, err := s.factorizePiece(filled, w, policy, eps)
	clear(s.share)
	clear(s.right)
	if status == holds {
		s.fac.ShareTo(s.share, s.right)
	}
	s.message = append(s.message[:0], float64(status+statuses*s.fac.Weak), s.fac.Contraction, s.joint.time, s.joint.sum)
	s.message = append(s.message, s.right...)
	off := p.layout.Pattern.Off
	for i, v := range p.factors.Held() {
		if p.owned[i] {
			s.message = append(s.message, s.sys.Scale[off[v]:off[v+1]]...)
		}
	}
	var scale, y, b []float64
	if u != nil {
		u.expect(contents{fixed: beforeRight, held: 1, scales: true})
		scale, y, b = u.scale, u.y, u.b
	}
	s.say()
	if u != nil {
		status = u.statuses()
	}
	for i, row := range p.scalars {
		s.rows[i] = s.sys.Scale[row]
	}
	tally, failure := s.root.Factorize(s.share, s.rows, scale, eps, policy)
	s.lost = tally.Corrected
	weak := 0.0
	if u != nil {
		status = u.factored(status, tally, failure, w)
		weak = float64(u.weak)
	}
	if status = s.tell(status, weak, 0, verdictOnly); status == holds {
		s.weak = int(s.verdict[1])
		failure = s.root.SolveTo(y, b)
		if u != nil && failure != nil {
			u.broken, status = failure, ends
		} else if u != nil {
			copy(u.load, u.y)
		}
		status = s.tell(status, 0, 0, withSolved)
	}
	if status == differ {
		return ends, s.whoDiffers(s.st)
	}
	if status != ends {
		return status, nil
	}
	if err == nil && u != nil {
		err = u.broken
	}
	return ends, Agree(s.comm, err)
}

// factorizePiece factors the piece of this rank, unless filled is an error. It returns holds, fails, or ends with an error.
func (s *Solver) factorizePiece(filled error, w kkt.Way, policy factor.Policy, eps float64) (int, error) {
	if filled != nil {
		return ends, filled
	}
	err := s.fac.FactorizeFor(s.sys.Right, s.sys.Matrix, s.sys.Scale, eps, policy)
	switch {
	case err == nil && policy == factor.WhereWeak && s.fac.Corrected > 0:
		return fails, nil
	case err == nil:
		return holds, nil
	}
	if p := pivotOf(err); p != nil {
		if w < kkt.KeepAll {
			return fails, nil
		}
		err = s.plan.layout.At(p.Node, -1, err)
	}
	return ends, fault.Errorf("dist: %w", err)
}

// pivotOf returns the pivot that err is about, nil if there is none.
func pivotOf(err error) *factor.PivotError {
	var p *factor.PivotError
	if errors.As(err, &p) {
		return p
	}
	return nil
}

// explain returns the error of the last way on all ranks, with the joint on the rank that has the worst row. refined says that the last way
// has been factored and refined.
func (s *Solver) explain(refined bool) error {
	var own error
	where := -1.0
	if u := s.hub; u != nil {
		if own = kkt.ErrLostPivot; refined {
			own = u.reason(s.way)
		}
		if own == kkt.ErrInconsistent && !u.inHeld {
			where = float64(u.worstRank)
		}
	}
	if at := same(s.comm, []float64{where}); int(at[0]) == s.comm.Rank() {
		own = s.plan.layout.At(s.worst.Node, s.worst.Row, fmt.Errorf("%w (relative residual %.3g)", kkt.ErrInconsistent, s.worst.Ratio))
	} else if at[0] >= 0 {
		own = nil
	}
	if own != nil {
		own = fault.Errorf("dist: %w", own)
	}
	return Agree(s.comm, own)
}

// mustHave panics without a result.
func (s *Solver) mustHave() {
	if !s.solved {
		panic("dist: no result")
	}
}

// AccelerationsTo stores the accelerations of the rank's own bodies: six numbers a body, ω̇ then the classical
// acceleration of the centre of mass, world axes.
//
// It panics unless dst has six entries a body of its own, or without a result.
func (s *Solver) AccelerationsTo(dst []float64) {
	s.mustHave()
	if len(dst) != 6*s.plan.piece.Own {
		panic("dist: length mismatch")
	}
	copy(dst, s.x)
}

// Accelerations implements sim.Dynamics: it solves at st and stores the accelerations of all bodies of the piece. Accelerations of the halo
// come from the ranks to which its bodies belong. All ranks call it together.
//
// It panics unless a has six entries a body.
func (s *Solver) Accelerations(a []float64, st *mechanism.State) error {
	p := s.plan
	if len(a) != 6*p.mech.NumBodies() {
		panic("dist: length mismatch")
	}
	if err := s.Solve(st); err != nil {
		return err
	}
	copy(a, s.x[:6*p.piece.Own])
	s.exchange(a)
	return nil
}

// StabilizedAccelerations implements sim.StabilizedDynamics: it is Accelerations under constraints with feedback,
// theory.md (47).
func (s *Solver) StabilizedAccelerations(a []float64, st *mechanism.State, alpha, beta float64) error {
	p := s.plan
	if len(a) != 6*p.mech.NumBodies() {
		panic("dist: length mismatch")
	}
	if err := s.solveWith(st, alpha, beta); err != nil {
		return err
	}
	copy(a, s.x[:6*p.piece.Own])
	s.exchange(a)
	return nil
}

// exchange fills in the six numbers in v of each body of the halo, from the ranks to which these bodies belong.
func (s *Solver) exchange(v []float64) {
	for i := range s.plan.links {
		l := &s.plan.links[i]
		for k, b := range l.send {
			copy(l.out[6*k:6*k+6], v[6*b:])
		}
		exchange(s.comm, l.rank, l.out, l.back)
		for k, b := range l.receive {
			copy(v[6*b:6*b+6], l.back[6*k:])
		}
	}
}

// Reactions returns the forces of the joints of the piece. Both ranks have the reactions of a joint between them. If rows are redundant,
// reactions may not be unique, and these are an arbitrary choice. They hold until the next Solve, and the state of the last Solve must not
// change.
//
// It panics without a result.
func (s *Solver) Reactions() kkt.Reactions {
	s.mustHave()
	return kkt.Reactions{Layout: s.plan.layout, Kin: s.sys.Kin, State: s.st, X: s.x}
}

// Redundant returns the number of redundant rows of all pieces, or −1 if the way that has solved the
// system keeps all rows (Way). It panics without a result.
func (s *Solver) Redundant() int {
	s.mustHave()
	if s.way > kkt.DropWeakest {
		return -1
	}
	return s.weak
}

// Steps returns the number of corrections of the last solution. It panics without a result.
func (s *Solver) Steps() int {
	s.mustHave()
	return s.steps
}

// Way returns the way that has solved the system.
func (s *Solver) Way() kkt.Way { return s.way }

// Sent returns the bytes that this rank has sent in the last Solve.
func (s *Solver) Sent() int64 { return s.sent }

// Waited returns the time in which this rank has sent and has waited for others in the last Solve. Communication that a Root does by
// itself, such as MUMPS, does not count.
func (s *Solver) Waited() time.Duration { return s.waited }

// Row is a row of a joint or coupling.
type Row struct {
	Name     string
	Coupling bool
	Row      int
}

// RedundantRows returns the rows that depend on rows eliminated before them, as far as the pivots tell. Each rank gets
// the redundant rows that it eliminates. A row of the root is returned on the lower of the two ranks of its joint. All ranks call
// RedundantRows together.
//
// It returns an error, on all ranks, if the root does not know its redundant rows or the way has kept all rows (kkt.KeepAll). It panics
// without a result.
func (s *Solver) RedundantRows() ([]Row, error) {
	s.mustHave()
	var err error
	var lists [][]float64
	if s.hub != nil {
		if s.way > kkt.DropWeakest {
			err = errors.New("dist: no row was left out")
		} else {
			lists, err = s.hub.weakRows(s.root)
		}
	}
	if err = Agree(s.comm, err); err != nil {
		return nil, err
	}
	var out []Row
	m, l := s.plan.mech, s.plan.layout
	add := func(node, row int) {
		i := l.NodeConstraint(node)
		out = append(out, Row{m.ConstraintName(i), i >= m.NumJoints(), row})
	}
	s.fac.WeakRows(add)
	off := l.Pattern.Off
	place := 0
	weak := scatterLists(s.comm, lists)
	for i, v := range s.plan.factors.Held() {
		for k := range int(off[v+1] - off[v]) {
			if s.plan.owned[i] && weak[place] != 0 {
				add(int(v), k)
			}
			place++
		}
	}
	return out, nil
}
