package outfile

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rung-mbd/rung/internal/replace"
)

// Layout is what the folders of a format hold: a head, a document in JSON, and parts. Together they are one file.
//
// Parts are never changed. A part has a name of its own for each content: bodies.parquet stands for
// bodies-DIGEST.parquet. The head names them, with the digests of all that is in them (the field "parts", a list of
// Part), and is sealed (Sealed). So what is read is what one writer has written, whatever else is in the folder.
type Layout struct {
	Head  string   // name of the head
	Parts []string // names that the parts stand for, each with an ending
}

// Part is a part as a head names it.
type Part struct {
	Name   string   `json:"name"`
	Size   int64    `json:"size"`   // bytes
	Blocks []string `json:"blocks"` // SHA-256 of each MiB
}

// blockSize is the number of bytes of a block of a part, which has a digest.
const blockSize = 1 << 20

// nameDigits is the number of digits in the name of a part.
const nameDigits = 16

// partName returns the name of a part that stands for a name, with these digests.
func partName(name string, blocks []string) string {
	h := sha256.New()
	for _, b := range blocks {
		io.WriteString(h, b)
	}
	ending := filepath.Ext(name)
	return strings.TrimSuffix(name, ending) + "-" + hex.EncodeToString(h.Sum(nil))[:nameDigits] + ending
}

// standsFor reports whether a file has the name of a part that stands for a name.
func standsFor(file, name string) bool {
	ending := filepath.Ext(name)
	digits, ok := strings.CutPrefix(file, strings.TrimSuffix(name, ending)+"-")
	digits, is := strings.CutSuffix(digits, ending)
	return ok && is && len(digits) == nameDigits && strings.Trim(digits, "0123456789abcdef") == ""
}

// Folder is a folder that is being written, by one writer at a time: who holds the place of its head. It belongs to one
// goroutine.
type Folder struct {
	layout Layout
	given  string // as the caller names it
	path   string // links followed
	made   bool   // it was not there
	head   *Place
	kept   []string // parts of the head that is there
	known  bool     // these are all; not so if the head is damaged
}

// Hold takes the folder at path until Release, and makes it if it is not there. It removes the parts that a killed
// writer has left.
//
// It returns a *fs.PathError if the folder cannot be written, as far as that can be seen before writing, and an error
// that wraps ErrHeld if somebody else is writing it.
func (l Layout) Hold(path string) (*Folder, error) {
	f := &Folder{layout: l, given: path, path: path}
	_, err := os.Stat(path)
	if f.made = errors.Is(err, fs.ErrNotExist); f.made {
		if _, err := os.Readlink(path); err == nil { // a link to what is not there
			if f.path, _, err = replace.Resolve(path); err != nil {
				return nil, f.fail("", err)
			}
		}
	}
	if err := os.MkdirAll(f.path, 0o777); err != nil {
		return nil, f.fail("", err)
	}
	if err = f.begin(); err != nil {
		f.unmake()
		name := ""
		if errors.Is(err, errIrregular) {
			name = l.Head
		}
		return nil, f.fail(name, err)
	}
	return f, nil
}

// begin takes the place of the head.
func (f *Folder) begin() (err error) {
	followed, err := filepath.EvalSymlinks(f.path)
	if err != nil {
		return err
	}
	if followed, err = filepath.Abs(followed); err != nil {
		return err
	}
	f.path = followed
	name := filepath.Join(f.path, f.layout.Head)
	info, err := os.Lstat(name)
	if err == nil && !info.Mode().IsRegular() {
		return &fs.PathError{Op: "write", Path: name, Err: errIrregular}
	}
	if f.head, err = Hold(name); err != nil {
		return err
	}
	f.head.given = filepath.Join(f.given, f.layout.Head)
	if f.head.Direct() {
		return errIrregular
	}
	f.readHead()
	f.clean()
	return nil
}

// readHead looks which parts the head that is there names.
func (f *Folder) readHead() {
	text, err := os.ReadFile(f.head.Path())
	if errors.Is(err, fs.ErrNotExist) {
		f.known = true
		return
	}
	if err != nil {
		return
	}
	if parts, _, err := f.layout.parts(text); err == nil {
		f.keep(parts)
	}
}

// keep makes parts those of the head that is there.
func (f *Folder) keep(parts []Part) {
	f.kept, f.known = f.kept[:0], true
	for i := range parts {
		f.kept = append(f.kept, parts[i].Name)
	}
}

