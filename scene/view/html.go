package view

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strings"
)

// MaxFile is the largest size of the numbers of a page in a file before compression, bytes.
const MaxFile = 256 << 20

// modules are the scripts of the page, each after the scripts that it imports or starts.
var modules = []string{"algebra.js", "shapes.js", "shaders.js", "levels.js", "things.js", "pace.js", "worker.js", "source.js", "frames.js", "state.js", "chart.js", "drawing.js", "panel.js", "marks.js"}

// HTML writes the page as one file with the scene, all rows of the trajectory, its curves and, with a plan, the
// reactions at all rows and the redundant rows at the first. The file needs no server and loads nothing.
//
// Cost: O(rows·(bodies + joints)), with a plan a solution for each row; a block of rows
// is in memory. It returns the cause for which ctx has ended, the errors of the trajectory and
// of w, and an error before anything is written if the numbers take more than MaxFile.
func (v *Viewer) HTML(ctx context.Context, w io.Writer) error {
	if ctx == nil {
		panic("rung: nil context")
	}
	if n := v.fileBytes(); n > MaxFile {
		m := v.scene.Mechanism
		return fmt.Errorf("view: %d rows of %d bodies, %d joints and %d curves are %.3g GB of numbers; a page in a file has at most %.3g: choose fewer rows",
			max(1, v.rows()), m.NumBodies(), m.NumJoints(), len(v.curves()), float64(n)/1e9, float64(MaxFile)/1e9)
	}
	index, err := page.ReadFile("page/index.html")
	if err != nil {
		return err
	}
	before, after, found := bytes.Cut(index, []byte(scriptTag))
	head, rest, found2 := bytes.Cut(before, []byte(styleTag))
	if !found || !found2 {
		return fmt.Errorf("view: the page has other tags than %s and %s", styleTag, scriptTag)
	}
	b := bufio.NewWriterSize(w, 1<<16)
	app, imports, err := scripts()
	if err != nil {
		return err
	}
	css, err := page.ReadFile("page/page.css")
	if err != nil {
		return err
	}
	// Nothing may be loaded, and only these two scripts run.
	fmt.Fprintf(b, "%s<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src %s %s data:; worker-src data:; style-src 'unsafe-inline'; img-src blob: data:; media-src blob:\">\n",
		head, hash(imports), hash(app))
	fmt.Fprintf(b, "<style>\n%s</style>%s<script type=\"importmap\">%s</script>\n<script type=\"module\">%s</script>%s", css, rest, imports, app, bytes.TrimSuffix(bytes.TrimSpace(after), []byte("</body>\n</html>")))
	if err := v.parts(ctx, b); err != nil {
		return err
	}
	b.WriteString("</body>\n</html>\n")
	return b.Flush()
}

const (
	scriptTag = `<script type="module" src="app.js"></script>`
	styleTag  = `<link rel="stylesheet" href="page.css">`
)

