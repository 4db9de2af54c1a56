package simulate

import (
	"math"

	"github.com/rung-mbd/rung/cmd/rung/internal/picture"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

const (
	profilePlaces = 1500 // intervals at whose ends the ground is drawn
	apartBy       = 1.25 // least distance between the starts of two outlines, relative to their length
	shortestWay   = 1e-9 // m; a body that moves less has no heading
	settling      = 5e-3 // distance relative to the farthest one from the start, below which movement is settling on the ground
)

// trail is the track of the leading body (drive.middle) seen from above, at the kept times.
type trail struct {
	points  [][2]float64 // m, world frame
	length  []float64    // m, along the track from its start
	heading [][2]float64 // unit vectors
}

// newTrail returns the track of the leading body. Its heading at a time is the direction from the last earlier point that is
// more than leastAdvance away; as long as there is none, firstHeading.
func (d *drive) newTrail() *trail {
	w := &trail{}
	least := d.leastAdvance()
	heading, from := d.firstHeading(least), 0 // from is the index of the point from which the body heads
	for k := range d.times {
		p := d.middle(k)
		at := [2]float64{p[0], p[1]}
		s := 0.0
		if k > 0 {
			before := w.points[k-1]
			s = math.Hypot(at[0]-before[0], at[1]-before[1])
			for from+1 < k && math.Hypot(at[0]-w.points[from+1][0], at[1]-w.points[from+1][1]) > least {
				from++
			}
			if back := w.points[from]; math.Hypot(at[0]-back[0], at[1]-back[1]) > least {
				l := math.Hypot(at[0]-back[0], at[1]-back[1])
				heading = [2]float64{(at[0] - back[0]) / l, (at[1] - back[1]) / l}
			}
			s += w.length[k-1]
		}
		w.points, w.length, w.heading = append(w.points, at), append(w.length, s), append(w.heading, heading)
	}
	return w
}

// leastAdvance returns the distance, m, over which the heading of the leading body is taken. A shorter movement may be the
// settling on the ground.
func (d *drive) leastAdvance() float64 {
	far, a := 0.0, d.middle(0)
	for k := range d.times {
		b := d.middle(k)
		far = max(far, math.Hypot(b[0]-a[0], b[1]-a[1]))
	}
	return max(shortestWay, settling*far)
}

// firstHeading returns the unit vector from the start to the first point farther away than least, m, or x if there is none.
func (d *drive) firstHeading(least float64) [2]float64 {
	a := d.middle(0)
	for k := range d.times {
		b := d.middle(k)
		if s := math.Hypot(b[0]-a[0], b[1]-a[1]); s > least {
			return [2]float64{(b[0] - a[0]) / s, (b[1] - a[1]) / s}
		}
	}
	return [2]float64{1, 0}
}

// beside returns the point at the length s along the track, m, and the distance left to its left, m (negative: to its right).
// Before the start and beyond the end the track is taken as straight.
func (w *trail) beside(s, left float64) (x, y float64) {
	n := len(w.points)
	k := n - 1
	for k > 0 && w.length[k] > s {
		k--
	}
	head := w.heading[min(k+1, n-1)]
	if s < 0 {
		head = w.heading[0]
	}
	d := s - w.length[k]
	return w.points[k][0] + d*head[0] - left*head[1], w.points[k][1] + d*head[1] + left*head[0]
}

// see returns the projection from the world frame to the picture from the side at the kept time k: the length along the
// track, which is taken as straight around the leading body, and the height of a point.
func (w *trail) see(k int) func(p spatial.Vec3) [2]float64 {
	return func(p spatial.Vec3) [2]float64 {
		dx, dy := p[0]-w.points[k][0], p[1]-w.points[k][1]
		return [2]float64{w.length[k] + dx*w.heading[k][0] + dy*w.heading[k][1], p[2]}
	}
}

// side returns the distance, m, of a point p to the left of the track at the kept time k (negative: to the right).
func (w *trail) side(k int, p spatial.Vec3) float64 {
	return (p[1]-w.points[k][1])*w.heading[k][0] - (p[0]-w.points[k][0])*w.heading[k][1]
}

// profile returns the picture from the right side, along the track of the leading body: outlines of the bodies that do not
// overlap, the ground below the track and, dashed, below the outermost wheels on either side, and the track itself.
func (d *drive) profile(model string) *picture.Profile {
	w := d.newTrail()
	p := &picture.Profile{Title: sheet.ModelTitle(model) + ", from the right, true scale"}
	if len(d.wheels) == 0 {
		return p
	}
	lo, hi := 0.0, w.length[len(w.length)-1]
	bounds := func(list []picture.Outline) (from, to, top float64) {
		from, to, top = math.Inf(1), math.Inf(-1), math.Inf(-1)
		for _, o := range list {
			for _, at := range o.Points {
				from, to, top = min(from, at[0]), max(to, at[0]), max(top, at[1])
			}
		}
		return from, to, top
	}
	end := math.Inf(-1) // of the last drawn outlines
	for k := range d.times {
		list := d.outlines(k, w.see(k))
		from, to, top := bounds(list)
		lo, hi = min(lo, from), max(hi, to)
		if from-end < (apartBy-1)*(to-from) {
			continue
		}
		end = to
		p.Outlines = append(p.Outlines, list...)
		p.Notes = append(p.Notes, picture.ProfileNote{At: [2]float64{(from + to) / 2, top}, Text: sheet.Digits3(d.times[k]) + " s"})
	}
	p.Ground = d.section(w, lo, hi, 0)
	left, right := 0.0, 0.0
	for i := range d.wheels {
		s := w.side(0, d.centre(0, &d.wheels[i]))
		left, right = max(left, s), min(right, s)
	}
	if left > 0 {
		p.Lines = append(p.Lines, picture.ProfileLine{Name: "ground left", Dashed: true, Points: d.section(w, lo, hi, left)})
	}
	if right < 0 {
		p.Lines = append(p.Lines, picture.ProfileLine{Name: "ground right", Dashed: true, Points: d.section(w, lo, hi, right)})
	}
	line := picture.ProfileLine{Name: d.leader()}
	for k := range d.times {
		line.Points = append(line.Points, [2]float64{w.length[k], d.middle(k)[2]})
	}
	p.Lines = append(p.Lines, line)
	return p
}

// leader returns the name of the leading body (drive.middle), shortened to fit the picture.
func (d *drive) leader() string {
	i := d.wheels[0].body
	if len(d.hulls) > 0 {
		i = d.hulls[0]
	}
	return fault.Text(d.mech.BodyName(i), sheet.NameWidth)
}

// section returns points (length, height), m, of the ground on the line at the distance left to the left of the track, from the
// length lo to hi. Places without ground are left out.
func (d *drive) section(w *trail, lo, hi, left float64) (list [][2]float64) {
	for i := range profilePlaces + 1 {
		s := lo + (hi-lo)*float64(i)/profilePlaces
		x, y := w.beside(s, left)
		if z, _, _ := d.height(x, y); z == z {
			list = append(list, [2]float64{s, z})
		}
	}
	return list
}
