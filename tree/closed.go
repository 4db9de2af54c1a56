package tree

import (
	"errors"
	"fmt"
	"math"

	"github.com/rung-mbd/rung/internal/guard"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/team"
)

// Method is a way to solve the equation of motion of a closed-loop system, RBDA
// eq. 8.36:
//
//	⎡ H  Kᵀ ⎤ ⎡  q̈ ⎤   ⎡ τ − C ⎤
//	⎣ K  0  ⎦ ⎣ −λ ⎦ = ⎣   k   ⎦
type Method uint8

// The methods. With n freedoms, nᶜ rows of rank r and m = n − r:
const (
	Direct     Method = iota // the whole system: O((n + nᶜ)³)
	Lambda                   // λ first, through A = K·H⁻¹·Kᵀ: O(nᶜ·(n·depth + nᶜ·n + r²))
	Projection               // q̈ = G·ÿ + g: O(nᶜ·n·r) by clusters, and O(n·m·(n + m))
)

// String returns the name of the method in docs/cli.md, without its prefix.
func (m Method) String() string {
	switch m {
	case Direct:
		return "direct"
	case Lambda:
		return "lambda"
	case Projection:
		return "projection"
	}
	return fmt.Sprintf("Method(%d)", uint8(m))
}

// ErrInaccurate is wrapped by the error of a Solve whose refinement ended far
// from a solution.
var ErrInaccurate = errors.New("tree: refinement does not converge")

// SolverOptions choose how a ClosedSolver works. The zero value is the default.
type SolverOptions struct {
	// Independent are the entries of q̇ that are the independent variables y of a
	// Projection (RBDA §8.8); nil lets complete pivoting choose at each state. The
	// other methods do not read it.
	Independent []int
	// RankTolerance decides whether a constraint row depends on others: it does if the part of the row that is independent of them is
	// smaller than RankTolerance, relative to the terms of the row's entries. 0 stands for 1e-6.
	RankTolerance float64
	Stabilization Stabilization
}

// defaultRankTolerance lies between two sizes of the independent part of a row: the part that small violations of a state give to a
// redundant row, and the part that a necessary row has close to a singularity.
const defaultRankTolerance = 1e-6

const (
	// leastRow is the least scale of a row, relative to the largest one of its joint. In planar mechanisms all terms of some rows vanish,
	// and such a row consists of rounding. A row that is smaller than leastRow times the rank tolerance is no constraint.
	leastRow = 1e-4
	// consistentTol is the largest residual of a row, relative to its terms, that is accepted as due to violations of the state.
	consistentTol = 1e-4
	// restPart is the part of the motion of all freedoms that may show as rounding in any row.
	restPart = 1e-10
	// refineTol is the size of a correction, relative to the solution, at which the refinement ends.
	refineTol = 1e-13
	// accurateTol is the largest last correction that is returned as a result.
	accurateTol = 1e-6
	// refineMax bounds the number of corrections.
	refineMax = 3
)

// eliminator is the part in which the methods differ. It reads s.H and s.K, which it scales by s.colScale and s.rowScale.
type eliminator interface {
	// factor factors the system at the state in use, and marks in s.kept independent rows of K that determine all others.
	factor(s *ClosedSolver) error
	// solveTo stores the solution of H·q̈ − Kᵀλ = f, K·q̈ = k for the rows kept; λ of the others is zero. lambda and k have the rows of K,
	// and then of gears. No vector is in scales.
	solveTo(s *ClosedSolver, qdd, lambda, f, k []float64)
	// heed makes factor and solveTo end early when the context of w ends.
	heed(w *team.Watch)
	// counts returns the counts of the factors.
	counts(s *ClosedSolver) Counts
}

// phase is how far a Solve has come.
type phase uint8

const (
	unready   phase = iota
	assembled       // H, K, k and f = τ − C are those of the state
	factored        // the eliminator holds the factors of H and K
)

