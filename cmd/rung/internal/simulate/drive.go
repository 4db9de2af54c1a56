package simulate

import (
	"fmt"
	"math"
	"slices"

	"github.com/rung-mbd/rung/cmd/rung/internal/picture"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

const (
	// mostPoses is the largest number of instants at which poses are kept for the pictures of a drive; it is even, as thin
	// drops every second one.
	mostPoses = 4096
	// mostNumbers is the largest count of numbers in all kept poses together (32 MiB).
	mostNumbers = 1 << 22
	// mostWheels and mostHulls are the largest numbers of wheels and of other bodies that are drawn.
	mostWheels, mostHulls = 64, 24
	// mostOutlines is about the largest number of instants at which outlines are drawn.
	mostOutlines = 24
	// fewestOutlines is the duration, s, below which outlines are drawn more often than once a second.
	fewestOutlines = 5
	// lightest is the mass, relative to the heaviest body that touches no ground, below which no outline is drawn.
	lightest = 0.05
	// viewMargin is the room around the drawn points, relative to the longer side of their rectangle; viewLeast is the least
	// room, m.
	viewMargin, viewLeast = 0.15, 1.0
	// narrowest is the least ratio of the shorter side of a view to the longer one.
	narrowest = 0.4
	// drawnWidth is the drawn width of a wheel whose contact shape has no width (a disc), relative to its radius.
	drawnWidth = 0.3
	// poseNumbers is the count of numbers in the pose of a body: three of the position, four of the quaternion.
	poseNumbers = 7
)

// wheel is a round contact shape of a body: a wheel or a ball that may touch the ground.
type wheel struct {
	name         string
	body         int
	centre, axis spatial.Vec3 // in the frame of the body; a zero axis means a ball
	radius       float64      // m
	width        float64      // m, as drawn
}

// drive collects the poses from which the pictures of a vehicle on terrain are drawn, in bounded memory: whenever the store
// is full, every second kept pose is dropped and half as many rows are kept from then on.
type drive struct {
	mech   *mechanism.Mechanism
	ground *ground.Surface
	before *ground.Surface // the ground without ruts, which are too narrow to show in a relief
	wheels []wheel
	hulls  []int       // bodies that do not touch the ground, the heaviest first
	bodies []int       // the bodies whose poses are kept: hulls, then wheels
	place  map[int]int // place of a body in bodies
	times  []float64   // s, of the kept rows
	poses  []float64   // poseNumbers numbers for each kept row and each of bodies
	most   int         // kept rows at which thin halves them; even
	stride int64       // each stride-th row is kept
	rows   int64       // rows seen
}

// newDrive chooses the bodies that are shown: the first mostWheels wheels, and the mostHulls heaviest of the bodies that touch
// no ground and are not too light (lightest).
func newDrive(mech *mechanism.Mechanism, surface *ground.Surface, wheels []wheel) *drive {
	d := &drive{mech: mech, ground: surface, before: surface, wheels: wheels[:min(len(wheels), mostWheels)], place: map[int]int{}, stride: 1}
	for _, r := range mech.Ruts() {
		if r.Ruts.Surface() == surface {
			d.before = r.Ruts.Base()
		}
	}
	touching := map[int]bool{}
	for _, w := range wheels {
		touching[w.body] = true
	}
	heaviest := 0.0
	for i := range mech.Bodies {
		if !touching[i] {
			d.hulls = append(d.hulls, i)
			heaviest = max(heaviest, mech.Bodies[i].Mass)
		}
	}
	d.hulls = slices.DeleteFunc(d.hulls, func(i int) bool { return mech.Bodies[i].Mass < lightest*heaviest })
	slices.SortStableFunc(d.hulls, func(a, b int) int {
		switch ma, mb := mech.Bodies[a].Mass, mech.Bodies[b].Mass; {
		case ma > mb:
			return -1
		case ma < mb:
			return 1
		}
		return 0
	})
	d.hulls = d.hulls[:min(len(d.hulls), mostHulls)]
	keep := func(body int) {
		if _, ok := d.place[body]; !ok {
			d.place[body] = len(d.bodies)
			d.bodies = append(d.bodies, body)
		}
	}
	for _, i := range d.hulls {
		keep(i)
	}
	for _, w := range d.wheels {
		keep(w.body)
	}
	d.most = max(2, min(mostPoses, mostNumbers/(poseNumbers*max(1, len(d.bodies))))/2*2)
	return d
}

// Add keeps the poses of a row's state, if it is the turn of that row.
func (d *drive) Add(st *mechanism.State) {
	if len(d.times) == d.most {
		d.thin()
	}
	if d.rows%d.stride == 0 {
		d.times = append(d.times, st.Time)
		for _, i := range d.bodies {
			b := &st.Bodies[i]
			d.poses = append(append(d.poses, b.Position[:]...), b.Rotation[:]...)
		}
	}
	d.rows++
}

// thin drops every second kept row and doubles the stride.
func (d *drive) thin() {
	n := poseNumbers * len(d.bodies)
	half := len(d.times) / 2
	for k := range half {
		d.times[k] = d.times[2*k]
		copy(d.poses[k*n:(k+1)*n], d.poses[2*k*n:(2*k+1)*n])
	}
	d.times, d.poses = d.times[:half], d.poses[:half*n]
	d.stride *= 2
}

// pose returns the position and the orientation of a body, which must be one of d.bodies, at the kept time k.
func (d *drive) pose(k, body int) (p spatial.Vec3, q spatial.Quat) {
	at := d.poses[poseNumbers*(k*len(d.bodies)+d.place[body]):]
	copy(p[:], at)
	copy(q[:], at[3:])
	return p, q
}

// centre returns the centre of a wheel at the kept time k, world frame.
func (d *drive) centre(k int, w *wheel) spatial.Vec3 {
	p, q := d.pose(k, w.body)
	return p.Add(q.Rotate(w.centre))
}

// middle returns the point that stands for the vehicle at the kept time k, world frame: the centre of mass of the leading body,
// which is the heaviest of the hulls, or, without hulls, the centre of the first wheel.
func (d *drive) middle(k int) spatial.Vec3 {
	if len(d.hulls) == 0 {
		return d.centre(k, &d.wheels[0])
	}
	p, q := d.pose(k, d.hulls[0])
	return p.Add(q.Rotate(d.mech.Bodies[d.hulls[0]].Com))
}

// box returns the corners, world frame, of the homogeneous box along the body axes that has the mass and the moments of
// inertia of a body: its half side c is √(1.5 (ΣI − 2 I_c) / m), as I_x = m (b² + c²)/3 of half sides b and c.
func (d *drive) box(k, body int) []spatial.Vec3 {
	b := &d.mech.Bodies[body]
	p, q := d.pose(k, body)
	I := b.Inertia.Mat()
	var half spatial.Vec3
	for c := range half {
		half[c] = math.Sqrt(max(0, 1.5*(I[0]+I[4]+I[8]-2*I[4*c])/b.Mass))
	}
	var list []spatial.Vec3
	for c := range 8 {
		at := b.Com
		for i := range at {
			at[i] += half[i] * float64(c>>i&1*2-1)
		}
		list = append(list, p.Add(q.Rotate(at)))
	}
	return list
}

// rim returns points on a wheel at the kept time k, world frame: on its two rims, or on three great circles of a ball.
func (d *drive) rim(k int, w *wheel) []spatial.Vec3 {
	const parts = 32 // points on a circle
	_, q := d.pose(k, w.body)
	c := d.centre(k, w)
	var list []spatial.Vec3
	circle := func(axis, c spatial.Vec3) {
		u := spatial.Vec3{1, 0, 0}
		if math.Abs(axis[0]) > 0.7 { // x is too close to the axis (about 45°) to span the plane of the circle well
			u = spatial.Vec3{0, 1, 0}
		}
		v := axis.Cross(u)
		v = v.Scale(w.radius / v.Norm())
		u = v.Cross(axis)
		for i := range parts {
			s, co := math.Sincos(2 * math.Pi * float64(i) / parts)
			list = append(list, c.Add(u.Scale(co)).Add(v.Scale(s)))
		}
	}
	if w.axis == (spatial.Vec3{}) {
		circle(spatial.Vec3{0, 0, 1}, c)
		circle(spatial.Vec3{1, 0, 0}, c)
		circle(spatial.Vec3{0, 1, 0}, c)
	} else {
		axis := q.Rotate(w.axis)
		axis = axis.Scale(1 / axis.Norm())
		for _, side := range [2]float64{-0.5, 0.5} {
			circle(axis, c.Add(axis.Scale(side*w.width)))
		}
	}
	return list
}

// outlines returns the outlines of the wheels, then of the hulls, at the kept time k: the convex hulls of their points as see
// projects them from the world frame to the picture.
func (d *drive) outlines(k int, see func(p spatial.Vec3) [2]float64) (list []picture.Outline) {
	add := func(points []spatial.Vec3, isWheel bool) {
		var flat [][2]float64
		for _, p := range points {
			flat = append(flat, see(p))
		}
		list = append(list, picture.Outline{Points: hull(flat), Wheel: isWheel})
	}
	for i := range d.wheels {
		add(d.rim(k, &d.wheels[i]), true)
	}
	for _, i := range d.hulls {
		add(d.box(k, i), false)
	}
	return list
}

// hull returns the convex hull of points, counterclockwise, by the monotone chain algorithm (Andrew 1979): the lower half from
// left to right, then the upper half back.
func hull(points [][2]float64) [][2]float64 {
	points = slices.Clone(points)
	slices.SortFunc(points, func(a, b [2]float64) int { return slices.Compare(a[:], b[:]) })
	var chain [][2]float64
	for _, backwards := range [2]bool{false, true} {
		first := len(chain)
		for i := range points {
			p := points[i]
			if backwards {
				p = points[len(points)-1-i]
			}
			for len(chain) >= first+2 {
				a, b := chain[len(chain)-2], chain[len(chain)-1]
				if (b[0]-a[0])*(p[1]-a[1])-(b[1]-a[1])*(p[0]-a[0]) > 0 {
					break
				}
				chain = chain[:len(chain)-1]
			}
			chain = append(chain, p)
		}
		chain = chain[:len(chain)-1] // the last point is the first one of the other half
	}
	return chain
}

// interval returns the time between outlines, s: one second, or, if that gives fewer than fewestOutlines or more than
// mostOutlines of them, a round time (1, 2 or 5 times a power of ten).
func (d *drive) interval() float64 {
	long := d.times[len(d.times)-1] - d.times[0]
	if long >= fewestOutlines && long <= mostOutlines {
		return 1
	}
	outlines := mostOutlines
	if long < fewestOutlines {
		outlines = fewestOutlines * 2
	}
	least := max(long, math.SmallestNonzeroFloat64) / float64(outlines)
	step := math.Pow(10, math.Floor(math.Log10(least)))
	for _, m := range [...]float64{1, 2, 5} {
		if least <= m*step*(1+1e-9) {
			return m * step
		}
	}
	return 10 * step
}

// instants returns the indices of the kept times at which outlines are drawn: the first one at or after each multiple of the
// interval since the start, and the last one. 1e-9 is the rounding of times, relative to the interval.
func (d *drive) instants(interval float64) (list []int) {
	next := d.times[0]
	for k, t := range d.times {
		if t >= next-1e-9*interval {
			list = append(list, k)
			next = d.times[0] + interval*(math.Floor((t-d.times[0])/interval+1e-9)+1)
		}
	}
	if last := len(d.times) - 1; list[len(list)-1] != last {
		list = append(list, last)
	}
	return list
}

// above returns the picture from above: tracks of the wheels, and outlines of all bodies at the end, and of the hulls only at
// earlier instants. A picture for a relief has no outlines, and the ground has no ruts. gradient adds arrows uphill.
func (d *drive) above(model string, gradient, relief bool) *picture.Terrain {
	t := &picture.Terrain{Title: sheet.ModelTitle(model), Gradient: gradient, Height: d.height}
	lo, hi := [2]float64{math.Inf(1), math.Inf(1)}, [2]float64{math.Inf(-1), math.Inf(-1)}
	see := func(p spatial.Vec3) [2]float64 {
		for c := range lo {
			lo[c], hi[c] = min(lo[c], p[c]), max(hi[c], p[c])
		}
		return [2]float64{p[0], p[1]}
	}
	for i := range d.wheels {
		w := &d.wheels[i]
		track := picture.Track{Name: fault.Text(w.name, sheet.NameWidth)}
		for k := range d.times {
			track.Points = append(track.Points, see(d.centre(k, w)))
		}
		t.Tracks = append(t.Tracks, track)
	}
	interval := d.interval()
	for _, k := range d.instants(interval) {
		past := k != len(d.times)-1
		for _, o := range d.outlines(k, see) {
			if o.Past = past; !past || !o.Wheel {
				t.Outlines = append(t.Outlines, o)
			}
		}
	}
	if relief {
		t.Outlines = nil
		t.Height = func(x, y float64) (z, fx, fy float64) { return heightOf(d.before, x, y) }
	} else {
		t.Title += fmt.Sprintf(", %s to %s s, outlines every %s s", sheet.Short(d.times[0]), sheet.Short(d.times[len(d.times)-1]), sheet.Short(interval))
	}
	t.Min, t.Max = d.window(lo, hi)
	return t
}

// window returns the rectangle of a view of the points in the rectangle from lo to hi: with a margin, not too narrow, and cut
// to the extent of the terrain, except where the points themselves lie beyond it.
func (d *drive) window(lo, hi [2]float64) (from, to [2]float64) {
	long := max(hi[0]-lo[0], hi[1]-lo[1])
	margin := max(viewMargin*long, viewLeast)
	extent := d.ground.Extent()
	for c := range lo {
		room := max(margin, (narrowest*(long+2*margin)-(hi[c]-lo[c]))/2)
		from[c], to[c] = lo[c]-room, hi[c]+room
		from[c], to[c] = max(from[c], min(extent.Min[c], lo[c])), min(to[c], max(extent.Max[c], hi[c]))
	}
	return from, to
}

// height is heightOf for the ground of the drive.
func (d *drive) height(x, y float64) (z, fx, fy float64) { return heightOf(d.ground, x, y) }

// heightOf returns the height of the ground at (x, y), m, and its slopes along x and y; all three are NaN where there is no
// ground.
func heightOf(s *ground.Surface, x, y float64) (z, fx, fy float64) {
	p, err := s.At(x, y)
	if err != nil {
		return math.NaN(), math.NaN(), math.NaN()
	}
	return p.Z, p.X, p.Y
}

// wheelsOf returns the wheels of all contacts of a mechanism, and the ground of the first contact, on which all of them are
// drawn (nil without contacts). Wheels have the names of their bodies; further contacts of the same body have their own names.
func wheelsOf(mech *mechanism.Mechanism) (surface *ground.Surface, wheels []wheel) {
	for i := range mech.NumContacts() {
		c, body, element := mech.Contact(i)
		if surface == nil {
			surface = c.Ground
		}
		w := wheel{
			name: mech.BodyName(body), body: body, centre: c.Shape.Center, axis: c.Shape.Axis, radius: c.Shape.Radius, width: drawnWidth * c.Shape.Radius,
		}
		switch c.Shape.Type {
		case contact.Sphere:
			w.axis = spatial.Vec3{}
		case contact.Torus:
			w.width = 2 * c.Shape.TyreRadius
		case contact.Cylinder:
			w.width = c.Shape.Width
		}
		if slices.ContainsFunc(wheels, func(v wheel) bool { return v.name == w.name }) {
			w.name = mech.ForceName(element)
		}
		wheels = append(wheels, w)
	}
	return surface, wheels
}
