package live

import "github.com/rung-mbd/rung/motion"

// trace records, since the last reset, the steps at which RATTLE was damped or passed a singular pose.
type trace struct {
	begun, seen motion.RattleStats // at the reset and at the last note
	passedAt    float64            // simulated time of the last step next to a singular pose, s
	dampedAt    float64            // simulated time of the first damped step, s
	most        float64            // largest kinetic energy seen, J
}

// begin starts a record of the method d.
func (t *trace) begin(d *method) {
	*t = trace{}
	if d.rattle != nil {
		t.begun = d.rattle.Stats()
		t.seen = t.begun
	}
}

// note takes in the statistics of d up to the simulated time at.
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

// tell fills in the fields of a status that are counted since the reset.
func (t *trace) tell(x *status) {
	t.most = max(t.most, x.Kinetic)
	x.Passed, x.PassedAt = t.seen.Passed-t.begun.Passed, t.passedAt
	x.DampedAll, x.DampedAt = t.seen.Damped-t.begun.Damped, t.dampedAt
	x.Lost, x.Most = finite(t.seen.Lost-t.begun.Lost), t.most
}
