package tables

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	pq "github.com/parquet-go/parquet-go"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/outfile"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/model"
)

// File is an open model in tables. It belongs to one goroutine.
type File struct {
	head
	opened *outfile.Opened
	rest   *model.Model
	bodies *table[bodyRow]
	joints *table[jointRow]
	joint  map[int64]int // index in rest of a joint, by its row
}

// maxHead is the size in bytes of the largest head that is read.
const maxHead = 1 << 30

// Open opens the model in the folder at path. Names of terrain files are relative to the parent of this folder,
// as if the folder were a model file. A writer of the folder does not affect an open File, which keeps reading the model that was
// there at the call of Open.
//
// Cost: reading the head and the footers of both tables. Later reads are compared with the digests in the head,
// a MiB at a time. It returns the errors of the system, and an error with the name of the file and the position if a file is
// invalid.
func Open(path string) (*File, error) {
	o, err := folder().Open(path, maxHead)
	if err != nil {
		return nil, fmt.Errorf("formats/tables: %w", err)
	}
	f := &File{opened: o, joint: make(map[int64]int)}
	if err := f.begin(path); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// begin reads the head and the footers of the tables, and compares their numbers of rows.
func (f *File) begin(path string) (err error) {
	name := filepath.Join(path, headFile)
	if err := f.readHead(path, f.opened.Head); err != nil {
		return fault.Errorf("formats/tables: %s: %w", name, err)
	}
	f.opened.Head = nil
	if f.bodies, err = openTable[bodyRow](f.opened.Parts[0], "bodies"); err != nil {
		return err
	}
	if f.joints, err = openTable[jointRow](f.opened.Parts[1], "joints"); err != nil {
		return err
	}
	if b, j := f.bodies.rows(), f.joints.rows(); b != f.head.Bodies || j != f.head.Joints {
		return fmt.Errorf("formats/tables: %s: %d bodies and %d joints; the tables have %d and %d", name, f.head.Bodies, f.head.Joints, b, j)
	}
	return nil
}

// readHead decodes the head from text, reads the document in it, Rest, into f.rest, and checks both. It fills f.joint. path is the folder
// of the model.
func (f *File) readHead(path string, text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&f.head); err != nil {
		return err
	}
	if f.Format != Format {
		return fmt.Errorf("format %s, not %s", fault.Name(f.Format), Format)
	}
	if f.head.Bodies < 0 || f.head.Bodies > model.MaxElements || f.head.Joints < 0 || f.head.Joints > model.MaxElements {
		return fmt.Errorf("%d bodies and %d joints; a model has at most %d", f.head.Bodies, f.head.Joints, model.MaxElements)
	}
	rest, err := model.ReadIn(context.Background(), bytes.NewReader(f.Rest), headFile, model.Folder(filepath.Dir(filepath.Clean(path))))
	if err != nil {
		return err
	}
	f.rest, f.Rest = rest, nil
	for _, l := range []struct {
		name     string
		rows     []int64 // of the table, one for each element of rest
		elements int
		most     int64 // number of rows of the table
	}{{"body_rows", f.AtBody, len(rest.Bodies), f.head.Bodies}, {"joint_rows", f.AtJoint, len(rest.Joints), f.head.Joints}} {
		if len(l.rows) != l.elements {
			return fmt.Errorf("%s: %d rows of %d", l.name, len(l.rows), l.elements)
		}
		for i, x := range l.rows {
			if x < 0 || x >= l.most || i > 0 && x <= l.rows[i-1] {
				return fmt.Errorf("%s[%d]: row %d is out of range or of order", l.name, i, x)
			}
		}
	}
	for i, x := range f.AtJoint {
		f.joint[x] = i
	}
	return nil
}

// Close closes the files.
func (f *File) Close() error { return f.opened.Close() }

// Digest returns a SHA-256 digest, in hexadecimal digits: folders with the same digest have the same model.
func (f *File) Digest() string { return f.opened.Seal }

// Size returns the numbers of bodies and of joints.
func (f *File) Size() (bodies, joints int64) { return f.head.Bodies, f.head.Joints }

