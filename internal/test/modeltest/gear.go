package modeltest

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// Gear returns a copy of m in which about half of the scalar freedoms have an armature, between 0.001 and 10, in kg m² or kg.
// Prescribed freedoms may have one too.
func Gear(m *model.Model, rng *rand.Rand) *model.Model {
	out := *m
	out.Joints = slices.Clone(m.Joints)
	for j := range out.Joints {
		jt := &out.Joints[j]
		list := make([]float64, jt.Kind().Freedoms())
		for i := range list {
			if jt.Kind().Scalar(i) && rng.IntN(2) == 0 {
				list[i] = math.Pow(10, 4*rng.Float64()-3)
			}
		}
		if slices.ContainsFunc(list, func(I float64) bool { return I > 0 }) {
			jt.Armature = list
		}
	}
	return &out
}

// Thin returns a copy of m in which about one body in part is a slender rod, with a random axis, or a point mass.
func Thin(m *model.Model, rng *rand.Rand, part int) *model.Model {
	out := *m
	out.Bodies = slices.Clone(m.Bodies)
	for i := range out.Bodies {
		if rng.IntN(part) > 0 {
			continue
		}
		b := &out.Bodies[i]
		a := (b.Inertia.XX + b.Inertia.YY + b.Inertia.ZZ) / 2
		if rng.IntN(3) == 0 {
			b.Inertia = model.Inertia{}
			continue
		}
		n := spatial.Vec3{rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()}
		n = n.Scale(1 / n.Norm())
		b.Inertia = model.Inertia{
			XX: a * (1 - n[0]*n[0]), YY: a * (1 - n[1]*n[1]), ZZ: a * (1 - n[2]*n[2]),
			XY: -a * n[0] * n[1], XZ: -a * n[0] * n[2], YZ: -a * n[1] * n[2],
		}
	}
	return &out
}

// Shuffle returns a copy of m with bodies, joints and couplings in random order.
func Shuffle(m *model.Model, rng *rand.Rand) *model.Model {
	out := *m
	out.Bodies, out.Joints, out.Couplings = slices.Clone(m.Bodies), slices.Clone(m.Joints), slices.Clone(m.Couplings)
	rng.Shuffle(len(out.Bodies), func(i, j int) { out.Bodies[i], out.Bodies[j] = out.Bodies[j], out.Bodies[i] })
	rng.Shuffle(len(out.Joints), func(i, j int) { out.Joints[i], out.Joints[j] = out.Joints[j], out.Joints[i] })
	rng.Shuffle(len(out.Couplings), func(i, j int) { out.Couplings[i], out.Couplings[j] = out.Couplings[j], out.Couplings[i] })
	return &out
}
