package linear

import (
	"fmt"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

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

// secondTo stores in d the second derivative by time of the forces on the two bodies, with the parts of the reaction constant
// in P or in S, where the bodies have the velocities u and the accelerations a. changeTo has the first one for u.
func (r *reaction) secondTo(d, u, a *[12]float64) {
	wP, wS, alphaP, alphaS := spatial.Vec3(u[:3]), spatial.Vec3(u[6:9]), spatial.Vec3(a[:3]), spatial.Vec3(a[6:9])
	// turned returns the first and second derivatives of a vector that is fixed in a body.
	turned := func(x, w, alpha spatial.Vec3) (first, second spatial.Vec3) {
		first = w.Cross(x)
		return first, alpha.Cross(x).Add(w.Cross(first))
	}
	f := r.Unit.Linear()
	fd, fdd := turned(f, wP, alphaP)
	_, inP := turned(r.withP.Moment(), wP, alphaP)
	_, inS := turned(r.withS, wS, alphaS)
	sd, sdd := turned(r.Arm[1], wS, alphaS)
	// The force acts on both bodies at the origin of S.
	pd := spatial.Vec3(u[9:12]).Add(sd).Sub(spatial.Vec3(u[3:6]))
	pdd := spatial.Vec3(a[9:12]).Add(sdd).Sub(spatial.Vec3(a[3:6]))
	for e, arm := range [2][3]spatial.Vec3{{r.Arm[0], pd, pdd}, {r.Arm[1], sd, sdd}} {
		m := inP.Add(inS).Add(arm[2].Cross(f)).Add(arm[1].Cross(fd).Scale(2)).Add(arm[0].Cross(fdd))
		sign := float64(2*e - 1)
		for k := range 3 {
			d[6*e+k], d[6*e+3+k] = sign*m[k], sign*fdd[k]
		}
	}
}
