package outfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rung-mbd/rung/internal/replace"
)

// Opened is a folder that is open for reading. Its content does not change when a writer replaces the folder.
type Opened struct {
	Head  []byte
	Seal  string // digits of the head's seal; folders with the same digits have the same content
	Parts []*PartFile
}

// openTries is the largest number of attempts to open a folder that writers replace meanwhile.
const openTries = 100

// Open opens the folder at path, whose head has at most most bytes. If a writer replaces the folder meanwhile, the head and all
// parts are still from the same writer.
//
// It returns a *fs.PathError with the name of the file. It wraps ErrDamaged if the head is not as it was written or a
// part has another size.
func (l Layout) Open(path string, most int64) (*Opened, error) {
	return l.openBy(path, func(name string) ([]byte, error) { return readAtMost(name, most) })
}

// openBy is Open with a function that reads the head. If a part that the head names is missing, a writer may have replaced the folder
// meanwhile. openBy then reads the head again, up to openTries times.
func (l Layout) openBy(path string, read func(name string) ([]byte, error)) (*Opened, error) {
	name := filepath.Join(path, l.Head)
	fail := func(err error) error { return &fs.PathError{Op: "read", Path: name, Err: replace.Reason(err)} }
	var before []byte
	for range openTries {
		text, err := read(name)
		if err != nil {
			return nil, fail(err)
		}
		parts, digits, err := l.parts(text)
		if err != nil {
			return nil, fail(err)
		}
		o := &Opened{Head: text, Seal: digits}
		err = o.open(path, parts)
		if err == nil {
			return o, nil
		}
		if !errors.Is(err, fs.ErrNotExist) || bytes.Equal(text, before) {
			return nil, err
		}
		before = text // a writer may have removed the parts since
	}
	return nil, fail(errors.New("is replaced again and again"))
}

// openRegular opens a file for reading. It refuses a file that is not regular, such as a pipe, for which a reader would wait.
func openRegular(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: errIrregular}
	}
	return os.Open(path)
}

// readAtMost reads a file. It returns an error if the file has more than most bytes.
func readAtMost(path string, most int64) ([]byte, error) {
	f, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("has more than %d bytes", most)
	}
	return text, err
}

// open opens all parts. After an error it closes the parts that it has opened.
func (o *Opened) open(path string, parts []Part) error {
	for _, p := range parts {
		f, err := openPart(filepath.Join(path, p.Name), p)
		if err != nil {
			return errors.Join(err, o.Close())
		}
		o.Parts = append(o.Parts, f)
	}
	return nil
}

// Close closes all parts.
func (o *Opened) Close() error {
	var err error
	for _, p := range o.Parts {
		err = errors.Join(err, p.f.Close())
	}
	return err
}

// PartFile is a part that is open for reading. Each block is compared with its digest when it is
// read for the first time. It belongs to one goroutine.
type PartFile struct {
	f     *os.File
	part  Part
	seen  []bool // by block: compared with its digest
	block []byte
}

// openPart opens the part p, which is the file at path. It returns an error if the size differs from p.Size.
func openPart(path string, p Part) (*PartFile, error) {
	f, err := openRegular(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.Size() != p.Size {
		err = fmt.Errorf("%w: %d in place of %d bytes", ErrDamaged, info.Size(), p.Size)
	}
	if err != nil {
		return nil, errors.Join(&fs.PathError{Op: "read", Path: path, Err: replace.Reason(err)}, f.Close())
	}
	return &PartFile{f: f, part: p, seen: make([]bool, len(p.Blocks))}, nil
}

// Name returns the name of the file.
func (p *PartFile) Name() string { return p.f.Name() }

// Size returns the number of bytes.
func (p *PartFile) Size() int64 { return p.part.Size }

// ReadAt implements io.ReaderAt. If a block that it has to read differs from its digest, it returns a *fs.PathError that wraps
// ErrDamaged and has the range of bytes.
func (p *PartFile) ReadAt(dst []byte, at int64) (int, error) {
	if at < 0 || len(dst) == 0 {
		return p.f.ReadAt(dst, at)
	}
	for b := at / blockSize; b < int64(len(p.seen)) && b*blockSize < at+int64(len(dst)); b++ {
		if err := p.check(b); err != nil {
			return 0, err
		}
	}
	return p.f.ReadAt(dst, at)
}

// check compares block b with its digest, unless that has been done.
func (p *PartFile) check(b int64) error {
	if p.seen[b] {
		return nil
	}
	from := b * blockSize
	size := min(blockSize, p.part.Size-from)
	if int64(cap(p.block)) < size {
		p.block = make([]byte, size)
	}
	block := p.block[:size]
	if _, err := p.f.ReadAt(block, from); err != nil {
		return err
	}
	if sum := sha256.Sum256(block); hex.EncodeToString(sum[:]) != p.part.Blocks[b] {
		return &fs.PathError{Op: "read", Path: p.f.Name(), Err: fmt.Errorf("%w: bytes %d to %d", ErrDamaged, from, from+size-1)}
	}
	p.seen[b] = true
	return nil
}

// bytesAt returns a reader of text.
func bytesAt(text []byte) io.ReaderAt { return bytes.NewReader(text) }
