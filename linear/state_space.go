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
// p are displacements that rows of positions allow, u changes of velocities that all rows allow. Both belong to axes that turn with the
// motion, in which A is constant; at the instant of the state they are the world's axes. Their bases are orthonormal in the metric of the
// masses: p is in √kg m, and u in √kg m/s.
type StateSpace struct {
	A                 *mat.Dense // square; nil if there are no coordinates
	Positions, Speeds int        // numbers of p and u: kkt.Report's Reaches and Mobility
	// Displacements and Velocities have six rows a body, as in System, and a column a coordinate: displacements x = Displacements·s, and
	// their rates as seen from the world, ẋ = Velocities·s.
	Displacements, Velocities *mat.Dense
	Turning                   spatial.Vec3 // angular velocity of the axes, rad/s, world axes
}

// StateSpace returns the linearized equations of a steady motion in independent coordinates, of a mechanism with or without rows of
// velocities alone. The state is at rest in equilibrium, or its bodies keep their velocities in axes that turn at a constant rate: wheels
// that roll straight ahead or in a circle, rotors, tops in regular precession. Bodies may spin in these axes about their axes of symmetry.
//
// That the motion is steady is checked: at the state by its accelerations and inertias, and at two later times, of a turn of what
// turns fastest and slowest, by the joints, the accelerations and the matrix there.
//
// Cost: O(bodies³), and three linearizations where something moves; allocates. It returns an *UnsteadyError, ErrSingular with the name
// of a joint in a pose where the rows of velocities lose rank, ErrNotFinite and the errors of Linearize. It panics without a
// linearized state.
func (s *System) StateSpace() (*StateSpace, error) {
	s.enter()
	defer s.guard.Leave()
	s.mustHave()
	s.weighLeft()
	return s.stateSpace()
}

// stateSpace is StateSpace.
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
	if out.A, err = s.stateMatrix(out, true); err != nil {
		return nil, err
	}
	if s.rest {
		return out, nil
	}
	return out, s.goesOn(out)
}

// turned is the rate of displacements that stay as they are in axes that turn with omega: omega×x of rotations and of travels.
func turned(dst, x []float64, omega spatial.Vec3) {
	for i := 0; i < len(x); i += 3 {
		v := omega.Cross(spatial.Vec3(x[i : i+3]))
		dst[i], dst[i+1], dst[i+2] = v[0], v[1], v[2]
	}
}

// independent stores the coordinates of the loaded state in out, (S9): p on an orthonormal basis of J_p·x = 0, u on one of J·ẋ = 0, and
// for a p the rate with J·ẋ = −N·x that is the least.
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
	x, z, rates, left := make([]float64, n), make([]float64, n), make([]float64, s.Rows()), make([]float64, s.Rows())
	for c := range f {
		if s.over() {
			return s.orCause(nil)
		}
		mat.Col(x, c, B)
		out.Displacements.SetCol(c, x)
		size := s.ratesTo(rates, x, out.Turning, slips)
		J.solveTo(z, left, rates)
		if !(floats.Norm(left, math.Inf(1)) <= rankTol*size) {
			return s.rankError(left, slips)
		}
		out.Velocities.SetCol(c, z)
	}
	for c := range out.Speeds {
		mat.Col(x, c, U)
		out.Velocities.SetCol(f+c, x)
	}
	return nil
}

// rankTol is the part of a row that depends on others, relative to the largest rate, by which it may differ from what these make of it.
const rankTol = 1e-8

// errRank refuses a pose in which rows depend on each other, and would not next to it.
var errRank = fmt.Errorf("%w: rows of velocities depend on each other in this pose, and next to it do not", ErrSingular)

