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

// Armature adds I·e·eᵀ to M, e the unit wrench of its freedom: a spring whose stiffness counts with M. Bodies without
// inertia in some direction leave M singular. Where blocks of single bodies have to be positive definite they have some
// inertia held there (mechanism.Singular), which conjugate gradients take off again.

// fillRotors stores the terms of armature at the loaded state.
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

// errBends says why some armature has no place in a system that moves.
var errBends = fmt.Errorf("%w: armature of a composite joint or of one on curves, while something moves", mechanism.ErrNoDerivatives)

// addFlywheels adds what the armature of the joint does where bodies move, docs/theory.md (A1): the force −I·q̈ along a
// freedom q, which has a stiffness of its own, as all reactions have. With e the row of q, δq = e·x, it changes by
//
//	δq̈ = e·ẍ + 2·ė·ẋ + ë·x.
//
// The first part is in M (fillRotors).
//
// It returns an error that wraps mechanism.ErrNoDerivatives, with the name of the joint, where ë is not known.
func (s *System) addFlywheels(r *reaction) error {
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

// addRotorsTo adds the part of armature in M·x to dst, which is not x.
func (s *System) addRotorsTo(dst, x []float64) {
	var u [12]float64
	for i := range s.rotors {
		r := &s.rotors[i]
		gather(&u, x, &r.body)
		scatter(dst, &r.v, r.k*dot12(&r.v, &u), &r.body)
	}
}

// addHeldTo adds scale times the held inertia times x to dst, which is not x.
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

// rotorTerms returns the terms of z and those of s·M from armature that
// reach over two bodies, and adds those of single bodies to blocks.
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

// addRotorBlocks adds s·M of armature between a body and the world to the blocks d of the bodies.
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
	// heldSteps bounds conjugate gradients, heldTol is the residual relative to the right side at which they end.
	heldSteps = 200
	heldTol   = 1e-14
)

// release removes the effect of the held inertia N, times s, from the solution h.x of the last solve for h.b, theory.md
// (H1). With A₀ the matrix that is factored, A₀·x = b + s·N·x. For y = s·N·x it solves y − s·N·A₀⁻¹·y = s·N·A₀⁻¹·b. Only
// rods and point masses have entries in y.
func (h *shifted) release() {
	sys := h.sys
	if sys.mech.Singular() == nil || h.s == 0 {
		return
	}
	// In the coordinates of the directions the operator 1 − B is symmetric: B = s·√N·A₀⁻¹·√N, with √N along unit vectors.
	dirs := sys.heldDirections(h.s)
	c, z, r, p, q := make([]float64, len(dirs)), make([]float64, len(dirs)), make([]float64, len(dirs)), make([]float64, len(dirs)), make([]float64, len(dirs))
	b := append([]float64(nil), h.b...)
	read := func(v []float64) {
		for i := range dirs {
			v[i] = dirs[i].of(h.x)
		}
	}
	read(c)
	copy(r, c)
	copy(p, c)
	rr := floats.Dot(r, r)
	enough := heldTol * heldTol * rr
	for k := 0; k < heldSteps && rr > enough && !sys.every(k); k++ {
		clear(h.b)
		for i := range dirs {
			dirs[i].addTo(h.b, p[i])
		}
		h.k.solve(h.x, h.r, h.b)
		read(q)
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
		was := rr
		rr = floats.Dot(r, r)
		for i := range p {
			p[i] = r[i] + rr/was*p[i]
		}
	}
	copy(h.b, b)
	for i := range dirs {
		dirs[i].addTo(h.b, z[i])
	}
	h.k.solve(h.x, h.r, h.b)
}

// heldDirection is √(s·hold)·n of a body, in the world.
type heldDirection struct {
	row int
	v   spatial.Vec3
}

func (d *heldDirection) of(x []float64) float64 { return d.v.Dot(spatial.Vec3(x[d.row : d.row+3])) }

func (d *heldDirection) addTo(b []float64, t float64) {
	for k, v := range d.v {
		b[d.row+k] += t * v
	}
}

// heldDirections lists the axes about which bodies have no inertia and are held, each of the length √(scale·hold), in the world.
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

// undetermined is the least eigenvalue of the mass matrix on the motions that the joints allow, relative to that with
// the held inertia, up to which it counts as zero.
const undetermined = 1e-9

// orthonormal makes N, orthonormal in the metric of the blocks of single
// bodies, orthonormal in M with armature and without held inertia.
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

// freeError names the body of a rotation x that nothing resists.
func (s *System) freeError(x []float64) error {
	most := algebra.NewPeak(-1)
	for _, h := range s.mech.Singular() {
		most.Take(spatial.Vec3(x[6*h.Body:6*h.Body+3]).Norm(), int(h.Body))
	}
	return s.bodyError(most.At, fault.Errorf("%w", mechanism.ErrUndetermined))
}
