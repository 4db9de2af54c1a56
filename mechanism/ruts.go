package mechanism

import (
	"fmt"
	"math"
	"slices"

	"github.com/rung-mbd/rung/ground/contact"
)

// TerrainRuts are the ruts in a terrain, and the contacts on it.
type TerrainRuts struct {
	Terrain  int // number in the document
	Ruts     *contact.Ruts
	Contacts []int
}

// WantsRuts reports whether a contact of the model leaves ruts. A simulation
// then needs Inputs, which hold the ground with its ruts.
func (l *Loads) WantsRuts() bool {
	return slices.ContainsFunc(l.contacts, func(t touching) bool { return t.wantsRuts() })
}

func (t *touching) wantsRuts() bool {
	return t.Law.Friction.Type == contact.Soil && t.Law.Friction.Soil.Ruts
}

// Ruts returns the ruts of Inputs, one entry for each terrain on which a contact leaves ruts, in the order of the first such
// contacts. All contacts on such a terrain touch its ground with ruts. A mechanism without Inputs has none.
func (l *Loads) Ruts() []TerrainRuts { return l.ruts }

// setRuts gives the loads their own ground where wheels leave ruts, with the ruts of from.
func (l *Loads) setRuts(from *Loads) {
	if !l.WantsRuts() {
		return
	}
	l.contacts, l.ruts = slices.Clone(l.contacts), nil
	for i := range l.contacts {
		t := &l.contacts[i]
		if !t.wantsRuts() || slices.ContainsFunc(l.ruts, func(r TerrainRuts) bool { return r.Terrain == int(t.terrain) }) {
			continue
		}
		r := TerrainRuts{Terrain: int(t.terrain)}
		narrow := math.Inf(1) // smallest spacing of the wheels, m
		for k := range l.contacts {
			if c := &l.contacts[k]; c.terrain == t.terrain {
				r.Contacts = append(r.Contacts, k)
				if c.wantsRuts() {
					narrow = min(narrow, c.RutSpacing())
				}
			}
		}
		base, was := t.Ground, (*contact.Ruts)(nil)
		for k := range from.ruts {
			if from.ruts[k].Terrain == r.Terrain {
				was = from.ruts[k].Ruts
				base = was.Base()
			}
		}
		var err error
		if r.Ruts, err = contact.NewRuts(base, narrow); err == nil && was != nil {
			err = r.Ruts.Restore(was.Nodes())
		}
		if err != nil {
			panic(fmt.Sprintf("mechanism: %v", err)) // does not occur: the widths and the nodes have been checked
		}
		for _, k := range r.Contacts {
			l.contacts[k].Ground = r.Ruts.Surface()
		}
		l.ruts = append(l.ruts, r)
	}
}
