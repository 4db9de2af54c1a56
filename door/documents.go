package door

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"slices"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion/runs"
	"github.com/rung-mbd/rung/results"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/scene/draw"
	"github.com/rung-mbd/rung/scene/view"
	"github.com/rung-mbd/rung/sim"
)

// writer writes a document of a model at a state.
type writer func(ctx context.Context, b *bytes.Buffer, m *Model, st *mechanism.State, options []byte) error

// writers are the documents by name, in alphabetical order.
var writers = []struct {
	name    string
	options bool // the document has options; if not, any option is refused
	write   writer
}{
	{"accel", false, writeAccel},
	{"analyze", false, writeAnalyze},
	{"columns", false, writeColumns},
	{"glb", true, writeGLB},
	{"import", false, writeImport},
	{"inverse", true, writeInverse},
	{"knobs", false, writeKnobs},
	{"matrix", true, writeMatrix},
	{"model", false, writeModel},
	{"modes", true, writeModes},
	{"names", false, writeNames},
	{"page", false, writePage},
	{"state", false, writeState},
	{"svg", true, writeSVG},
}

// Documents returns the names of the documents.
func Documents() (names []string) {
	for _, w := range writers {
		names = append(names, w.name)
	}
	return names
}

// Document returns the document named by what about the model at a state; a nil state stands for the state of the model.
//
//	accel    rung-result/1: accelerations, reactions, what is redundant
//	analyze  rung-analysis/1: loops, mobility, redundant rows, joints to release, orderings
//	columns  names and units of what a run can record
//	glb      the mechanism as glTF 2.0, binary; option joints
//	import   the fate of each element of a file in a foreign format; null for rung-model/1
//	inverse  rung-inverse/1: forces of actuators; options actuators, names JOINT or JOINT.I, and accelerations, six numbers a body
//	knobs    Model.Knobs
//	matrix   K of RBDA eq. 8.64 as MatrixMarket; with the option right its right side
//	model    the document of rung-model/1, with that state
//	modes    rung-modes/1: frequencies, damping, shapes; options count, method, equilibrium, moving, steady, undamped
//	names    of the model, its bodies, joints, couplings and forces
//	page     a page of HTML that shows the mechanism, and needs nothing else
//	state    rung-result/1 with the fields that need no solution: energies, force elements, violations
//	svg      a picture; options azimuth and elevation, rad, width and height, pixels, joints
//
// It returns errors of the computation with the status Failed, and errors about what and options with the status Input.
func (m *Model) Document(ctx context.Context, what string, state []float64, options []byte) ([]byte, error) {
	i := slices.Index(Documents(), what)
	if i < 0 {
		return nil, refuse(Input, "no document %s%s; there are %s", fault.Name(what), fault.Meant(what, Documents()...), quoted(Documents()))
	}
	st := m.plan.Initial()
	if state != nil {
		if err := m.take(st, state); err != nil {
			return nil, err
		}
	}
	if !writers[i].options {
		if err := decode(what, options); err != nil {
			return nil, err
		}
	}
	var b bytes.Buffer
	if err := writers[i].write(ctx, &b, m, st, options); err != nil {
		return nil, as(Failed, err)
	}
	return b.Bytes(), nil
}

// encode writes a value as JSON.
func encode(b *bytes.Buffer, v any) error {
	text, err := json.Marshal(v)
	b.Write(text)
	return err
}

// writeAccel writes rung-result/1 at st: accelerations and reactions.
func writeAccel(ctx context.Context, b *bytes.Buffer, m *Model, st *mechanism.State, _ []byte) error {
	s := m.plan.NewSolver()
	defer s.Watch(ctx)()
	if err := s.Solve(st); err != nil {
		return err
	}
	r, err := results.New(s)
	if err != nil {
		return err
	}
	return encode(b, r)
}

// writeState writes the part of rung-result/1 at st that needs no solution.
func writeState(_ context.Context, b *bytes.Buffer, m *Model, st *mechanism.State, _ []byte) error {
	mech := m.plan.Mechanism()
	k := mech.NewKinematics()
	if err := mech.KinematicsTo(k, st); err != nil {
		return err
	}
	r, err := results.NewState(mech, k, st)
	if err != nil {
		return err
	}
	return encode(b, r)
}

