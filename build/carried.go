package build

import (
	"fmt"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
)

// Frame adds a frame with a name that is fixed in a body, or in the world;
// place is where it is in the world now. No computation looks at it.
func (b *Builder) Frame(name string, body Body, place Place) {
	b.mustBe()
	f := model.Frame{Name: name, Body: model.World}
	if b.carry("frame "+fault.Name(name), body, place) {
		f.Body, f.Pose = b.local(body, place)
	}
	b.m.Frames = append(b.m.Frames, f)
}

// Visual adds a shape of a body, or of the world, for those who draw; place
// is where it is in the world now. The body and the pose of v are set.
func (b *Builder) Visual(body Body, place Place, v model.Visual) {
	b.mustBe()
	v.Body = model.World
	if b.carry(fmt.Sprintf("visual %d", len(b.m.Visuals)), body, place) {
		v.Body, v.Pose = b.local(body, place)
	}
	b.m.Visuals = append(b.m.Visuals, v)
}

// carry reports whether a body and a place can be used. If not, it keeps an error that names the part that the body was to carry.
func (b *Builder) carry(part string, body Body, place Place) bool {
	switch {
	case place.wrong != nil:
		b.errs = append(b.errs, fault.Errorf("build: %s: %w", part, place.wrong))
	case body != World && !b.has(body):
		b.errs = append(b.errs, fault.Errorf("build: %s: %w", part, body.foreign()))
	default:
		return true
	}
	return false
}
