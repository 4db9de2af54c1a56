package contact

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/spatial"
)

// Ruts are what wheels leave in soft soil: a surface that is lowered between steps, docs/ground.md (G39), (G40). After every
// accepted step each contact on it is pressed (Press), then the ground that no wheel stands on any more is lowered (Settle). It belongs
// to one goroutine, and so does its surface.
type Ruts struct {
	base    *ground.Surface
	surface *ground.Surface
	field   *ground.Field // how far nodes are lowered, at most 0; its heights are those of the surface's grid
	passage []float64     // the lowest place of a wheel over a node, m; +Inf without one
	stamp   []uint32      // step at which a node was last pressed
	back    []float64     // λ of the wheel at the passage
	active  []int32       // nodes with a passage
	step    uint32
}

// mostRutNodes is the most nodes of ruts.
const mostRutNodes = 1 << 24

// NewRuts returns ruts in a surface, on a grid with its own origin, spacing, m, and size, 3 × 3 nodes at least. Beyond the grid
// nothing is lowered. The spacing is best a quarter of the width of the wheels, or less.
//
// It returns an error if a number is not fit for a grid, or no place belongs to the surface and the grid.
//
// Cost: O(nodes), 28 bytes a node.
func NewRuts(base *ground.Surface, origin, spacing [2]float64, size [2]int) (*Ruts, error) {
	if size[0] < 3 || size[1] < 3 || size[0] > mostRutNodes || size[1] > mostRutNodes/size[0] {
		return nil, fmt.Errorf("ground/contact: %d × %d nodes of ruts; there have to be 3 × 3 at least and %d at most", size[0], size[1], mostRutNodes)
	}
	n := size[0] * size[1]
	r := &Ruts{base: base, passage: make([]float64, n), stamp: make([]uint32, n), back: make([]float64, n)}
	r.field = &ground.Field{Origin: origin, Spacing: spacing, Size: size, Heights: make([]float64, n)}
	// Patches of Hermite are local, so that a node that is lowered is felt at once and only near it.
	grid, err := ground.NewGrid(context.Background(), r.field, ground.Options{Interpolation: ground.Hermite, Outside: ground.Level})
	if err != nil {
		return nil, err
	}
	if r.surface, err = ground.Sum(base, grid); err != nil {
		return nil, err
	}
	for i := range r.passage {
		r.passage[i] = math.Inf(1)
	}
	return r, nil
}

// Surface returns the ground with the ruts, which is the Ground of the contacts that press it.
func (r *Ruts) Surface() *ground.Surface { return r.surface }

// Press notes where the wheels of a contact stand, after EvalTo has stored res.
//
// Cost: O(nodes under the wheels), no allocation once as many nodes as ever are pressed at a time.
func (r *Ruts) Press(c *Contact, res *Result) {
	for i := range res.Touches {
		t := &res.Touches[i]
		width, many := c.Law.Friction.Soil.Width, c.Shape.discs()
		r.press(t, width/float64(many), c.Law.Friction.Soil.Recovery)
	}
}

// press notes the lower side of a wheel over the nodes below it, docs/ground.md (G39).
func (r *Ruts) press(t *Touch, width, back float64) {
	// The arc with its width lies within a circle about the foot of the chord.
	chord := math.Sqrt(max(t.rim*t.rim-(t.rim-t.Depth)*(t.rim-t.Depth), 0))
	reach := math.Hypot(chord, width/2)
	f := r.field
	var from, to [2]int
	for k := range from {
		lo, hi := (t.P[k]-reach-f.Origin[k])/f.Spacing[k], (t.P[k]+reach-f.Origin[k])/f.Spacing[k]
		// The outermost nodes stay, so that nothing is lowered beyond.
		from[k] = int(math.Ceil(min(max(lo, 1), float64(f.Size[k]))))
		to[k] = int(math.Floor(max(min(hi, float64(f.Size[k]-2)), 0)))
	}
	a := &t.axis
	q := 1 - a[2]*a[2]
	for j := from[1]; j <= to[1]; j++ {
		for i := from[0]; i <= to[0]; i++ {
			x, y := f.Place(i, j)
			d := spatial.Vec3{x - t.center[0], y - t.center[1]}
			// The lower z of the wheel's surface, at the distance r from its axis.
			s := d[0]*a[0] + d[1]*a[1]
			p := a[2] * s
			root := p*p - q*(d[0]*d[0]+d[1]*d[1]-s*s-t.rim*t.rim)
			if root < 0 || q <= lying {
				continue
			}
			d[2] = (p - math.Sqrt(root)) / q
			along := d.Sub(t.P.Sub(t.center)).Dot(t.X)
			if math.Abs(s+a[2]*d[2]) > width/2 || math.Abs(along) > chord {
				continue
			}
			r.note(int32(j*f.Size[0]+i), t.center[2]+d[2], back)
		}
	}
}

