package runs

import (
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
)

// View computes rows of given states, with its own memory and solvers. Only one goroutine may use it at a time.
type View struct {
	mech     *mechanism.Mechanism
	columns  *sim.Columns
	kin      *mechanism.Kinematics
	bearings *motion.Dynamics // computes mechanism.State.Bearings; nil if no friction grows with reactions
	st       *mechanism.State
	row      sim.Row
}

// NewView returns a view with the columns that the options choose.
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
		v.bearings = motion.NewDynamics(p)
	}
	return v, nil
}

// Columns returns the columns, with the values of the last At.
func (v *View) Columns() *sim.Columns { return v.columns }

// At returns the row of a state, as a sim.Recorder gets it, and the values of the columns. Both belong to v, and change with the next At.
//
// Cost: as a row, and a copy of the state; allocates. It returns the errors of sim.RowAt and reactions.
func (v *View) At(st *mechanism.State) (*sim.Row, []float64, error) {
	v.st = st.Clone()
	if v.bearings != nil {
		v.st.Bearings = make([]float64, v.mech.NumBearings())
		if err := v.bearings.BearingsTo(v.st.Bearings, v.st); err != nil {
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

// Row returns the row of the current state, as a sim.Recorder gets it, and the values of the columns. It does not change the run, and may
// be called at any time, such as in Options.OnStep. Row and values belong to s, and change with the next call.
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
