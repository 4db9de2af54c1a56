package ik

import (
	"slices"

	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/model"
)

// MotionsTo prescribes the driven freedoms in m, the model of p, as splines through their coordinates at the times, so that simulations and
// inverse dynamics follow the path.
//
// Shapes: values has one entry a time, each with one number a driven freedom, rad or m. Cost: O(times · freedoms); allocates.
func (p *Problem) MotionsTo(m *model.Model, times []float64, values [][]float64) {
	for i, f := range p.driven {
		j := &m.Joints[f.Joint]
		motions := make([]*model.Motion, j.Kind().Freedoms())
		copy(motions, j.Motion)
		v := make([]float64, len(times))
		for k := range times {
			v[k] = values[k][i]
		}
		motions[f.Freedom] = &model.Motion{Kind: joints.Spline, Times: slices.Clone(times), Values: v}
		j.Motion = motions
	}
}
