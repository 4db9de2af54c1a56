package linear

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/internal/eigen/full"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

const (
	// steadyTol is the largest force that may be left on a body of a steady motion, relative to the largest force on a body, and by how
	// much the terms of its equations may change as it goes on, relative to the largest.
	steadyTol = 1e-6
	// still is that force at which a motion counts as one whose velocities stay as they are. A smaller value costs time only.
	still = 1e-11
	// turningTol is the part of the least squares for the turning, relative to the largest, that determines no direction of it.
	turningTol = 1e-6
)

// turning returns the angular velocity Ω of axes in which the velocities of all bodies stay as they are, docs/statics-and-modes.md (S8):
//
//	c̈ = Ω×ċ,   ω̇ = Ω×ω,   (ω−Ω)×I − I×(ω−Ω) = 0.
//
// It is the one that leaves the least, and zero wherever zero does. Directions that nothing determines are left out.
//
// Cost: O(bodies); allocates.
func (s *System) turning() (spatial.Vec3, error) {
	if s.steadyBy(spatial.Vec3{}, still) == nil {
		return spatial.Vec3{}, nil
	}
	n := s.mech.NumBodies()
	A, b := mat.NewDense(15*n, 3, nil), make([]float64, 15*n)
	_, rate := s.rates()
	for i := range n {
		s.turningRows(A, b, i, rate)
	}
	var svd mat.SVD
	if err := full.Singular(&svd, A, mat.SVDThin); err != nil {
		return spatial.Vec3{}, s.stiffestError(err)
	}
	var U, V mat.Dense
	svd.UTo(&U)
	svd.VTo(&V)
	var omega spatial.Vec3
	for k, size := range svd.Values(nil) {
		if size <= turningTol*svd.Values(nil)[0] {
			break
		}
		t := 0.0
		for i, x := range b {
			t += U.At(i, k) * x
		}
		for c := range omega {
			omega[c] += V.At(c, k) * t / size
		}
	}
	return omega, nil
}

// turningRows stores the equations of body i, docs/statics-and-modes.md (S8), as rows 15·i to 15·i+14 of A·Ω = b: three of ω̇ = Ω×ω, three
// of c̈ = Ω×ċ, and nine of Ω×I − I×Ω = ω×I − I×ω.
//
// With m the mass, r the radius of gyration and ν the largest rate of the mechanism, the weights are √m·r, √m and ν/(√m·r). So the
// rows have one unit, √kg m/s², and their squares may be added.
func (s *System) turningRows(A *mat.Dense, b []float64, i int, rate float64) {
	var v [6]float64
	s.velocity(v[:], int32(i))
	omega, speed := spatial.Vec3(v[:3]), spatial.Vec3(v[3:])
	a := s.x[6*i : 6*i+6]
	mass := math.Sqrt(s.mech.Bodies[i].Mass)
	heavy := mass * s.radius(int32(i))
	I := &s.y.Kin.I[i]
	for c := range 3 {
		var e spatial.Vec3
		e[c] = 1
		w, l, t := e.Cross(omega), e.Cross(speed), twist(I, e)
		for r := range 3 {
			A.Set(15*i+r, c, heavy*w[r])
			A.Set(15*i+3+r, c, mass*l[r])
		}
		for r, x := range t {
			A.Set(15*i+6+r, c, rate*x/heavy)
		}
	}
	for r := range 3 {
		b[15*i+r], b[15*i+3+r] = heavy*a[r], mass*a[3+r]
	}
	for r, x := range twist(I, omega) {
		b[15*i+6+r] = rate * x / heavy
	}
}

// rates returns the largest angular velocity of a body, rad/s, and the largest rate at which something changes: that, or the time in
// which a body goes as far as the longest one is.
func (s *System) rates() (spin, rate float64) {
	speed := 0.0
	for i := range s.mech.Bodies {
		var v [6]float64
		s.velocity(v[:], int32(i))
		spin, speed = max(spin, spatial.Vec3(v[:3]).Norm()), max(speed, spatial.Vec3(v[3:]).Norm())
	}
	return spin, max(spin, speed/s.longest())
}

