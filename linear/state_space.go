package linear

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

// StateSpace is the linearized system of a steady motion in independent coordinates, docs/statics-and-modes.md (S9),
//
//	ṡ = A·s,   s = (p, u).
//
// p are coordinates of displacements that rows of positions allow, u coordinates of changes of velocities that all rows allow. Both refer
// to axes that rotate with the motion, in which A is constant; at the instant of the state these are the world axes. The bases are
// orthonormal in M: p is in √kg m, and u in √kg m/s.
type StateSpace struct {
	A                 *mat.Dense // square; nil if there are no coordinates
	Positions, Speeds int        // lengths of p and u: kkt.Report's Reaches and Mobility
	// Displacements and Velocities have six rows for each body, as in System, and a column for each coordinate: displacements
	// x = Displacements·s, and their rates in world axes, ẋ = Velocities·s. They are nil if there are no coordinates.
	Displacements, Velocities *mat.Dense
	Turning                   spatial.Vec3 // angular velocity of the axes, rad/s, world axes
}

// StateSpace returns the linearized equations of a steady motion in independent coordinates, of a mechanism with or without nonholonomic
// rows. The state is at rest in equilibrium, or its bodies keep their velocities in axes that rotate at a constant rate: wheels
// that roll straight ahead or in a circle, rotors, tops in regular precession. Bodies may spin in these axes about their axes of symmetry.
//
// StateSpace checks that the motion is steady: at the state by its accelerations and inertias, and at two later times by the joints, the
// accelerations and the matrix there. These times are about a radian of the fastest rotation and a radian of the slowest one.
//
// Cost: O(bodies³), and three linearizations where something moves; allocates. It returns an *UnsteadyError, ErrSingular with the name
// of a joint in a pose where the nonholonomic rows lose rank, ErrNotFinite and the errors of Linearize. It panics without a
// linearized state.
func (s *System) StateSpace() (*StateSpace, error) {
	s.enter()
	defer s.guard.Leave()
	s.mustHave()
	s.setImbalance()
	return s.stateSpace()
}

// stateSpace is StateSpace within a use of s (enter), with the imbalance set.
func (s *System) stateSpace() (*StateSpace, error) {
	omega, err := s.turning()
	if err != nil {
		return nil, err
	}
	if off := s.steadyBy(omega, steadyTol); off != nil {
		return nil, off
	}
	out := &StateSpace{Turning: omega}
	if err := s.independent(out); err != nil || out.Positions == 0 {
		return out, err
	}
	if out.A, err = s.stateMatrix(out, damped); err != nil {
		return nil, err
	}
	if s.rest {
		return out, nil
	}
	return out, s.checkLater(out)
}

// crossTo stores in dst, which may be x, the vector product omega×v of each three numbers v of x: the rate in world axes of displacements
// that are constant in axes that rotate with omega.
func crossTo(dst, x []float64, omega spatial.Vec3) {
	for i := 0; i < len(x); i += 3 {
		v := omega.Cross(spatial.Vec3(x[i : i+3]))
		dst[i], dst[i+1], dst[i+2] = v[0], v[1], v[2]
	}
}

// independent stores in out the independent coordinates of the loaded state, (S9): p in an orthonormal basis of J_p·x = 0, with J_p the
// rows of positions, and u in one of J·ẋ = 0. The rate for a displacement x of p is the least ẋ in M with J·ẋ = −N·x. out.Turning is
// given. If the joints allow no displacement, out stays as it is. It returns the error of rankError if some x has no such rate.
func (s *System) independent(out *StateSpace) error {
	slips := s.slipRows()
	B, err := s.allowedBy(func(row int) bool { return !isSlip(slips, row) })
	if err != nil || B == nil {
		return err
	}
	if B, err = s.orthonormal(B); err != nil {
		return err
	}
	J, err := s.rowSpace()
	if err != nil {
		return err
	}
	n, f := B.Dims()
	U := J.free
	if U != nil {
		if U, err = s.orthonormal(U); err != nil {
			return err
		}
		_, out.Speeds = U.Dims()
	}
	out.Positions = f
	out.Displacements, out.Velocities = mat.NewDense(n, f+out.Speeds, nil), mat.NewDense(n, f+out.Speeds, nil)
	x, z, rates, residual := make([]float64, n), make([]float64, n), make([]float64, s.Rows()), make([]float64, s.Rows())
	for c := range f {
		if s.over() {
			return s.orCause(nil)
		}
		mat.Col(x, c, B)
		out.Displacements.SetCol(c, x)
		size := s.ratesTo(rates, x, out.Turning, slips)
		J.solveTo(z, residual, rates)
		if !(floats.Norm(residual, math.Inf(1)) <= rankTol*size) {
			return s.rankError(residual, slips)
		}
		out.Velocities.SetCol(c, z)
	}
	for c := range out.Speeds {
		mat.Col(x, c, U)
		out.Velocities.SetCol(f+c, x)
	}
	return nil
}

