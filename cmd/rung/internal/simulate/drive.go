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
	// mostPoses is the number of poses that pictures of a drive are drawn from at most, an even one.
	mostPoses = 4096
	// mostNumbers is the number of numbers of all these poses at most.
	mostNumbers = 1 << 22
	// mostWheels and mostHulls are the numbers of wheels and of other bodies that are drawn.
	mostWheels, mostHulls = 64, 24
	// mostOutlines is about the number of times at which outlines are drawn.
	mostOutlines = 24
	// fewestOutlines is the number of seconds below which outlines are closer than a second.
	fewestOutlines = 5
	// lightest is the part of the largest mass below which no outline is drawn.
	lightest = 0.05
	// viewMargin is the room around the tracks, of the longer side of what they take; viewLeast is the least one, m.
	viewMargin, viewLeast = 0.15, 1.0
	// narrowest is the shorter side of a view over the longer one, at least.
	narrowest = 0.4
	// drawnWidth is the width of a disc as drawn, of its radius.
	drawnWidth = 0.3
	// poseNumbers is the number of numbers of a pose of a body.
	poseNumbers = 7
)

// wheel is a body that touches the ground around a centre.
type wheel struct {
	name         string
	body         int
	centre, axis spatial.Vec3 // body frame; no axis: a ball
	radius       float64
	width        float64 // as drawn
}

// drive collects poses of the bodies that pictures of a drive show, in bounded memory: where there are more rows than
// poses, every second one of the poses is dropped again and again.
type drive struct {
	mech   *mechanism.Mechanism
	ground *ground.Surface
	before *ground.Surface // the ground without ruts, which are narrower than what a relief shows
	wheels []wheel
	hulls  []int // bodies that do not touch the ground, the heaviest first
	bodies []int // all whose poses are kept
	place  map[int]int
	times  []float64
	poses  []float64
	most   int
	stride int64
	rows   int64
}

// newDrive chooses the bodies that are shown.
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

// Add takes in a state.
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

// thin drops every second pose.
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

// pose returns the place and the axes of a body at a kept time.
func (d *drive) pose(k, body int) (p spatial.Vec3, q spatial.Quat) {
	at := d.poses[poseNumbers*(k*len(d.bodies)+d.place[body]):]
	copy(p[:], at)
	copy(q[:], at[3:])
	return p, q
}

// centre returns where the centre of a wheel is.
func (d *drive) centre(k int, w *wheel) spatial.Vec3 {
	p, q := d.pose(k, w.body)
	return p.Add(q.Rotate(w.centre))
}

// middle returns where the leading body is: the heaviest one, or the first wheel.
func (d *drive) middle(k int) spatial.Vec3 {
	if len(d.hulls) == 0 {
		return d.centre(k, &d.wheels[0])
	}
	p, q := d.pose(k, d.hulls[0])
	return p.Add(q.Rotate(d.mech.Bodies[d.hulls[0]].Com))
}

// box returns the corners of the box with the mass and the moments of inertia of a body about its axes.
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

// rim returns places around a wheel: of its rims, or of the outline of a ball on all sides.
func (d *drive) rim(k int, w *wheel) []spatial.Vec3 {
	const parts = 32
	_, q := d.pose(k, w.body)
	c := d.centre(k, w)
	var list []spatial.Vec3
	circle := func(axis, c spatial.Vec3) {
		u := spatial.Vec3{1, 0, 0}
		if math.Abs(axis[0]) > 0.7 {
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

// outlines returns the outlines of wheels and of other bodies at the kept time k, with see for what a point looks like.
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

// hull returns the convex hull of points, counterclockwise (Andrew 1979).
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
		chain = chain[:len(chain)-1] // begins the other half
	}
	return chain
}

// interval returns a round time between outlines: a second, or less or more where there would be few or too many.
func (d *drive) interval() float64 {
	long := d.times[len(d.times)-1] - d.times[0]
	if long >= fewestOutlines && long <= mostOutlines {
		return 1
	}
	times := mostOutlines
	if long < fewestOutlines {
		times = fewestOutlines * 2
	}
	least := max(long, math.SmallestNonzeroFloat64) / float64(times)
	step := math.Pow(10, math.Floor(math.Log10(least)))
	for _, m := range [...]float64{1, 2, 5} {
		if least <= m*step*(1+1e-9) {
			return m * step
		}
	}
	return 10 * step
}

// instants returns the kept times at which outlines are drawn: the first at or after each interval, and the last.
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

// above returns the picture from above, with no outlines where relief.
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

// window returns the rectangle of a view of what lies from lo to hi: with room around, not too narrow, and on the
// terrain as far as that goes.
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

// height returns the ground below a place with its slopes, not numbers where there is none.
func (d *drive) height(x, y float64) (z, fx, fy float64) { return heightOf(d.ground, x, y) }

func heightOf(s *ground.Surface, x, y float64) (z, fx, fy float64) {
	p, err := s.At(x, y)
	if err != nil {
		return math.NaN(), math.NaN(), math.NaN()
	}
	return p.Z, p.X, p.Y
}

// wheelsOf returns the ground of the first contact of a mechanism, on which all are drawn, and the wheels of all its contacts.
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
