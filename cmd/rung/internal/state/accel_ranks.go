package state

import (
	"runtime/debug"

	"github.com/rung-mbd/rung/cmd/rung/internal/ranks"
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/dist"
	"github.com/rung-mbd/rung/internal/machine"
	"github.com/rung-mbd/rung/motion"
	"github.com/spf13/cobra"
)

// accelOnRanks runs rung accel with --ranks on the model at path.
func accelOnRanks(cmd *cobra.Command, path string, f *accelFlags) error {
	load := func(r *ranks.Rank) (of ranks.Model, err error) {
		switch {
		case f.method.Method != motion.Sparse:
			return of, shell.UseErrorf("--ranks needs --method sparse")
		case !f.ordering.IsAuto():
			return of, shell.UseErrorf("--ordering is not for --ranks: each rank finds the order of its piece")
		}
		p := shell.NewProgress(r.Stderr)
		defer p.End()
		return ranks.ReadModel(r, path, shell.InputOf(cmd), p)
	}
	large := shell.Large(path)
	if large {
		defer debug.SetGCPercent(debug.SetGCPercent(machine.TightGC))
	}
	return ranks.Launch(cmd, &f.ranks, load, func(r *ranks.Rank, of ranks.Model) error {
		x, err := accelerateRank(r, &of, f, shell.ModelFile(path))
		if err != nil {
			return err
		}
		if r.Head() {
			err = f.print(r.Stdout, x.result, x.entries())
			x.end()
		} else {
			x.serve()
		}
		if e := x.solver.Close(); err == nil {
			err = shell.Failed("", e)
		}
		return err
	})
}

// accelerateRank solves on one rank, all ranks together. On rank 0 the result has the document without bodies and joints.
func accelerateRank(r *ranks.Rank, of *ranks.Model, f *accelFlags, name string) (x *pieces, err error) {
	r.Options.Threads = int(f.threads)
	if err = of.Read(r); err != nil {
		return nil, err
	}
	x = &pieces{rank: r}
	if x.view, err = of.View(r, nil); err != nil {
		return nil, err
	}
	if x.plan, err = of.Plan(r, r.Options); err != nil {
		return nil, shell.Failed(name, err)
	}
	if x.solver, err = x.plan.NewSolver(); err != nil {
		return nil, shell.Failed(name, err)
	}
	m := x.plan.Mechanism()
	x.state, x.kin = m.Initial(), m.NewKinematics()
	if err = x.solver.Solve(x.state); err != nil {
		return nil, shell.Failed(name, err)
	}
	x.a = make([]float64, 6*x.plan.Piece().Own)
	x.solver.AccelerationsTo(x.a)
	if err = m.KinematicsTo(x.kin, x.state); err == nil {
		err = x.begin()
	}
	if err = dist.Agree(r, err); err == nil {
		err = x.explain(f.ranks.RootName())
	}
	if err != nil {
		return nil, shell.Failed(name, err)
	}
	x.gather()
	return x, nil
}
