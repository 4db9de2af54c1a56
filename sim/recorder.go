package sim

import "github.com/rung-mbd/rung/mechanism"

// Row has the values that a Recorder gets at one time. It belongs to the simulation and changes
// with the next row.
type Row struct {
	State  *mechanism.State
	Energy mechanism.Energy
	Drift  Drift // drift of State, lengths in m
}

// RowAt returns the row of a state of m. k is the kinematics of the state afterwards.
//
// Cost: O(bodies + joints + forces), no allocation. It returns the errors of mechanism.Mechanism.KinematicsTo.
func RowAt(m *mechanism.Mechanism, k *mechanism.Kinematics, st *mechanism.State) (Row, error) {
	v, err := driftOf(m, k, st, nil)
	if err != nil {
		return Row{}, err
	}
	return Row{State: st, Energy: m.EnergyAt(k, st), Drift: driftIn(&v, 1)}, nil
}

// Recorder keeps a trajectory.
type Recorder interface {
	// Record adds a row. It may keep the row in memory until Mark. After an error the row has not been added, and a later Run
	// adds it again.
	Record(r *Row) error
	// Mark stores all rows so far so that they outlast the process, and
	// returns the position from which recording can be resumed.
	Mark() (position int64, err error)
}

// Summed is a Recorder that knows a checksum of its rows. A Checkpoint stores it, so that a run is not
// continued with the trajectory of another one.
type Summed interface {
	Recorder
	// Sum returns the checksum of all rows up to the last Mark.
	Sum() string
}
