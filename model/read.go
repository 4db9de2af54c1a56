package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rung-mbd/rung/internal/document"
)

// Read reads one document of rung-model/1 from r up to its end; file names it in messages.
// Lists of zeros become nil, orientations are normalized.
//
// Cost: O(bytes of the document). Lists that are too long (MaxElements, joints.MaxCoefficients, joints.MaxTimes) are
// refused and not stored. The memory is little more than the model's if r is a file or has a
// Len method. If the length is unknown, lists grow by copying, and the peak is two to three
// times that. It returns *Problems with every broken rule if the document is not valid. For a
// document that is not JSON, these are the problems before the syntax error. Errors of r are
// returned wrapped.
//
// Read opens no other files, as the document may come from somebody else. Terrains with heights in files have no Surface then,
// and curves with points in files have no Points; Model.Load and ReadIn load them.
func Read(r io.Reader, file string) (*Model, error) {
	return read(context.Background(), r, file, nil, MaxElements)
}

// ReadIn is Read, and loads the files of terrains and curves from a file system such as Folder. Errors in these files are among the
// problems. If ctx ends, it returns an error that wraps the cause.
func ReadIn(ctx context.Context, r io.Reader, file string, files fs.FS) (*Model, error) {
	return read(ctx, r, file, files, MaxElements)
}

// read is ReadIn for documents with at most the number most of bodies, of joints and so on. It loads no files if files is nil.
func read(ctx context.Context, r io.Reader, file string, files fs.FS, most int) (*Model, error) {
	d := &decoder{Reader: document.NewReader(r), most: most}
	d.checker = checker{
		ctx:    ctx,
		files:  files,
		faults: &d.Reader.Faults,
		m:      New(""),
		flaws:  map[document.Place]document.Flaws{},
		intern: true,
	}
	d.all()
	if err := d.Err(); err != nil {
		return nil, fmt.Errorf("model: read %s: %w", file, err)
	}
	if !d.Fatal && !d.partial {
		d.run()
	}
	if err := d.end(document.Cut(file)); err != nil {
		return nil, err
	}
	return d.m, nil
}

// ReadFile reads the document in the file at path, and the files of its terrains and curves, whose names are relative to the
// folder of path. It returns the errors of Read and of opening the file.
func ReadFile(path string) (*Model, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	m, err := ReadIn(context.Background(), f, path, Folder(filepath.Dir(path)))
	return m, errors.Join(err, f.Close())
}

// decoder turns the tokens of a document into a model. Its checker holds the model.
//
// The kind of a problem decides which rules are still applied:
//
//   - Flaw: a field was refused. The rules for this field are skipped (checker.flaws), the
//     others applied.
//   - noRefs, of the checker: there is no list of bodies, so names of bodies are not judged.
//   - partial: elements were dropped, because there are too many, or because so many problems
//     are known that the model will not be returned. The rest is checked only field by
//     field while it is read; the rules of the checker are left out.
//   - Fatal: reading has ended, and the rules of the checker are left out.
type decoder struct {
	*document.Reader
	checker
	partial bool
	most    int          // largest number of elements that are read from each list of bodies, joints and so on
	lists   [5][]float64 // the lists of numbers of the current joint, see Joint.lists
	lists6  uint32       // bits of the fields of the current force element that are lists, as for bushings, and not numbers
	turns   []int64
	arena   []float64 // unused part of the block from which keep takes memory for lists
}

// all reads the whole document.
func (d *decoder) all() {
	if !d.Begin(Format) {
		d.partial = true // nothing to apply rules to
		return
	}
	var seen uint32
	d.noRefs = true
	for k := range d.Members(documentFields, &seen) {
		switch k {
		case docSchema:
			_, _ = d.Text() // used by editors only
		case docFormat:
			d.Format(Format)
		case docName:
			if s, ok := d.Text(); ok {
				d.m.Name = string(s)
			}
		case docGravity:
			d.Vector(d.m.Gravity[:])
		case docTime:
			d.Number(&d.m.Time)
		case docBodies:
			d.noRefs = !readSection(d, secBodies, &d.m.Bodies, d.body)
			if !d.Fatal && !d.partial {
				d.indexBodies()
				d.At = document.Place{}
			}
		case docJoints:
			readSection(d, secJoints, &d.m.Joints, d.joint)
		case docCouplings:
			readSection(d, secCouplings, &d.m.Couplings, d.coupling)
		case docTerrains:
			readSection(d, secTerrains, &d.m.Terrains, d.terrain)
		case docForces:
			readSection(d, secForces, &d.m.Forces, d.force)
		case docFrames:
			readSection(d, secFrames, &d.m.Frames, d.frame)
		case docVisuals:
			readSection(d, secVisuals, &d.m.Visuals, d.visual)
		case docSource:
			d.source()
		}
	}
	if d.Fatal {
		return
	}
	d.Require(documentFields, seen, docFormat, docBodies)
	d.End()
}

