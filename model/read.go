package model

import (
	"errors"
	"fmt"
	"io"
	"os"
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
func Read(r io.Reader, file string) (*Model, error) { return read(r, file, MaxElements) }

// read is Read for documents of at most most bodies, joints and forces each.
func read(r io.Reader, file string, most int) (*Model, error) {
	d := &decoder{src: newSource(r), path: make([]step, 0, 16), most: most}
	d.dec = d.src.dec
	d.checker = checker{
		collector: &collector{file: cutShort(file)},
		m:         New(""),
		flaws:     map[place]flaws{},
		intern:    true,
	}
	d.document()
	if d.ioErr != nil {
		return nil, fmt.Errorf("model: read %s: %w", file, d.ioErr)
	}
	if !d.fatal && !d.partial {
		d.run()
	}
	if err := d.err(); err != nil {
		return nil, err
	}
	return d.m, nil
}

// ReadFile reads the document in the file at path. It returns the errors of
// Read and of opening the file.
func ReadFile(path string) (*Model, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	m, err := Read(f, path)
	return m, errors.Join(err, f.Close())
}

func (d *decoder) document() {
	if d.dec.PeekKind() != '{' {
		d.wrong("an object, so not a " + Format + " document")
		d.partial = true // nothing to apply rules to
		return
	}
	d.openObject()
	var seen uint32
	d.noRefs = true
	for {
		k, ok := d.member(documentFields, &seen)
		if !ok {
			break
		}
		switch k {
		case docSchema:
			_, _ = d.text() // for editors
		case docFormat:
			if s, ok := d.text(); ok && string(s) != Format {
				d.problem(quoteBytes(s), `is not "`+Format+`"`)
			}
		case docName:
			if s, ok := d.text(); ok {
				d.m.Name = string(s)
			}
		case docGravity:
			d.vector(d.m.Gravity[:])
		case docTime:
			d.number(&d.m.Time)
		case docBodies:
			d.noRefs = !readSection(d, secBodies, &d.m.Bodies, d.body)
			if !d.fatal && !d.partial {
				d.indexBodies()
				d.sec, d.index = secDocument, 0
			}
		case docJoints:
			readSection(d, secJoints, &d.m.Joints, d.joint)
		case docForces:
			readSection(d, secForces, &d.m.Forces, d.force)
		}
	}
	if d.fatal {
		return
	}
	d.require(documentFields, seen, docFormat, docBodies)
	d.end()
}

// end checks that nothing follows the document.
func (d *decoder) end() {
	offset := d.dec.InputOffset()
	_, err := d.dec.ReadToken()
	switch {
	case err == io.EOF:
	case err == nil:
		d.trailing(offset)
	default:
		if d.fail(err); d.ioErr == nil {
			d.list = d.list[:len(d.list)-1]
			d.fatal = false // the document itself is complete
			d.trailing(offset)
		}
	}
}

func (d *decoder) trailing(offset int64) {
	d.add(secSyntax, 0, "$", "", "there is more after the end of the document, at "+d.src.where(offset))
}

// readSection reads a list of elements and reports whether it is a list.
func readSection[T any](d *decoder, sec section, list *[]T, read func(*T)) bool {
	if !d.openArray() {
		return false
	}
	d.sec = sec
	start := d.dec.InputOffset()
	var spare T
	for i := 0; d.element(i); i++ {
		if i == d.most {
			d.note("", fmt.Sprintf("more than %d entries", d.most))
			d.partial = true
		}
		if i >= d.most {
			d.skip()
			continue
		}
		d.index, d.flaw, d.field = i, 0, 0
		e := &spare
		if d.full() { // the model will not be returned: do not store the rest
			d.partial = true
			spare = *new(T)
		} else {
			if i == cap(*list) {
				*list = grow(d, *list, start)
			}
			*list = (*list)[:i+1]
			e = &(*list)[i]
		}
		if d.openObject() {
			read(e)
		} else {
			d.flaw = ^flaws(0)
		}
		if d.flaw != 0 && !d.partial {
			d.flaws[place{sec, i}] = d.flaw
		}
	}
	d.sec, d.index = secDocument, 0
	if n := len(*list); n < cap(*list)/2 {
		*list = append(make([]T, 0, n), *list...)
	}
	return true
}

// grow returns list with room for more. Where the input's size is known, the
// mean size of the elements since start tells how many may follow; bodies are
// taken to leave half of the rest to the joints.
func grow[T any](d *decoder, list []T, start int64) []T {
	const minBytes = 50 // of the shortest valid element
	n := len(list)
	room := max(32, n)
	if n >= 1024 {
		room = n / 4
		if rest := d.src.size - d.dec.InputOffset(); rest > 0 {
			mean := max(float64(d.dec.InputOffset()-start)/float64(n), minBytes)
			share := 1.02
			if d.sec == secBodies && len(d.m.Joints) == 0 {
				share = 0.5
			}
			room = max(room/2, int(share*float64(rest)/mean)+64)
		}
	}
	return append(make([]T, 0, n+room), list...)
}

// body reads a body after its opening brace.
func (d *decoder) body(b *Body) {
	b.Pose.Orientation[0] = 1
	var seen uint32
	for {
		k, ok := d.member(bodyFields, &seen)
		if !ok {
			break
		}
		switch k {
		case bodyName:
			b.Name = d.name()
		case bodyMass:
			d.number(&b.Mass)
		case bodyCom:
			d.vector(b.Com[:])
		case bodyInertia:
			d.inertia(&b.Inertia)
		case bodyPose:
			d.pose(&b.Pose)
		case bodyVelocity:
			d.velocity(&b.Velocity)
		}
	}
	if !d.fatal {
		d.require(bodyFields, seen, bodyName, bodyMass, bodyInertia)
	}
}

// name reads a string of its own.
func (d *decoder) name() string {
	s, _ := d.text()
	return string(s)
}

func (d *decoder) inertia(I *Inertia) {
	if !d.openObject() {
		return
	}
	entries := [...]*float64{&I.XX, &I.YY, &I.ZZ, &I.XY, &I.XZ, &I.YZ}
	var seen uint32
	for {
		k, ok := d.member(inertiaFields, &seen)
		if !ok {
			break
		}
		d.number(entries[k])
	}
	if !d.fatal {
		d.require(inertiaFields, seen, 0, 1, 2)
	}
}

func (d *decoder) pose(p *Pose) {
	if !d.openObject() {
		return
	}
	var seen uint32
	for {
		k, ok := d.member(poseFields, &seen)
		switch {
		case !ok:
			return
		case k == 0:
			d.vector(p.Position[:])
		default:
			d.orientation(&p.Orientation)
		}
	}
}

// orientation reads a quaternion and normalizes it. The rule is here too, as
// Check lets a zero quaternion pass.
func (d *decoder) orientation(q *[4]float64) {
	if !d.vector(q[:]) {
		return
	}
	if !nearUnit(q) {
		d.problem(formatFloats(q[:]), ruleQuaternion)
		return
	}
	normalize(q)
}

func (d *decoder) velocity(v *Velocity) {
	if !d.openObject() {
		return
	}
	var seen uint32
	for {
		k, ok := d.member(velocityFields, &seen)
		switch {
		case !ok:
			return
		case k == 0:
			d.vector(v.Linear[:])
		default:
			d.vector(v.Angular[:])
		}
	}
}