// ClosedSolver solves the forward dynamics of a mechanism with loops by one of
// the Methods. It owns all memory it needs and belongs to one goroutine at a
// time.
//
// Redundant rows are allowed: rows that follow from the others get λ = 0, so that λ is a basic solution. Accelerations do not depend on the
// choice of these rows, and neither do the parts of λ and of the joint wrenches that are unique.
type ClosedSolver struct {
	guard guard.Guard
	watch team.Watch
	plan  *Plan
	opts  SolverOptions
	w     *Workspace
	how   eliminator // the method
	equation
	solution
	corrections
	probes
	bearings
	findings
	kept       []bool          // by row: it has a pivot; rows without one follow from rows that have one
	wrench     []spatial.Force // by link: force through its joint, about its centre of mass
	haveWrench bool            // wrench belongs to the solution
	phase      phase
	ok         bool // there is a solution
	lossy      bool // there is a solution that only AcceptLoss makes ok
}

// NewSolver allocates a solver of the plan.
//
// Cost: memory O((n + nᶜ)²) for Direct, O(nᶜ·(n + nᶜ)) for Lambda and
// O(n² + Σ rows·columns of the clusters) for Projection.
// It panics if an option is out of range, or a variable is chosen twice.
func (p *Plan) NewSolver(m Method, o SolverOptions) *ClosedSolver {
	if p == nil || p.mech == nil {
		panic("tree: zero Plan; use NewPlan")
	}
	if o.RankTolerance == 0 {
		o.RankTolerance = defaultRankTolerance
	}
	if !(o.RankTolerance > 0 && o.RankTolerance < 1) {
		panic("tree: rank tolerance out of range")
	}
	n, rows := p.nv, p.NumRows()
	G := p.newGears()
	most := rows // rows of K and of gears
	if G != nil {
		most += G.rows
	}
	s := &ClosedSolver{
		plan: p, opts: o, w: p.NewWorkspace(), equation: p.newEquation(G, most), solution: newSolution(n, rows, most),
		corrections: corrections{rf: make([]float64, n), dq: make([]float64, n), rk: make([]float64, most), dl: make([]float64, most)},
		probes:      p.newProbes(most), kept: make([]bool, most), wrench: make([]spatial.Force, len(p.Links)),
	}
	switch m {
	case Direct:
		s.how = newDirect(n, most)
	case Lambda:
		s.how = newLambda(s.K, s.G)
	case Projection:
		s.how = newProjection(s.K, s.G, o.Independent)
	default:
		panic("tree: unknown method")
	}
	s.heed()
	return s
}

// Solve computes accelerations and multipliers at st under the loads of the
// mechanism. The results are read with the other methods; they hold until the
// next Solve and refer to st, which is kept but not copied. Solve does not check whether st satisfies
// the joints: Holds does.
//
// Cost: as the Method, no allocation.
// It returns the errors of Workspace.SetState, joints.ErrNoDirection, *PivotError, *IndependentError, mechanism.ErrUndetermined, ErrJammed,
// or a *LostError that wraps ErrInconsistent or ErrInaccurate. After an error there is no result; but after a *LostError, AcceptLoss makes
// the numbers that were found a result. It panics if st is of another mechanism.
func (s *ClosedSolver) Solve(st *mechanism.State) error { return s.SolveForced(st, nil) }

// Assemble is the first of the three parts of Solve: kinematics and loads at st,
// H, C, K, k and the scales of freedoms and rows.
//
// Cost: O(entries of H + entries of K), no allocation.
// It returns the errors of Workspace.SetState, joints.ErrNoDirection or a
// *PivotError. It panics if st is of another mechanism.
func (s *ClosedSolver) Assemble(st *mechanism.State) error {
	s.enter()
	defer s.guard.Leave()
	s.ok, s.lossy, s.phase = false, false, unready
	if err := s.w.SetState(st); err != nil {
		return err
	}
	return s.orCause(s.prepare(nil))
}

// Factorize is the second part of Solve, after Assemble: it factors the system by the Method and finds the rank of K.
//
// It returns a *PivotError or an *IndependentError. It panics unless Assemble,
// or a Solve, came before and did not fail.
func (s *ClosedSolver) Factorize() error {
	s.enter()
	defer s.guard.Leave()
	if s.phase < assembled {
		panic("tree: not assembled")
	}
	s.ok, s.lossy = false, false
	return s.orCause(s.factor())
}

