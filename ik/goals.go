package ik

import "github.com/rung-mbd/rung/mechanism"

// goals are the targets of one engine, whose wanted places may be changed, and their rows at its state.
type goals struct {
	list  []target
	shown []*targetRows // by target: its rows and errors
	seen  bool          // shown is up to date: of the state and the wanted places
}

// newGoals returns the targets of p with the wanted places of the task. They are evaluated at no state.
func (p *Problem) newGoals() goals {
	g := goals{list: make([]target, len(p.targets))}
	copy(g.list, p.targets)
	for i := range g.list {
		g.shown = append(g.shown, g.list[i].newTargetRows())
	}
	return g
}

// aim sets the wanted place of target i.
func (g *goals) aim(i int, w wanted) {
	g.list[i].wanted, g.seen = w, false
	g.list[i].aim()
}

// update evaluates the targets at st, with the kinematics k there, unless they are up to date.
func (g *goals) update(m *mechanism.Mechanism, k *mechanism.Kinematics, st *mechanism.State) {
	if g.seen {
		return
	}
	for i := range g.list {
		g.list[i].evaluateTo(g.shown[i], m, k, st)
	}
	g.seen = true
}

// errorsTo stores the weighted errors of all rows.
func (g *goals) errorsTo(e []float64) {
	for i := range g.list {
		t := &g.list[i]
		copy(e[t.first:t.first+t.n], g.shown[i].e[:])
	}
}

func (g *goals) poseRatesTo(raw []float64, rate *[7]float64, i int) {
	g.list[i].poseRatesTo(raw, rate, g.shown[i])
}
