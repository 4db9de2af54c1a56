package runs

import (
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
)

// View computes rows of states, with memory and solvers of its own. It belongs to one goroutine.
type View struct {
	mech    *mechanism.Mechanism
	columns *sim.Columns
	kin     *mechanism.Kinematics
	bearer  *motion.Dynamics // nil: no friction grows with reactions
	st      *mechanism.State
	row     sim.Row
}

// NewView returns a view with the columns of the options.
//
// It returns the errors of SelectColumns.
func NewView(p *kkt.Plan, o *Options) (*View, error) {
	m := p.Mechanism()
	columns, err := o.SelectColumns(m, p)
	if err != nil {
		return nil, err
	}
	v := &View{mech: m, columns: columns, kin: m.NewKinematics()}
	if m.NumBearings() > 0 {
		v.bearer = motion.NewDynamics(p)
	}
	return v, nil
}

// Columns returns the columns, with the values of the last At.
func (v *View) Columns() *sim.Columns { return v.columns }

// At returns the row of a state, as a recorder gets it, with the values of Columns. Both are the view's own, and change with the next At.
//
// Cost: as a row, and a copy of the state; allocates. It returns the errors of sim.RowAt and reactions.
func (v *View) At(st *mechanism.State) (*sim.Row, []float64, error) {
	v.st = st.Clone()
	if v.bearer != nil {
		v.st.Bearings = make([]float64, v.mech.NumBearings())
		if err := v.bearer.BearingsTo(v.st.Bearings, v.st); err != nil {
			return nil, nil, err
		}
	}
	var err error
	if v.row, err = sim.RowAt(v.mech, v.kin, v.st); err != nil {
		return nil, nil, err
	}
	if err := v.columns.Fill(&v.row); err != nil {
		return nil, nil, err
	}
	return &v.row, v.columns.Values, nil
}

// Row returns the row of the current state, as a recorder gets it, with the values of Columns. The run is not changed: a row
// may be asked for at any time, such as in Options.OnStep. Row and values are the run's own, and change with the next Row.
//
// Cost and errors: as View.At.
func (s *Simulation) Row() (*sim.Row, []float64, error) {
	if s.view == nil {
		var err error
		if s.view, err = NewView(s.plan, &s.o); err != nil {
			return nil, nil, err
		}
	}
	return s.view.At(s.State())
}
