package sim

import "github.com/rung-mbd/rung/mechanism"

// Row has the numbers that a Recorder gets at one time. It is the simulation's own and changes
// with the next row.
type Row struct {
	State  *mechanism.State
	Energy mechanism.Energy
	Drift  Drift // of State
}

// RowAt returns the row of a state of m. k is the kinematics of the state afterwards.
//
// Cost: O(bodies + joints + forces), no allocation. It returns an error for a state that is not finite.
func RowAt(m *mechanism.Mechanism, k *mechanism.Kinematics, st *mechanism.State) (Row, error) {
	v, err := driftOf(m, k, st, nil)
	if err != nil {
		return Row{}, err
	}
	return Row{State: st, Energy: m.EnergyAt(k, st), Drift: driftIn(&v, 1)}, nil
}

// Recorder keeps a trajectory.
type Recorder interface {
	// Record adds a row. It may be kept in memory until Mark. After an error the row has not been added: a later Run adds it again.
	Record(r *Row) error
	// Mark puts everything recorded so far where it outlasts the process, and
	// returns the position from which recording can be resumed.
	Mark() (position int64, err error)
}

// Summed is a Recorder that knows a checksum of its rows. A Checkpoint keeps it, so that a run does not
// go on with the trajectory of another.
type Summed interface {
	Recorder
	// Sum returns the checksum of everything up to the last Mark.
	Sum() string
}
