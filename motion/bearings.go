package motion

import (
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// BearingsTo stores in dst the reactions at st of the joints whose friction grows with their reaction (mechanism.State.Bearings). It
// implements sim.Bearer.
//
// Cost and errors: as Solver.Solve. It panics on a length mismatch.
func (d *Dynamics) BearingsTo(dst []float64, st *mechanism.State) error {
	d.mustBe()
	mustHaveState(st)
	d.time = st.Time
	if err := d.solver.Solve(st); err != nil {
		return err
	}
	d.solver.BearingsTo(dst)
	return nil
}

// BearingsTo is Dynamics.BearingsTo.
func (d *treeMover) BearingsTo(dst []float64, st *mechanism.State) error {
	return d.sparse.BearingsTo(dst, st)
}

// bearingState returns st with the reactions by the multipliers lambda, where friction grows with reactions. If st.Bearings has the length
// for them, they are stored there too. If all multipliers are zero, they are not known yet, and the reactions in st.Bearings are used.
func (n *Newton) bearingState(st *mechanism.State, lambda []float64) (*mechanism.State, error) {
	m, l := n.sys.Layout.Mech, n.sys.Layout
	if len(n.loads) == 0 {
		return st, nil
	}
	n.fresh = false
	if len(st.Bearings) == len(n.loads) && algebra.MaxAbs(lambda) == 0 {
		return st, nil
	}
	if err := m.KinematicsTo(n.sys.Kin, st); err != nil {
		return nil, err
	}
	var jk mechanism.JointKinematics
	for i := range n.loads {
		j := m.Bearing(i)
		T, rows := l.ForceSubspace(j, n.sys.Kin, st)
		first, _ := n.RowsOf(j)
		var w spatial.Force
		for k := range rows {
			w = w.Add(T[k].Scale(lambda[first+k]))
		}
		m.JointTo(&jk, j, n.sys.Kin, st)
		n.loads[i] = m.BearingLoad(j, &w, &jk)
	}
	copy(st.Bearings, n.loads)
	n.loaded = *st
	n.loaded.Bearings = n.loads
	return &n.loaded, nil
}
