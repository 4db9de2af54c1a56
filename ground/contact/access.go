package contact

import "github.com/rung-mbd/rung/spatial"

// Center returns the centre of the point's disc, or of the sphere, world axes, m.
func (p *Point) Center() spatial.Vec3 { return p.center }

// Axis returns the unit vector along the axis of the spin, world axes; zero if there is none.
func (p *Point) Axis() spatial.Vec3 { return p.axis }

// MotionTo stores in m the motion of the point p of the body b, docs/ground.md (G18).
//
// Cost: O(1), no allocation. It returns the error of the map of the friction.
func (c *Contact) MotionTo(m *PointMotion, p *Point, b *Body) error { return c.motionTo(m, p, b) }
