package bench

import "github.com/rung-mbd/rung/model"

// Shapes and colours of visuals.
const (
	cuboid   = model.BoxVisual
	cylinder = model.CylinderVisual
)

var (
	orange = [4]float64{0.92, 0.62, 0.15, 1}
	blue   = [4]float64{0.27, 0.50, 0.72, 1}
	dark   = [4]float64{0.25, 0.27, 0.30, 1}
	grey   = [4]float64{0.70, 0.72, 0.74, 1}
)

// mostShown is the largest number of bodies of a model with visuals.
const mostShown = 5000

// show appends a visual to a body, at the frame x of the body, unless the model has more than mostShown bodies.
func (r *rig) show(body int, kind model.VisualKind, size [3]float64, x place, color [4]float64) {
	if cap(r.m.Bodies) > mostShown { // the capacity is the final number of bodies
		return
	}
	r.m.Visuals = append(r.m.Visuals, model.Visual{
		Body: r.label(body), Kind: kind, Size: size, Color: color, Pose: model.Pose{Position: x.p, Orientation: x.q},
	})
}

// showRod draws a rod (a capsule) between two points of a body, in its frame.
func (r *rig) showRod(body int, from, to vec, radius float64, color [4]float64) {
	d := to.sub(from)
	r.show(body, model.CapsuleVisual, [3]float64{radius, d.norm()}, place{from.add(to).mul(0.5), alongZ(d.unit())}, color)
}
