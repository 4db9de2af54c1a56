package bench

import (
	"math"

	"github.com/rung-mbd/rung/model"
)

// Sizes of wheels.
const (
	wheelLeast, wheelMost = 0.04, 0.1 // m, radii
	wheelDensity          = 150.0     // kg/m², of the disc
	wheelTorque           = 2.0       // N m, on the first one
	wheelSpeed            = 0.5       // m/s at most, of the rims
)

// GearTrain is a row of n gear wheels "g0", … on the ground, each on a hinge "b0", … about z. Neighbouring wheels k − 1 and
// k mesh: the coupling "mk" is the sum of r·θ of both, less an offset. A torque drives the first wheel. Radii, angles and
// the speed are drawn from the seed.
//
// n bodies, n joints, n−1 couplings; no redundancy, mobility 1.
//
// Cost: O(n). It returns ErrSize.
func GearTrain(n int, seed uint64) (*model.Model, error) {
	return wheels("gear-train", n, seed, -1, false)
}

// Belt is a closed belt over n pulleys in a row, which all turn the same way. The strand between pulleys k − 1 and k is the
// coupling "sk", and "s0" is the strand between the last pulley and the first. A coupling is the difference of r·θ of
// its two pulleys, less an offset. As the belt is closed, one of the n couplings is redundant. With one pulley there is no
// belt; with two pulleys both strands are between the same pulleys.
//
// n bodies, n joints, n couplings for n > 1; 1 redundant row, mobility 1.
//
// Cost: O(n). It returns ErrSize.
func Belt(n int, seed uint64) (*model.Model, error) { return wheels("belt", n, seed, 1, true) }

// wheels is a row of wheels that turn one way (sense 1), or one another (sense −1).
func wheels(name string, n int, seed uint64, sense float64, closed bool) (*model.Model, error) {
	nb, err := count(name, n, func(n int64) int64 { return n })
	if err != nil {
		return nil, err
	}
	r := newRig(name, n, seed, nb, nb)
	r.m.Couplings = make([]model.Coupling, 0, n)
	mark := "m"
	if closed {
		mark = "s"
	}
	radius, angle := make([]float64, n), make([]float64, n)
	speed, x := r.uniform(wheelSpeed), 0.0
	for k := range n {
		R := r.between(wheelLeast, wheelMost)
		radius[k], angle[k] = R, r.uniform(math.Pi)
		if x += R; k > 0 {
			x += radius[k-1]
		}
		rate := speed / R
		if k%2 == 1 {
			rate *= sense
		}
		mass := wheelDensity * math.Pi * R * R
		I := mass * R * R / 4
		i := r.body(r.name("g", k), solid{mass, vec{}, model.Inertia{XX: I, YY: I, ZZ: 2 * I}}, place{vec{x}, turn(vec{2: 1}, angle[k])}, twist{w: vec{2: rate}})
		j := r.joint(r.name("b", k), model.Revolute, ground, i, at(vec{x}), origin)
		if k == 0 {
			j.Force = append(r.list(1)[:0], wheelTorque)
		} else {
			r.couple(r.name(mark, k), radius, angle, k-1, k, -sense)
		}
	}
	if closed && n > 1 {
		r.couple(r.name(mark, 0), radius, angle, n-1, 0, -sense)
	}
	return r.m, nil
}

// couple appends the coupling of wheels a and b: r·θ of a and sign times r·θ of b keep their sum.
func (r *rig) couple(name string, radius, angle []float64, a, b int, sign float64) {
	r.m.Couplings = append(r.m.Couplings, model.Coupling{
		Name: name, Offset: radius[a]*angle[a] + sign*radius[b]*angle[b],
		Terms: []model.CouplingTerm{
			{Coupled: model.Coupled{Joint: r.m.Joints[a].Name}, Factor: radius[a]},
			{Coupled: model.Coupled{Joint: r.m.Joints[b].Name}, Factor: sign * radius[b]},
		},
	})
}

// RimAcceleration is the acceleration of the rims of a GearTrain or Belt, m/s²: the torque over the radius of the first
// wheel, over Σ I/r² of all, which is Σ m/2.
func RimAcceleration(m *model.Model) float64 {
	sum := 0.0
	for i := range m.Bodies {
		sum += m.Bodies[i].Mass / 2
	}
	first := math.Sqrt(2 * m.Bodies[0].Inertia.ZZ / m.Bodies[0].Mass)
	return m.Joints[0].Force[0] / first / sum
}
