package runs

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// Warnings says what stands in the way of a run of a mechanism from st: terrains that are rough or steep where they are
// looked at, interpolation with kinks under an implicit integrator, freedoms beyond their limits. The model is that of
// the mechanism, and gives terrains their names; without one they have those of their first contacts.
func Warnings(mech *mechanism.Mechanism, st *mechanism.State, m *model.Model, i Integrator) []string {
	return append(groundWarnings(mech, st, m, i == GeneralizedAlpha), limitWarnings(mech, st)...)
}

// limitWarnings says which freedoms are beyond the limits of the model at st.
func limitWarnings(mech *mechanism.Mechanism, st *mechanism.State) (warnings []string) {
	k := mech.NewKinematics()
	if mech.KinematicsTo(k, st) != nil {
		return nil // the run tells
	}
	for _, b := range mech.BeyondLimits(k, st) {
		warnings = append(warnings, b.Text(mech.JointName(b.Joint)))
	}
	return warnings
}

// groundWarnings says what on the terrains stands in the way of a run from st.
func groundWarnings(mech *mechanism.Mechanism, st *mechanism.State, m *model.Model, implicit bool) (warnings []string) {
	var seen []string
	note := func(name string, s *ground.Surface) {
		if name == "" || slices.Contains(seen, name) {
			return
		}
		seen = append(seen, name)
		if implicit && bilinear(m, name) {
			warnings = append(warnings, fmt.Sprintf("terrain %s: interpolation linear has kinks, on which implicit steps get short and may fail", fault.Name(name)))
		}
		if err := ground.Probe(context.Background(), s, looked(s, mech, st)); err != nil {
			warnings = append(warnings, fmt.Sprintf("terrain %s: %v", fault.Name(name), fault.Plain(err)))
		}
	}
	var done []*ground.Surface
	for i := range mech.NumContacts() {
		c, _, element := mech.Contact(i)
		if m != nil {
			from := m.Forces[element].Contact
			note(from.Terrain, c.Ground)
			note(from.Map, c.Friction)
		} else if !slices.Contains(done, c.Ground) {
			done = append(done, c.Ground)
			note("of contact "+mech.ForceName(element), c.Ground)
		}
	}
	return warnings
}

// bilinear reports whether a terrain or a part of it has bilinear patches. A terrain stands behind its parts, so none is part of itself.
func bilinear(m *model.Model, name string) bool {
	if m == nil {
		return false
	}
	for i := range m.Terrains {
		if t := &m.Terrains[i]; t.Name == name {
			return t.Interpolation == ground.Linear || slices.ContainsFunc(t.Parts, func(part string) bool { return bilinear(m, part) })
		}
	}
	return false
}

// aroundContacts is how far about the contacts a terrain without an end is looked at, m.
const aroundContacts = 10.0

// looked returns where a surface is looked at: all of it, or, if it
// has no end, the surroundings of the bodies with contacts.
func looked(s *ground.Surface, m *mechanism.Mechanism, st *mechanism.State) ground.Extent {
	e := s.Extent()
	if e.Finite() {
		return e
	}
	for c := range e.Min {
		e.Min[c], e.Max[c] = math.Inf(1), math.Inf(-1)
		for i := range m.NumContacts() {
			_, body, _ := m.Contact(i)
			x := st.Bodies[body].Position[c]
			e.Min[c], e.Max[c] = min(e.Min[c], x-aroundContacts), max(e.Max[c], x+aroundContacts)
		}
	}
	return e
}

// Creep is how fast regularised friction gives way where it holds a body at rest.
type Creep struct {
	Contact string  `json:"contact"`
	Speed   float64 `json:"speed"`      // m/s
	Slip    float64 `json:"slip_speed"` // m/s
}

// carried is the part of the slip speed below which friction carries nothing to speak of.
const carried = 1e-3

// CreepAt returns the fastest creep of contacts with regularised friction whose bodies are at rest at st but for it,
// nil if there are none. The slip v at a point carries the force F = μ N v/√(v² + v_s²), so that on a slope α it is
// v_s·tan α/√(μ² − tan²α), docs/ground.md (G22).
func CreepAt(m *mechanism.Mechanism, st *mechanism.State) (worst *Creep) {
	most := algebra.NewPeak(0)
	k := m.NewKinematics()
	k.I = nil
	for i := range m.NumContacts() {
		c, body, element := m.Contact(i)
		f := &c.Law.Friction
		if f.Type != contact.Coulomb || f.Hold.Travel > 0 || !m.BodyTo(&k.Bodies[body], st, body) {
			continue
		}
		r, err := m.ContactAt(i, k, st)
		if err != nil || !still(k, st, body, f.SlipSpeed, c.Shape.Radius) {
			continue
		}
		for j := range r.Touches {
			v := math.Hypot(r.Touches[j].Motion.X, r.Touches[j].Motion.Y)
			if !(v > carried*f.SlipSpeed) {
				continue
			}
			if most.Take(v, i); most.At == i {
				worst = &Creep{m.ForceName(element), most.Value, f.SlipSpeed}
			}
		}
	}
	return worst
}

// still reports whether a body neither moves nor turns faster than friction creeps.
func still(k *mechanism.Kinematics, st *mechanism.State, body int, slip, radius float64) bool {
	b := &st.Bodies[body]
	v := b.Velocity.Add(b.Omega.Cross(k.Bodies[body].Com))
	return v.Norm() <= slip && b.Omega.Norm()*radius <= slip
}
