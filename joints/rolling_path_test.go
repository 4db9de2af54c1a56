package joints_test

import (
	"math"

	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/spatial"
)

// rolled is relative of a joint with rows of velocities: three angles are free functions of time, and so are the speeds that the
// joint leaves. The place is the integral of the velocity, by eight points of Gauss in each of four parts.
func (p *path) rolled(t float64) (E spatial.Mat3, x, w, v spatial.Vec3) {
	nodes := [4]float64{0.1834346424956498, 0.5255324099163290, 0.7966664774136267, 0.9602898564975363}
	weights := [4]float64{0.3626837833783620, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763}
	x = spatial.Vec3{0.3, -0.2, 0.1}
	const parts = 4
	h := t / parts
	for k := range parts {
		for i, node := range nodes {
			for _, s := range [2]float64{-1, 1} {
				_, _, v := p.speeds(h * (float64(k) + (1+s*node)/2))
				x = x.Add(v.Scale(weights[i] * h / 2))
			}
		}
	}
	E, w, v = p.speeds(t)
	if p.spec.Kind.Type() == joints.Rolling { // which stands on the plane: by the highest point of a circle, by hand
		x[2] = (p.spec.Radius-p.spec.Tyre)*math.Hypot(E[2], E[5]) + p.spec.Tyre
	}
	return E, x, w, v
}

// speeds returns orientation, angular velocity and velocity of the origin of S at t, in P's axes.
func (p *path) speeds(t float64) (E spatial.Mat3, w, v spatial.Vec3) {
	E, w = ball((*[3]poly)(p.q[:3]), t)
	_, one := p.q[3].at(t)
	_, two := p.q[4].at(t)
	if p.spec.Kind == joints.NoSlip {
		return E, w, E.Col(0).Scale(one).Add(E.Col(1).Scale(two))
	}
	// The axle is (sin β cos α, sin β sin α, cos β); the lowest point of the rim is a radius down the slope of the wheel's plane.
	sine, cosine := math.Hypot(E[2], E[5]), E[8]
	out := spatial.Vec3{E[2], E[5]}.Scale(1 / sine) // of the axle, horizontal
	heading := spatial.Vec3{out[1], -out[0]}
	rim := p.spec.Radius - p.spec.Tyre
	low := out.Scale(rim * cosine).Add(spatial.Vec3{0, 0, -rim*sine - p.spec.Tyre})
	v = low.Cross(w)
	if s := p.spec.Kind.Slip(); s == joints.SlipAlong || s == joints.SlipBoth {
		v = v.Add(heading.Scale(one))
	}
	if s := p.spec.Kind.Slip(); s == joints.SlipAcross || s == joints.SlipBoth {
		v = v.Add(out.Scale(two))
	}
	return E, w, v
}