// steadyBy returns an error if velocities of the loaded state do not stay as they are in axes that turn with omega: accelerations leave
// a force on a body of more than tol of the largest one, or its inertia changes as much.
func (s *System) steadyBy(omega spatial.Vec3, tol float64) *UnsteadyError {
	left, a, worst, size := s.beyond(omega)
	if i := left.BodyIndex; !(worst <= tol*size) && worst > 0 {
		return &UnsteadyError{
			Body: left.Body, BodyIndex: i, Turning: omega, Relative: worst / size,
			Angular: spatial.Vec3(a[6*i : 6*i+3]).Norm(), Linear: spatial.Vec3(a[6*i+3 : 6*i+6]).Norm(),
		}
	}
	for i := range s.mech.Bodies {
		var v [6]float64
		s.velocity(v[:], int32(i))
		spin := spatial.Vec3(v[:3]).Sub(omega)
		I := &s.y.Kin.I[i]
		off, most := 0.0, (I[0]+I[1]+I[2])*max(spatial.Vec3(v[:3]).Norm(), omega.Norm())
		for _, x := range twist(I, spin) {
			off = max(off, math.Abs(x))
		}
		if !(off <= tol*most) && off > 0 {
			return &UnsteadyError{Body: s.mech.BodyName(i), BodyIndex: i, Turning: omega, Relative: off / most, Spin: spin.Norm()}
		}
	}
	return nil
}

// beyond returns the accelerations of the loaded state as axes that turn with omega see them, the force that they leave on the body
// where it is largest, and the largest force on a body: of a load, a reaction, or what the velocities would need to turn as fast as
// something does.
func (s *System) beyond(omega spatial.Vec3) (left Unbalanced, a []float64, worst, size float64) {
	n := s.dim()
	a = make([]float64, n)
	copy(a, s.x[:n])
	_, rate := s.rates()
	most := 0.0
	for i := range s.mech.Bodies {
		var v [6]float64
		s.velocity(v[:], int32(i))
		w, c := spatial.Vec3(v[:3]), spatial.Vec3(v[3:])
		most = max(most, s.mech.Bodies[i].Mass*rate*max(w.Norm()*s.radius(int32(i)), c.Norm()))
		for k, turned := range [2]spatial.Vec3{omega.Cross(w), omega.Cross(c)} {
			for r, x := range turned {
				a[6*i+3*k+r] -= x
			}
		}
	}
	left, worst, size = s.leftBy(a)
	return left, a, worst, max(size, most)
}

// later stores in dst where a motion that is steady in axes that turn with omega has taken the bodies of st after the time t, and their
// velocities: a body turns by exp(Ωt)·exp((ω−Ω)t), and its centre of mass has the velocity exp(Ωt)·ċ.
func (s *System) later(dst, st *mechanism.State, omega spatial.Vec3, t float64) {
	turn := spatial.Exp(omega.Scale(t))
	for i := range st.Bodies {
		b, com := st.Bodies[i], s.mech.Bodies[i].Com
		arm := b.Rotation.Rotate(com)
		speed := b.Velocity.Add(b.Omega.Cross(arm))
		at := b.Position.Add(arm).Add(travel(omega, speed, t))
		out := &dst.Bodies[i]
		out.Rotation = turn.Mul(spatial.Exp(b.Omega.Sub(omega).Scale(t))).Mul(b.Rotation).Normalize()
		arm = out.Rotation.Rotate(com)
		out.Position, out.Omega = at.Sub(arm), turn.Rotate(b.Omega)
		out.Velocity = turn.Rotate(speed).Sub(out.Omega.Cross(arm))
	}
	dst.Time = st.Time + t
}

// travel returns ∫exp(Ωτ)·v dτ from 0 to t: with the angle θ = |Ω|·t and the axis n
//
//	t·(v + (1−cos θ)/θ·n×v + (1 − sin θ/θ)·n×(n×v)).
func travel(omega, v spatial.Vec3, t float64) spatial.Vec3 {
	rate := omega.Norm()
	theta := rate * t
	if theta == 0 {
		return v.Scale(t)
	}
	n := omega.Scale(1 / rate)
	w := n.Cross(v)
	half := math.Sin(theta / 2)
	return v.Add(w.Scale(2 * half * half / theta)).Add(n.Cross(w).Scale(1 - math.Sin(theta)/theta)).Scale(t)
}
