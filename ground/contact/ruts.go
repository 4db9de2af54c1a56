package contact

import (
	"errors"
	"fmt"
	"math"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/spatial"
)

// Ruts are the ruts of wheels in soft soil: a surface that is lowered between steps, docs/ground.md (G39), (G40). In
// every accepted step the caller notes each contact on it at one or more instants (Note). Then Settle presses the ground
// under the wheels and lowers the nodes that no wheel is on any more. Ruts belong to one goroutine, and so does their surface.
//
// Memory: 32 bytes for each node of the ground.Tiles that have been rolled over, 8 KB for a tile of 16 × 16 nodes, up to
// ground.MostTiles tiles, or 268 MB. It grows by doubling.
type Ruts struct {
	base    *ground.Surface
	surface *ground.Surface
	tiles   *ground.Tiles // change of the height of each node, m, at most 0
	prints  []footprint   // one for each value of tiles
	active  []int32       // numbers of the values that are pressed
	stands  []stand       // touches noted since the last Settle
	step    uint32        // number of the current step
}

// footprint is the lowest passage of a wheel over a node that has not been lowered yet.
type footprint struct {
	passage float64 // lowest height of the wheel over the node, m
	back    float64 // λ, the Recovery, of that wheel
	stamp   uint32  // last step in which a wheel was on the node, or so near that its ground depends on the node
	pressed bool    // there is a passage
}

// stand is a touch of a wheel with the values on which a rut depends.
type stand struct {
	p, x, center, axis spatial.Vec3 // P, X, center and axis of the Point
	rim                float64      // radius of the rim, m
	chord, reach       float64      // half the length of the touching arc, and the radius of a disc about p that covers the contact, m
	width, back        float64      // width of the wheel, m, and its Recovery
	way                spatial.Vec3 // unit vector of the centre's velocity, 0 at rest
	half               float64      // distance along way that the wheel covers before and after the instant, m
	presses            bool         // whether the wheel leaves a rut
}

// The spacing of the nodes for a wheel is rutPart of its width, and at least rutFinest of its radius.
const rutPart, rutFinest = 0.25, 0.02

// fewNodes and fewStands are the numbers of nodes and stands for which there is memory at first.
const fewNodes, fewStands = 1024, 64

// NewRuts returns ruts in a surface, on an unbounded square grid of nodes. The smallest Contact.RutSpacing of the wheels is a
// good spacing, m.
//
// It returns an error if the spacing is not positive and finite. It panics if base is nil.
func NewRuts(base *ground.Surface, spacing float64) (*Ruts, error) {
	if base == nil {
		panic("contact: no surface")
	}
	var origin [2]float64
	if e := base.Extent(); e.Finite() {
		origin = e.Min
	}
	tiles, err := ground.NewTiles(origin, spacing)
	if err != nil {
		return nil, fmt.Errorf("ground/contact: ruts: %w", err)
	}
	r := &Ruts{base: base, tiles: tiles, active: make([]int32, 0, fewNodes), stands: make([]stand, 0, fewStands), step: 1}
	if r.surface, err = ground.Sum(base, tiles.Surface()); err != nil {
		return nil, err
	}
	return r, nil
}

// Base returns the ground without ruts.
func (r *Ruts) Base() *ground.Surface { return r.base }

// Surface returns the ground with the ruts, which is the Ground of the contacts that press it.
func (r *Ruts) Surface() *ground.Surface { return r.surface }

// Spacing returns the distance of nodes, m.
func (r *Ruts) Spacing() float64 { return r.tiles.Spacing() }

// Note records where a contact touches the surface, after EvalTo has stored res. A contact
// whose law has ruts presses the ground; under any other contact the ground keeps its height
// until the contact leaves. The touches count for a time interval of length span, s, about the
// instant. In it the wheels are assumed to move at their present velocity, so that the
// bottom of a rut has no waves between instants.
//
// Cost: O(touches), no allocation once a step has had as many touches.
func (r *Ruts) Note(c *Contact, res *Result, span float64) {
	for i := range res.Touches {
		t := &res.Touches[i]
		radius := t.rim + t.tube
		chord := math.Sqrt(max(radius*radius-(radius-t.Depth)*(radius-t.Depth), 0))
		s := stand{p: t.P, x: t.X, center: t.center, axis: t.axis, rim: t.rim, chord: chord}
		if soil := &c.Law.Friction.Soil; c.Law.Friction.Type == Soil {
			s.width, s.back, s.presses = c.rutWidth(), soil.Recovery, soil.Ruts
		}
		if speed := t.velocity.Norm(); speed > 0 {
			s.way, s.half = t.velocity.Scale(1/speed), speed*span/2
		}
		s.reach = math.Hypot(chord, s.width/2)
		r.stands = append(r.stands, s)
	}
}

// rutWidth returns the width of the rut of one disc of a contact on soil, m.
func (c *Contact) rutWidth() float64 {
	return c.Law.Friction.Soil.Width / float64(c.Shape.discs())
}

