package linear

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/internal/eigen/full"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

const (
	// steadyTol is the largest unbalanced force of a steady motion, relative to the largest force on a body, and the largest later change of
	// the terms of its equations, relative to the largest term.
	steadyTol = 1e-6
	// constantVelocityTol is the relative unbalanced force up to which velocities count as constant in world axes. A smaller value costs time
	// only.
	constantVelocityTol = 1e-11
	// turningTol is the singular value of the least squares for Ω, relative to the largest, up to which its direction counts as undetermined.
	turningTol = 1e-6
)

// turning returns the angular velocity Ω, rad/s, of axes in which the velocities of all bodies are constant, docs/statics-and-modes.md
// (S8):
//
//	c̈ = Ω×ċ,   ω̇ = Ω×ω,   (ω−Ω)×I − I×(ω−Ω) = 0.
//
// It is zero if that satisfies the equations, up to constantVelocityTol, and else the least-squares solution of least norm, whether it
// satisfies the equations or not. It returns the error of the singular value problem with the name of a body.
//
// Cost: O(bodies); allocates.
func (s *System) turning() (spatial.Vec3, error) {
	if s.steadyBy(spatial.Vec3{}, constantVelocityTol) == nil {
		return spatial.Vec3{}, nil
	}
	n := s.mech.NumBodies()
	A, b := mat.NewDense(turningRows*n, 3, nil), make([]float64, turningRows*n)
	_, rate := s.rates()
	for i := range n {
		s.fillTurning(A, b, i, rate)
	}
	var svd mat.SVD
	if err := full.Singular(&svd, A, mat.SVDThin); err != nil {
		return spatial.Vec3{}, s.stiffestError(err)
	}
	return leastNorm(&svd, b), nil
}

