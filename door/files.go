package door

import (
	"bytes"
	"io/fs"
	"time"

	"github.com/rung-mbd/rung/internal/fault"
)

// oneFile is a file system with one file in memory and the files of a folder, if there is one.
type oneFile struct {
	name string
	data []byte
	rest fs.FS // nil: none
}

// Open implements fs.FS: it opens the file in memory or a file of the folder.
func (f *oneFile) Open(name string) (fs.File, error) {
	switch {
	case name == f.name:
		return &memory{bytes.NewReader(f.data), name, int64(len(f.data))}, nil
	case f.rest != nil:
		return f.rest.Open(name)
	}
	err := fault.Errorf("%w: a text has no folder but that of the option \"folder\"", fs.ErrNotExist)
	return nil, &fs.PathError{Op: "open", Path: name, Err: err}
}

// memory is an open file in memory, and its fs.FileInfo.
type memory struct {
	*bytes.Reader
	name string
	size int64
}

func (m *memory) Stat() (fs.FileInfo, error) { return m, nil }
func (m *memory) Close() error               { return nil }
func (m *memory) Name() string               { return m.name }
func (m *memory) Size() int64                { return m.size }
func (m *memory) Mode() fs.FileMode          { return 0o444 }
func (m *memory) ModTime() time.Time         { return time.Time{} }
func (m *memory) IsDir() bool                { return false }
func (m *memory) Sys() any                   { return nil }