// RutSpacing returns the spacing of nodes for the rut of a contact on
// soil, m: a quarter of its width, and a fiftieth of the radius at least.
func (c *Contact) RutSpacing() float64 {
	return max(rutPart*c.rutWidth(), rutFinest*c.Shape.Radius)
}

// Drop clears the notes since the last Settle, when a step is given up.
func (r *Ruts) Drop() { r.stands = r.stands[:0] }

// Settle presses the nodes under the noted wheels, (G39), and lowers the pressed nodes that no wheel has been on or near
// in this step, (G40). It ends the step.
//
// The ground of the noted touches does not depend on the nodes that are lowered, so that the forces at the last noted
// state keep their bits.
//
// Cost: O(nodes under the wheels), no allocation unless memory grows. It returns ground.ErrTiles, and the errors of
// the surface except ground.ErrOff: nodes off the ground are not lowered. After an error the step has to be repeated.
func (r *Ruts) Settle() error {
	for i := range r.stands {
		if s := &r.stands[i]; s.presses {
			if err := r.press(s); err != nil {
				return err
			}
		}
	}
	for i := range r.stands {
		if err := r.hold(&r.stands[i]); err != nil {
			return err
		}
	}
	kept := r.active[:0]
	for at, n := range r.active {
		f := &r.prints[n]
		if f.stamp == r.step {
			kept = append(kept, n)
			continue
		}
		x, y := r.tiles.Place(r.tiles.Node(int(n)))
		z, err := r.base.Height(x, y)
		if err != nil && !errors.Is(err, ground.ErrOff) {
			r.active = append(kept, r.active[at:]...)
			return err
		}
		lowered := r.tiles.Value(int(n))
		if now := z + *lowered; err == nil && f.passage < now {
			*lowered -= (1 - f.back) * (now - f.passage)
		}
		*f = footprint{}
	}
	r.active = kept
	r.stands = r.stands[:0]
	r.step++
	return nil
}

// around returns the range of nodes, both ends included, in the square of half side reach, m, about p.
func (r *Ruts) around(p *spatial.Vec3, reach float64) (from, to [2]int32, err error) {
	for k := range from {
		if from[k], to[k], err = r.tiles.Between(p[k]-reach, p[k]+reach, k); err != nil {
			return from, to, fmt.Errorf("ground/contact: ruts at (%.4g, %.4g): %w", p[0], p[1], err)
		}
	}
	return from, to, nil
}

// press notes the height of the lower side of a wheel at the nodes below it, docs/ground.md (G39). Where the wheel covers a part of
// the width of a node's cell only, the node sinks by that part of the sinkage, so that the sides of a rut that runs at an angle to
// the grid have no steps.
func (r *Ruts) press(s *stand) error {
	h := r.tiles.Spacing()
	from, to, err := r.around(&s.p, s.reach+h/2+s.half)
	if err != nil {
		return err
	}
	a := &s.axis
	q := 1 - a[2]*a[2]
	if q <= lying {
		return nil
	}
	for j := from[1]; j <= to[1]; j++ {
		for i := from[0]; i <= to[0]; i++ {
			x, y := r.tiles.Place(i, j)
			d := spatial.Vec3{x - s.center[0], y - s.center[1]}
			// The wheel is lowest over the node when the centre has moved on by moved.
			moved := s.lowest(&d)
			d[0] -= moved * s.way[0]
			d[1] -= moved * s.way[1]
			// The lower z of the wheel's surface, at the distance r from its axis.
			along := d[0]*a[0] + d[1]*a[1]
			p := a[2] * along
			root := p*p - q*(d[0]*d[0]+d[1]*d[1]-along*along-s.rim*s.rim)
			if root < 0 {
				continue
			}
			d[2] = (p - math.Sqrt(root)) / q
			forward := d.Sub(s.p.Sub(s.center)).Dot(s.x)
			under := covered(along+a[2]*d[2], s.width/2, h/2) / h
			if under <= 0 || math.Abs(forward) > s.chord {
				continue
			}
			n, err := r.make(i, j)
			if err != nil {
				return fmt.Errorf("ground/contact: ruts at (%.4g, %.4g): %w", x, y, err)
			}
			z := s.center[2] + moved*s.way[2] + d[2]
			if under < 1 {
				was, err := r.base.Height(x, y)
				if err != nil {
					continue // the node is off the ground; Settle returns other errors
				}
				z += (1 - under) * max(was+*r.tiles.Value(n)-z, 0)
			}
			r.note(n, z, s.back)
		}
	}
	return nil
}

// covered returns the length of the overlap of the cell from side − half to side + half with the wheel from −wide to wide, m;
// it is negative if they do not overlap.
func covered(side, wide, half float64) float64 {
	return min(side+half, wide) - max(side-half, -wide)
}

