package contact

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/spatial"
)

const (
	rimPlaces = 19           // number of places on the lower half of the rim that are sampled first
	rimStep   = math.Pi / 18 // angle between places, rad
	rimSteps  = 60           // largest number of steps of refine
	rimNear   = 3e-7         // rad; a shorter Newton step is the last one, as its square is below rounding
	rimEnd    = 1e-13        // rad; a bisection ends with a shorter step
	edgeLoss  = 1e-6         // in radii; a search that loses more depth has passed over an edge
	rimFlat   = 1e-6         // slope of the distance along the rim above which a point is no minimum of the distance
)

// rim is a circle of radius r about c in the plane with the unit normal a, with a tube of radius tube around it, m. Its points are
// c + r·(u·cos φ + v·sin φ). u is the lowest direction in that plane, where up is the vertical or the normal of the ground below c
// (see disc).
type rim struct {
	c, a, u, v spatial.Vec3
	r, tube    float64
}

// at returns the point q of the rim at the angle phi (rad), and the unit vectors u from the centre to q and v along the rim.
func (w *rim) at(phi float64) (q, u, v spatial.Vec3) {
	s, c := math.Sincos(phi)
	u = w.u.Scale(c).Add(w.v.Scale(s))
	v = w.v.Scale(c).Sub(w.u.Scale(s))
	return w.c.Add(u.Scale(w.r)), u, v
}

// discs adds the points of all discs of a shape.
func (f *finder) discs(c, a *spatial.Vec3) error {
	many := f.shape.discs()
	for i := range many {
		w := rim{c: *c, a: *a, tube: f.shape.tube()}
		w.r = f.shape.Radius - w.tube
		if many > 1 {
			w.c = c.Add(a.Scale(f.shape.Width * (float64(i)/float64(many-1) - 0.5)))
		}
		if err := f.disc(&w, i, 1/float64(many)); err != nil {
			return err
		}
	}
	return nil
}

// disc adds the points of the disc of that number, which has the given share of the stiffness.
func (f *finder) disc(w *rim, disc int, share float64) error {
	n, height, err := f.below(&w.c)
	if err != nil {
		return err
	}
	up := n
	upright := math.Abs(w.a[2]) < math.Sqrt2/2
	if upright && !f.ground.Flat() || f.shape.Where == Distributed {
		up = spatial.Vec3{0, 0, 1} // the ground below may be the face of a step
	}
	w.down(&up)
	switch {
	case height > far*f.shape.Radius || f.ground.Flat() && f.shape.Where != Distributed:
		q := foot{n: n, distance: height + w.r*n.Dot(w.u)}
		p := w.point(&q, 0, disc, share)
		f.keep(&p)
		return nil
	case f.shape.Where == Distributed:
		return f.distributed(w, disc, share)
	}
	return f.deepest(w, disc, share)
}

// down sets u to the lowest direction in the plane of the rim, where the unit vector n is up, docs/ground.md (G15), and v to a×u. If
// the rim is level, u is any direction in its plane.
func (w *rim) down(n *spatial.Vec3) {
	d := w.a.Scale(n.Dot(w.a)).Sub(*n)
	if l := d.Norm(); l > lying {
		w.u = d.Scale(1 / l)
	} else {
		w.u = across(&w.a)
	}
	w.v = w.a.Cross(w.u)
}

// across returns a unit vector at right angles to the unit vector a.
func across(a *spatial.Vec3) spatial.Vec3 {
	e := spatial.Vec3{1, 0, 0}
	if math.Abs(a[0]) > 0.8 {
		e = spatial.Vec3{0, 1, 0}
	}
	d := e.Sub(a.Scale(e.Dot(*a)))
	return d.Scale(1 / d.Norm())
}

// point returns the contact point of the rim at the angle phi, with its foot q.
func (w *rim) point(q *foot, phi float64, disc int, share float64) Point {
	at, u, v := w.at(phi)
	return Point{
		P: at.Sub(q.n.Scale(w.tube)), N: q.n, Depth: w.tube - q.distance, Share: share, Disc: disc,
		center: w.c, axis: w.a, u: u, v: v, rim: w.r, tube: w.tube, bend: q.bend,
	}
}

