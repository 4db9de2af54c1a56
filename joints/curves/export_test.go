package curves

import "github.com/rung-mbd/rung/spatial"

// From is NearestFrom with the laps.
func (c *Curve) From(p *spatial.Vec3, flat bool, near float64) float64 {
	u, laps := c.NearestFrom(p, flat, near)
	return u + laps
}