// rankTol is the largest residual of dependent rows, relative to the largest rate in a row, that counts as rounding.
const rankTol = 1e-8

// errRank refuses a pose in which rows depend on each other although they do not in poses next to it.
var errRank = fmt.Errorf("%w: rows of velocities depend on each other in this pose, and next to it do not", ErrSingular)

// rankError returns errRank with the name of the joint of the nonholonomic row that has the largest residual, or of the row with the
// largest residual if all nonholonomic rows have none.
func (s *System) rankError(residual []float64, slips []slipRow) error {
	layout, row, most := s.plan.Layout(), algebra.Largest(residual), algebra.NewPeak(0)
	for i := range slips {
		most.Take(math.Abs(residual[slips[i].row]), slips[i].row)
	}
	if most.At >= 0 {
		row = most.At
	}
	return fault.Errorf("linear: %w", layout.At(s.kkt.nodeAt(s.dim()+row), -1, errRank))
}

// isSlip reports whether a row of the Jacobian is among slips.
func isSlip(slips []slipRow, row int) bool {
	for i := range slips {
		if slips[i].row == row {
			return true
		}
	}
	return false
}

// ratesTo stores in dst the right side −N·x of J·ẋ = −N·x, which the rate of a displacement x satisfies: N is slipRow.n in nonholonomic
// rows, and −J·Ω× in rows of positions, with Ω = omega. It returns the largest magnitude of the terms of a row, to which errors are
// relative.
func (s *System) ratesTo(dst, x []float64, omega spatial.Vec3, slips []slipRow) (size float64) {
	w := make([]float64, len(x))
	crossTo(w, x, omega)
	s.JacobianTo(dst, w)
	_, rate := s.rates()
	size = rate * floats.Norm(x, math.Inf(1))
	var u [12]float64
	for i := range slips {
		r := &slips[i]
		gather(&u, x, &r.body)
		dst[r.row] = -dot12(&r.n, &u)
		for k := range u {
			size = max(size, math.Abs(r.n[k]*u[k]))
		}
	}
	return size
}

// damped makes stateMatrix include C.
const damped = true

