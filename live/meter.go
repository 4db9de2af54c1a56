package live

import "time"

// meter measures how fast the mechanism's time goes, relative to what it is to go, and how many steps are damped.
type meter struct {
	begun         time.Time
	from          float64
	steps, damped int64

	factor float64
	known  bool    // a span has ended, so that there is a factor
	part   float64 // of the steps
}

// begin starts a span of measurement.
func (m *meter) begin(now time.Time, t float64) { m.begun, m.from = now, t }

// measure computes the factor and the part of damped steps over a span that is long enough, and begins the next one.
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