// Part returns a part of the model: the bodies of rows lo to hi−1, all their joints, the bodies at the other ends of
// these joints, and the content of the head with its bodies and joints. Bodies and joints are in the order
// of the whole model; the results bodies and joints are their rows in it, ascending.
//
// Names must be unique in the whole model, which Part cannot check.
//
// Cost: reading the rows of the range, and the row groups of joints that may touch it. If joints are in about the
// order of their bodies, this is proportional to the range. Memory: the part and one row group. It returns errors with
// file, row group, row and column. It panics if the range is outside the model.
func (f *File) Part(lo, hi int64) (m *model.Model, bodies, joints []int64, err error) {
	if lo < 0 || hi < lo || hi > f.head.Bodies {
		panic("formats/tables: range out of range")
	}
	p := f.newPart()
	for g := range len(f.joints.first) - 1 {
		from, to := f.joints.first[g], f.joints.first[g+1]
		k, _ := slices.BinarySearch(f.AtJoint, from)
		inHead := k < len(f.AtJoint) && f.AtJoint[k] < to
		if !inHead && !f.mayTouch(g, lo, hi) {
			continue
		}
		err := f.joints.read(g, from, to, func(row int64, r *jointRow) error {
			if _, special := f.joint[row]; !special && (r.Pred < lo || r.Pred >= hi) && (r.Succ < lo || r.Succ >= hi) {
				return f.checkEnds(r)
			}
			return p.add(row, r)
		})
		if err != nil {
			return nil, nil, nil, err
		}
	}
	bodies = make([]int64, 0, hi-lo)
	for b := lo; b < hi; b++ {
		bodies = append(bodies, b)
	}
	return p.finish(bodies)
}

// Pick is Part for given rows of bodies and joints, which must increase: it returns these, the bodies of the joints, and the content of
// the head. Cost: reading the row groups with these rows. It panics if there is no such row, or if rows do not increase.
func (f *File) Pick(bodies, joints []int64) (m *model.Model, bodyRows, jointRows []int64, err error) {
	check := func(list []int64, n int64) {
		for i, x := range list {
			if x < 0 || x >= n || i > 0 && x <= list[i-1] {
				panic("formats/tables: row out of range")
			}
		}
	}
	check(bodies, f.head.Bodies)
	check(joints, f.head.Joints)
	p := f.newPart()
	rows := slices.Concat(joints, f.AtJoint)
	slices.Sort(rows)
	if err := f.joints.pick(slices.Compact(rows), p.add); err != nil {
		return nil, nil, nil, err
	}
	return p.finish(bodies)
}

// part is a part of a model under construction.
type part struct {
	file *File
	m    *model.Model
	ends [][2]int64 // rows of the bodies of each joint
	rows []int64    // rows of the joints
}

// newPart returns a part with the content of the head except bodies and joints.
func (f *File) newPart() *part {
	m := *f.rest
	m.Bodies, m.Joints = nil, nil
	return &part{file: f, m: &m}
}

// checkEnds returns an error if a row of the bodies of a joint is out of range.
func (f *File) checkEnds(r *jointRow) error {
	for _, e := range [...]struct {
		column string
		row    int64
	}{{"predecessor", r.Pred}, {"successor", r.Succ}} {
		if e.row < -1 || e.row >= f.head.Bodies {
			return fmt.Errorf("column %s: there is no body in row %d", e.column, e.row)
		}
	}
	return nil
}

// add appends the joint of a row of the table. If the head has the joint, too, it is taken from there, with its lists.
func (p *part) add(row int64, r *jointRow) error {
	if err := p.file.checkEnds(r); err != nil {
		return err
	}
	var j model.Joint
	if at, there := p.file.joint[row]; there {
		j = p.file.rest.Joints[at]
	} else {
		t, err := joints.ParseKind(r.Type)
		if err != nil {
			return fmt.Errorf("column type: %w", err)
		}
		j = r.joint(t)
	}
	p.m.Joints, p.ends, p.rows = append(p.m.Joints, j), append(p.ends, [2]int64{r.Pred, r.Succ}), append(p.rows, row)
	return nil
}