// Refine is the last part of Solve, after Factorize: it computes the solution, corrects it and checks its residuals.
//
// It returns a *LostError that wraps ErrInconsistent or ErrInaccurate. It panics without a factor.
func (s *ClosedSolver) Refine() error {
	s.enter()
	defer s.guard.Leave()
	if s.phase < factored {
		panic("tree: no factor")
	}
	s.ok, s.lossy, s.haveWrench = false, false, false
	return s.orCause(s.refine())
}

// SolveForced is Solve with the generalized forces tau on the tree in addition.
//
// Shapes: tau has NumDof entries, or is nil.
// It also returns an error with the joint that wraps mechanism.ErrInput for a force that is not finite.
func (s *ClosedSolver) SolveForced(st *mechanism.State, tau []float64) error {
	s.enter()
	defer s.guard.Leave()
	s.ok, s.lossy, s.phase = false, false, unready
	if err := s.w.SetState(st); err != nil {
		return err
	}
	return s.orCause(s.solve(tau))
}

// SolveAt is SolveForced at the state with the joint variables q and qd and the
// time t.
//
// Shapes: q has NumQ entries, qd NumDof.
func (s *ClosedSolver) SolveAt(q, qd []float64, t float64, tau []float64) error {
	s.enter()
	defer s.guard.Leave()
	s.ok, s.lossy, s.phase = false, false, unready
	if err := s.w.Set(q, qd, t); err != nil {
		return err
	}
	return s.orCause(s.solve(tau))
}

// solve finds accelerations and multipliers at the state in use. Where friction grows with reactions, it solves again with the friction of
// the last reactions until both agree, or returns ErrJammed.
func (s *ClosedSolver) solve(tau []float64) error {
	m := s.plan.mech
	n := m.NumBearings()
	if n == 0 {
		return s.once(tau)
	}
	if len(s.load) != n {
		s.load = make([]float64, n)
	}
	clear(s.load)
	s.settle.Begin()
	s.loaded = *s.w.state
	s.loaded.Bearings, s.w.state = s.load, &s.loaded
	for range bearingSolves {
		if err := s.w.finish(); err != nil {
			return err
		}
		s.haveWrench = false
		if err := s.once(tau); err != nil || s.watch.Up() {
			s.lossy = false // friction and reactions do not agree yet
			return err
		}
		if s.agrees() {
			return nil
		}
	}
	s.ok, s.lossy = false, false
	return m.AtJoint(m.Bearing(0), -1, ErrJammed)
}

// ErrJammed is wrapped by the error of a Solve in which friction and the reactions that it grows with find no balance.
var ErrJammed = errors.New("tree: friction and reactions find no balance")

// ErrReaction is wrapped by the error of an inverse dynamics in which friction grows with a reaction. kkt.Inverse solves these.
var ErrReaction = errors.New("tree: inverse dynamics knows no friction that grows with a reaction")

// bearingSolves is the largest number of solutions with friction that grows with reactions, as in package kkt.
const bearingSolves = 100

// agrees stores in s.load the loads of the joints whose friction grows with their reactions, and reports whether the loads have converged.
func (s *ClosedSolver) agrees() bool {
	m := s.plan.mech
	var jk mechanism.JointKinematics
	change, size := 0.0, 0.0
	for i := range s.load {
		j := m.Bearing(i)
		m.JointTo(&jk, j, s.w.kin, s.w.state)
		w := s.TotalWrench(j) // drives, stops and friction of these joints are moments
		load := m.BearingLoad(j, &w, &jk)
		change, size = max(change, math.Abs(load-s.load[i])), max(size, load)
		s.load[i] = load
	}
	return size == 0 || s.settle.Rests(change/size)
}

// once finds accelerations and multipliers, with friction by the loads that the state has.
func (s *ClosedSolver) once(tau []float64) error {
	if err := s.prepare(tau); err != nil || s.watch.Up() {
		return err
	}
	if err := s.factor(); err != nil || s.watch.Up() {
		return err
	}
	return s.refine()
}

