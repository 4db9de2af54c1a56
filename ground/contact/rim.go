package contact

import (
	"errors"
	"math"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/spatial"
)

const (
	rimPlaces = 19           // places of the lower half of the rim that are looked at first
	rimStep   = math.Pi / 18 // between them, rad
	rimSteps  = 60           // of the search for the deepest point
	rimNear   = 3e-7         // rad; a shorter step is the last one, as its square is below rounding
	rimEnd    = 1e-13        // rad; a search by halves ends with a shorter step
	edgeLoss  = 1e-6         // in radii; a search that loses more depth than that has gone over an edge
	rimFlat   = 1e-6         // slope of the distance along the rim above which a point is no minimum of it
)

// rim is a circle of radius r about c in the plane with the unit normal a. Its points are c + r (u cos φ + v sin φ),
// where u is the lowest direction in that plane, along the vertical or along the normal of the ground below c (disc).
type rim struct {
	c, a, u, v spatial.Vec3
	r, tube    float64
}

// at returns the point of the rim at an angle, and the unit vectors from the centre to it and along the rim.
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

// disc adds the points of one disc, which has the given share of the stiffness.
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

// down sets u to the lowest direction of the rim where n is up, docs/ground.md (G15), and v to that along the rim.
func (w *rim) down(n *spatial.Vec3) {
	d := w.a.Scale(n.Dot(w.a)).Sub(*n)
	if l := d.Norm(); l > lying {
		w.u = d.Scale(1 / l)
	} else {
		w.u = across(&w.a)
	}
	w.v = w.a.Cross(w.u)
}

// across returns a unit vector across a unit vector.
func across(a *spatial.Vec3) spatial.Vec3 {
	e := spatial.Vec3{1, 0, 0}
	if math.Abs(a[0]) > 0.8 {
		e = spatial.Vec3{0, 1, 0}
	}
	d := e.Sub(a.Scale(e.Dot(*a)))
	return d.Scale(1 / d.Norm())
}

// point returns the point of the rim at an angle whose foot is q.
func (w *rim) point(q *foot, phi float64, disc int, share float64) Point {
	at, u, v := w.at(phi)
	return Point{
		P: at.Sub(q.n.Scale(w.tube)), N: q.n, Depth: w.tube - q.distance, Share: share, Disc: disc,
		center: w.c, axis: w.a, u: u, v: v, rim: w.r, tube: w.tube, bend: q.bend,
	}
}

// depths stores the depths of the places of the lower half of the tread, and returns the deepest place. A depth is that
// along the vertical. It is multiplied by n_z at places that may touch and may be the deepest, and of a Local shape at
// all that may touch. Places off the terrain have the depth −∞, and so have places that are so high above all ground below the disc
// that they neither touch nor are the deepest. If all are off, depths returns −1.
func (f *finder) depths(w *rim, depth *[rimPlaces]float64) (best int, err error) {
	best = -1
	tread := w.r + w.tube
	u, v := w.u.Scale(tread), w.v.Scale(tread)
	top, idle := f.ground.Above(w.extent(tread)), edged*f.shape.Radius
	for k := range depth {
		// From the lowest place outwards: 9, 8, 10, 7, 11, …
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

// placeTurn has the sines and cosines of the places.
var placeTurn = func() (t [rimPlaces][2]float64) {
	for i := range t {
		t[i][0], t[i][1] = math.Sincos(placeAngle(i))
	}
	return t
}()

// placeAngle is the angle of a place of the rim.
func placeAngle(i int) float64 { return float64(i-rimPlaces/2) * rimStep }

// deepest adds the deepest point of a disc, or the local maxima of the depth if the shape is Local.
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

// peak reports whether a place is deeper than the one before, and as deep as the next at least.
func peak(depth *[rimPlaces]float64, i int) bool {
	return (i == 0 || depth[i] > depth[i-1]) && (i == rimPlaces-1 || depth[i] >= depth[i+1])
}

const (
	// shallow is the depth, in radii, above which a place may lie near a point that touches. An edge may touch between
	// two places: beside it the limit is edged.
	shallow, edged = -0.05, -0.12
	// steepTube is the height, in radii of the tube, above which the tube does not touch ground that is up to 75° steep.
	steepTube = 4
	// apart is the least distance between two local maxima, rad.
	apart = 1e-6
)

// local adds the local maxima of the depth that touch, in the order along the rim: the deepest mostLocal of them.
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
			continue // the same one again
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

// dropShallowest takes the shallowest of the points from the given number on out of the list, unless p is shallower.
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

// distributed adds the points of the lower half of the rim that touch, evenly spread, docs/ground.md (G38).
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
		// A point above the ground touches with its tube alone, far along the vertical where the ground is steep.
		if above := q.distance; above < max(-shallow*f.shape.Radius, steepTube*w.tube) {
			err := footTo(&q, f.ground, &at)
			switch {
			case errors.Is(err, ground.ErrOff) && above > 0:
				continue // nearest beyond the border
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

// refine finds the angle near phi at which the distance of the rim to the ground is least, docs/ground.md (G15):
// Newton's method on its slope n·q′ within one and a half places, by halves where it does not help.
func (f *finder) refine(w *rim, phi float64, disc int, share float64) (p Point, angle float64, err error) {
	var q foot
	lo, hi := phi-1.5*rimStep, phi+1.5*rimStep
	at, u, v := w.at(phi)
	var first Point // at the place itself
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
			// At an end of the range, or on an edge of the ground, the point does not move as (G16) has it.
			p.fixed = !(curve > 0) || math.Abs(q.n.Dot(v)) > rimFlat
			if p.Depth < first.Depth-edgeLoss*w.r { // over a sharp edge, and down on its other side
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
