package linear

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/eigen/full"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// Armature adds I·e·eᵀ to M, with e the row of its freedom, like a spring of stiffness I in K. Bodies without
// inertia about some axis leave M singular. Where the blocks of single bodies have to be positive definite, such bodies get a held
// inertia about that axis (mechanism.Singular), and conjugate gradients remove its effect from solutions (release).

// fillRotors stores in s.rotors the rows of the freedoms with armature at the loaded state, with the inertia I as stiffness.
func (s *System) fillRotors() {
	s.rotors = s.rotors[:0]
	for _, j := range s.mech.Geared() {
		jt := &s.mech.Joints[j]
		var jk mechanism.JointKinematics
		s.mech.JointTo(&jk, int(j), s.y.Kin, s.st)
		for i, I := range jt.Armature {
			if I == 0 {
				continue
			}
			r := s.freedomRow(mechanism.Freedom{Joint: int(j), Freedom: i}, &jk)
			r.k = I
			s.rotors = append(s.rotors, r)
		}
	}
}

// errBends is the reason why the linearized equations of a moving mechanism cannot have some armature.
var errBends = fmt.Errorf("%w: armature of a composite joint or of one on curves, while something moves", mechanism.ErrNoDerivatives)

// addArmature adds the force −I·q̈ of armature along the freedoms q of a joint, docs/theory.md (A1), to r, K and C, if bodies
// move. Like all reactions, the force has a geometric stiffness. With e the row of q, δq = e·x, it changes with
//
//	δq̈ = e·ẍ + 2·ė·ẋ + ë·x.
//
// The first part is in M (fillRotors).
//
// It returns an error that wraps mechanism.ErrNoDerivatives, with the name of the joint, for joints whose ë is not implemented.
func (s *System) addArmature(r *reaction) error {
	if s.rest || r.joint.NumGeared() == 0 {
		return nil
	}
	var qdd [6]float64
	if err := s.mech.SecondRatesTo(&qdd, r.number, s.x[:s.dim()], s.y.Kin, s.st); err != nil {
		return s.jointError(r.number, err)
	}
	u := s.velocities(&r.Along)
	var a [12]float64
	for e, b := range r.Body {
		if b >= 0 {
			copy(a[6*e:6*e+6], s.x[6*b:])
		}
	}
	for i := range r.joint.Kind.Freedoms() {
		if !r.joint.Geared(i) {
			continue
		}
		I, one := r.joint.Armature[i], s.along(r, i)
		if one.bends {
			return s.jointError(r.number, errBends)
		}
		var v, rate, second [12]float64
		one.RowTo(&v)
		one.changeTo(&rate, &u)
		one.secondTo(&second, &u, &a)
		p := pair{body: r.Body, joint: int32(r.number), C: new([144]float64)}
		for row, x := range v {
			for c := range v {
				p.C[12*row+c], p.K[12*row+c] = 2*I*x*rate[c], I*x*second[c]
			}
		}
		s.pairs = append(s.pairs, p)
		s.addAlong(r, i, mechanism.Push{Force: -I * qdd[i]})
	}
	return nil
}

// addRotorsTo adds to dst, which is not x, the product of the armature in M with x.
func (s *System) addRotorsTo(dst, x []float64) {
	var u [12]float64
	for i := range s.rotors {
		r := &s.rotors[i]
		gather(&u, x, &r.body)
		scatter(dst, &r.v, r.k*dot12(&r.v, &u), &r.body)
	}
}

// addHeldTo adds scale·N·x to dst, which is not x, with N the held inertia.
func (s *System) addHeldTo(dst, x []float64, scale float64) {
	for i := range s.mech.Singular() {
		h := &s.mech.Singular()[i]
		E := &s.y.Kin.Bodies[h.Body].E
		phi := E.TMulVec(spatial.Vec3(x[6*h.Body : 6*h.Body+3]))
		var t spatial.Vec3
		for _, n := range h.Axes {
			t = t.Add(n.Scale(scale * h.Hold * n.Dot(phi)))
		}
		t = E.MulVec(t)
		for k := range t {
			dst[int(6*h.Body)+k] += t[k]
		}
	}
}

