package motion

import "context"

// Watch makes the methods of d, and of a Newton that contains d, end early when ctx does, until end is called (kkt.Workspace.Watch).
// sim.Simulation.RunContext calls it.
func (d *Dynamics) Watch(ctx context.Context) (end func()) {
	d.mustBe()
	return d.solver.Watch(ctx)
}

// Watch makes the methods of d end early when ctx does, until end is
// called (tree.ClosedSolver.Watch, kkt.Workspace.Watch).
func (d *treeMover) Watch(ctx context.Context) (end func()) {
	tree, sparse, gauge := d.solver.Watch(ctx), d.sparse.Watch(ctx), d.gauge.Watch(ctx)
	return func() {
		gauge()
		sparse()
		tree()
	}
}