// stateMatrix returns A of (S9) for the coordinates of f at the loaded state, with C if damped is set. It returns ErrNotFinite with the
// name of a body.
func (s *System) stateMatrix(f *StateSpace, damped bool) (*mat.Dense, error) {
	n, all := f.Displacements.Dims()
	F, G, Z := mat.NewDense(n, all, nil), mat.NewDense(n, all, nil), mat.NewDense(n, f.Positions, nil)
	x, z := make([]float64, n), make([]float64, n)
	y, w := make([]float64, n), make([]float64, n)
	for c := range all {
		if s.over() {
			return nil, s.orCause(nil)
		}
		mat.Col(x, c, f.Displacements)
		mat.Col(z, c, f.Velocities)
		s.StiffnessTo(y, x) // −(K·x + C·z + M·Ω×z)
		subtractSkew(y, s.imbalance, x)
		if damped {
			s.DampingTo(w, z)
			floats.Add(y, w)
		}
		crossTo(w, z, f.Turning)
		s.MassTo(w, w)
		floats.Add(y, w)
		floats.Scale(-1, y)
		F.SetCol(c, y)
		crossTo(w, x, f.Turning) // M·(z − Ω×x)
		floats.SubTo(w, z, w)
		s.MassTo(w, w)
		G.SetCol(c, w)
		if c < f.Positions {
			s.MassTo(w, z)
			Z.SetCol(c, w)
		}
	}
	A := mat.NewDense(all, all, nil)
	err := apart(s.space.Watched(), func() error {
		pRows := A.Slice(0, f.Positions, 0, all).(*mat.Dense)
		pRows.Mul(f.Displacements.Slice(0, n, 0, f.Positions).T(), G)
		if f.Speeds == 0 {
			return nil
		}
		U := f.Velocities.Slice(0, n, f.Positions, all).T()
		uRows := A.Slice(f.Positions, all, 0, all).(*mat.Dense)
		uRows.Mul(U, F)
		var UZ, part mat.Dense
		UZ.Mul(U, Z)
		part.Mul(&UZ, pRows)
		uRows.Sub(uRows, &part)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if i := firstInfinite(A.RawMatrix().Data); i >= 0 {
		return nil, s.bodyError(algebra.Largest(mat.Col(nil, i%all, f.Velocities))/6, ErrNotFinite)
	}
	return A, nil
}

// checkLater checks that the equations of f also hold later, in axes that rotate with the motion. It moves the state to each of the
// instants by the steady motion, linearizes there, and returns an *UnsteadyError if the motion or the equations differ from f.
func (s *System) checkLater(f *StateSpace) error {
	sys, err := newSystem(s.space.Watched().Context(), s.plan)
	if err != nil {
		return err
	}
	st := s.st.Clone()
	for _, t := range s.instants(f.Turning) {
		s.moveSteadily(st, s.st, f.Turning, t)
		s.mech.FollowAngles(sys.y.Kin, st)
		if err := sys.about(st, !asItIs); err != nil {
			if cause := s.orCause(nil); cause != nil {
				return cause
			}
			return &UnsteadyError{BodyIndex: -1, Turning: f.Turning, After: t, Open: err}
		}
		if off := sys.steadyBy(f.Turning, steadyTol); off != nil {
			off.After = t
			return off
		}
		if err := sys.compareWith(f, t); err != nil {
			return err
		}
	}
	return nil
}

// instants returns the two times, s, at which checkLater compares: the time in which the fastest body rotates by a radian or travels the
// length of the longest body, and math.Phi times that of the slowest rate.
func (s *System) instants(omega spatial.Vec3) []float64 {
	_, fast := s.rates()
	slow, length := fast, s.longest()
	include := func(rate float64) {
		if rate > slowest*fast {
			slow = min(slow, rate)
		}
	}
	include(omega.Norm())
	for i := range s.st.Bodies {
		var v [6]float64
		s.velocity(v[:], int32(i))
		include(spatial.Vec3(v[:3]).Sub(omega).Norm())
		include(spatial.Vec3(v[3:]).Norm() / length)
	}
	return []float64{1 / fast, math.Phi / slow}
}

// slowest is the rate, relative to the fastest one, up to which instants leaves it out.
const slowest = 1e-8

// compareWith returns an *UnsteadyError if the coordinates of f, rotated by Ω·t, do not satisfy the rows of the loaded state, which is the
// state of f after the time t, s, or have another matrix A there, up to steadyTol.
func (s *System) compareWith(f *StateSpace, t float64) error {
	n, all := f.Displacements.Dims()
	now := &StateSpace{Positions: f.Positions, Speeds: f.Speeds, Turning: f.Turning}
	now.Displacements, now.Velocities = mat.NewDense(n, all, nil), mat.NewDense(n, all, nil)
	rotation := spatial.Exp(f.Turning.Scale(t))
	slips := s.slipRows()
	x, z := make([]float64, n), make([]float64, n)
	need, have := make([]float64, s.Rows()), make([]float64, s.Rows())
	for c := range all {
		mat.Col(x, c, f.Displacements)
		mat.Col(z, c, f.Velocities)
		for _, v := range [2][]float64{x, z} {
			for i := 0; i < n; i += 3 {
				w := rotation.Rotate(spatial.Vec3(v[i : i+3]))
				v[i], v[i+1], v[i+2] = w[0], w[1], w[2]
			}
		}
		now.Displacements.SetCol(c, x)
		now.Velocities.SetCol(c, z)
		size := max(s.ratesTo(need, x, f.Turning, slips), floats.Norm(z, math.Inf(1)))
		s.JacobianTo(have, z)
		floats.Sub(have, need)
		s.JacobianTo(need, x)
		for i := range slips {
			need[slips[i].row] = 0
		}
		violation := max(
			floats.Norm(have, math.Inf(1))/max(size, 1e-300), floats.Norm(need, math.Inf(1))/max(floats.Norm(x, math.Inf(1)), 1e-300))
		if !(violation <= steadyTol) {
			return s.changed(f, t, violation, c)
		}
	}
	A, err := s.stateMatrix(now, damped)
	if err != nil {
		return err
	}
	var D mat.Dense
	before, _ := scaled(f.A, f.Positions)
	after := scaledBy(A, f.Positions, rateOf(f.A, f.Positions))
	D.Sub(before, after)
	if difference, most := largest(&D), largest(before); !(difference <= steadyTol*most) {
		return s.changed(f, t, difference/most, algebra.Largest(D.RawMatrix().Data)%all)
	}
	return nil
}

// changed returns the *UnsteadyError for a coordinate of f whose rows or matrix have changed after the time t, s, by the relative change.
// It names the body that the coordinate moves most.
func (s *System) changed(f *StateSpace, t, change float64, coordinate int) error {
	v := mat.Col(nil, coordinate, f.Velocities)
	if coordinate < f.Positions {
		mat.Col(v, coordinate, f.Displacements)
	}
	i := algebra.Largest(v) / 6
	return &UnsteadyError{Body: s.mech.BodyName(i), BodyIndex: i, Turning: f.Turning, After: t, Relative: change}
}

// rateOf returns the ω, 1/s, for which the two blocks of A between p and u have the same size for the coordinates (ω·p, u): the root of the
// largest term from p to u̇ over the largest from u to ṗ; 1 if either is zero.
func rateOf(A *mat.Dense, positions int) float64 {
	n, _ := A.Dims()
	if positions == 0 || positions == n {
		return 1
	}
	up := largest(mat.DenseCopyOf(A.Slice(positions, n, 0, positions)))
	pu := largest(mat.DenseCopyOf(A.Slice(0, positions, positions, n)))
	if up == 0 || pu == 0 {
		return 1
	}
	return math.Sqrt(up / pu)
}

// scaled returns A for the coordinates (ω·p, u), and ω (rateOf).
func scaled(A *mat.Dense, positions int) (*mat.Dense, float64) {
	omega := rateOf(A, positions)
	return scaledBy(A, positions, omega), omega
}

// scaledBy returns A for the coordinates (ω·p, u), with ω = omega.
func scaledBy(A *mat.Dense, positions int, omega float64) *mat.Dense {
	out := mat.DenseCopyOf(A)
	n, _ := A.Dims()
	for i := range n {
		for j := range n {
			switch {
			case i < positions && j >= positions:
				out.Set(i, j, A.At(i, j)*omega)
			case i >= positions && j < positions:
				out.Set(i, j, A.At(i, j)/omega)
			}
		}
	}
	return out
}

// neutralCut is the size of a term of the scaled A, relative to the largest terms that K and the motion give it, up to which it counts as
// zero.
const neutralCut = 1e-13

// neutralSize returns the size of a term of the scaled A, 1/s, up to which it counts as zero: neutralCut times the largest terms, or more
// if the motion is not exactly steady: imbalanceMargin times the relative unbalanced force, if that is at most imbalanceMost.
func (s *System) neutralSize(f *StateSpace, omega float64) float64 {
	most, part := 0.0, neutralCut
	for _, x := range s.size {
		most = max(most, x)
	}
	_, rate := s.rates()
	_, _, worst, size := s.unsteadyForce(f.Turning)
	if relative := worst / max(size, math.SmallestNonzeroFloat64); relative <= imbalanceMost {
		part = max(part, imbalanceMargin*relative)
	}
	return part * max(most/omega, rate, omega)
}
