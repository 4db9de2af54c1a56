package runs

import (
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
)

// now computes rows of the current state, with memory and solvers of its own, so that the run does not notice.
type now struct {
	plan    *kkt.Plan
	columns *sim.Columns // nil before the first row
	kin     *mechanism.Kinematics
	bearer  *motion.Dynamics // nil: no friction grows with reactions
	st      *mechanism.State
	row     sim.Row
}

// Row returns the row of the current state, as a recorder gets it, with the values of Columns. The run is not changed: a row
// may be asked for at any time, such as in Options.OnStep. Row and values are the run's own, and change with the next Row.
//
// Cost: that of a row, and a copy of the state; allocates. It returns the errors of sim.RowAt and of reactions.
func (s *Simulation) Row() (*sim.Row, []float64, error) {
	n := &s.now
	if n.columns == nil {
		columns, err := s.o.SelectColumns(s.mech, n.plan)
		if err != nil {
			return nil, nil, err
		}
		n.columns, n.kin = columns, s.mech.NewKinematics()
		if s.mech.NumBearings() > 0 {
			n.bearer = motion.NewDynamics(n.plan)
		}
	}
	n.st = s.State().Clone()
	if n.bearer != nil {
		n.st.Bearings = make([]float64, s.mech.NumBearings())
		if err := n.bearer.BearingsTo(n.st.Bearings, n.st); err != nil {
			return nil, nil, err
		}
	}
	var err error
	if n.row, err = sim.RowAt(s.mech, n.kin, n.st); err != nil {
		return nil, nil, err
	}
	if err := n.columns.Fill(&n.row); err != nil {
		return nil, nil, err
	}
	return &n.row, n.columns.Values, nil
}
