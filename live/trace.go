package live

import "github.com/rung-mbd/rung/motion"

// trace is what stays of steps that were not those of RATTLE, since the run began anew.
type trace struct {
	begun, seen motion.RattleStats
	passedAt    float64 // time of the mechanism at which it was last next to a singular pose, s
	dampedAt    float64 // and at which a step was first damped
	most        float64 // largest kinetic energy seen, J
}

// begin forgets all.
func (t *trace) begin(d *method) {
	*t = trace{}
	if d.rattle != nil {
		t.begun = d.rattle.Stats()
		t.seen = t.begun
	}
}

// note looks at what has been done up to the time at.
func (t *trace) note(d *method, at float64) {
	if d.rattle == nil {
		return
	}
	now := d.rattle.Stats()
	if now.Passed > t.seen.Passed {
		t.passedAt = at
	}
	if t.seen.Damped == t.begun.Damped && now.Damped > t.seen.Damped {
		t.dampedAt = at
	}
	t.seen = now
}

// tell fills in a status.
func (t *trace) tell(x *status) {
	t.most = max(t.most, x.Kinetic)
	x.Passed, x.PassedAt = t.seen.Passed-t.begun.Passed, t.passedAt
	x.DampedAll, x.DampedAt = t.seen.Damped-t.begun.Damped, t.dampedAt
	x.Lost, x.Most = finite(t.seen.Lost-t.begun.Lost), t.most
}
