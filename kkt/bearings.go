package kkt

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// ErrJammed is wrapped by the error of a Solve in which friction and the reactions that it grows with find no balance,
// or none within 100 solves: the joints lock themselves.
var ErrJammed = errors.New("kkt: friction and reactions find no balance")

// bearingSolves bounds the solves in which friction and reactions have to agree.
const bearingSolves = 100

// bearings are the reactions in joints whose friction grows with them, docs/stops-and-friction.md (J9), (J10).
type bearings struct {
	state   mechanism.State // that of the Solve, with the reactions
	load    []float64       // N
	settle  algebra.Settling
	checked int // number of redundant rows for which the reactions are known to be unique
}

func newBearings(m *mechanism.Mechanism) *bearings {
	if m.NumBearings() == 0 {
		return nil
	}
	return &bearings{load: make([]float64, m.NumBearings())}
}

// begin returns the state of a solve with the reactions so far, none in the beginning.
func (b *bearings) begin(st *mechanism.State) *mechanism.State {
	clear(b.load)
	b.settle.Begin()
	b.state = *st
	b.state.Bearings = b.load
	return &b.state
}

// take stores the reactions, computed from the constraint wrenches of the joints. It reports whether they agree with those
// before. Changes are relative to the largest reaction; accelerations change less, by the friction that it makes.
func (b *bearings) take(m *mechanism.Mechanism, k *mechanism.Kinematics, wrench func(j int) spatial.Force) bool {
	var jk mechanism.JointKinematics
	change, size := 0.0, 0.0
	for i := range b.load {
		j := m.Bearing(i)
		m.JointTo(&jk, j, k, &b.state)
		w := wrench(j)
		load := m.BearingLoad(j, &w, &jk)
		change, size = max(change, math.Abs(load-b.load[i])), max(size, load)
		b.load[i] = load
	}
	return size == 0 || b.settle.Rests(change/size)
}