// rankError returns errRank with the name of the joint whose row of velocities alone is left most of, or of any row where none is.
func (s *System) rankError(left []float64, slips []slipRow) error {
	layout, row, most := s.plan.Layout(), algebra.Largest(left), algebra.NewPeak(0)
	for i := range slips {
		most.Take(math.Abs(left[slips[i].row]), slips[i].row)
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

// ratesTo stores in dst what the rows ask of the rates of a displacement x: −N·x, with N = −J·Ω× of the rows of positions. It returns
// the largest size of what they are made of.
func (s *System) ratesTo(dst, x []float64, omega spatial.Vec3, slips []slipRow) (size float64) {
	w := make([]float64, len(x))
	turned(w, x, omega)
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

// stateMatrix returns A of (S9) for the coordinates of f at the loaded state, with C or without.
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
		subtractTurning(y, s.left, x)
		if damped {
			s.DampingTo(w, z)
			floats.Add(y, w)
		}
		turned(w, z, f.Turning)
		s.MassTo(w, w)
		floats.Add(y, w)
		floats.Scale(-1, y)
		F.SetCol(c, y)
		turned(w, x, f.Turning) // M·(z − Ω×x)
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
		pp := A.Slice(0, f.Positions, 0, all).(*mat.Dense)
		pp.Mul(f.Displacements.Slice(0, n, 0, f.Positions).T(), G)
		if f.Speeds == 0 {
			return nil
		}
		U := f.Velocities.Slice(0, n, f.Positions, all).T()
		uu := A.Slice(f.Positions, all, 0, all).(*mat.Dense)
		uu.Mul(U, F)
		var turn, part mat.Dense
		turn.Mul(U, Z)
		part.Mul(&turn, pp)
		uu.Sub(uu, &part)
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

// goesOn checks that the equations hold later on, too, in axes that turn with the motion: it goes to each of the instants,
// linearizes there, and returns an *UnsteadyError if the motion or the equations differ from f.
func (s *System) goesOn(f *StateSpace) error {
	sys, err := newSystem(s.space.Watched().Context(), s.plan)
	if err != nil {
		return err
	}
	st := s.st.Clone()
	for _, t := range s.instants(f.Turning) {
		s.later(st, s.st, f.Turning, t)
		s.mech.FollowAngles(sys.y.Kin, st)
		if err := sys.about(st, false); err != nil {
			if cause := s.orCause(nil); cause != nil {
				return cause
			}
			return &UnsteadyError{BodyIndex: -1, Turning: f.Turning, After: t, Open: err}
		}
		if off := sys.steadyBy(f.Turning, steadyTol); off != nil {
			off.After = t
			return off
		}
		if err := sys.sameAs(f, t); err != nil {
			return err
		}
	}
	return nil
}

// instants returns the times at which goesOn looks: the time in which the fastest part turns by a radian, or travels the
// length of a body, and the time in which the slowest part does.
func (s *System) instants(omega spatial.Vec3) []float64 {
	_, fast := s.rates()
	slow, length := fast, s.longest()
	note := func(rate float64) {
		if rate > slowest*fast {
			slow = min(slow, rate)
		}
	}
	note(omega.Norm())
	for i := range s.st.Bodies {
		var v [6]float64
		s.velocity(v[:], int32(i))
		note(spatial.Vec3(v[:3]).Sub(omega).Norm())
		note(spatial.Vec3(v[3:]).Norm() / length)
	}
	return []float64{1 / fast, math.Phi / slow}
}

// slowest is the slowest rate that is waited for, relative to the fastest.
const slowest = 1e-8

// sameAs returns an error if the coordinates of f, turned by Ω·t, do not satisfy the rows of the loaded state, or have another matrix.
func (s *System) sameAs(f *StateSpace, t float64) error {
	n, all := f.Displacements.Dims()
	now := &StateSpace{Positions: f.Positions, Speeds: f.Speeds, Turning: f.Turning}
	now.Displacements, now.Velocities = mat.NewDense(n, all, nil), mat.NewDense(n, all, nil)
	turn := spatial.Exp(f.Turning.Scale(t))
	slips := s.slipRows()
	x, z := make([]float64, n), make([]float64, n)
	need, have := make([]float64, s.Rows()), make([]float64, s.Rows())
	for c := range all {
		mat.Col(x, c, f.Displacements)
		mat.Col(z, c, f.Velocities)
		for _, v := range [2][]float64{x, z} {
			for i := 0; i < n; i += 3 {
				w := turn.Rotate(spatial.Vec3(v[i : i+3]))
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
		off := max(floats.Norm(have, math.Inf(1))/max(size, 1e-300), floats.Norm(need, math.Inf(1))/max(floats.Norm(x, math.Inf(1)), 1e-300))
		if !(off <= steadyTol) {
			return s.changed(f, t, off, c)
		}
	}
	A, err := s.stateMatrix(now, true)
	if err != nil {
		return err
	}
	var D mat.Dense
	was, _ := scaled(f.A, f.Positions)
	is := scaledBy(A, f.Positions, rateOf(f.A, f.Positions))
	D.Sub(was, is)
	if off, most := largest(&D), largest(was); !(off <= steadyTol*most) {
		return s.changed(f, t, off/most, algebra.Largest(D.RawMatrix().Data)%all)
	}
	return nil
}

// changed returns the error for a coordinate of f that another law holds for after the time t.
func (s *System) changed(f *StateSpace, t, off float64, coordinate int) error {
	v := mat.Col(nil, coordinate, f.Velocities)
	if coordinate < f.Positions {
		mat.Col(v, coordinate, f.Displacements)
	}
	i := algebra.Largest(v) / 6
	return &UnsteadyError{Body: s.mech.BodyName(i), BodyIndex: i, Turning: f.Turning, After: t, Relative: off}
}

// rateOf returns ω such that A has terms of one size for (ω·p, u): the root of what makes accelerations of displacements over what makes
// rates of them; 1 if either is zero.
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

// scaled returns A for (ω·p, u), and ω.
func scaled(A *mat.Dense, positions int) (*mat.Dense, float64) {
	omega := rateOf(A, positions)
	return scaledBy(A, positions, omega), omega
}

// scaledBy returns A for (ω·p, u).
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

// neutralCut is the size of a term of A, relative to the largest terms of K, C and M that make it, that counts as zero.
const neutralCut = 1e-13

// neutralSize returns the size of a term of the scaled A that counts as zero: neutralCut of what K and the motion make, or what is left of
// balance in axes that turn with the motion, up to leftMost.
func (s *System) neutralSize(f *StateSpace, omega float64) float64 {
	most, part := 0.0, neutralCut
	for _, x := range s.size {
		most = max(most, x)
	}
	_, rate := s.rates()
	_, _, worst, size := s.beyond(f.Turning)
	if left := worst / max(size, math.SmallestNonzeroFloat64); left <= leftMost {
		part = max(part, leftMargin*left)
	}
	return part * max(most/omega, rate, omega)
}
