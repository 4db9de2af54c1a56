package main

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/tree"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// stabiliseFlag is the value of --stabilise: how violations of the joints are fought.
type stabiliseFlag string

// The values of --stabilise.
const (
	projection stabiliseFlag = "projection"
	baumgarte  stabiliseFlag = "baumgarte"
	none       stabiliseFlag = "none"
)

var stabiliseNames = []string{string(projection), string(baumgarte), string(none)}

func (f *stabiliseFlag) String() string { return string(*f) }
func (f *stabiliseFlag) Type() string   { return "name" }

func (f *stabiliseFlag) Set(s string) error {
	if !slices.Contains(stabiliseNames, s) {
		return fmt.Errorf("no stabilisation %s; there are %s", fault.Name(s), strings.Join(stabiliseNames, ", "))
	}
	*f = stabiliseFlag(s)
	return nil
}

func (f *stabiliseFlag) add(cmd *cobra.Command) {
	*f = projection
	cmd.Flags().Var(f, "stabilise", "how violations of joints are fought: "+strings.Join(stabiliseNames, ", "))
	complete(cmd, "stabilise", stabiliseNames...)
}

var _ pflag.Value = (*stabiliseFlag)(nil)

// mover is what moves a mechanism in time.
type mover struct {
	dynamics  sim.Dynamics
	projector sim.Projector // nil unless violations are projected away
	settings  string        // method, ordering and stabilisation
}

// newMover returns the dynamics of the method with the stabilisation. d solves for
// the plan.
func newMover(plan *rung.Plan, d *motion.Dynamics, method methodFlag, stab stabiliseFlag) (*mover, error) {
	m := &mover{dynamics: d, settings: fmt.Sprintf("%s %v, %s", method, plan.Ordering(), stab)}
	if method != sparseMethod {
		t, err := newTreeDynamics(plan, string(method))
		if err != nil {
			return nil, err
		}
		m.dynamics = t
	}
	switch stab {
	case projection:
		m.projector = d
	case baumgarte:
		m.dynamics = &sim.Baumgarte{Dynamics: d}
	}
	return m, nil
}

// treeDynamics are the accelerations by a tree method. It does not tell how near a pose is to a singular one: the sparse
// method does, at the end of every step.
type treeDynamics struct {
	solver *tree.ClosedSolver
	acc    []spatial.ClassicalAccel
	gauge  *rung.Solver
	last   *mechanism.State
}

var _ sim.Gauge = (*treeDynamics)(nil)

func newTreeDynamics(p *rung.Plan, method string) (*treeDynamics, error) {
	mech := p.Mechanism()
	plan, err := tree.NewPlan(mech, tree.Options{})
	if err != nil {
		return nil, err
	}
	if n := float64(plan.NumDof() + plan.NumRows()); 8*n*n > treeMemory {
		return nil, fmt.Errorf("%s takes too much memory for %s", method, plural(mech.NumBodies(), "body"))
	}
	return &treeDynamics{
		solver: plan.NewSolver(treeMethod(method), tree.SolverOptions{}), acc: make([]spatial.ClassicalAccel, mech.NumBodies()),
		gauge: p.NewSolver(),
	}, nil
}

// Accelerations implements sim.Dynamics.
func (d *treeDynamics) Accelerations(a []float64, st *mechanism.State) error {
	if err := d.solver.Solve(st); err != nil {
		return err
	}
	d.last = st
	d.solver.AccelerationsTo(d.acc)
	for i := range d.acc {
		copy(a[6*i:6*i+6], d.acc[i][:])
	}
	return nil
}

// Nearness implements sim.Gauge. Where the sparse method has no solution, nothing is known.
func (d *treeDynamics) Nearness() (near float64, redundant int) {
	if d.gauge.Solve(d.last) != nil {
		return math.Inf(1), 0
	}
	return d.gauge.Nearness()
}