// depths stores in depth the depths, m, of places on the lower half of the tread, and returns the number of the deepest place. The depth
// is measured along the vertical. At places that may touch and may be the deepest, and for a Local shape at all places that may touch,
// it is multiplied by n_z of the ground, which estimates the depth along the normal. Places off the terrain have the depth −∞, and so
// have places that are so high above all ground below the disc that they neither touch nor are the deepest. If all places are off the
// terrain, depths returns −1. The error is an error of the surface.
func (f *finder) depths(w *rim, depth *[rimPlaces]float64) (best int, err error) {
	best = -1
	tread := w.r + w.tube
	u, v := w.u.Scale(tread), w.v.Scale(tread)
	top, idle := f.ground.Above(w.extent(tread)), edged*f.shape.Radius
	for k := range depth {
		// The order is from the lowest place outwards: 9, 8, 10, 7, 11, …
		i := rimPlaces/2 + (k+1)/2*(1-2*(k&1))
		sin, cos := placeTurn[i][0], placeTurn[i][1]
		q := spatial.Vec3{w.c[0] + cos*u[0] + sin*v[0], w.c[1] + cos*u[1] + sin*v[1], w.c[2] + cos*u[2] + sin*v[2]}
		if best >= 0 && top-q[2] < min(idle, depth[best]) {
			depth[i] = math.Inf(-1)
			continue
		}
		z, err := f.ground.Height(q[0], q[1])
		switch {
		case errors.Is(err, ground.ErrOff):
			depth[i] = math.Inf(-1)
			continue
		case err != nil:
			return -1, err
		}
		depth[i] = z - q[2]
		// Below the ground, a place is less deep along the normal than along the vertical.
		deeper := best < 0 || depth[best] <= 0 || depth[i] > depth[best]
		if depth[i] > shallow*f.shape.Radius && (deeper || f.shape.Where == Local) {
			g, err := f.ground.At(q[0], q[1])
			if err != nil {
				return -1, err
			}
			depth[i] /= math.Sqrt(1 + g.X*g.X + g.Y*g.Y)
		}
		if best < 0 || depth[i] > depth[best] {
			best = i
		}
	}
	return best, nil
}

// extent returns a rectangle around a circle of radius r in the plane of the rim, about its centre.
func (w *rim) extent(r float64) (e ground.Extent) {
	for k := range e.Min {
		half := r * math.Hypot(w.u[k], w.v[k])
		e.Min[k], e.Max[k] = w.c[k]-half, w.c[k]+half
	}
	return e
}

// placeTurn has the sine and cosine of the angle of each place.
var placeTurn = func() (t [rimPlaces][2]float64) {
	for i := range t {
		t[i][0], t[i][1] = math.Sincos(placeAngle(i))
	}
	return t
}()

// placeAngle returns the angle of place i of the rim, rad.
func placeAngle(i int) float64 { return float64(i-rimPlaces/2) * rimStep }

// deepest adds the deepest point of a disc, or the local maxima of the depth if the shape is Local. It returns ErrOffTerrain if the whole
// disc is off the terrain.
func (f *finder) deepest(w *rim, disc int, share float64) error {
	var depth [rimPlaces]float64
	best, err := f.depths(w, &depth)
	switch {
	case err != nil:
		return err
	case best < 0:
		return ErrOffTerrain
	}
	if f.shape.Where == Local {
		return f.local(w, &depth, best, disc, share)
	}
	p, _, err := f.refine(w, placeAngle(best), disc, share)
	if err != nil {
		return err
	}
	// An edge between two places may be deeper than the deepest place.
	for i, d := range depth {
		if i == best || d < edged*f.shape.Radius || !peak(&depth, i) {
			continue
		}
		other, _, err := f.refine(w, placeAngle(i), disc, share)
		if err != nil {
			return err
		}
		if other.Depth > p.Depth {
			p = other
		}
	}
	f.keep(&p)
	return nil
}

// peak reports whether place i is deeper than the place before, and at least as deep as the next place.
func peak(depth *[rimPlaces]float64, i int) bool {
	return (i == 0 || depth[i] > depth[i-1]) && (i == rimPlaces-1 || depth[i] >= depth[i+1])
}

const (
	// A place above the depth shallow, in radii, may be near a point that touches. An edge of the ground may touch between two
	// places, whose depth is then above edged.
	shallow, edged = -0.05, -0.12
	// steepTube is the height, in radii of the tube, above which the tube does not touch ground with a slope of up to 75°.
	steepTube = 4
	// apart is the least distance between two local maxima, rad.
	apart = 1e-6
)

