// Package contact computes contacts of wheels, feet and blocks with the surfaces of package ground: the points where a shape
// touches a surface, and the forces there.
//
// A [Contact] is a [Shape] of a body on a surface with a [Law]. [Contact.EvalTo] finds the points
// that touch and their forces for a pose and a velocity of the body, [Contact.DerivativesTo]
// their derivatives for implicit steps, and [Contact.RateTo] the rates of the internal states,
// which some laws have. All three are functions of their arguments alone: nothing is remembered
// from one call to the next, so that a run that is continued from a checkpoint has the same bits.
//
// The parts can be used on their own: [Shape.PointsTo] is geometry,
// [Law.ForceTo] the law at one point in its contact axes.
//
// Frame: world axes, z up. Contact axes are the unit normal n out of the ground, x forward for a wheel that rolls with
// positive spin about its axis, and y = n × x. Units: SI. Equations are numbered in [docs/ground.md].
//
//	c := contact.Contact{
//		Shape:  contact.Shape{Type: contact.Disc, Radius: 0.3, Axis: spatial.Vec3{0, 1, 0}},
//		Law:    contact.Law{Normal: contact.Normal{Stiffness: 2e5, Exponent: 1}},
//		Ground: surface,
//	}
//	r := contact.NewResult(&c)
//	err := c.EvalTo(r, &body, nil)
//
// [docs/ground.md]: https://github.com/rung-mbd/rung/blob/main/docs/ground.md
package contact
