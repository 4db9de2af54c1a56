package sdf

import (
	"fmt"
	"strings"

	"github.com/rung-mbd/rung/formats/internal/assembly"
	"github.com/rung-mbd/rung/formats/internal/xmltree"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

// frame is a node of the graph of frames: a link, a joint, a frame element, or a nested model.
type frame struct {
	at    *xmltree.Node
	name  string
	scope *scope
	home  *frame // the frame that __model__ means; nil: the model of the scope

	local    assembly.Pose
	relative string // name of the frame in which local is given; "": home
	attached string // name of the frame to which it is attached; "" for a link
	link     int    // the link that carries it, once moved is known
	isLink   bool
	inner    *scope // scope of a nested model, else nil

	pose  assembly.Pose // in the model of the scope, once state is known
	state state         // of pose
	moved state         // of link
}

// state is the progress of the search for a value.
type state uint8

const (
	unknown state = iota
	searching
	known
)

// scope is a model, or the world, with the names of its frames.
type scope struct {
	outer     *scope
	prefix    string // for the names of its links and joints in the assembly
	self      *frame // the model as a frame of the outer scope; nil for the outermost scope
	frames    map[string]*frame
	canonical string // name of the link that carries the model; "": first
	first     *frame // first link, or first nested model
	placement string // name of the frame to which the pose of the model applies; "": the model frame
	isWorld   bool
	static    bool
}

// maxChain is the largest length of a chain of frames, each relative to the next.
const maxChain = 10_000

// The names that the format reserves.
const (
	worldName = "world"
	modelName = "__model__"
)

// find returns the frame with a name in s, such as a::b in a nested model, and whether there is one.
// home is the frame that __model__ means. A nil frame is the model of s, or the world.
func (s *scope) find(name string, home *frame) (*frame, bool) {
	switch {
	case name == modelName || name == "__root__":
		return home, true
	case name == worldName && s.isWorld:
		return nil, true
	}
	if f := s.frames[name]; f != nil {
		return f, true
	}
	at := s
	for {
		first, rest, nested := strings.Cut(name, "::")
		f := at.frames[first]
		switch {
		case f == nil:
			return nil, false
		case !nested:
			return f, true
		case f.inner == nil:
			return nil, false
		case rest == modelName:
			return f, true
		}
		at, name = f.inner, rest
	}
}

// within returns the pose of f in the model of scope s, or in the world if s is nil. f belongs to s or to a model nested in it; a nil f is
// the frame of s itself.
func (r *reader) within(f *frame, s *scope) assembly.Pose {
	if f == nil {
		return assembly.Identity()
	}
	x := r.place(f)
	for at := f.scope; at != s && at.self != nil; at = at.self.scope { // from each model to the one around it
		x = r.place(at.self).Mul(x)
	}
	return x
}

// place returns the pose of f in the model of its scope. It refuses cyclic and unknown references.
func (r *reader) place(f *frame) assembly.Pose {
	switch f.state {
	case known:
		return f.pose
	case searching:
		r.report.Refuse(f.at, "the pose of "+fault.Name(f.name), "is relative to itself, by way of others")
		f.pose, f.state = assembly.Identity(), known
		return f.pose
	}
	if r.chain++; r.chain > maxChain {
		r.report.Refuse(f.at, "the pose of "+fault.Name(f.name), fmt.Sprintf("is relative to others, more than %d in a row", maxChain))
		f.state = known
	}
	defer func() { r.chain-- }()
	if f.state == known {
		return f.pose
	}
	f.state = searching
	base := f.home
	if f.relative != "" {
		var ok bool
		if base, ok = f.scope.find(f.relative, f.home); !ok {
			r.report.Refuse(f.at, "the pose of "+fault.Name(f.name), "is relative to "+fault.Name(f.relative)+", which is no frame here")
		}
	}
	x := r.within(base, f.scope).Mul(f.local)
	if f.inner != nil && f.inner.placement != "" {
		p, ok := f.inner.find(f.inner.placement, nil)
		if !ok {
			r.report.Refuse(f.at, "the placement frame "+fault.Name(f.inner.placement), "is no frame of "+fault.Name(f.name))
		}
		x = x.Mul(r.within(p, f.inner).Inverse())
	}
	if f.state != known {
		f.pose, f.state = x, known
	}
	return f.pose
}

// world returns the pose of f in the world; a nil f is the world.
func (r *reader) world(f *frame) assembly.Pose { return r.within(f, nil) }

// carrier returns the link to which f is fixed; a nil f is the model of s, or the world. It refuses cyclic and unknown references.
func (r *reader) carrier(f *frame, s *scope) int {
	switch {
	case f == nil && s.isWorld:
		return assembly.World
	case f == nil:
		return r.canonical(s)
	case f.isLink || f.moved == known:
		return f.link
	case f.moved == searching:
		r.report.Refuse(f.at, "frame "+fault.Name(f.name), "is attached to itself, by way of others")
		return assembly.World
	}
	f.moved = searching
	r.chain++
	f.link = r.follow(f)
	r.chain--
	f.moved = known
	return f.link
}

// follow is carrier for a frame that is no link, by its attachment.
func (r *reader) follow(f *frame) int {
	switch {
	case r.chain > maxChain:
		r.report.Refuse(f.at, "frame "+fault.Name(f.name), fmt.Sprintf("is attached to others, more than %d in a row", maxChain))
		return assembly.World
	case f.inner != nil:
		return r.canonical(f.inner)
	case f.attached == "":
		return r.carrier(f.home, f.scope)
	}
	to, ok := f.scope.find(f.attached, f.home)
	if !ok {
		r.report.Refuse(f.at, "frame "+fault.Name(f.name), "is attached to "+fault.Name(f.attached)+", which is no frame here")
		return assembly.World
	}
	return r.carrier(to, f.scope)
}

// canonical returns the link that carries the model of s.
func (r *reader) canonical(s *scope) int {
	f := s.first
	if s.canonical != "" {
		var ok bool
		if f, ok = s.find(s.canonical, nil); !ok {
			r.report.Refuse(s.self.at, "the canonical link "+fault.Name(s.canonical), "is no link of the model")
			return assembly.World
		}
	}
	if f == nil || f == s.self {
		return assembly.World // a model without links
	}
	return r.carrier(f, s)
}

// direction converts a vector from axes of one frame to axes of another.
func (r *reader) direction(v spatial.Vec3, from, to *frame) spatial.Vec3 {
	return r.world(to).Inverse().Dir(r.world(from).Dir(v))
}