// local adds the local maxima of the depth that touch, of more than mostLocal the deepest ones, in their order along the rim.
func (f *finder) local(w *rim, depth *[rimPlaces]float64, best, disc int, share float64) error {
	from, last := f.n, math.Inf(-1)
	for i, d := range depth {
		if !peak(depth, i) || d < edged*f.shape.Radius && i != best {
			continue
		}
		p, phi, err := f.refine(w, placeAngle(i), disc, share)
		if err != nil {
			return err
		}
		if phi < last+apart {
			continue // the same maximum again
		}
		last = phi
		if f.n-from == mostLocal && p.Depth > 0 {
			f.dropShallowest(from, &p)
		}
		if f.n-from < mostLocal {
			f.keep(&p)
		}
	}
	return nil
}

// dropShallowest removes the shallowest of the points dst[from:n], unless p is at least as shallow.
func (f *finder) dropShallowest(from int, p *Point) {
	k := from
	for i := from; i < f.n; i++ {
		if f.dst[i].Depth < f.dst[k].Depth {
			k = i
		}
	}
	if f.dst[k].Depth < p.Depth {
		copy(f.dst[k:f.n-1], f.dst[k+1:f.n])
		f.n--
	}
}

// distributed adds the points that touch of evenly spread points on the lower half of the rim, docs/ground.md (G38). It returns
// ErrOffTerrain if all are off the terrain.
func (f *finder) distributed(w *rim, disc int, share float64) error {
	m := f.shape.samples()
	step := math.Pi / float64(m)
	share *= 2 / float64(m)
	found := false
	for i := range m {
		phi := (float64(i)+0.5)*step - math.Pi/2
		at, _, _ := w.at(phi)
		z, err := f.ground.Height(at[0], at[1])
		switch {
		case errors.Is(err, ground.ErrOff):
			continue
		case err != nil:
			return err
		}
		q := foot{n: spatial.Vec3{0, 0, 1}, distance: at[2] - z}
		// A point above the ground may touch with its tube. Over steep ground it may do so from far above, measured along the
		// vertical.
		if above := q.distance; above < max(-shallow*f.shape.Radius, steepTube*w.tube) {
			err := footTo(&q, f.ground, &at)
			switch {
			case errors.Is(err, ground.ErrOff) && above > 0:
				continue // the nearest ground would be beyond the border
			case err != nil:
				return err
			}
		}
		p := w.point(&q, phi, disc, share)
		p.fixed = true
		f.keep(&p)
		found = true
	}
	if !found {
		return ErrOffTerrain
	}
	return nil
}

// refine returns the point near the angle phi at which the distance of the rim from the ground is least, and its angle,
// docs/ground.md (G15). It applies Newton's method to the slope n·q′ of the distance, within one and a half places of phi, and
// bisects where a Newton step leaves the bracket or the curvature is negative.
func (f *finder) refine(w *rim, phi float64, disc int, share float64) (p Point, angle float64, err error) {
	var q foot
	lo, hi := phi-1.5*rimStep, phi+1.5*rimStep
	at, u, v := w.at(phi)
	var first Point // the point at the angle phi itself
	begin := phi
	for k := 0; ; k++ {
		if err := footTo(&q, f.ground, &at); err != nil {
			return p, 0, err
		}
		if k == 0 {
			first = w.point(&q, phi, disc, share)
		}
		slope, curve := q.n.Dot(v), w.r*bendAlong(&q.bend, &v)-q.n.Dot(u)
		if slope > 0 {
			hi = phi
		} else {
			lo = phi
		}
		step := -slope / curve
		last := curve > 0 && math.Abs(step) <= rimNear
		if !last && !(curve > 0 && phi+step > lo && phi+step < hi) {
			step = lo + (hi-lo)/2 - phi
			last = math.Abs(step) <= rimEnd || k == rimSteps
		}
		before := at
		phi += step
		at, u, v = w.at(phi)
		d := at.Sub(before)
		q.follow(&d)
		if last {
			p = w.point(&q, phi, disc, share)
			// At an end of the range, or on an edge of the ground, the motion of the point along the rim does not follow
			// (G16).
			p.fixed = !(curve > 0) || math.Abs(q.n.Dot(v)) > rimFlat
			if p.Depth < first.Depth-edgeLoss*w.r { // the search has passed over a sharp edge to its lower side
				first.fixed = true
				return first, begin, nil
			}
			return p, phi, nil
		}
	}
}

// bendAlong returns vᵀBv.
func bendAlong(B *spatial.Mat3, v *spatial.Vec3) float64 {
	var w spatial.Vec3
	B.MulVecTo(&w, v)
	return v.Dot(w)
}