// note takes a passage over a node.
func (r *Ruts) note(node int32, z, back float64) {
	if math.IsInf(r.passage[node], 1) {
		r.active = append(r.active, node)
	}
	r.stamp[node] = r.step
	if z < r.passage[node] {
		r.passage[node], r.back[node] = z, back
	}
}

// Settle lowers the nodes that have been pressed and on which no wheel has stood in this step, docs/ground.md (G40), and ends the step.
//
// Cost: O(nodes under the wheels), no allocation. It returns the errors of the surface.
func (r *Ruts) Settle() error {
	kept := r.active[:0]
	var bad error
	for _, node := range r.active {
		if r.stamp[node] == r.step {
			kept = append(kept, node)
			continue
		}
		x, y := r.field.Place(int(node)%r.field.Size[0], int(node)/r.field.Size[0])
		z, err := r.base.Height(x, y)
		if err != nil {
			bad = errors.Join(bad, err)
		} else if now := z + r.field.Heights[node]; r.passage[node] < now {
			r.field.Heights[node] -= (1 - r.back[node]) * (now - r.passage[node])
		}
		r.passage[node] = math.Inf(1)
	}
	r.active = kept
	r.step++
	return bad
}

// RutNode is what Ruts know of a node.
type RutNode struct {
	Node    int32   // number, line by line
	Pressed bool    // a wheel stands on it
	Lowered float64 // m, at most 0
	Passage float64 // lowest place of the wheel, m, if it is pressed
	Back    float64 // λ of that wheel, if it is pressed
}

// Nodes returns all nodes that are lowered or pressed, by number: what a checkpoint has to hold.
func (r *Ruts) Nodes() (list []RutNode) {
	for i, h := range r.field.Heights {
		n := RutNode{Node: int32(i), Lowered: h, Pressed: !math.IsInf(r.passage[i], 1)}
		if n.Pressed {
			n.Passage, n.Back = r.passage[i], r.back[i]
		}
		if h != 0 || n.Pressed {
			list = append(list, n)
		}
	}
	return list
}

// Restore makes the ruts those of a list that Nodes has returned. A run that goes on from it has the same bits.
//
// It returns an error that names the first entry that is not fit, and leaves the ruts as they were.
func (r *Ruts) Restore(list []RutNode) error {
	last := int32(-1)
	for i, n := range list {
		finite := n.Lowered-n.Lowered == 0 && n.Passage-n.Passage == 0
		if n.Node <= last || int(n.Node) >= len(r.passage) || !finite || n.Lowered > 0 || !(n.Back >= 0 && n.Back <= 1) {
			return fmt.Errorf("ground/contact: entry %d of ruts is not fit (node %d, lowered by %v, passage %v)", i, n.Node, n.Lowered, n.Passage)
		}
		last = n.Node
	}
	clear(r.field.Heights)
	for i := range r.passage {
		r.passage[i] = math.Inf(1)
	}
	r.active, r.step = r.active[:0], 1
	clear(r.stamp)
	for _, n := range list {
		r.field.Heights[n.Node] = n.Lowered
		if n.Pressed {
			r.passage[n.Node], r.back[n.Node] = n.Passage, n.Back
			r.active = append(r.active, n.Node)
		}
	}
	return nil
}
