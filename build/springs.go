package build

import (
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// Law sets the laws of the spring-damper that was added last, which act beside its stiffness and damping. Either law may be
// nil. It panics if the force element that was added last is not a spring-damper.
func (b *Builder) Law(spring, damper *model.SpringLaw) {
	b.mustBe()
	n := len(b.m.Forces)
	if n == 0 || b.m.Forces[n-1].Type != model.SpringDamper {
		panic("build: no spring-damper")
	}
	f := &b.m.Forces[n-1]
	f.Spring, f.Damper = spring, damper
}

// Bushing adds a bushing between two bodies. Both its frames are at the place at of the world, and s is given along the axes of
// that place. The rest of s is moved by half to each of the frames (docs/springs.md (E8)).
func (b *Builder) Bushing(name string, from, to Body, at Place, s model.Bushing) {
	b.mustBe()
	f := model.ForceElement{Name: name, Type: model.BushingForce, Bushing: &s}
	place := b.forcePlace(name)
	b.check(place, at.wrong)
	if b.known(place, from) && b.known(place, to) {
		f.A, f.B = b.frame(from, at), b.frame(to, at)
	}
	b.m.Forces = append(b.m.Forces, f)
}

// frame returns a place of the world as a frame of a body.
func (b *Builder) frame(body Body, at Place) model.Attachment {
	name, p := b.local(body, at)
	return model.Attachment{Body: name, Point: p.Position, Orientation: p.Orientation}
}

// Through is a point of a cable: a body, and a point of it that is given in the world, m.
type Through struct {
	Body  Body
	Point spatial.Vec3
}

// Cable adds a cable through points: a spring along its length, and a tension that always acts, N.
func (b *Builder) Cable(name string, s Spring, tension float64, points ...Through) {
	b.mustBe()
	f := model.ForceElement{
		Name: name, Type: model.CableForce, Stiffness: s.Stiffness, Damping: s.Damping, RestLength: s.RestLength, Cable: &model.Cable{Tension: tension},
	}
	at := b.forcePlace(name)
	for _, p := range points {
		if b.known(at, p.Body) {
			f.Cable.Points = append(f.Cable.Points, b.attachment(p.Body, p.Point))
		}
	}
	b.m.Forces = append(b.m.Forces, f)
}