// lowest returns the distance along way, from −half to half, m, by which the centre of a wheel moves until the wheel is lowest over the
// node at d from the centre. A circle of radius r that moves along a path with the slope angle σ touches its envelope r·sin σ ahead of
// its centre.
func (s *stand) lowest(d *spatial.Vec3) float64 {
	level := math.Hypot(s.way[0], s.way[1])
	if level*s.half == 0 {
		return 0
	}
	ahead := (d[0]*s.way[0] + d[1]*s.way[1]) / level
	return min(max((ahead-s.rim*s.way[2])/level, -s.half), s.half)
}

// make returns the number of the value at node i, j, and adds the value with its footprint if it is not there. It returns
// ground.ErrTiles.
func (r *Ruts) make(i, j int32) (int, error) {
	n, err := r.tiles.Make(i, j)
	if from := len(r.prints); from < r.tiles.Len() {
		if cap(r.prints) < r.tiles.Cap() {
			r.prints = append(make([]footprint, 0, r.tiles.Cap()), r.prints...)
		}
		r.prints = r.prints[:r.tiles.Len()]
		clear(r.prints[from:])
	}
	return n, err
}

// note records the passage of a wheel with the Recovery back at the height z over value n.
func (r *Ruts) note(n int, z, back float64) {
	f := &r.prints[n]
	if !f.pressed {
		r.active = append(r.active, int32(n))
	}
	if !f.pressed || z < f.passage {
		f.passage, f.back = z, back
	}
	f.pressed, f.stamp = true, r.step
}

// support is the distance along an axis, in units of the spacing, up to which the surface depends on a node.
const support = 2

// hold stamps the pressed nodes on which the ground about a touch depends, so that Settle does not lower them in this step.
func (r *Ruts) hold(s *stand) error {
	reach := s.reach + support*math.Sqrt2*r.tiles.Spacing()
	from, to, err := r.around(&s.p, reach)
	if err != nil {
		return err
	}
	for j := from[1]; j <= to[1]; j++ {
		for i := from[0]; i <= to[0]; i++ {
			n := r.tiles.Find(i, j)
			if n < 0 || !r.prints[n].pressed {
				continue
			}
			if x, y := r.tiles.Place(i, j); math.Hypot(x-s.p[0], y-s.p[1]) <= reach {
				r.prints[n].stamp = r.step
			}
		}
	}
	return nil
}

// Clear removes all ruts, and keeps the memory.
func (r *Ruts) Clear() {
	r.tiles.Clear()
	r.prints, r.active, r.stands = r.prints[:0], r.active[:0], r.stands[:0]
	r.step = 1
}

// RutNode is the state of a node of Ruts.
type RutNode struct {
	I, J    int32   // number of the node along x and y
	Lowered float64 // change of the height, m, at most 0
	Pressed bool    // a wheel has passed over it, and it has not been lowered for that yet
	Passage float64 // lowest height of the wheel, m, if it is pressed
	Back    float64 // λ of that wheel, if it is pressed
}

// Nodes returns all nodes that are lowered or pressed, for a checkpoint.
func (r *Ruts) Nodes() (list []RutNode) {
	for n := range r.prints {
		f, lowered := &r.prints[n], *r.tiles.Value(n)
		if lowered == 0 && !f.pressed {
			continue
		}
		i, j := r.tiles.Node(n)
		list = append(list, RutNode{I: i, J: j, Lowered: lowered, Pressed: f.pressed, Passage: f.passage, Back: f.back})
	}
	return list
}

// CheckNodes returns an error that names the first entry of the list that Nodes cannot have returned, or nil.
func CheckNodes(list []RutNode) error {
	for i, n := range list {
		finite := algebra.Finite(n.Lowered) && algebra.Finite(n.Passage)
		if !finite || n.Lowered > 0 || !(n.Back >= 0 && n.Back <= 1) {
			return fmt.Errorf("ground/contact: entry %d of ruts is not fit (node %d, %d, lowered by %v, passage %v)", i, n.I, n.J, n.Lowered, n.Passage)
		}
	}
	return nil
}

// Restore replaces the ruts by a list that Nodes has returned. A run that is continued from it has the same bits.
//
// If CheckNodes finds an error, Restore returns it and leaves the ruts unchanged. It also returns ground.ErrTiles, and an error if a
// node is in the list twice; then there are no ruts.
func (r *Ruts) Restore(list []RutNode) error {
	if err := CheckNodes(list); err != nil {
		return err
	}
	r.Clear()
	for _, n := range list {
		k, err := r.make(n.I, n.J)
		if err != nil {
			r.Clear()
			return fmt.Errorf("ground/contact: ruts at node %d, %d: %w", n.I, n.J, err)
		}
		if f := &r.prints[k]; *r.tiles.Value(k) != 0 || f.pressed {
			r.Clear()
			return fmt.Errorf("ground/contact: node %d, %d of ruts is there twice", n.I, n.J)
		}
		*r.tiles.Value(k) = n.Lowered
		if n.Pressed {
			r.prints[k] = footprint{passage: n.Passage, back: n.Back, pressed: true}
			r.active = append(r.active, int32(k))
		}
	}
	return nil
}