// holdBlocks adds the held inertia to the blocks of M in s.y.Matrix.
func (s *System) holdBlocks() {
	for i := range s.mech.Singular() {
		h := &s.mech.Singular()[i]
		I := s.mech.Bodies[h.Body].HeldInertia(h.Axes, h.Hold)
		I = I.Rotate(s.y.Kin.Bodies[h.Body].E)
		d := s.y.Matrix.Dia[36*h.Body:]
		d[0], d[1], d[2] = I[0], I[3], I[4]
		d[6], d[7], d[8] = I[3], I[1], I[5]
		d[12], d[13], d[14] = I[4], I[5], I[2]
	}
}

// rotorTerms returns the terms of z, followed by the armature in s·M between two bodies. addRotorBlocks adds the armature between a body
// and the world. z stays as it is.
func (sys *System) rotorTerms(z *split, s float64) []term {
	if len(sys.rotors) == 0 || s == 0 {
		return z.terms
	}
	list := append([]term(nil), z.terms...)
	for i := range sys.rotors {
		r := &sys.rotors[i]
		if r.body[0] >= 0 && r.body[1] >= 0 {
			list = append(list, term{body: r.body, b: r.v, k: s * r.k, full: s * r.k})
		}
	}
	return list
}

// addRotorBlocks adds the armature in s·M between a body and the world to d, a row-major 6×6 block for each body.
func (sys *System) addRotorBlocks(d []float64, s float64) {
	for i := range sys.rotors {
		r := &sys.rotors[i]
		for e, b := range r.body {
			if b >= 0 && r.body[1-e] < 0 {
				addOuter((*[36]float64)(d[36*b:]), s*r.k, r.v[6*e:6*e+6])
			}
		}
	}
}

// ErrUnstable is wrapped if the sparse method finds no shift, because a negative stiffness acts on a rod or a point mass
// with next to no inertia. The dense method has no such limit.
var ErrUnstable = errors.New("linear: unstable with next to no inertia; use the dense method")

const (
	heldSteps = 200   // largest number of steps of conjugate gradients
	heldTol   = 1e-14 // their residual relative to the right side at which they end
)

// release removes the effect of the held inertia N from the solution h.x of the last solve for the loads h.b, theory.md
// (H1). The factored matrix A₀ has s·N too much, so the solution x without it satisfies A₀·x = b + s·N·x. release solves
// y − s·N·A₀⁻¹·y = s·N·A₀⁻¹·b for y = s·N·x by conjugate gradients, and then for x. Only rods and point masses have entries in y. It
// leaves b + y in h.b. If the operator is not positive definite, it sets sys.lost and ends early.
func (h *shifted) release() {
	sys := h.sys
	if sys.mech.Singular() == nil || h.s == 0 {
		return
	}
	// With y = √(s·N)·z, and z in coordinates along the held directions, the equation has the symmetric operator 1 − √(s·N)·A₀⁻¹·√(s·N).
	dirs := sys.heldDirections(h.s)
	c, z, r, p, q := make([]float64, len(dirs)), make([]float64, len(dirs)), make([]float64, len(dirs)), make([]float64, len(dirs)), make([]float64, len(dirs))
	b := append([]float64(nil), h.b...)
	coordinatesTo := func(v []float64) { // √(s·N)·h.x
		for i := range dirs {
			v[i] = dirs[i].dot(h.x)
		}
	}
	coordinatesTo(c)
	copy(r, c)
	copy(p, c)
	rr := floats.Dot(r, r)
	converged := heldTol * heldTol * rr
	for k := 0; k < heldSteps && rr > converged && !sys.every(k); k++ {
		clear(h.b)
		for i := range dirs {
			dirs[i].addTo(h.b, p[i])
		}
		h.k.solve(h.x, h.r, h.b)
		coordinatesTo(q)
		for i := range q {
			q[i] = p[i] - q[i]
		}
		pq := floats.Dot(p, q)
		if !(pq > 0) {
			sys.lost = true
			break
		}
		a := rr / pq
		floats.AddScaled(z, a, p)
		floats.AddScaled(r, -a, q)
		before := rr
		rr = floats.Dot(r, r)
		for i := range p {
			p[i] = r[i] + rr/before*p[i]
		}
	}
	copy(h.b, b)
	for i := range dirs {
		dirs[i].addTo(h.b, z[i])
	}
	h.k.solve(h.x, h.r, h.b)
}

