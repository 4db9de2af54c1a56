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

// Opened is a folder that is read. It stays what it is when a writer replaces it.
type Opened struct {
	Head  []byte
	Seal  string // digits of the seal of the head: folders with the same ones hold the same
	Parts []*PartFile
}

// openTries bounds how often a folder is opened anew because a writer has replaced it meanwhile.
const openTries = 100

// Open opens the folder at path, whose head has at most a number of bytes. Who replaces the folder meanwhile is not
// noticed: all is of one writer.
//
// It returns a *fs.PathError with the name of the file. It wraps ErrDamaged if the head is not as it was written or a
// part has another size.
func (l Layout) Open(path string, most int64) (*Opened, error) {
	return l.openBy(path, func(name string) ([]byte, error) { return readAtMost(name, most) })
}

// openBy is Open with a function that reads the head. If a part is missing that the head names, a writer may have replaced both since:
// openBy then reads again, openTries times at most.
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

// openRegular opens a file to read it. It refuses what is no regular file, as a pipe, for which a reader would wait.
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

// readAtMost reads a file that has at most so many bytes.
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

// open opens all parts, or none.
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

// Close ends reading.
func (o *Opened) Close() error {
	var err error
	for _, p := range o.Parts {
		err = errors.Join(err, p.f.Close())
	}
	return err
}

// PartFile is a part that is read. What is read is as it was written: each block is compared with its digest when it is
// read for the first time. It belongs to one goroutine.
type PartFile struct {
	f     *os.File
	part  Part
	seen  []bool // by block
	block []byte
}

// openPart opens a part of a file at path, which has to have the size that p says.
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

// ReadAt implements io.ReaderAt. It returns a *fs.PathError that wraps ErrDamaged, with the place, if what it is to read
// is in a block that is not as it was written.
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

// check compares a block with its digest, unless that has been done.
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

// bytesAt is a text as an io.ReaderAt.
func bytesAt(text []byte) io.ReaderAt { return bytes.NewReader(text) }
