package disttest

import (
	"fmt"

	"github.com/rung-mbd/rung/dist"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sim"
)

// Course holds the parameters of Run.
type Course struct {
	Step, End float64 // step size and end time, s
	Every     int     // steps between checkpoints
	Base      string  // path of the checkpoints' files without endings
}

// Run simulates m on the ranks of c by the classical Runge-Kutta method of order 4 with fixed steps and Baumgarte feedback of
// violations. It begins at the latest checkpoint if there is one. before is called in each step, with the number of steps since the
// start, before a checkpoint is written.
//
// It returns the final positions of the bodies of this rank and of its halo, by their numbers in the whole mechanism, and
// the time at which the run began.
func Run(c dist.Comm, m *model.Model, o Course, before func(done int) error) (map[int64][3]float64, float64, error) {
	p, err := dist.NewPlan(c, m, dist.Options{})
	if err != nil {
		return nil, 0, err
	}
	s, err := p.NewSolver()
	if err != nil {
		return nil, 0, err
	}
	store := dist.NewStore(c, o.Base)
	done, began := 0, 0.0
	mech := p.Mechanism()
	r := sim.New(mech, sim.NewRungeKutta(mech, &sim.Baumgarte{Dynamics: s}, sim.RungeKutta4(), sim.Tolerance{}), mech.Initial(), sim.Options{Projector: sim.NoProjector,
		Step: o.Step, Dynamics: fmt.Sprintf("%d ranks", c.Size()),
		OnStep: func(r *sim.Simulation) error {
			done++
			if err := before(done); err != nil || done%o.Every > 0 {
				return err
			}
			cp, err := r.Checkpoint()
			if err != nil {
				return err
			}
			return store.Save(cp)
		},
	})
	cp, err := store.Latest()
	if err != nil {
		return nil, 0, err
	}
	if cp != nil {
		if err := r.Restore(cp); err != nil {
			return nil, 0, err
		}
		began = cp.Time
		done = int(began/o.Step + 0.5)
	}
	if err := r.Run(o.End); err != nil {
		return nil, 0, err
	}
	out := map[int64][3]float64{}
	for i, b := range p.Piece().Body {
		out[b] = r.State().Bodies[i].Position
	}
	return out, began, s.Close()
}
