package mcap

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/foxglove/mcap/go/mcap"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/spatial"
)

// Topics of the file.
const (
	transformTopic = "/tf"
	sceneTopic     = "/mechanism"
	linkTopic      = "/links"
)

// World is the name of the world's frame. The frame of a body has the name of the body; no body has this one.
const World = "world"

// upright is the name of the frame around World with z up, for models whose up axis is another one (scene.Upright).
// If a body has this name, underscores are appended.
const upright = "upright"

// chunkSize is about the number of bytes that are compressed together. A viewer reads at least a chunk to show a time.
const chunkSize = 1 << 20

// Write writes s at the state rest, or at all times of m unless it is nil.
//
// Cost: O(shapes + (bodies + links)·times); one row is in memory. It returns the errors of m and w, the cause for which ctx
// has ended, and an error for a time that the format cannot hold (before 0, after 2³² s, or in the same nanosecond as
// the one before) and for a number that is not finite.
func Write(ctx context.Context, w io.Writer, s *scene.Scene, rest *mechanism.State, m scene.Recording) error {
	if ctx == nil {
		panic("rung: nil context")
	}
	f, err := newFile(w, s)
	if err != nil {
		return err
	}
	if m == nil {
		m = still{rest}
	}
	st, times := rest.Clone(), m.Times()
	for i := range times {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := m.StateTo(st, i); err != nil {
			return err
		}
		if err := f.row(st, times[i], i); err != nil {
			return err
		}
	}
	return failed(f.w.Close())
}

// still is a recording of one state.
type still struct{ *mechanism.State }

func (s still) Times() []float64 { return []float64{s.Time} }

func (s still) StateTo(st *mechanism.State, _ int) error {
	copy(st.Bodies, s.Bodies)
	return nil
}

// failed returns err with the name of this package, nil for nil.
func failed(err error) error {
	if err != nil {
		return fmt.Errorf("mcap: %w", err)
	}
	return nil
}

// Channels of the file, in their order.
const (
	transformChannel = iota
	sceneChannel
	linkChannel
)

// file is a file that is being written.
type file struct {
	w          *mcap.Writer
	scene      *scene.Scene
	transforms frameTransforms
	last       uint64 // time of the last row, ns
	sequence   uint32 // number of the last row
}

// newFile writes the head of a file, its schemas and channels.
func newFile(w io.Writer, s *scene.Scene) (*file, error) {
	out, err := mcap.NewWriter(w, &mcap.WriterOptions{Chunked: true, ChunkSize: chunkSize, Compression: mcap.CompressionZSTD, IncludeCRC: true, OverrideLibrary: true})
	if err != nil {
		return nil, failed(err)
	}
	f := &file{w: out, scene: s}
	f.transforms.Transforms = make([]frameTransform, s.Mechanism.NumBodies(), s.Mechanism.NumBodies()+1)
	for i := range f.transforms.Transforms {
		t := &f.transforms.Transforms[i]
		t.Parent, t.Child = World, s.Mechanism.BodyName(i)
	}
	f.upright()
	if err := out.WriteHeader(&mcap.Header{Library: "rung"}); err != nil {
		return nil, failed(err)
	}
	transforms, update, err := schemas()
	if err != nil {
		return nil, failed(err)
	}
	for _, schema := range []mcap.Schema{{ID: 1, Name: "foxglove.FrameTransforms", Data: transforms}, {ID: 2, Name: "foxglove.SceneUpdate", Data: update}} {
		schema.Encoding = "jsonschema"
		if err := out.WriteSchema(&schema); err != nil {
			return nil, failed(err)
		}
	}
	for _, c := range []mcap.Channel{{ID: transformChannel, SchemaID: 1, Topic: transformTopic}, {ID: sceneChannel, SchemaID: 2, Topic: sceneTopic},
		{ID: linkChannel, SchemaID: 2, Topic: linkTopic}} {
		if c.ID == linkChannel && len(s.Links) == 0 {
			continue
		}
		c.MessageEncoding = "json"
		if err := out.WriteChannel(&c); err != nil {
			return nil, failed(err)
		}
	}
	return f, nil
}

// upright adds a frame around the world's frame if z is not up, as viewers take the z axis of the outermost frame for up.
func (f *file) upright() {
	u := scene.Upright(f.scene.Mechanism)
	if u == spatial.Identity3() {
		return
	}
	name := upright
	for taken := true; taken; {
		if _, err := f.scene.Mechanism.BodyIndex(name); err != nil {
			taken = false
		} else {
			name += "_"
		}
	}
	f.transforms.Transforms = append(f.transforms.Transforms, frameTransform{Parent: name, Child: World, Rotation: quaternionOf(spatial.FromMat(u.T()))})
}

// row writes the messages of row i, at a time in s. Before the first row it writes the entities of the bodies.
func (f *file) row(st *mechanism.State, time float64, i int) error {
	at, ns, err := timeOf(time)
	if err != nil {
		return err
	}
	if i > 0 && ns <= f.last {
		return fmt.Errorf("mcap: row %d, time %g s: in the same nanosecond as the row before", i+1, time)
	}
	if uint64(i) > math.MaxUint32 {
		return fmt.Errorf("mcap: row %d: more rows than %d", i+1, uint32(math.MaxUint32))
	}
	f.last, f.sequence = ns, uint32(i)
	if i == 0 {
		u, err := f.fixed(st, at)
		if err != nil {
			return err
		}
		if err := f.message(sceneChannel, u); err != nil {
			return err
		}
	}
	for k := range st.Bodies {
		b, t := &st.Bodies[k], &f.transforms.Transforms[k]
		if !b.Position.IsFinite() || !algebra.AllFinite(b.Rotation[0], b.Rotation[1], b.Rotation[2], b.Rotation[3]) {
			return fmt.Errorf("mcap: time %g s: body %s has no finite pose", time, f.scene.Mechanism.BodyName(k))
		}
		t.Timestamp, t.Translation, t.Rotation = at, vectorOf(b.Position), quaternionOf(b.Rotation)
	}
	for k := len(st.Bodies); k < len(f.transforms.Transforms); k++ {
		f.transforms.Transforms[k].Timestamp = at
	}
	if err := f.message(transformChannel, &f.transforms); err != nil {
		return err
	}
	if len(f.scene.Links) == 0 {
		return nil
	}
	u, err := f.links(st, at)
	if err != nil {
		return err
	}
	return f.message(linkChannel, u)
}

// message writes a message to a channel, with the time and the number of the last row.
func (f *file) message(channel uint16, content any) error {
	data, err := json.Marshal(content)
	if err != nil {
		return failed(err)
	}
	return failed(f.w.WriteMessage(&mcap.Message{ChannelID: channel, Sequence: f.sequence, LogTime: f.last, PublishTime: f.last, Data: data}))
}

// timeOf returns t, in s, rounded to nanoseconds: as a stamp and as a number of nanoseconds. It returns an error if a stamp cannot
// hold it.
func timeOf(t float64) (stamp, uint64, error) {
	if !(t >= 0 && t < 1<<32-1) {
		return stamp{}, 0, fmt.Errorf("mcap: time %g s is not from 0 to 2³² s", t)
	}
	sec := math.Floor(t)
	ns := math.Round((t - sec) * 1e9)
	if ns == 1e9 {
		sec, ns = sec+1, 0
	}
	return stamp{uint32(sec), uint32(ns)}, uint64(sec)*1_000_000_000 + uint64(ns), nil
}
