package sim

import "github.com/rung-mbd/rung/mechanism"

// mustHave panics if m is nil, or if none tells that there are no dynamics.
func mustHave(m *mechanism.Mechanism, none bool) {
	mustHaveMechanism(m)
	if none {
		panic("sim: no dynamics")
	}
}

func mustHaveMechanism(m *mechanism.Mechanism) {
	if m == nil {
		panic("sim: no mechanism")
	}
}

// must panics if t has no stages, or if its lists have different lengths.
func (t *Tableau) must() {
	if t == nil || len(t.B) == 0 ||
		len(t.A) != len(t.B) || len(t.C) != len(t.B) || len(t.P) != len(t.B) || t.E != nil && len(t.E) != len(t.B) {
		panic("sim: tableau without stages, or with lists of other lengths")
	}
}
