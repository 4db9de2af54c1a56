package glb

import (
	"context"
	"fmt"
	"math"

	"github.com/qmuntal/gltf"
	"github.com/qmuntal/gltf/modeler"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/spatial"
)

// track is the motion of one node.
type track struct {
	position [][3]float32
	rotation [][4]float32
	scale    [][3]float32 // of a link; nil for a body
}

// animate adds the animation of the bodies and links. It returns the errors of m, the cause for which ctx has ended, and an error if
// the motion takes more than MaxBytes or a position is out of range.
func (b *builder) animate(ctx context.Context, m scene.Recording) error {
	times := m.Times()
	nb, nl := b.scene.Mechanism.NumBodies(), len(b.scene.Links)
	if bytes := 4 * float64(len(times)) * (7*float64(nb) + 10*float64(nl)); bytes > MaxBytes {
		return fmt.Errorf("glb: %d times of %d bodies and %d links take %.1f GB, more than %.1f; choose fewer times", len(times), nb, nl, bytes/1e9, float64(MaxBytes)/1e9)
	}
	if len(times) == 0 {
		return nil
	}
	tracks := make([]track, nb+nl)
	for i := range tracks {
		tracks[i].position, tracks[i].rotation = make([][3]float32, len(times)), make([][4]float32, len(times))
		if i >= nb {
			tracks[i].scale = make([][3]float32, len(times))
		}
	}
	st := b.scene.Mechanism.Initial()
	for k := range times {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := m.StateTo(st, k); err != nil {
			return err
		}
		if err := b.record(tracks, k, st); err != nil {
			return err
		}
	}
	b.write(tracks, times)
	return nil
}

// record stores the poses of bodies and links at st as entry k of the tracks.
func (b *builder) record(tracks []track, k int, st *mechanism.State) error {
	for i := range st.Bodies {
		s := &st.Bodies[i]
		if p := single(s.Position.Sub(b.center)); !algebra.AllFinite(float64(p[0]), float64(p[1]), float64(p[2])) {
			return fmt.Errorf("glb: position of body %s at time %g has no single precision", b.scene.Mechanism.BodyName(i), st.Time)
		}
		tracks[i].set(k, s.Position.Sub(b.center), s.Rotation)
	}
	for i := range b.scene.Links {
		sh := b.scene.Links[i].Shape(st)
		t := &tracks[len(st.Bodies)+i]
		t.set(k, sh.At.Origin.Sub(b.center), spatial.FromMat(sh.At.E))
		t.scale[k] = single(scale(&sh))
	}
	return nil
}

// set stores a pose as entry k. Of q and −q, which are the same rotation, it takes the one nearer to entry k−1, as players
// interpolate between entries.
func (t *track) set(k int, p spatial.Vec3, q spatial.Quat) {
	t.position[k] = single(p)
	x := quat(q)
	sign := 1.0
	if k > 0 {
		dot := 0.0
		for c := range x {
			dot += x[c] * float64(t.rotation[k-1][c])
		}
		if dot < 0 {
			sign = -1
		}
	}
	for c := range x {
		t.rotation[k][c] = float32(sign * x[c])
	}
}

// moves reports whether a list has entries that differ.
func moves[T comparable](list []T) bool {
	for i := range list {
		if list[i] != list[0] {
			return true
		}
	}
	return false
}

// write adds the tracks to the document. A track that does not change gets no channel. Times begin at 0, as in all glTF files.
func (b *builder) write(tracks []track, times []float64) {
	clock := make([]float32, len(times))
	for i, t := range times {
		clock[i] = float32(t - times[0])
		if i > 0 && clock[i] <= clock[i-1] { // equal in single precision, but times have to increase
			clock[i] = math.Nextafter32(clock[i-1], float32(math.Inf(1)))
		}
	}
	input := modeler.WriteAccessor(b.doc, gltf.TargetNone, clock)
	b.doc.Accessors[input].Min, b.doc.Accessors[input].Max = []float64{float64(clock[0])}, []float64{float64(clock[len(clock)-1])}
	a := &gltf.Animation{Name: "run"}
	channel := func(node int, path gltf.TRSProperty, data any) {
		a.Samplers = append(a.Samplers, &gltf.AnimationSampler{Input: input, Output: modeler.WriteAccessor(b.doc, gltf.TargetNone, data)})
		a.Channels = append(a.Channels, &gltf.AnimationChannel{Sampler: len(a.Samplers) - 1, Target: gltf.AnimationChannelTarget{Node: gltf.Index(node), Path: path}})
	}
	for i := range tracks {
		t := &tracks[i]
		if moves(t.position) {
			channel(i, gltf.TRSTranslation, t.position)
		}
		if moves(t.rotation) {
			channel(i, gltf.TRSRotation, t.rotation)
		}
		if moves(t.scale) {
			channel(i, gltf.TRSScale, t.scale)
		}
	}
	if len(a.Channels) > 0 {
		b.doc.Animations = append(b.doc.Animations, a)
	}
}
