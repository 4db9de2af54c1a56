package simulate

import (
	"math"

	"github.com/rung-mbd/rung/cmd/rung/internal/picture"
	"github.com/rung-mbd/rung/cmd/rung/internal/sheet"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

const (
	profilePlaces = 1500 // of the ground
	apartBy       = 1.25 // distance of outlines over their length
	shortestWay   = 1e-9 // m, below which a body stands
	settling      = 5e-3 // of the farthest distance from the start, below which it does not head anywhere
)

// way is where the leading body has gone, seen from above: lengths along it at the kept times, and where it heads.
type way struct {
	at     [][2]float64
	length []float64
	head   [][2]float64 // unit vectors
}

// newWay follows the leading body.
func (d *drive) newWay() *way {
	w := &way{}
	least := d.leastTurn()
	heading, from := d.firstHeading(least), 0 // it heads from where it was at least so far away, the last time
	for k := range d.times {
		p := d.middle(k)
		at := [2]float64{p[0], p[1]}
		s := 0.0
		if k > 0 {
			before := w.at[k-1]
			s = math.Hypot(at[0]-before[0], at[1]-before[1])
			for from+1 < k && math.Hypot(at[0]-w.at[from+1][0], at[1]-w.at[from+1][1]) > least {
				from++
			}
			if back := w.at[from]; math.Hypot(at[0]-back[0], at[1]-back[1]) > least {
				l := math.Hypot(at[0]-back[0], at[1]-back[1])
				heading = [2]float64{(at[0] - back[0]) / l, (at[1] - back[1]) / l}
			}
			s += w.length[k-1]
		}
		w.at, w.length, w.head = append(w.at, at), append(w.length, s), append(w.head, heading)
	}
	return w
}

// leastTurn is the distance after which the leading body heads where it goes: less may be how it settles on the ground.
func (d *drive) leastTurn() float64 {
	far, a := 0.0, d.middle(0)
	for k := range d.times {
		b := d.middle(k)
		far = max(far, math.Hypot(b[0]-a[0], b[1]-a[1]))
	}
	return max(shortestWay, settling*far)
}

// firstHeading is the direction of the first movement beyond a distance, or x.
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

// beside returns the place at a length, so far to the left. Before the
// beginning and behind the end the way goes straight on.
func (w *way) beside(s, left float64) (x, y float64) {
	n := len(w.at)
	k := n - 1
	for k > 0 && w.length[k] > s {
		k--
	}
	head := w.head[min(k+1, n-1)]
	if s < 0 {
		head = w.head[0]
	}
	d := s - w.length[k]
	return w.at[k][0] + d*head[0] - left*head[1], w.at[k][1] + d*head[1] + left*head[0]
}

// see returns the length along the way and the height of a point at a kept time.
func (w *way) see(k int) func(p spatial.Vec3) [2]float64 {
	return func(p spatial.Vec3) [2]float64 {
		dx, dy := p[0]-w.at[k][0], p[1]-w.at[k][1]
		return [2]float64{w.length[k] + dx*w.head[k][0] + dy*w.head[k][1], p[2]}
	}
}

// side returns how far left of the way a point is at a kept time.
func (w *way) side(k int, p spatial.Vec3) float64 {
	return (p[1]-w.at[k][1])*w.head[k][0] - (p[0]-w.at[k][0])*w.head[k][1]
}

// profile returns the picture from the side.
func (d *drive) profile(model string) *picture.Profile {
	w := d.newWay()
	p := &picture.Profile{Title: sheet.ModelTitle(model) + ", from the right, true scale"}
	if len(d.wheels) == 0 {
		return p
	}
	lo, hi := 0.0, w.length[len(w.length)-1]
	width := func(list []picture.Outline) (from, to, top float64) {
		from, to, top = math.Inf(1), math.Inf(-1), math.Inf(-1)
		for _, o := range list {
			for _, at := range o.Points {
				from, to, top = min(from, at[0]), max(to, at[0]), max(top, at[1])
			}
		}
		return from, to, top
	}
	end := math.Inf(-1)
	for k := range d.times {
		list := d.outlines(k, w.see(k))
		from, to, top := width(list)
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

// leader is the name of the leading body.
func (d *drive) leader() string {
	i := d.wheels[0].body
	if len(d.hulls) > 0 {
		i = d.hulls[0]
	}
	return fault.Text(d.mech.BodyName(i), sheet.NameWidth)
}

// section returns the heights of the ground so far to the left of the way, without the places that have none.
func (d *drive) section(w *way, lo, hi, left float64) (list [][2]float64) {
	for i := range profilePlaces + 1 {
		s := lo + (hi-lo)*float64(i)/profilePlaces
		x, y := w.beside(s, left)
		if z, _, _ := d.height(x, y); z == z {
			list = append(list, [2]float64{s, z})
		}
	}
	return list
}