// leastNorm returns the least-squares solution of A·Ω = b of least norm, Σ v_k·(u_k·b)/σ_k over the singular values σ_k of A above
// turningTol.
func leastNorm(A *mat.SVD, b []float64) (omega spatial.Vec3) {
	var U, V mat.Dense
	A.UTo(&U)
	A.VTo(&V)
	values := A.Values(nil)
	for k, size := range values {
		if size <= turningTol*values[0] {
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
	return omega
}

// turningRows is the number of equations of a body for Ω.
const turningRows = 15

// fillTurning stores the turningRows equations of body i, docs/statics-and-modes.md (S8), in A·Ω = b: three of ω̇ = Ω×ω, three of c̈ = Ω×ċ,
// and nine of Ω×I − I×Ω = ω×I − I×ω.
//
// With m the mass, r the radius of gyration and ν = rate, the largest rate of the mechanism, the weights are √m·r, √m and ν/(√m·r). So all
// rows have the unit √kg m/s², and their squares may be added.
func (s *System) fillTurning(A *mat.Dense, b []float64, i int, rate float64) {
	var v [6]float64
	s.velocity(v[:], int32(i))
	omega, speed := spatial.Vec3(v[:3]), spatial.Vec3(v[3:])
	a, first := s.x[6*i:6*i+6], turningRows*i
	massRoot := math.Sqrt(s.mech.Bodies[i].Mass)
	inertiaRoot := massRoot * s.radius(int32(i))
	I := &s.y.Kin.I[i]
	for c := range 3 {
		var e spatial.Vec3
		e[c] = 1
		w, l, t := e.Cross(omega), e.Cross(speed), inertiaRate(I, e)
		for r := range 3 {
			A.Set(first+r, c, inertiaRoot*w[r])
			A.Set(first+3+r, c, massRoot*l[r])
		}
		for r, x := range t {
			A.Set(first+6+r, c, rate*x/inertiaRoot)
		}
	}
	for r := range 3 {
		b[first+r], b[first+3+r] = inertiaRoot*a[r], massRoot*a[3+r]
	}
	for r, x := range inertiaRate(I, omega) {
		b[first+6+r] = rate * x / inertiaRoot
	}
}

// rates returns the largest angular velocity of a body, rad/s, and the largest rate of change, 1/s: that, or the largest speed over the
// length of the longest body.
func (s *System) rates() (spin, rate float64) {
	speed := 0.0
	for i := range s.mech.Bodies {
		var v [6]float64
		s.velocity(v[:], int32(i))
		spin, speed = max(spin, spatial.Vec3(v[:3]).Norm()), max(speed, spatial.Vec3(v[3:]).Norm())
	}
	return spin, max(spin, speed/s.longest())
}

// steadyBy returns nil if the velocities of the loaded state, and the inertias, are constant in axes that rotate with omega, rad/s. It
// returns an error if the accelerations in these axes need a force above tol times the largest force on a body, and else the error of
// steadyInertias.
func (s *System) steadyBy(omega spatial.Vec3, tol float64) *UnsteadyError {
	left, a, worst, size := s.unsteadyForce(omega)
	if i := left.BodyIndex; !(worst <= tol*size) && worst > 0 {
		return &UnsteadyError{
			Body: left.Body, BodyIndex: i, Turning: omega, Relative: worst / size,
			Angular: spatial.Vec3(a[6*i : 6*i+3]).Norm(), Linear: spatial.Vec3(a[6*i+3 : 6*i+6]).Norm(),
		}
	}
	return s.steadyInertias(omega, tol)
}

// steadyInertias returns nil if the inertia of each body is constant in axes that rotate with omega, rad/s. It returns an error if the rate
// of an inertia, |(ω−Ω)×I − I×(ω−Ω)|, is above tol·tr(I)·max(|ω|, |Ω|).
func (s *System) steadyInertias(omega spatial.Vec3, tol float64) *UnsteadyError {
	for i := range s.mech.Bodies {
		var v [6]float64
		s.velocity(v[:], int32(i))
		spin := spatial.Vec3(v[:3]).Sub(omega)
		I := &s.y.Kin.I[i]
		change, most := 0.0, (I[0]+I[1]+I[2])*max(spatial.Vec3(v[:3]).Norm(), omega.Norm())
		for _, x := range inertiaRate(I, spin) {
			change = max(change, math.Abs(x))
		}
		if !(change <= tol*most) && change > 0 {
			return &UnsteadyError{Body: s.mech.BodyName(i), BodyIndex: i, Turning: omega, Relative: change / most, Spin: spin.Norm()}
		}
	}
	return nil
}

// unsteadyForce returns the accelerations a of the loaded state in axes that rotate with omega, rad/s, six a body in world axes: ω̇ − Ω×ω
// and c̈ − Ω×ċ. left is the force M·a on the body where this force is largest, and worst its size, N. size is the size of the largest force
// on a body, N: a load, a reaction, or the force of turningForce. The size of a moment is the moment over the radius of gyration.
func (s *System) unsteadyForce(omega spatial.Vec3) (left Unbalanced, a []float64, worst, size float64) {
	n := s.dim()
	a = make([]float64, n)
	copy(a, s.x[:n])
	for i := range s.mech.Bodies {
		var v [6]float64
		s.velocity(v[:], int32(i))
		turn, shift := omega.Cross(spatial.Vec3(v[:3])), omega.Cross(spatial.Vec3(v[3:]))
		for r := range 3 {
			a[6*i+r] -= turn[r]
			a[6*i+3+r] -= shift[r]
		}
	}
	left, worst, size = s.unbalancedBy(a)
	return left, a, worst, max(size, s.turningForce())
}

// turningForce returns the size of the largest force that would turn the velocities of a body at the largest rate of the mechanism, N:
// m·rate·|ċ|, or the moment m·r²·rate·|ω| over the radius of gyration r.
func (s *System) turningForce() (most float64) {
	_, rate := s.rates()
	for i := range s.mech.Bodies {
		var v [6]float64
		s.velocity(v[:], int32(i))
		w, c := spatial.Vec3(v[:3]), spatial.Vec3(v[3:])
		most = max(most, s.mech.Bodies[i].Mass*rate*max(w.Norm()*s.radius(int32(i)), c.Norm()))
	}
	return most
}

// moveSteadily stores in dst the poses, velocities and time after the time t, s, for a motion from st that is steady in axes that rotate
// with Ω = omega: a body is rotated by exp(Ωt)·exp((ω−Ω)t), and its centre of mass has the velocity exp(Ωt)·ċ.
func (s *System) moveSteadily(dst, st *mechanism.State, omega spatial.Vec3, t float64) {
	rotation := spatial.Exp(omega.Scale(t))
	for i := range st.Bodies {
		b, com := st.Bodies[i], s.mech.Bodies[i].Com
		arm := b.Rotation.Rotate(com)
		speed := b.Velocity.Add(b.Omega.Cross(arm))
		at := b.Position.Add(arm).Add(travel(omega, speed, t))
		out := &dst.Bodies[i]
		out.Rotation = rotation.Mul(spatial.Exp(b.Omega.Sub(omega).Scale(t))).Mul(b.Rotation).Normalize()
		arm = out.Rotation.Rotate(com)
		out.Position, out.Omega = at.Sub(arm), rotation.Rotate(b.Omega)
		out.Velocity = rotation.Rotate(speed).Sub(out.Omega.Cross(arm))
	}
	dst.Time = st.Time + t
}

// travel returns ∫exp(Ωτ)·v dτ from 0 to t, m, for the velocity v, m/s, and Ω = omega, rad/s. With the angle θ = |Ω|·t and the axis n it is
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
