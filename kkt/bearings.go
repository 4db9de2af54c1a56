package kkt

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// ErrJammed is wrapped by the error of a Solve in which friction grows with reactions, and no balance between them was found within 100
// solves: the joints lock themselves.
var ErrJammed = errors.New("kkt: friction and reactions find no balance")

// bearingSolves is the largest number of solves until friction and reactions agree.
const bearingSolves = 100

// bearings are the reactions in joints whose friction grows with them, docs/stops-and-friction.md (J9), (J10).
type bearings struct {
	state  mechanism.State  // the state of the Solve, with the reactions
	load   []float64        // reactions, N
	settle algebra.Settling // says when the reactions change no more

	// By scalar of the system: rows marks the redundant rows of the solution at hand. unique marks redundant rows with which the
	// reactions in bearings are known to be unique; in the beginning none is marked, as reactions are unique without redundant rows.
	rows, unique []bool
	pivots       []float64 // scratch of redundantOf
}

// newBearings allocates the bearings of a core that has its whole system, nil if no friction of its mechanism grows with a reaction. From
// now on the factor of the core notes which rows it takes for redundant.
func newBearings(s *core) *bearings {
	m, n := s.plan.mech, len(s.x)
	if m.NumBearings() == 0 {
		return nil
	}
	s.whole.TrackWeak()
	return &bearings{load: make([]float64, m.NumBearings()), rows: make([]bool, n), unique: make([]bool, n), pivots: make([]float64, n)}
}

// redundantOf marks in b.rows the rows that the solution of s treats as redundant. It reports false, with no row marked, if
// the way of the solution does not tell them, or the solution is not of the present factor.
func (b *bearings) redundantOf(s *core) bool {
	clear(b.rows)
	switch {
	case s.way == TwiceTheDigits:
		copy(b.rows, s.more.redundant())
	case s.way > KeepAllFirmly || !s.now.Current():
		return false
	case ways[s.way].policy == factor.WhereWeak:
		s.now.WeakRows(func(node, row int) { b.rows[int(s.plan.layout.Pattern.Off[node])+row] = true })
	default:
		s.now.PivotsTo(b.pivots)
		for i := s.plan.first(); i < len(b.rows); i++ {
			b.rows[i] = -b.pivots[i] <= factor.WeakPivot*ways[s.way].shrink*s.plan.epsilon*s.sys.Scale[i]
		}
	}
	return true
}

// begin returns a copy of st with reactions of zero. The following solves use it, and take updates its reactions.
func (b *bearings) begin(st *mechanism.State) *mechanism.State {
	clear(b.load)
	b.settle.Begin()
	b.state = *st
	b.state.Bearings = b.load
	return &b.state
}

// take stores the reactions, computed from the constraint wrenches of the joints. It reports whether they agree with the
// reactions before. Changes are relative to the largest reaction; accelerations change less, only by the friction of that change.
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