// clean removes the parts that no head names, as far as the system lets it: where open files cannot be removed, the next
// writer removes those that are being read now.
func (f *Folder) clean() {
	entries, err := os.ReadDir(f.path)
	if err != nil || !f.known {
		return
	}
	for _, e := range entries {
		name := e.Name()
		stale := func(of string) bool { return standsFor(name, of) || name == of+newEnding }
		if e.Type().IsRegular() && !slices.Contains(f.kept, name) && slices.ContainsFunc(f.layout.Parts, stale) {
			_ = os.Remove(filepath.Join(f.path, name))
		}
	}
}

// Write writes the part that stands for a name of the layout, and makes it durable. Parts and head that are there stay
// as they are. A new part has the permissions of the head that is there.
func (f *Folder) Write(name string, write func(w io.Writer) error) (Part, error) {
	if !slices.Contains(f.layout.Parts, name) {
		panic("outfile: no part of the layout")
	}
	file, err := replace.Create(filepath.Join(f.path, name+newEnding), f.head.Path())
	if err != nil {
		return Part{}, f.fail(name, err)
	}
	to := replace.Over(file, file.Name())
	b := newBlocks(to)
	err = to.Fill(func(io.Writer) error {
		err := write(b)
		to.To(filepath.Join(f.path, partName(name, b.end())))
		return err
	})
	if err != nil {
		return Part{}, &fs.PathError{Op: "write", Path: filepath.Join(f.given, name), Err: to.Reason(err)}
	}
	return Part{partName(name, b.sums), b.size, b.sums}, nil
}

// Commit writes the head, which names the parts, and puts it in its place. In that moment the folder turns from what it
// was into the new one. Then it removes the parts of the old one. The head has Unsealed near its end.
func (f *Folder) Commit(parts []Part, write func(w io.Writer) error) error {
	if err := f.head.Replace(Sealed(write)); err != nil {
		return err
	}
	f.keep(parts)
	if f.made {
		f.made = false
		if err := replace.SyncFolder(filepath.Dir(f.path)); err != nil {
			return f.fail("", err)
		}
	}
	f.clean()
	return nil
}

// Release gives the folder up. What was written without a Commit is removed, the folder too if Hold has made it.
func (f *Folder) Release() error {
	f.clean()
	err := f.head.Release()
	f.unmake()
	return err
}

// unmake removes the folder that Hold has made, unless something is in it.
func (f *Folder) unmake() {
	if f.made {
		_ = os.Remove(f.path)
	}
}

// fail names the file as the caller does.
func (f *Folder) fail(name string, err error) error {
	return &fs.PathError{Op: "write", Path: filepath.Join(f.given, name), Err: replace.Reason(err)}
}

// blocks computes the digests of what is written through it.
type blocks struct {
	w    io.Writer
	h    hash.Hash
	size int64
	sums []string
	done bool
}

func newBlocks(w io.Writer) *blocks { return &blocks{w: w, h: sha256.New()} }

// Write implements io.Writer, and takes in the checksums of whole blocks.
func (b *blocks) Write(p []byte) (int, error) {
	n, err := b.w.Write(p)
	for p = p[:n]; len(p) > 0; {
		k := min(int64(len(p)), blockSize-b.size%blockSize)
		b.h.Write(p[:k])
		b.size += k
		if p = p[k:]; b.size%blockSize == 0 {
			b.next()
		}
	}
	return n, err
}

func (b *blocks) next() {
	b.sums = append(b.sums, hex.EncodeToString(b.h.Sum(nil)))
	b.h.Reset()
}

// end returns the digests of all.
func (b *blocks) end() []string {
	if !b.done && b.size%blockSize != 0 {
		b.next()
	}
	b.done = true
	return b.sums
}

// parts returns the parts that a head names, and the digits of its seal.
func (l Layout) parts(text []byte) (parts []Part, digits string, err error) {
	if digits, err = CheckSeal(bytesAt(text), int64(len(text))); err != nil {
		return nil, "", err
	}
	var head struct {
		Parts []Part `json:"parts"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, "", err
	}
	if len(head.Parts) != len(l.Parts) {
		return nil, "", errParts
	}
	for i := range head.Parts {
		if p := &head.Parts[i]; int64(len(p.Blocks)) != (p.Size+blockSize-1)/blockSize || p.Name != partName(l.Parts[i], p.Blocks) {
			return nil, "", errParts
		}
	}
	return head.Parts, digits, nil
}

var errParts = errors.New("does not name the parts of this format")
