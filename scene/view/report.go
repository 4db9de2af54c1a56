package view

import (
	"context"
	"math"

	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/spatial"
)

// report has the rank of the constraints at a state, their redundant rows, and the joints whose reactions are not unique.
type report struct {
	Rows      int   `json:"rows"`
	Rank      int   `json:"rank"`
	Mobility  int   `json:"mobility"`
	Redundant []int `json:"redundant"` // number of redundant rows of each joint and coupling
	// Undetermined has the joints with a reaction that is not unique.
	Undetermined []int  `json:"undetermined"`
	Error        string `json:"error,omitempty"`
}

// reportOf returns the report on the constraints at a row of the trajectory. For a state without a solution the report has the error
// alone.
//
// It returns the errors of solve, errRow, and the cause for which ctx has ended.
func (v *Viewer) reportOf(ctx context.Context, row int) (*report, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.solve(ctx); err != nil {
		return nil, err
	}
	if err := v.at(row); err != nil {
		return nil, err
	}
	err := v.solver.SolveContext(ctx, v.st)
	var k *kkt.Report
	if err == nil {
		k, err = v.solver.ReportContext(ctx)
	}
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return &report{Error: err.Error()}, nil
	}
	r := &report{Rows: k.Rows, Rank: k.Rank, Mobility: k.Mobility, Redundant: k.RedundantRows, Undetermined: []int{}}
	for j, bits := range k.Undetermined {
		if bits != 0 {
			r.Undetermined = append(r.Undetermined, j)
		}
	}
	return r, nil
}

// reactionFloats is the number of floats of a joint in the reactions.
const reactionFloats = 9

// reactions returns nine numbers for each joint at a row of the trajectory, in the world's axes: the point on the successor at which the
// joint acts, relative to the middle, m, and the force, N, and the moment, N m, on the successor there. A state without a solution has
// NaN in forces and moments.
//
// It returns the errors of solve, errRow, and the cause for which ctx has ended.
func (v *Viewer) reactions(ctx context.Context, row int) ([]byte, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.solve(ctx); err != nil {
		return nil, err
	}
	if err := v.at(row); err != nil {
		return nil, err
	}
	m := v.scene.Mechanism
	failed := v.solver.SolveContext(ctx, v.st)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	b := make([]byte, 0, 4*reactionFloats*len(m.Joints))
	for j := range m.Joints {
		jt := &m.Joints[j]
		p := scene.Point(v.st, mechanism.Attachment{Body: jt.Succ, Point: jt.S.Origin}).Sub(v.center)
		f := spatial.NewForce(spatial.Vec3{math.NaN()}, spatial.Vec3{math.NaN()})
		if failed == nil {
			f = v.solver.TotalWrench(j)
		}
		n, l := f.Moment(), f.Linear()
		b = appendFloats(b, p[0], p[1], p[2], l[0], l[1], l[2], n[0], n[1], n[2])
	}
	return b, nil
}