// readSection reads the list of elements of section sec, each by read. It returns whether the value is a list.
func readSection[T any](d *decoder, sec int, list *[]T, read func(*T)) bool {
	if !d.OpenArray() {
		return false
	}
	d.At.Section = sec
	start := d.Offset()
	var spare T
	for i := 0; d.Element(i); i++ {
		if i == d.most {
			d.Note("", fmt.Sprintf("more than %d entries", d.most))
			d.partial = true
		}
		if i >= d.most {
			d.Skip()
			continue
		}
		d.At.Index, d.Flaw, d.Field = i, 0, 0
		e := &spare
		if d.Full() { // the model will not be returned: do not store the rest
			d.partial = true
			spare = *new(T)
		} else {
			if i == cap(*list) {
				*list = grow(d, *list, start)
			}
			*list = (*list)[:i+1]
			e = &(*list)[i]
		}
		if d.OpenObject() {
			read(e)
		} else {
			d.Flaw = ^document.Flaws(0)
		}
		if d.Flaw != 0 && !d.partial {
			d.flaws[d.At] = d.Flaw
		}
	}
	d.At = document.Place{}
	if n := len(*list); n < cap(*list)/2 {
		*list = append(make([]T, 0, n), *list...)
	}
	return true
}

// grow returns list with memory for more elements. If the size of the input is known, it estimates the number of elements
// that follow from the mean size of the elements since offset start; half of the rest is assumed to be joints if bodies come
// first. A sparse file may be much longer than its content: so the memory is bounded by a multiple of the elements read so far.
func grow[T any](d *decoder, list []T, start int64) []T {
	const (
		minBytes = 50   // bytes of the shortest valid element
		most     = 15   // largest growth, relative to the number of elements: few copies, and memory in proportion to the input read
		first    = 32   // elements of the first allocation
		many     = 1024 // number of elements from which their mean size is used
		all      = 1.02 // share of the rest of the input, slightly above 1, as the mean size of the rest may be smaller
		half     = 0.5  // share of the rest for bodies before the joints
	)
	n := len(list)
	room := max(first, n)
	if n >= many {
		room = n / 4
		if rest := d.Left(); rest > 0 {
			mean := max(float64(d.Offset()-start)/float64(n), minBytes)
			share := all
			if d.At.Section == secBodies && len(d.m.Joints) == 0 {
				share = half
			}
			room = max(room/2, int(min(share*float64(rest)/mean, float64(most*n)))+64)
		}
	}
	return append(make([]T, 0, n+room), list...)
}

// body reads a body after its opening brace.
func (d *decoder) body(b *Body) {
	b.Pose.Orientation[0] = 1
	var seen uint32
	for {
		k, ok := d.Member(bodyFields, &seen)
		if !ok {
			break
		}
		switch k {
		case bodyName:
			b.Name = d.name()
		case bodyMass:
			d.Number(&b.Mass)
		case bodyCom:
			d.Vector(b.Com[:])
		case bodyInertia:
			d.inertia(&b.Inertia)
		case bodyPose:
			d.pose(&b.Pose)
		case bodyVelocity:
			d.velocity(&b.Velocity)
		}
	}
	if !d.Fatal {
		d.Require(bodyFields, seen, bodyName, bodyMass, bodyInertia)
	}
}

// refuseOthers reports the fields that are in the document although the kind with the parts p does not have them, with the rule none.
// Fields before from belong to all kinds. Bit k of seen stands for field k in the document.
func (d *decoder) refuseOthers(fields []string, from int, seen uint32, p *parts, none string) {
	for k := from; k < len(fields); k++ {
		if !p.has(k) {
			d.Refuse(fields, seen, none, k)
		}
	}
}

// name reads a string into new memory.
func (d *decoder) name() string {
	s, _ := d.Text()
	return string(s)
}

// inertia reads an inertia; xx, yy and zz have to be there.
func (d *decoder) inertia(I *Inertia) {
	if !d.OpenObject() {
		return
	}
	entries := [...]*float64{&I.XX, &I.YY, &I.ZZ, &I.XY, &I.XZ, &I.YZ}
	var seen uint32
	for {
		k, ok := d.Member(inertiaFields, &seen)
		if !ok {
			break
		}
		d.Number(entries[k])
	}
	if !d.Fatal {
		d.Require(inertiaFields, seen, 0, 1, 2)
	}
}

func (d *decoder) pose(p *Pose) { d.Pose(p.Position[:], &p.Orientation) }

// velocity reads a velocity. A part that is missing is zero.
func (d *decoder) velocity(v *Velocity) {
	if !d.OpenObject() {
		return
	}
	var seen uint32
	for {
		k, ok := d.Member(velocityFields, &seen)
		switch {
		case !ok:
			return
		case k == 0:
			d.Vector(v.Linear[:])
		default:
			d.Vector(v.Angular[:])
		}
	}
}

// choice reads one of the values from 0 to last by its name, as String returns it.
func choice[T interface {
	~uint8
	String() string
}](d *decoder, last T) T {
	var memory [4]string // enough for most types, without allocation
	names := memory[:0]
	for x := T(0); x <= last; x++ {
		names = append(names, x.String())
	}
	return T(d.Choice(names...))
}
