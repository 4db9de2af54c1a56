package simulate

import (
	"github.com/rung-mbd/rung/cmd/rung/internal/ranks"
	"github.com/rung-mbd/rung/dist"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// stateNumbers are those of a body on their way to rank 0.
const stateNumbers = 13

// gathered is the sim.Recorder of a rank: it brings what its own bodies do to rank 0, whose watcher sees rows of the whole
// mechanism.
type gathered struct {
	rank *ranks.Rank
	own  int
	from []angle // own angles that go to rank 0
	out  []float64

	// Of rank 0.
	watch  *watcher
	state  *mechanism.State // of the whole
	kin    mechanism.Kinematics
	bodies [][]int // by rank: its bodies in the whole
	angles [][]int // by rank: its angles in the whole
	in     [][]float64
}

// angle is a place in the angles of a piece, and in those of the whole.
type angle struct{ here, there int }

// newGathered returns the recorder of a rank. whole is the mechanism, and watch is what sees its rows, on rank 0.
func newGathered(r *ranks.Rank, p *dist.Plan, whole *mechanism.Mechanism, watch *watcher) *gathered {
	g := &gathered{rank: r, own: p.Piece().Own, watch: watch}
	g.from = anglesOf(p, whole)
	list := make([]float64, 0, g.own+len(g.from))
	for _, b := range p.Piece().Body[:g.own] {
		list = append(list, float64(b))
	}
	for _, a := range g.from {
		list = append(list, float64(a.there))
	}
	g.out = make([]float64, stateNumbers*g.own+len(g.from))
	if !r.Head() {
		r.Send(0, []float64{float64(g.own), float64(len(g.from))})
		r.Send(0, list)
		return g
	}
	g.state, g.kin.Bodies = whole.Initial(), make([]mechanism.BodyKinematics, whole.NumBodies())
	for other := range r.Size() {
		size := []float64{float64(g.own), float64(len(g.from))}
		of := list
		if other > 0 {
			r.Recv(other, size)
			of = make([]float64, int(size[0]+size[1]))
			r.Recv(other, of)
		}
		n := int(size[0])
		g.bodies = append(g.bodies, integers(of[:n]))
		g.angles = append(g.angles, integers(of[n:]))
		g.in = append(g.in, make([]float64, stateNumbers*n+len(of)-n))
	}
	return g
}

func integers(v []float64) []int {
	out := make([]int, len(v))
	for i, x := range v {
		out[i] = int(x)
	}
	return out
}

// anglesOf returns the angles of a piece that its state carries (mechanism.State.Angles), with their places in the whole.
func anglesOf(p *dist.Plan, whole *mechanism.Mechanism) (list []angle) {
	m := p.Mechanism()
	if m.NumSprung() == 0 {
		return nil
	}
	for j := range m.Joints {
		n := m.Joints[j].Kind.Freedoms()
		if a := m.Joints[j].Axes; a != nil {
			n = a.Len()
		}
		for i := range n {
			if at := m.AnglePlace(mechanism.Freedom{Joint: j, Freedom: i}); at >= 0 {
				list = append(list, angle{at, whole.AnglePlace(mechanism.Freedom{Joint: int(p.Piece().Joint[j]), Freedom: i})})
			}
		}
	}
	return list
}

// gather brings a state of the pieces to rank 0, where it is then in g.state.
func (g *gathered) gather(st *mechanism.State) {
	at := g.out
	for i := range st.Bodies[:g.own] {
		b := &st.Bodies[i]
		copy(at[0:3], b.Position[:])
		copy(at[3:7], b.Rotation[:])
		copy(at[7:10], b.Velocity[:])
		copy(at[10:13], b.Omega[:])
		at = at[stateNumbers:]
	}
	for i, a := range g.from {
		at[i] = st.Angles[a.here]
	}
	if !g.rank.Head() {
		g.rank.Send(0, g.out)
		return
	}
	g.state.Time = st.Time
	for r, in := range g.in {
		if copy(in, g.out); r > 0 {
			g.rank.Recv(r, in)
		}
		for _, i := range g.bodies[r] {
			g.state.Bodies[i] = mechanism.BodyState{
				Position: spatial.Vec3(in[0:3]), Rotation: spatial.Quat(in[3:7]), Velocity: spatial.Vec3(in[7:10]), Omega: spatial.Vec3(in[10:13]),
			}
			in = in[stateNumbers:]
		}
		for i, to := range g.angles[r] {
			g.state.Angles[to] = in[i]
		}
	}
}

// Record implements sim.Recorder, on all ranks together.
func (g *gathered) Record(row *sim.Row) error {
	g.gather(row.State)
	var err error
	if g.rank.Head() {
		m := g.watch.mech
		if err = m.KinematicsTo(&g.kin, g.state); err == nil {
			err = g.watch.Record(&sim.Row{State: g.state, Energy: m.EnergyAt(&g.kin, g.state), Drift: row.Drift})
		}
	}
	return dist.Agree(g.rank, err)
}

// see is watcher.see for the whole.
func (g *gathered) see(st *mechanism.State) {
	if g.gather(st); g.rank.Head() {
		g.watch.see(g.state)
	}
}

// Mark implements sim.Recorder, on all ranks together.
func (g *gathered) Mark() (at int64, err error) {
	if g.rank.Head() {
		at, err = g.watch.Mark()
	}
	return at, dist.Agree(g.rank, err)
}

// Sum implements sim.Summed.
func (g *gathered) Sum() string {
	if g.rank.Head() {
		return g.watch.Sum()
	}
	return ""
}