// finish adds the bodies in the rows of an ascending list, the bodies of the joints and the bodies of the head, and returns the
// results of Part.
func (p *part) finish(list []int64) (m *model.Model, bodies, joints []int64, err error) {
	f, m := p.file, p.m
	bodies = slices.Concat(list, f.AtBody)
	for _, e := range p.ends {
		for _, b := range e {
			if _, there := slices.BinarySearch(list, b); b >= 0 && !there {
				bodies = append(bodies, b)
			}
		}
	}
	slices.Sort(bodies)
	bodies = slices.Compact(bodies)
	m.Bodies = make([]model.Body, 0, min(len(bodies), 1<<20)) // bounded, as the file may state more rows than it has
	err = f.bodies.pick(bodies, func(_ int64, r *bodyRow) error {
		m.Bodies = append(m.Bodies, r.body())
		return nil
	})
	if err != nil {
		return nil, nil, nil, err
	}
	name := func(row int64) string {
		if row < 0 {
			return model.World
		}
		i, _ := slices.BinarySearch(bodies, row)
		return m.Bodies[i].Name
	}
	for i, e := range p.ends {
		j := &m.Joints[i]
		j.Predecessor, j.Successor = name(e[0]), name(e[1])
	}
	return m, bodies, p.rows, f.checkHead(m, bodies, p.rows)
}

// mayTouch reports whether row group g of joints may contain one of the bodies from lo to hi−1, by its statistics.
// With wrong statistics joints are lost; package dist detects that by their number.
func (f *File) mayTouch(g int, lo, hi int64) bool {
	for _, chunk := range f.joints.pq.RowGroups()[g].ColumnChunks()[predColumn : predColumn+2] {
		c, ok := chunk.(*pq.FileColumnChunk)
		if !ok {
			return true
		}
		least, most, ok := c.Bounds()
		if !ok || least.Int64() < hi && most.Int64() >= lo {
			return true
		}
	}
	return false
}

// predColumn is the index of the column of predecessors; the column of successors follows.
const predColumn = 2

// checkHead returns an error if a body of the head has another name in the table of bodies, or a joint of the head connects
// other bodies in the table of joints. bodies and joints are the rows of m's bodies and joints, ascending.
func (f *File) checkHead(m *model.Model, bodies, joints []int64) error {
	for i, row := range f.AtBody {
		k, _ := slices.BinarySearch(bodies, row)
		if m.Bodies[k].Name != f.rest.Bodies[i].Name {
			return fmt.Errorf("formats/tables: %s: row %d: body %s; %s says %s", f.bodies.name, row, fault.Name(m.Bodies[k].Name), headFile, fault.Name(f.rest.Bodies[i].Name))
		}
	}
	for i, row := range f.AtJoint {
		k, _ := slices.BinarySearch(joints, row)
		j, h := &m.Joints[k], &f.rest.Joints[i]
		if j.Predecessor != h.Predecessor || j.Successor != h.Successor {
			return fmt.Errorf("formats/tables: %s: row %d: joint %s between %s and %s; %s says %s and %s", f.joints.name, row, fault.Name(h.Name),
				fault.Name(j.Predecessor), fault.Name(j.Successor), headFile, fault.Name(h.Predecessor), fault.Name(h.Successor))
		}
	}
	return nil
}

// Read reads the whole model in the folder at path.
//
// Cost: O(bodies + joints). It returns the errors of Open, Part and model.Check.
func Read(path string) (m *model.Model, err error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	m, _, rows, err := f.Part(0, f.head.Bodies)
	if err != nil {
		return nil, err
	}
	if n := int64(len(rows)); n != f.head.Joints {
		return nil, fmt.Errorf("formats/tables: %s: %d joints of %d have bodies", f.joints.name, n, f.head.Joints)
	}
	m.Canonicalize()
	if err := model.Check(m); err != nil {
		return nil, fault.Errorf("formats/tables: %s: %w", path, err)
	}
	return m, nil
}
