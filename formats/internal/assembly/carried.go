package assembly

import (
	"math"
	"strings"

	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
)

// shapes has the kinds of shapes in the model.
var shapes = [...]model.VisualKind{
	Mesh: model.MeshVisual, Box: model.BoxVisual, Sphere: model.SphereVisual, Cylinder: model.CylinderVisual, Capsule: model.CapsuleVisual,
	Ellipsoid: model.EllipsoidVisual,
}

// carried makes frames and visuals, which no computation uses: the frames of links, frames for links that have become part of
// another body, and shapes.
func (b *builder) carried(r *source.Result) {
	n := newNames()
	visuals := 0
	for i := range b.a.Links {
		visuals += len(b.a.Links[i].Visuals)
	}
	b.m.Visuals = make([]model.Visual, 0, visuals)
	frame := func(l *Link, name string, body string, x Pose) {
		unique := n.unique(name)
		if unique != name {
			b.report.Note(l.At, "frame "+fault.Name(name), "is called "+fault.Name(unique))
		}
		b.m.Frames = append(b.m.Frames, model.Frame{Name: unique, Body: body, Pose: x.model()})
	}
	for i := range b.a.Links {
		l, w, at := &b.a.Links[i], &r.Links[i], b.c[i].pose
		if w.Body == "" {
			continue
		}
		if w.Body != b.body[i] && l.Name != "" && l.Name != model.World {
			frame(l, l.Name, w.Body, at)
		}
		for _, f := range l.Frames {
			if f.Name != "" {
				frame(l, f.Name, w.Body, at.Mul(f.Pose))
			}
		}
		for k := range l.Visuals {
			b.visual(&l.Visuals[k], l, w.Body, at)
		}
	}
}

// visual makes a shape of link l, whose pose in the body is at. Shapes without a valid size are left out with a note.
func (b *builder) visual(v *Visual, l *Link, body string, at Pose) {
	out := model.Visual{Body: body, Pose: at.Mul(v.Pose).model(), Kind: shapes[v.Kind], Collision: v.Hull}
	good := true
	for _, x := range out.Pose.Position {
		good = good && algebra.Finite(x)
	}
	number := func(x float64) bool { return x > 0 && !math.IsInf(x, 0) }
	count := 0
	switch v.Kind {
	case Mesh:
		out.File, out.Scale = strings.ToValidUTF8(v.File, "\ufffd"), v.Scale
		if out.Scale == [3]float64{} {
			out.Scale = [3]float64{1, 1, 1}
		}
		for _, x := range out.Scale {
			good = good && number(math.Abs(x))
		}
		good = good && out.File != ""
	case Box, Ellipsoid:
		count = 3
	case Sphere:
		count = 1
	case Cylinder, Capsule:
		count = 2
	}
	for k := range count {
		out.Size[k] = v.Size[k]
		good = good && number(out.Size[k])
	}
	for k, x := range v.Color {
		out.Color[k] = min(max(x, 0), 1)
		if math.IsNaN(x) {
			out.Color = [4]float64{}
			break
		}
	}
	if !good {
		b.report.Note(l.At, "shapes are left out", "they have no size that a viewer could draw")
		return
	}
	b.m.Visuals = append(b.m.Visuals, out)
}
