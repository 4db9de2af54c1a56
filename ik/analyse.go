package ik

import (
	"fmt"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
)

// NewProblem finds the names of a task in the mechanism of a plan, checks every rule of rung-ik/1 and sets defaults. By
// default all scalar freedoms that are not prescribed are driven. The length that makes angles comparable with lengths is
// the typical length of the mechanism (mechanism.Mechanism.TypicalLength). Tolerances are 1e-9 of this length, and
// 1e-9 rad. The task is kept and must not change.
//
// Cost: O(bodies + joints + task).
// It returns *model.Problems with all rules that are broken, each with its place in a document of rung-ik/1, and
// mechanism.ErrNonholonomic with the joint for a mechanism with nonholonomic rows.
// It panics if plan or task is nil.
func NewProblem(plan *kkt.Plan, task *Task) (*Problem, error) {
	if plan == nil || task == nil {
		panic("ik: no plan or no task")
	}
	p := &Problem{plan: plan, task: task, moving: moves(plan.Mechanism())}
	c := newChecker(p)
	c.options(&task.Solver)
	if p.length = task.Solver.Length; !(p.length > 0) {
		p.length = c.scale
	}
	p.driven = c.drivenFreedoms(task.Driven)
	p.held = c.heldFreedoms(task.Hold)
	c.mergeLimits(task.Limits)
	for i := range task.Targets {
		c.checkTarget(i, &task.Targets[i])
	}
	c.checkPosture(task.Posture)
	c.checkPath(task.Path)
	p.setRows()
	c.filterOptions(task.FIK)
	if err := task.problems(&c.faults); err != nil {
		return nil, err
	}
	if err := plan.Mechanism().Holonomic(); err != nil {
		return nil, fault.Errorf("ik: %w", err)
	}
	if err := p.findEngine(); err != nil {
		return nil, err
	}
	return p, nil
}

// findEngine prepares the engine of the task: the engine on trees if the mechanism is a tree whose freedoms are all driven, held or
// prescribed, else the system with driven freedoms. The sparse method needs neither.
//
// It returns UnderdrivenError unless Options.Passive is set, ErrEngine if the task asks for the engine on trees and the mechanism is no
// such tree, and the errors of drive.
func (p *Problem) findEngine() error {
	o := &p.task.Solver
	if p.sparse(o) {
		return nil
	}
	var passive []string
	p.tree, passive = p.newTree()
	if passive != nil && !o.Passive {
		return &UnderdrivenError{Motions: passive}
	}
	if o.Engine == TreeEngine && p.tree == nil {
		return errNoTree
	}
	if p.tree != nil && o.Engine != DrivenEngine {
		return nil
	}
	var err error
	p.driving, err = p.drive()
	return err
}

// errNoTree is returned where the engine on trees is asked for and cannot be used.
var errNoTree = fmt.Errorf("%w: the engine tree is for mechanisms without loops and passive freedoms", ErrEngine)

// newEngine allocates the engine that o asks for.
//
// It returns an error that wraps ErrEngine for the engine on trees if the mechanism is no such tree, and for the driven engine if the
// problem was made for the sparse one and some of its driven freedoms depend on the others.
func (p *Problem) newEngine(o Options) (engine, error) {
	switch {
	case o.Engine == TreeEngine && p.tree == nil:
		return nil, errNoTree
	case p.tree != nil && o.Engine != DrivenEngine:
		return newTreeEngine(p, p.tree), nil
	case p.driving != nil:
		return newDrivenEngine(p, p.driving), nil
	}
	reduced := *p // as drive takes dependent freedoms out of the driven ones
	d, err := reduced.drive()
	switch {
	case err != nil:
		return nil, err
	case len(reduced.driven) < len(p.driven):
		return nil, fmt.Errorf("%w: the problem has been made for the sparse engine, %d of its driven freedoms would follow", ErrEngine, len(reduced.following))
	}
	return newDrivenEngine(p, d), nil
}
