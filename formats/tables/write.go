package tables

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	pq "github.com/parquet-go/parquet-go"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/internal/outfile"
	"github.com/rung-mbd/rung/model"
)

// Names of the files of a folder, of the format, and of its key in the tables. The names of the tables contain a digest:
// bodies.parquet stands for bodies-DIGEST.parquet.
const (
	Format     = "rung-tables/1" // value of the field format of the head
	headFile   = "head.json"
	bodiesFile = "bodies.parquet"
	jointsFile = "joints.parquet"

	formatKey = "rung.format" // key of the metadata of the tables
)

// folder returns the layout of a model's folder.
func folder() outfile.Layout {
	return outfile.Layout{Head: headFile, Parts: []string{bodiesFile, jointsFile}}
}

// groupRows is the number of rows of a row group: some 3 MB.
const groupRows = 1 << 14

// head is the content of the head file.
type head struct {
	Format  string          `json:"format"`
	Bodies  int64           `json:"bodies"`
	Joints  int64           `json:"joints"`
	AtBody  []int64         `json:"body_rows"`  // rows of the bodies in Rest, ascending
	AtJoint []int64         `json:"joint_rows"` // rows of the joints in Rest, ascending
	Parts   []outfile.Part  `json:"parts"`      // the tables
	Rest    json.RawMessage `json:"rest"`       // a document of rung-model/1
	Seal    string          `json:"seal"`
}

// Write writes m, which must pass model.Check, as tables in the folder at path, and makes the folder if necessary.
// Orientations are not normalized; the zero orientation becomes the identity. Whenever the process ends, the folder has
// the old model or all of m; if there was no old model, it has m, or no head and so no model.
// A File that is open continues with the old model. Other files in the folder are not touched.
//
// Cost: O(bodies + joints). It returns the errors of model.Write, and errors of the system with the name of the file;
// a concurrent writer of the folder is an error, too.
func Write(path string, m *model.Model) (err error) {
	links, err := model.Link(m)
	if err != nil {
		return err
	}
	h, err := headOf(m, links)
	if err != nil {
		return err
	}
	f, err := folder().Hold(path)
	if err != nil {
		return fmt.Errorf("formats/tables: %w", err)
	}
	err = write(f, m, links, h)
	if e := f.Release(); err == nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("formats/tables: %w", err)
	}
	return nil
}

// write writes the tables and then the head, which replaces the old model.
func write(f *outfile.Folder, m *model.Model, links *model.Links, h *head) error {
	body := func(i int) bodyRow {
		b := m.Bodies[i]
		upright(&b.Pose)
		return rowOfBody(&b)
	}
	joint := func(i int) jointRow {
		j := m.Joints[i]
		upright(&j.PredecessorFrame)
		upright(&j.SuccessorFrame)
		return rowOfJoint(&j, int64(links.Joints[i][0]), int64(links.Joints[i][1]))
	}
	bodies, err := f.Write(bodiesFile, func(w io.Writer) error { return writeTable(w, len(m.Bodies), body, "bodies") })
	if err != nil {
		return err
	}
	joints, err := f.Write(jointsFile, func(w io.Writer) error { return writeTable(w, len(m.Joints), joint, "joints") })
	if err != nil {
		return err
	}
	h.Parts = []outfile.Part{bodies, joints}
	return f.Commit(h.Parts, h.write)
}

// upright replaces the zero orientation by the identity.
func upright(p *model.Pose) {
	if p.Orientation == [4]float64{} {
		p.Orientation[0] = 1
	}
}

// writeTable writes a table of a kind with the n rows row(i).
func writeTable[T any](to io.Writer, n int, row func(i int) T, kind string) error {
	w := pq.NewGenericWriter[T](to, pq.Compression(&pq.Snappy), pq.CreatedBy("rung", "", ""), pq.MaxRowsPerRowGroup(groupRows),
		pq.KeyValueMetadata(formatKey, Format+" "+kind))
	block := make([]T, 0, 256)
	for i := range n {
		if block = append(block, row(i)); len(block) == cap(block) || i == n-1 {
			if _, err := w.Write(block); err != nil {
				return err
			}
			block = block[:0]
		}
	}
	return w.Close()
}

// headOf returns the head of m, without Parts and Seal.
func headOf(m *model.Model, links *model.Links) (*head, error) {
	rest := *m
	rest.Bodies, rest.Joints = nil, nil
	body, joint := make([]bool, len(m.Bodies)), make([]bool, len(m.Joints))
	for i := range m.Bodies {
		if !whole(&m.Bodies[i]) {
			return nil, fmt.Errorf("formats/tables: body %s: has what the table of bodies cannot hold", fault.Name(m.Bodies[i].Name))
		}
	}
	for i := range m.Joints {
		joint[i] = !plain(&m.Joints[i])
	}
	for _, list := range links.Couplings {
		for _, j := range list {
			if j >= 0 {
				joint[j] = true
			}
		}
	}
	names, jointNames := named(m)
	if len(names) > 0 {
		for i := range m.Bodies {
			if _, ok := names[m.Bodies[i].Name]; ok {
				body[i] = true
			}
		}
	}
	h := &head{Format: Format, Bodies: int64(len(m.Bodies)), Joints: int64(len(m.Joints)), AtBody: []int64{}, AtJoint: []int64{}}
	for i := range m.Joints {
		if _, ok := jointNames[m.Joints[i].Name]; !ok && !joint[i] {
			continue
		}
		h.AtJoint = append(h.AtJoint, int64(i))
		rest.Joints = append(rest.Joints, m.Joints[i])
		for _, b := range links.Joints[i] {
			if b >= 0 {
				body[b] = true
			}
		}
	}
	for i, is := range body {
		if is {
			h.AtBody = append(h.AtBody, int64(i))
			rest.Bodies = append(rest.Bodies, m.Bodies[i])
		}
	}
	var text bytes.Buffer
	if err := model.Write(&text, &rest); err != nil {
		return nil, err
	}
	h.Rest = text.Bytes()
	return h, nil
}

// write writes the head file. Rest keeps its layout, and Seal is a placeholder.
func (h *head) write(w io.Writer) error {
	rows := func(list []int64) string {
		var b strings.Builder
		for i, x := range list {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(strconv.FormatInt(x, 10))
		}
		return b.String()
	}
	parts, err := json.Marshal(h.Parts)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "{\n \"format\": %q,\n \"bodies\": %d,\n \"joints\": %d,\n \"body_rows\": [%s],\n \"joint_rows\": [%s],\n \"parts\": %s,\n \"rest\": %s,\n \"seal\": %q}\n",
		h.Format, h.Bodies, h.Joints, rows(h.AtBody), rows(h.AtJoint), parts, bytes.TrimSpace(h.Rest), outfile.Unsealed())
	return err
}

// named returns the names of bodies and joints to which force elements, frames and visuals refer.
func named(m *model.Model) (bodies, joints map[string]struct{}) {
	bodies, joints = make(map[string]struct{}), make(map[string]struct{})
	for i := range m.Forces {
		f := &m.Forces[i]
		bodies[f.A.Body], bodies[f.B.Body] = struct{}{}, struct{}{}
		if f.Actuator != nil {
			joints[f.Actuator.Joint] = struct{}{}
		}
		if f.Cable != nil {
			for k := range f.Cable.Points {
				bodies[f.Cable.Points[k].Body] = struct{}{}
			}
		}
	}
	for i := range m.Frames {
		bodies[m.Frames[i].Body] = struct{}{}
	}
	for i := range m.Visuals {
		bodies[m.Visuals[i].Body] = struct{}{}
	}
	return bodies, joints
}
