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

// Layout describes the folders of a format. A folder holds a head, which is a JSON document, and parts. Together they act as one
// file.
//
// Parts are never changed. The name of a part contains the digest of its content: the part bodies.parquet of a layout has the file
// name bodies-DIGEST.parquet. The head lists the parts, with the digests of their blocks (the field "parts", a list of
// Part), and is sealed (Sealed). So a reader reads the files of one writer, whatever else is in the folder.
type Layout struct {
	Head  string   // name of the head
	Parts []string // names of the parts without digests, each with an ending
}

// Part is the entry of a part in a head.
type Part struct {
	Name   string   `json:"name"`
	Size   int64    `json:"size"`   // bytes
	Blocks []string `json:"blocks"` // SHA-256 of each MiB
}

// blockSize is the number of bytes in a block of a part. Each block has its own digest.
const blockSize = 1 << 20

// nameDigits is the number of digits of the digest in the file name of a part.
const nameDigits = 16

// partName returns the file name of a part: name with a digest of the blocks' digests before the ending.
func partName(name string, blocks []string) string {
	h := sha256.New()
	for _, b := range blocks {
		io.WriteString(h, b)
	}
	ending := filepath.Ext(name)
	return strings.TrimSuffix(name, ending) + "-" + hex.EncodeToString(h.Sum(nil))[:nameDigits] + ending
}

// standsFor reports whether file is a file name of the part name, with any digest.
func standsFor(file, name string) bool {
	ending := filepath.Ext(name)
	digits, ok := strings.CutPrefix(file, strings.TrimSuffix(name, ending)+"-")
	digits, is := strings.CutSuffix(digits, ending)
	return ok && is && len(digits) == nameDigits && strings.Trim(digits, "0123456789abcdef") == ""
}

// Folder is a folder that is being written. Only the holder of the head's place may write it. It belongs to one
// goroutine.
type Folder struct {
	layout Layout
	given  string // path given by the caller
	path   string // path with links followed
	made   bool   // Hold has made the folder
	head   *Place
	kept   []string // file names of the parts that the present head names
	known  bool     // kept is complete; false if the head is damaged
}

// Hold reserves the folder at path for this writer until Release, and makes it if it does not exist. It removes the parts that a
// killed writer has left.
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

// begin holds the place of the head, and removes parts that the head does not name.
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

// readHead reads which parts the present head names.
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

// keep stores the file names of the parts of the present head.
func (f *Folder) keep(parts []Part) {
	f.kept, f.known = f.kept[:0], true
	for i := range parts {
		f.kept = append(f.kept, parts[i].Name)
	}
}

// clean removes the parts that the head does not name. It leaves files that the system does not let it remove, such as open files on
// some systems; the next writer removes them.
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

// Write writes a part, whose name is one of the layout, and makes it durable. It does not change the present head and parts. The
// new part gets the permissions of the present head.
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

// Commit writes the new head by write and replaces the old head. At this moment the folder changes to its new content. Then Commit
// removes the old parts. The new head lists the given parts and contains Unsealed near its end.
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

// Release ends the writing. It removes files that were written without a Commit, and the folder if Hold has made it and there was no
// Commit.
func (f *Folder) Release() error {
	f.clean()
	err := f.head.Release()
	f.unmake()
	return err
}

// unmake removes the folder if Hold has made it and it is empty.
func (f *Folder) unmake() {
	if f.made {
		_ = os.Remove(f.path)
	}
}

// fail returns err as a *fs.PathError with the path of the file name in the folder as the caller gave it.
func (f *Folder) fail(name string, err error) error {
	return &fs.PathError{Op: "write", Path: filepath.Join(f.given, name), Err: replace.Reason(err)}
}

// blocks is a writer that also computes the digests of the blocks written.
type blocks struct {
	w    io.Writer
	h    hash.Hash // of the current block
	size int64     // bytes written
	sums []string  // digests of the complete blocks
	done bool      // end has been called
}

// newBlocks returns a writer of blocks that writes to w.
func newBlocks(w io.Writer) *blocks { return &blocks{w: w, h: sha256.New()} }

// Write implements io.Writer, and adds the digest of each block that becomes complete.
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

// next ends a block and adds its digest.
func (b *blocks) next() {
	b.sums = append(b.sums, hex.EncodeToString(b.h.Sum(nil)))
	b.h.Reset()
}

// end returns the digests of all blocks. The last block may be shorter.
func (b *blocks) end() []string {
	if !b.done && b.size%blockSize != 0 {
		b.next()
	}
	b.done = true
	return b.sums
}

// parts returns the parts that a head lists, and the digits of its seal. It returns an error if the seal is wrong, or the parts do not
// belong to the layout.
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

// errParts is the error for a head whose parts do not belong to the layout.
var errParts = errors.New("does not name the parts of this format")