// heldDirection is an axis n about which a body has a held inertia, as a row of √(s·N).
type heldDirection struct {
	row int          // of the rotation of the body, 6 times its number
	v   spatial.Vec3 // √(s·hold)·n, world axes
}

// dot returns the product of the row with x.
func (d *heldDirection) dot(x []float64) float64 { return d.v.Dot(spatial.Vec3(x[d.row : d.row+3])) }

// addTo adds t times the row to b.
func (d *heldDirection) addTo(b []float64, t float64) {
	for k, v := range d.v {
		b[d.row+k] += t * v
	}
}

// heldDirections returns all held directions of the mechanism, with s = scale.
func (s *System) heldDirections(scale float64) (list []heldDirection) {
	for i := range s.mech.Singular() {
		h := &s.mech.Singular()[i]
		for _, n := range h.Axes {
			v := s.y.Kin.Bodies[h.Body].E.MulVec(n).Scale(math.Sqrt(scale * h.Hold))
			list = append(list, heldDirection{int(6 * h.Body), v})
		}
	}
	return list
}

// undetermined is the least quotient xᵀMx / xᵀM₀x on the motions that the joints allow, M₀ the mass matrix with held inertia and without
// armature, up to which it counts as zero.
const undetermined = 1e-9

// orthonormal returns a basis of the columns of N that is orthonormal in M, with armature and without held inertia. N is
// orthonormal in the blocks of single bodies with held inertia. It returns N itself if there is neither armature nor held inertia.
//
// It returns mechanism.ErrUndetermined with the name of a body if nothing resists a rotation of it, and the error of the eigenvalue
// problem with the name of a body.
func (s *System) orthonormal(N *mat.Dense) (*mat.Dense, error) {
	if len(s.rotors) == 0 && s.mech.Singular() == nil {
		return N, nil
	}
	n, f := N.Dims()
	MN := mat.NewDense(n, f, nil)
	x, y := make([]float64, n), make([]float64, n)
	for c := range f {
		mat.Col(x, c, N)
		s.MassTo(y, x)
		MN.SetCol(c, y)
	}
	var A mat.Dense
	A.Mul(N.T(), MN)
	sym := mat.NewSymDense(f, nil)
	for i := range f {
		for j := range i + 1 {
			sym.SetSym(i, j, (A.At(i, j)+A.At(j, i))/2)
		}
	}
	var eig mat.EigenSym
	var U, out mat.Dense
	if err := full.Symmetric(&eig, sym); err != nil {
		if i := firstInfinite(MN.RawMatrix().Data); i >= 0 {
			return nil, s.bodyError(i/f/6, err)
		}
		return nil, s.stiffestError(err)
	}
	eig.VectorsTo(&U)
	values := eig.Values(nil)
	if !(values[0] > undetermined) {
		var v mat.VecDense
		v.MulVec(N, U.ColView(0))
		return nil, s.freeError(v.RawVector().Data)
	}
	for j, e := range values {
		for i := range f {
			U.Set(i, j, U.At(i, j)/math.Sqrt(e))
		}
	}
	out.Mul(N, &U)
	return &out, nil
}

// freeError returns mechanism.ErrUndetermined with the name of the body with held inertia that x rotates most: x is a
// displacement without inertia.
func (s *System) freeError(x []float64) error {
	most := algebra.NewPeak(-1)
	for _, h := range s.mech.Singular() {
		most.Take(spatial.Vec3(x[6*h.Body:6*h.Body+3]).Norm(), int(h.Body))
	}
	return s.bodyError(most.At, fault.Errorf("%w", mechanism.ErrUndetermined))
}