// factor factors the system by the method, and counts the kept rows of K.
func (s *ClosedSolver) factor() error {
	s.phase = assembled
	if err := s.how.factor(s); err != nil {
		return err
	}
	s.phase = factored
	s.rank = 0
	for _, kept := range s.kept[:s.K.rows] {
		if kept {
			s.rank++
		}
	}
	return nil
}

// prepare computes H, K, k, f = τ − C and the scales at the state in use.
func (s *ClosedSolver) prepare(tau []float64) error {
	if tau != nil && len(tau) != s.plan.nv {
		panic("tree: length mismatch")
	}
	s.ok, s.lossy, s.haveWrench, s.phase = false, false, false, unready
	if err := s.plan.mustBeFinite(givenForce, tau); err != nil {
		return err
	}
	if err := s.w.ConstraintsTo(s.K); err != nil {
		return err
	}
	if s.opts.Stabilization != (Stabilization{}) {
		if err := s.w.ErrorsTo(s.errors[0], s.errors[1]); err != nil {
			return err
		}
		s.K.stabilize(s.opts.Stabilization, s.errors[0], s.errors[1])
	}
	s.w.inertiaTo(s.H, s.plan.held != nil)
	copy(s.k, s.K.rhs)
	if s.G != nil {
		s.G.fill(s.w, s.K.vp)
		copy(s.k[s.K.rows:], s.G.rhs)
	}
	s.w.InverseTo(s.f, nil)
	for d := range s.f {
		s.f[d] = -s.f[d]
		if tau != nil {
			s.f[d] += tau[d]
		}
	}
	if err := s.scale(); err != nil {
		return err
	}
	s.phase = assembled
	return nil
}

// checkRows finds the largest residual of all rows, rows without a pivot included, relative to their terms:
//
//	|K·q̈ − k| / (terms of k + ‖row‖·‖(q̈, f, ω·q̇)‖).
//
// The norms are over the freedoms of the row, in their scales; ‖row‖ has the terms of the entries. ω is the largest angular velocity of a
// body. A part restPart of the motion of all freedoms is added to the motion, as it leaves rounding in rows whose own freedoms are at rest.
func (s *ClosedSolver) checkRows() {
	s.residual, s.worstRow = 0, -1
	omega := s.w.angularSpeed()
	whole := restPart * (s.accelerationNorm(s.qdd) + s.forceNorm(s.f))
	s.K.MulVecTo(s.rk[:s.K.rows], s.qdd)
	for i := range s.K.groups {
		g := &s.K.groups[i]
		motion := 0.0
		for _, d := range g.cols {
			a, b, v := s.qdd[d]/s.colScale[d], s.f[d]*s.colScale[d], omega*s.w.qd[d]/s.colScale[d]
			motion += a*a + b*b + v*v
		}
		motion = math.Sqrt(motion) + whole
		for k := range int(g.rows) {
			row := int(g.row) + k
			r := math.Abs(s.rk[row] - s.K.rhs[row])
			if r == 0 {
				continue
			}
			size := s.K.size[row]
			if scale := s.rowScale[row]; scale > 0 {
				size += motion / scale
			}
			r /= size
			if r > s.residual || math.IsNaN(r) {
				s.residual, s.worstRow = r, row
			}
		}
	}
}

func (s *ClosedSolver) mustHave() {
	if s == nil || !s.ok {
		panic("tree: no solution")
	}
}

// enter begins a use of s, which ends when its guard is left. It panics on misuse.
func (s *ClosedSolver) enter() {
	if s == nil || s.plan == nil {
		panic("tree: zero ClosedSolver; use Plan.NewSolver")
	}
	if !s.guard.Enter() {
		panic("tree: ClosedSolver used by two goroutines")
	}
}

// angularSpeed returns the largest angular velocity of a link, rad/s.
func (w *Workspace) angularSpeed() float64 {
	worst := 0.0
	for i := range w.links {
		v := &w.links[i].v
		worst = max(worst, v[0]*v[0]+v[1]*v[1]+v[2]*v[2])
	}
	return math.Sqrt(worst)
}
