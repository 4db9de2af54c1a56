package rung

import (
	"context"

	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/results"
)

// NewBuilder starts a model. Gravity is −9.81 m/s² along world z.
func NewBuilder(name string) *Builder { return build.New(name) }

// At is a place with the world's axes.
func At(x, y, z float64) Place { return build.At(x, y, z) }

// Open reads a model file in the format rung-model/1.
//
// It returns all problems of the document together (*model.Problems), each
// with file, JSON path and value.
func Open(path string) (*model.Model, error) { return model.ReadFile(path) }

// NewPlan checks and analyses m. The plan does not refer to m.
//
// Cost: near-linear in bodies and joints.
// It returns the problems of m as model.Check does, and a *factor.CostError with the expected cost if the factor exceeds
// Options.MaxNonZeros (0 stands for kkt.DefaultMaxNonZeros) or Options.MaxFlops. It panics if m is nil or an option
// out of range.
func NewPlan(m *model.Model, o Options) (*Plan, error) {
	return NewPlanContext(context.Background(), m, o)
}

// NewPlanContext is NewPlan, and ends early when ctx does.
//
// It then returns the cause of ctx; its other errors and panics are NewPlan's.
func NewPlanContext(ctx context.Context, m *model.Model, o Options) (*Plan, error) {
	mech, err := mechanism.NewContext(ctx, m)
	if err != nil {
		return nil, err
	}
	if o.MaxNonZeros == 0 {
		o.MaxNonZeros = kkt.DefaultMaxNonZeros
	}
	return kkt.NewPlanContext(ctx, mech, o)
}

// Accelerate solves and explains the state written in m.
//
// Cost: a plan, one Solve and one Report.
// It returns the errors of NewPlan, Solver.Solve and results.New.
func Accelerate(m *model.Model, o Options) (*Result, error) {
	plan, err := NewPlan(m, o)
	if err != nil {
		return nil, err
	}
	s := plan.NewSolver()
	if err := s.Solve(plan.Initial()); err != nil {
		return nil, err
	}
	return results.New(s)
}
