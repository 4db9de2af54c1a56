package live

import "time"

// meter measures the speed of the simulation relative to the speed that is asked for, and the share of steps that are damped.
type meter struct {
	begun         time.Time // start of the span
	from          float64   // simulated time then, s
	steps, damped int64     // counted by RATTLE up to then

	factor float64 // measured speed by requested speed
	known  bool    // factor has a value: a span has ended
	part   float64 // of the steps that are damped
}

// begin starts a span of measurement.
func (m *meter) begin(now time.Time, t float64) { m.begun, m.from = now, t }

// measure ends a span that has lasted for factorOver: it computes the factor and the part of damped steps, and begins the next
// span. t is the simulated time, and speed the requested simulated seconds a second.
func (m *meter) measure(now time.Time, t, speed float64, d *method) {
	span := now.Sub(m.begun)
	if span < factorOver {
		return
	}
	m.factor, m.known = (t-m.from)/(span.Seconds()*speed), true
	m.begin(now, t)
	if d.rattle == nil {
		return
	}
	if s := d.rattle.Stats(); s.Steps > m.steps {
		m.part = float64(s.Damped-m.damped) / float64(s.Steps-m.steps)
		m.steps, m.damped = s.Steps, s.Damped
	}
}
