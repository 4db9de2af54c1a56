package simulate

import (
	"github.com/rung-mbd/rung/cmd/rung/internal/ranks"
	"github.com/rung-mbd/rung/dist"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// stateNumbers is the count of numbers by which the state of a body is sent to rank 0: position, quaternion, velocity, angular
// velocity.
const stateNumbers = 13

// gatherer is the sim.Recorder of a rank: it sends the states of the rank's own bodies to rank 0, whose runs.Record gets rows
// of the whole mechanism.
type gatherer struct {
	rank     *ranks.Rank
	mech     *mechanism.Mechanism // of the piece
	bodies   []int                // own bodies whose states are sent to rank 0
	rest     []int                // own bodies of which only the energy is sent
	angles   []int                // own angles that are sent
	internal []int                // own internal states that are sent
	out      []float64            // message: states of bodies, angles, internal states, the two energies of rest
	// The following is nil or zero but on rank 0.
	watch *runs.Record
	whole *mechanism.Mechanism // of the view
	state *mechanism.State     // of whole
	kin   mechanism.Kinematics // buffer
	from  []places             // by rank
	in    [][]float64          // received messages, by rank
	other [2]float64           // kinetic energy and energy in gravity of the bodies that are not in whole, J
}

// places says where the bodies, angles and internal states that a rank sends belong in the state of the view on rank 0.
type places struct{ bodies, angles, internal []int }

// owner identifies an angle or an internal state without its place in a state: the n-th one of a joint, or the n-th one of the
// contacts of a body, from 0 on.
type owner struct {
	body      bool // number is of a body, not of a joint
	number, n int
}

// newGatherer returns the recorder of a rank, all ranks together. watch records the rows of whole, the mechanism of the view, on
// rank 0; on other ranks both are nil.
func newGatherer(r *ranks.Rank, p *dist.Plan, view *ranks.View, watch *runs.Record, whole *mechanism.Mechanism) *gatherer {
	g := &gatherer{rank: r, mech: p.Mechanism(), watch: watch, whole: whole}
	numbers := g.share(p, view)
	g.out = make([]float64, stateNumbers*len(g.bodies)+len(g.angles)+len(g.internal)+len(g.other))
	sizes, lists := r.Lists([]float64{float64(len(g.bodies)), float64(len(g.angles)), float64(len(g.internal))}), r.Lists(numbers)
	if !r.Head() {
		return g
	}
	g.receive(sizes, lists)
	return g
}

// share chooses the bodies, angles and internal states of the piece that this rank sends to rank 0. It returns their places in
// the view as numbers: for each body its place, for each angle the joint and n of its owner, for each internal state 1 for a
// body or 0 for a joint, its place, and n of the owner.
func (g *gatherer) share(p *dist.Plan, view *ranks.View) (numbers []float64) {
	piece := p.Piece()
	for i, b := range piece.Body[:piece.Own] {
		if at, ok := view.BodyAt(b); ok {
			g.bodies = append(g.bodies, i)
			numbers = append(numbers, float64(at))
		} else {
			g.rest = append(g.rest, i)
		}
	}
	for i, o := range anglesOf(g.mech) {
		if at, ok := view.JointAt(piece.Joint[o.number]); ok && p.JointCounts(o.number) {
			g.angles = append(g.angles, i)
			numbers = append(numbers, float64(at), float64(o.n))
		}
	}
	for i, o := range internalOf(g.mech) {
		var at int
		ok, body := false, 0.0
		if o.body {
			at, ok = view.BodyAt(piece.Body[o.number])
			body = 1
		} else if p.JointCounts(o.number) {
			at, ok = view.JointAt(piece.Joint[o.number])
		}
		if ok {
			g.internal = append(g.internal, i)
			numbers = append(numbers, body, float64(at), float64(o.n))
		}
	}
	return numbers
}

// receive sets, on rank 0, where the numbers of each rank belong in the state of the view. For each rank, sizes has its counts
// of bodies, angles and internal states, and lists the numbers that share returned there.
func (g *gatherer) receive(sizes, lists [][]float64) {
	whole := g.whole
	g.state, g.kin.Bodies = whole.Initial(), make([]mechanism.BodyKinematics, whole.NumBodies())
	g.state.Angles, g.state.Internal = make([]float64, whole.NumAngles()), make([]float64, whole.NumInternal())
	angle, internal := make(map[owner]int), make(map[owner]int)
	for i, o := range anglesOf(whole) {
		angle[o] = i
	}
	for i, o := range internalOf(whole) {
		internal[o] = i
	}
	for rank, v := range lists {
		var at places
		bodies, angles := int(sizes[rank][0]), int(sizes[rank][1])
		for _, x := range v[:bodies] {
			at.bodies = append(at.bodies, int(x))
		}
		for v = v[bodies:]; len(at.angles) < angles; v = v[2:] {
			at.angles = append(at.angles, angle[owner{number: int(v[0]), n: int(v[1])}])
		}
		for ; len(v) > 0; v = v[3:] {
			at.internal = append(at.internal, internal[owner{v[0] != 0, int(v[1]), int(v[2])}])
		}
		g.from = append(g.from, at)
		g.in = append(g.in, make([]float64, stateNumbers*bodies+angles+len(at.internal)+len(g.other)))
	}
}

// anglesOf returns the owner of each angle of a state with all angles (mechanism.State.Angles), in the order of the state.
func anglesOf(m *mechanism.Mechanism) []owner {
	list := make([]owner, m.NumAngles())
	for j := range m.Joints {
		for i := range max(m.Joints[j].Kind.Freedoms(), m.Joints[j].NumNear()) {
			if at := m.AnglePlace(mechanism.Freedom{Joint: j, Freedom: i}); at >= 0 {
				list[at] = owner{number: j, n: i}
			}
		}
	}
	return list
}

// internalOf returns the owner of each internal state (mechanism.State.Internal), in the order of the state: first the states of
// stops and friction of joints, then the states of contacts.
func internalOf(m *mechanism.Mechanism) []owner {
	list := make([]owner, m.NumInternal())
	joints, bodies, resistors := make(map[int]int), make(map[int]int), 0
	for i := range m.NumResistors() {
		if at := m.ResistorState(i); at >= 0 {
			f, _ := m.Resistor(i)
			list[at] = owner{number: f.Joint, n: joints[f.Joint]}
			joints[f.Joint]++
			resistors++
		}
	}
	at, st := resistors, m.Initial() // internal states of contacts follow those of joints
	for i := range m.NumContacts() {
		_, body, _ := m.Contact(i)
		for range m.ContactInternal(i, st) {
			list[at] = owner{true, body, bodies[body]}
			bodies[body]++
			at++
		}
	}
	return list
}

// gather sends the state of this rank's piece to rank 0, which puts the states of all ranks into g.state and sums their other
// energies in g.other. All ranks call it together.
func (g *gatherer) gather(st *mechanism.State) {
	at := g.out
	for _, i := range g.bodies {
		b := &st.Bodies[i]
		copy(at[0:3], b.Position[:])
		copy(at[3:7], b.Rotation[:])
		copy(at[7:10], b.Velocity[:])
		copy(at[10:13], b.Omega[:])
		at = at[stateNumbers:]
	}
	for i, here := range g.angles {
		at[i] = st.Angles[here]
	}
	at = at[len(g.angles):]
	for i, here := range g.internal {
		at[i] = 0
		if len(st.Internal) > 0 {
			at[i] = st.Internal[here]
		}
	}
	at = at[len(g.internal):]
	at[0], at[1] = g.restEnergy(st)
	if !g.rank.Head() {
		g.rank.Send(0, g.out)
		return
	}
	g.state.Time, g.other = st.Time, [2]float64{}
	for r, in := range g.in {
		if copy(in, g.out); r > 0 {
			g.rank.Recv(r, in)
		}
		for _, i := range g.from[r].bodies {
			g.state.Bodies[i] = mechanism.BodyState{
				Position: spatial.Vec3(in[0:3]), Rotation: spatial.Quat(in[3:7]), Velocity: spatial.Vec3(in[7:10]), Omega: spatial.Vec3(in[10:13]),
			}
			in = in[stateNumbers:]
		}
		for i, to := range g.from[r].angles {
			g.state.Angles[to] = in[i]
		}
		in = in[len(g.from[r].angles):]
		for i, to := range g.from[r].internal {
			g.state.Internal[to] = in[i]
		}
		in = in[len(g.from[r].internal):]
		for i, x := range in {
			g.other[i] += x
		}
	}
}

// restEnergy returns the kinetic energy and the energy in gravity, J, of the bodies of this rank that the view does not have.
func (g *gatherer) restEnergy(st *mechanism.State) (kinetic, gravity float64) {
	var k mechanism.BodyKinematics
	for _, i := range g.rest {
		g.mech.BodyTo(&k, st, i) // its result tells of states that are not finite; states of rows are
		a, b := g.mech.BodyEnergy(i, &k, st)
		kinetic, gravity = kinetic+a, gravity+b
	}
	return kinetic, gravity
}

// energy returns the energy of the whole mechanism, on rank 0 after gather.
func (g *gatherer) energy() (mechanism.Energy, error) {
	m := g.whole
	if err := m.KinematicsTo(&g.kin, g.state); err != nil {
		return mechanism.Energy{}, err
	}
	e := m.EnergyAt(&g.kin, g.state)
	e.Kinetic += g.other[0]
	e.Gravity += g.other[1]
	return e, nil
}

// Record implements sim.Recorder, on all ranks together.
func (g *gatherer) Record(row *sim.Row) error {
	g.gather(row.State)
	var err error
	if g.rank.Head() {
		var e mechanism.Energy
		if e, err = g.energy(); err == nil {
			err = g.watch.Record(&sim.Row{State: g.state, Energy: e, Drift: row.Drift})
		}
	}
	return dist.Agree(g.rank, err)
}

// noteEnergy tells the record on rank 0 the energy of the whole mechanism at st, at the start or end of the run, as a run in one
// process does. All ranks call it together.
func (g *gatherer) noteEnergy(st *mechanism.State) {
	if g.gather(st); g.rank.Head() {
		if e, err := g.energy(); err == nil {
			g.watch.Note(e)
		}
	}
}

// Mark implements sim.Recorder, on all ranks together.
func (g *gatherer) Mark() (at int64, err error) {
	if g.rank.Head() {
		at, err = g.watch.Mark()
	}
	return at, dist.Agree(g.rank, err)
}

// Sum implements sim.Summed.
func (g *gatherer) Sum() string {
	if g.rank.Head() {
		return g.watch.Sum()
	}
	return ""
}
