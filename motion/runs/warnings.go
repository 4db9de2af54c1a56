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

// Warnings returns texts about difficulties of a run of a mechanism from st: rough or steep terrains (ground.Probe),
// bilinear terrains with an implicit integrator, and freedoms beyond their limits. m is the model of
// the mechanism, with the names of terrains; if it is nil, terrains are named by their first contacts.
func Warnings(mech *mechanism.Mechanism, st *mechanism.State, m *model.Model, i Integrator) []string {
	return append(groundWarnings(mech, st, m, i == GeneralizedAlpha), limitWarnings(mech, st)...)
}

// limitWarnings returns a text for each freedom that is beyond its limits at st.
func limitWarnings(mech *mechanism.Mechanism, st *mechanism.State) (warnings []string) {
	k := mech.NewKinematics()
	if mech.KinematicsTo(k, st) != nil {
		return nil // the run returns the error
	}
	for _, b := range mech.BeyondLimits(k, st) {
		warnings = append(warnings, b.Text(mech.JointName(b.Joint)))
	}
	return warnings
}

// groundWarnings returns texts about difficulties with the terrains of contacts, for a run from st. implicit says that the integrator is
// implicit.
func groundWarnings(mech *mechanism.Mechanism, st *mechanism.State, m *model.Model, implicit bool) (warnings []string) {
	var seen []string
	check := func(name string, s *ground.Surface) {
		if name == "" || slices.Contains(seen, name) {
			return
		}
		seen = append(seen, name)
		if implicit && bilinear(m, name) {
			warnings = append(warnings, fmt.Sprintf("terrain %s: interpolation linear has kinks, on which implicit steps get short and may fail", fault.Name(name)))
		}
		if err := ground.Probe(context.Background(), s, probedExtent(s, mech, st)); err != nil {
			warnings = append(warnings, fmt.Sprintf("terrain %s: %v", fault.Name(name), fault.Plain(err)))
		}
	}
	var done []*ground.Surface
	for i := range mech.NumContacts() {
		c, _, element := mech.Contact(i)
		if m != nil {
			from := m.Forces[element].Contact
			check(from.Terrain, c.Ground)
			check(from.Map, c.Friction)
		} else if !slices.Contains(done, c.Ground) {
			done = append(done, c.Ground)
			check("of contact "+mech.ForceName(element), c.Ground)
		}
	}
	return warnings
}

// bilinear reports whether the terrain with a name, or a part of it, is interpolated by bilinear patches. The recursion ends, as a
// terrain comes after its parts in the model and cannot be part of itself.
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

// aroundContacts is the distance around bodies with contacts up to which an unbounded terrain is probed, m.
const aroundContacts = 10.0

// probedExtent returns the extent in which a surface is probed: the whole surface, or, if that
// is unbounded, the surroundings of all bodies with contacts.
func probedExtent(s *ground.Surface, m *mechanism.Mechanism, st *mechanism.State) ground.Extent {
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

// Creep is the slow slip of a contact whose regularised friction holds a body.
type Creep struct {
	Contact string  `json:"contact"`    // name of the contact
	Speed   float64 `json:"speed"`      // of the slip, m/s
	Slip    float64 `json:"slip_speed"` // v_s of its friction, m/s
}

// carried is the speed, relative to the slip speed v_s, up to which a slip counts as no creep, as its friction force is negligible.
const carried = 1e-3

// CreepAt returns the fastest creep at st among contacts with regularised friction whose bodies are at rest except for creep;
// nil if there is none. A slip v has the friction force F = μ N v/√(v² + v_s²), so that on a slope α the slip is
// v = v_s·tan α/√(μ² − tan²α), docs/ground.md (G22).
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
		if err != nil || !atRest(k, st, body, f.SlipSpeed, c.Shape.Radius) {
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

// atRest reports whether the centre of mass of a body moves, and the body rotates at the radius of its contact, no faster than slip, the
// slip speed v_s of the friction, m/s.
func atRest(k *mechanism.Kinematics, st *mechanism.State, body int, slip, radius float64) bool {
	b := &st.Bodies[body]
	v := b.Velocity.Add(b.Omega.Cross(k.Bodies[body].Com))
	return v.Norm() <= slip && b.Omega.Norm()*radius <= slip
}