// hash returns a script's hash in the form of a content security policy.
func hash(text []byte) string {
	sum := sha256.Sum256(text)
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// scripts returns the main script of the page and the import map with its modules. In a file modules have no
// addresses, so the map has each of them as a data URL under the name rung/FILE, which replaces its path in imports.
func scripts() (app, imports []byte, err error) {
	read := func(name string) ([]byte, error) {
		b, err := page.ReadFile("page/" + name)
		if bytes.Contains(b, []byte("</script")) {
			err = fmt.Errorf("view: %s has an end tag of a script", name)
		}
		b = bytes.ReplaceAll(b, []byte("from './"), []byte("from 'rung/"))
		return bytes.ReplaceAll(b, []byte("resolve('./"), []byte("resolve('rung/")), err
	}
	places := map[string]string{}
	for _, name := range modules {
		text, err := read(name)
		if err != nil {
			return nil, nil, err
		}
		places["rung/"+name] = "data:text/javascript;base64," + base64.StdEncoding.EncodeToString(text)
	}
	if imports, err = json.Marshal(map[string]any{"imports": places}); err != nil {
		return nil, nil, err
	}
	app, err = read("app.js")
	return app, imports, err
}

// rows returns the number of rows of the trajectory, 0 without one.
func (v *Viewer) rows() int {
	if v.run == nil {
		return 0
	}
	return len(v.run.Times())
}

// curves returns the columns of the trajectory that go into a file. Columns of bodies do not: frames have them.
func (v *Viewer) curves() []string {
	if v.run == nil {
		return nil
	}
	return v.run.Others()
}

// rowBytes returns the bytes of a row of frames, of forces and of reactions; 0 for reactions that cannot be computed.
func (v *Viewer) rowBytes() (frame, forces, reactions int) {
	m := v.scene.Mechanism
	if v.solves() {
		reactions = 4 * reactionFloats * m.NumJoints()
	}
	return 4 * frameFloats * m.NumBodies(), 4 * arrowFloats * v.numArrows(), reactions
}

// blockRows returns the number of rows that are packed together: at most 256, and at most 4 MiB
// of each kind, so that a page unpacks the next block while it shows the present one.
func (v *Viewer) blockRows() int {
	frame, forces, reactions := v.rowBytes()
	return max(1, min(v.rows(), 256, (4<<20)/max(1, frame, forces, reactions)))
}

// fileBytes returns the size of the numbers of a file before compression.
func (v *Viewer) fileBytes() int {
	frame, forces, reactions := v.rowBytes()
	n := max(1, v.rows()) * (frame + forces + reactions + 8)
	n += min(most, v.rows()) * 16 * len(v.curves())
	n += len(v.head) + len(v.shapes) + len(v.links) + len(v.joints)
	for _, list := range [2][][]byte{v.terrains, v.meshes} {
		for _, b := range list {
			n += len(b)
		}
	}
	return n
}

// parts writes the numbers: each answer of the server as an element with the path of its request.
func (v *Viewer) parts(ctx context.Context, w *bufio.Writer) error {
	names, err := v.names()
	if err != nil {
		return err
	}
	rep := []byte("null")
	if v.solves() {
		r, err := v.reportOf(ctx, 0)
		if err != nil {
			return err
		}
		if rep, err = json.Marshal(r); err != nil {
			return err
		}
	}
	for _, p := range []struct {
		path string
		data []byte
	}{{"scene.json", v.head}, {"names", names}, {"joints", v.joints}, {"shapes", v.shapes}, {"links", v.links}, {"times", v.times()}, {"report", rep},
		{"clusters", v.clusters()}} {
		if err := part(w, p.path, p.data); err != nil {
			return err
		}
	}
	for k, b := range v.terrains {
		if err := part(w, fmt.Sprintf("terrain?row=%d", k), b); err != nil {
			return err
		}
	}
	for k, b := range v.meshes {
		if err := part(w, fmt.Sprintf("mesh?row=%d", k), b); err != nil {
			return err
		}
	}
	if err := v.blocks(ctx, w, "frame", v.frame); err != nil {
		return err
	}
	if v.numArrows() > 0 {
		if err := v.blocks(ctx, w, "forces", v.forces); err != nil {
			return err
		}
	}
	if v.solves() {
		if err := v.blocks(ctx, w, "reactions", func(row int) ([]byte, error) { return v.reactions(ctx, row) }); err != nil {
			return err
		}
	}
	for _, name := range v.curves() {
		data, err := v.series(name)
		if err != nil {
			return err
		}
		if err := part(w, "series?column="+strings.ReplaceAll(url.QueryEscape(name), "+", "%20"), data); err != nil {
			return err
		}
	}
	return nil
}

// part writes the answer to a path as an element, compressed and in base64.
func part(w io.Writer, path string, data []byte) error {
	if _, err := fmt.Fprintf(w, "<script type=\"application/octet-stream\" data-path=\"%s\">", strings.ReplaceAll(path, "\"", "%22")); err != nil {
		return err
	}
	text := base64.NewEncoder(base64.StdEncoding, w)
	z, err := gzip.NewWriterLevel(text, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := z.Write(data); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	if err := text.Close(); err != nil {
		return err
	}
	_, err = io.WriteString(w, "</script>\n")
	return err
}

// blocks writes all rows, which row returns as float32 numbers, in blocks of packed rows with the paths name?block=NUMBER.
func (v *Viewer) blocks(ctx context.Context, w io.Writer, name string, row func(row int) ([]byte, error)) error {
	rows, size := max(1, v.rows()), v.blockRows()
	for from := 0; from < rows; from += size {
		n := min(size, rows-from)
		var all []byte
		for i := range n {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			b, err := row(from + i)
			if err != nil {
				return err
			}
			all = append(all, b...)
		}
		if err := part(w, fmt.Sprintf("%s?block=%d", name, from/size), pack(all, n)); err != nil {
			return err
		}
	}
	return nil
}

// pack orders the bytes of rows of float32 numbers so that they compress well. It takes the bits of each number as an
// integer, and subtracts the integer in the same column of the row before. The lowest bytes of all differences come first,
// column by column and in each column row by row, then the next bytes, up to the highest.
func pack(all []byte, rows int) []byte {
	n := len(all) / 4 / rows
	out := make([]byte, len(all))
	for k := range n {
		last := uint32(0)
		for r := range rows {
			x := binary.LittleEndian.Uint32(all[4*(r*n+k):])
			d := x - last
			last = x
			for p := range 4 {
				out[(p*n+k)*rows+r] = byte(d >> (8 * p))
			}
		}
	}
	return out
}
