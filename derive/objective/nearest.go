package objective

import (
	"github.com/rung-mbd/rung/derive/adjoint"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// nearestStep is the change of a parameter by which starts are differenced, relative to its size (stepFor). Of order 4 that errs by some
// 1e-12, and closing, which ends where a step gains no more, by some 1e-9 over the step.
const nearestStep = 1e-3

// far reports whether the start of a run is the nearest state to a pose of the model that does not fit the joints. It then follows as the
// nearest state does, of which (D3), (D4) are the first order at poses that fit alone.
func (g *Problem) far() bool {
	return g.closes == startClosed && len(g.held) == 0 && g.mech.Holds(g.plan.Initial()) != nil
}

// nearestTangents returns how the nearest state follows each parameter, by differences of order 4 of closed models: as startTangents.
func (g *Problem) nearestTangents() ([][]float64, error) {
	dx := make([][]float64, len(g.parameters))
	for k := range dx {
		h := g.stepFor(k, nearestStep)
		whole, err := g.nearestDifference(k, h)
		if err != nil {
			return nil, err
		}
		half, err := g.nearestDifference(k, h/2)
		if err != nil {
			return nil, err
		}
		for i := range half {
			half[i] = (4*half[i] - whole[i]) / 3
		}
		dx[k] = half
	}
	return dx, nil
}

// nearestDifference returns the central difference of the start by parameter k.
func (g *Problem) nearestDifference(k int, h float64) ([]float64, error) {
	var sides [2]*mechanism.State
	var mech [2]*mechanism.Mechanism
	for i, by := range [2]float64{h, -h} {
		values := g.Values()
		values[k] += by
		p, err := g.With(values)
		if err == nil {
			sides[i], err = p.begun()
		}
		if err != nil {
			return nil, fault.Errorf("derive/objective: the start by parameter %s: %w", fault.Name(g.o.Parameters[k].Name), err)
		}
		mech[i] = p.mech
	}
	dx := make([]float64, 0, adjoint.PerBody*len(sides[0].Bodies))
	for b := range sides[0].Bodies {
		var arm [2]spatial.Vec3
		for i, st := range sides {
			arm[i] = st.Bodies[b].Rotation.Rotate(mech[i].Bodies[b].Com)
		}
		x, y := &sides[0].Bodies[b], &sides[1].Bodies[b]
		for _, v := range [4]spatial.Vec3{
			x.Rotation.Mul(y.Rotation.Conj()).Log(),
			x.Position.Add(arm[0]).Sub(y.Position.Add(arm[1])),
			x.Omega.Sub(y.Omega),
			x.Velocity.Add(x.Omega.Cross(arm[0])).Sub(y.Velocity.Add(y.Omega.Cross(arm[1]))),
		} {
			v = v.Scale(1 / (2 * h))
			dx = append(dx, v[:]...)
		}
	}
	return dx, nil
}
