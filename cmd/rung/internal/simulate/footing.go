package simulate

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// creep is how fast regularised friction gives way where it holds a body at rest.
type creep struct {
	Contact string  `json:"contact"`
	Speed   float64 `json:"speed"`      // m/s
	Slip    float64 `json:"slip_speed"` // m/s
}

// carried is the part of the slip speed below which friction carries nothing to speak of.
const carried = 1e-3

// creepAt returns the fastest creep of contacts with regularised friction whose bodies are at rest at st but for it,
// nil if there are none. The slip v at a point carries the force F = μ N v/√(v² + v_s²), so that on a slope α it is
// v_s·tan α/√(μ² − tan²α), docs/ground.md (G22).
func creepAt(m *mechanism.Mechanism, st *mechanism.State) (worst *creep) {
	k := m.NewKinematics()
	k.I = nil
	for i := range m.NumContacts() {
		c, body, element := m.Contact(i)
		f := &c.Law.Friction
		if f.Type != contact.Coulomb || f.Hold.Travel > 0 || !m.BodyTo(&k.Bodies[body], st, body) {
			continue
		}
		r, err := m.ContactAt(i, k, st)
		if err != nil || !still(m, k, st, body, f.SlipSpeed, c.Shape.Radius) {
			continue
		}
		for j := range r.Touches {
			v := math.Hypot(r.Touches[j].Motion.X, r.Touches[j].Motion.Y)
			if v > carried*f.SlipSpeed && (worst == nil || v > worst.Speed) {
				worst = &creep{m.ForceName(element), v, f.SlipSpeed}
			}
		}
	}
	return worst
}

// still reports whether a body neither moves nor turns faster than friction creeps.
func still(m *mechanism.Mechanism, k *mechanism.Kinematics, st *mechanism.State, body int, slip, radius float64) bool {
	b := &st.Bodies[body]
	v := b.Velocity.Add(b.Omega.Cross(k.Bodies[body].Com))
	return v.Norm() <= slip && b.Omega.Norm()*radius <= slip
}

// aroundContacts is how far about the contacts a terrain without an end is looked at, m.
const aroundContacts = 10.0

// groundWarnings says what on the terrains of m stands in the way of a run from st.
func groundWarnings(ctx context.Context, m *model.Model, mech *mechanism.Mechanism, st *mechanism.State, implicit bool) (warnings []string) {
	var seen []string
	note := func(name string, s *ground.Surface) {
		if name == "" || slices.Contains(seen, name) {
			return
		}
		seen = append(seen, name)
		if implicit && bilinear(m, name) {
			warnings = append(warnings, fmt.Sprintf("terrain %s: interpolation linear has kinks, on which implicit steps get short and may fail", fault.Name(name)))
		}
		if err := ground.Probe(ctx, s, looked(s, mech, st)); err != nil {
			warnings = append(warnings, fmt.Sprintf("terrain %s: %v", fault.Name(name), fault.Plain(err)))
		}
	}
	for i := range mech.NumContacts() {
		c, _, element := mech.Contact(i)
		from := m.Forces[element].Contact
		note(from.Terrain, c.Ground)
		note(from.Map, c.Friction)
	}
	return warnings
}

// bilinear reports whether a terrain or a part of it has bilinear patches. Parts stand before it.
func bilinear(m *model.Model, name string) bool {
	for i := range m.Terrains {
		if t := &m.Terrains[i]; t.Name == name {
			return t.Interpolation == ground.Linear || slices.ContainsFunc(t.Parts, func(part string) bool { return bilinear(m, part) })
		}
	}
	return false
}

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
