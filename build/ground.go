package build

import (
	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// Ground is the handle of a terrain of one Builder. Other builders refuse it, and every builder refuses the zero value.
type Ground struct {
	of    *Builder
	index int
}

// errForeignGround is the error for a terrain of another builder.
var errForeignGround = fault.Errorf("build: the terrain is not of this builder")

// Terrain adds a terrain, with its name in it, for contacts and wheels. Files of
// terrains are not opened: the model needs model.Model.Load then.
func (b *Builder) Terrain(t model.Terrain) Ground {
	b.mustBe()
	b.m.Terrains = append(b.m.Terrains, t)
	return Ground{b, len(b.m.Terrains) - 1}
}

// Surface adds a surface that is made in Go. The model can be used and not written.
func (b *Builder) Surface(name string, s *ground.Surface) Ground {
	return b.Terrain(model.Terrain{Name: name, Surface: s})
}

// Contact adds a contact of a body with a terrain. The centre and the axis of the shape are given in the world. A law
// without a slip speed gets model.DefaultSlipSpeed.
func (b *Builder) Contact(name string, body Body, g Ground, shape contact.Shape, law contact.Law) {
	b.mustBe()
	f := model.ForceElement{Name: name, Type: model.ContactForce, Contact: &model.Contact{Shape: shape, Law: law}}
	f.Contact.Fill()
	at := b.forcePlace(name)
	if g.of != b {
		b.check(at, errForeignGround)
	} else {
		f.Contact.Terrain = b.m.Terrains[g.index].Name
	}
	if b.known(at, body) {
		at := b.attachment(body, shape.Center)
		f.A.Body, f.Contact.Shape.Center = at.Body, at.Point
		f.Contact.Shape.Axis = b.direction(body, shape.Axis)
	}
	b.m.Forces = append(b.m.Forces, f)
}

// direction returns a direction of the world in a body's frame.
func (b *Builder) direction(body Body, axis spatial.Vec3) spatial.Vec3 {
	if body == World {
		return axis
	}
	return b.poses[body.index].Orientation.Conj().Rotate(axis)
}

// Motor adds the actuator a on a freedom of joint j of the builder. The name of j replaces a.Joint.
func (b *Builder) Motor(name string, j *Joint, a model.Actuator) {
	b.mustBe()
	f := model.ForceElement{Name: name, Type: model.ActuatorForce, Actuator: &a}
	if j == nil || j.index >= len(b.joints) || b.joints[j.index] != j {
		b.check(b.forcePlace(name), fault.Errorf("build: no joint of this builder"))
	} else {
		a.Joint = j.Name
	}
	b.m.Forces = append(b.m.Forces, f)
}
