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

// mostShown is the number of bodies up to which models have visuals.
const mostShown = 5000

// show appends a visual to a body, at a place in it, unless the model is too large for a picture.
func (r *rig) show(body int, kind model.VisualKind, size [3]float64, x place, color [4]float64) {
	if cap(r.m.Bodies) > mostShown { // room for all bodies, of which some may follow
		return
	}
	r.m.Visuals = append(r.m.Visuals, model.Visual{
		Body: r.label(body), Kind: kind, Size: size, Color: color, Pose: model.Pose{Position: x.p, Orientation: x.q},
	})
}

// showRod draws a rod between two points of a body.
func (r *rig) showRod(body int, from, to vec, radius float64, color [4]float64) {
	d := to.sub(from)
	r.show(body, model.CapsuleVisual, [3]float64{radius, d.norm()}, place{from.add(to).mul(0.5), alongZ(d.unit())}, color)
}