// writeColumns writes the list of columns that a run of the model may record.
func writeColumns(_ context.Context, b *bytes.Buffer, m *Model, _ *mechanism.State, _ []byte) error {
	c, err := runs.Catalogue(m.plan.Mechanism(), m.document)
	if err != nil {
		return err
	}
	list := []column{}
	c.Each(func(col sim.Column) bool {
		list = append(list, column(col))
		return true
	})
	return encode(b, list)
}

// column is a sim.Column with the names of JSON.
type column struct {
	Name string `json:"name"`
	Unit string `json:"unit,omitempty"`
}

// writeImport writes the report of the importer, null for rung-model/1.
func writeImport(_ context.Context, b *bytes.Buffer, m *Model, _ *mechanism.State, _ []byte) error {
	return encode(b, m.imported)
}

// writeKnobs writes the list of knobs.
func writeKnobs(_ context.Context, b *bytes.Buffer, m *Model, _ *mechanism.State, _ []byte) error {
	return encode(b, m.Knobs())
}

// writeModel writes the model with the state st as rung-model/1.
func writeModel(_ context.Context, b *bytes.Buffer, m *Model, st *mechanism.State, _ []byte) error {
	return model.Write(b, m.modelAt(st))
}

// writeNames writes the names of bodies, joints, couplings and force elements, in their order.
func writeNames(_ context.Context, b *bytes.Buffer, m *Model, _ *mechanism.State, _ []byte) error {
	mech := m.plan.Mechanism()
	list := func(n int, name func(int) string) []string {
		names := make([]string, n)
		for i := range names {
			names[i] = name(i)
		}
		return names
	}
	return encode(b, struct {
		Name      string   `json:"name"`
		Bodies    []string `json:"bodies"`
		Joints    []string `json:"joints"`
		Couplings []string `json:"couplings"`
		Forces    []string `json:"forces"`
	}{
		mech.Name, list(mech.NumBodies(), mech.BodyName), list(mech.NumJoints(), mech.JointName),
		list(mech.NumCouplings(), mech.CouplingName), list(len(mech.Forces), mech.ForceName),
	})
}

// writePage writes a page of HTML that shows the model at st.
func writePage(ctx context.Context, b *bytes.Buffer, m *Model, st *mechanism.State, _ []byte) error {
	v, err := view.NewViewer(m.Scene(), st, view.NewSecret(), view.Options{Plan: m.plan})
	if err != nil {
		return err
	}
	return v.HTML(ctx, b)
}

// Scene returns the scene of the model, for programs in Go.
func (m *Model) Scene() *scene.Scene { return m.scene(true) }

// scene returns the scene of the model, with or without the marks of joints.
func (m *Model) scene(joints bool) *scene.Scene {
	return scene.New(m.plan.Mechanism(), scene.Options{NoJoints: !joints, Visuals: m.document.Visuals})
}

// Defaults of the options of a picture.
const (
	azimuth       = -math.Pi / 3       // rad: from the front and right
	elevation     = 25 * math.Pi / 180 // rad: from above
	width, height = 640, 480           // pixels
)

// writeSVG writes a picture of the model at st; the options are the direction of the eye, rad, and the size, pixels.
func writeSVG(ctx context.Context, b *bytes.Buffer, m *Model, st *mechanism.State, options []byte) error {
	v, joints := draw.View{Angles: true, Azimuth: azimuth, Elevation: elevation, Width: width, Height: height}, true
	if err := decode("svg", options, option{"azimuth", &v.Azimuth}, option{"elevation", &v.Elevation}, option{"width", &v.Width},
		option{"height", &v.Height}, option{"joints", &joints}); err != nil {
		return err
	}
	if err := within("svg", "width", int64(v.Width), 1, draw.MaxSide); err != nil {
		return err
	}
	if err := within("svg", "height", int64(v.Height), 1, draw.MaxSide); err != nil {
		return err
	}
	return draw.SVG(ctx, b, m.scene(joints), st, v)
}
