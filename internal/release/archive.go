package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// entry is a file, a folder or a link of an archive.
type entry struct {
	name    string // with slashes; a folder's ends in one
	data    []byte
	program bool   // executable
	link    string // target; "": no link
}

// tree is the content of an archive.
type tree []entry

// add adds the files that match a pattern to a folder of the archive. It returns an error if there are none.
func (t *tree) add(pattern, below string) error {
	list, err := filepath.Glob(pattern)
	if err != nil || len(list) == 0 {
		return fmt.Errorf("no file %s (%v)", pattern, err)
	}
	for _, name := range list {
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		*t = append(*t, entry{name: path.Join(below, filepath.Base(name)), data: b})
	}
	return nil
}

// sorted returns the entries and the folders that they are in, sorted by name.
func (t tree) sorted() tree {
	have := map[string]bool{}
	list := slices.Clone(t)
	for _, e := range t {
		for dir := path.Dir(e.name); dir != "."; dir = path.Dir(dir) {
			if !have[dir] {
				have[dir] = true
				list = append(list, entry{name: dir + "/"})
			}
		}
	}
	slices.SortFunc(list, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return list
}

// mode returns the permissions of an entry. They do not depend on the permissions of the file on this machine.
func (e *entry) mode() os.FileMode {
	switch {
	case strings.HasSuffix(e.name, "/"):
		return 0o755 | os.ModeDir
	case e.link != "":
		return 0o777 | os.ModeSymlink
	case e.program:
		return 0o755
	}
	return 0o644
}

// tarGz returns the tree as .tar.gz. Equal trees and times give equal bytes.
func (t tree) tarGz(at time.Time) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(z)
	for _, e := range t.sorted() {
		h := &tar.Header{
			Name: e.name, Mode: int64(e.mode().Perm()), Size: int64(len(e.data)), ModTime: at, Uname: "root", Gname: "root", Format: tar.FormatUSTAR,
		}
		switch {
		case e.mode().IsDir():
			h.Typeflag = tar.TypeDir
		case e.link != "":
			h.Typeflag, h.Linkname = tar.TypeSymlink, e.link
		default:
			h.Typeflag = tar.TypeReg
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(e.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	err = z.Close()
	return b.Bytes(), err
}

// zip returns the tree as .zip. Equal trees and times give equal bytes. It returns an error if the tree has a link.
func (t tree) zip(at time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range t.sorted() {
		if e.link != "" {
			return nil, fmt.Errorf("%s: a link in a zip file", e.name)
		}
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: at.UTC()}
		if e.mode().IsDir() {
			h.Method = zip.Store
		}
		h.SetMode(e.mode())
		f, err := w.CreateHeader(h)
		if err != nil {
			return nil, err
		}
		if _, err := f.Write(e.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

// pack writes the tree into the release as an archive of one folder with the name of the archive: as .zip if zipped, else as .tar.gz.
func (r *release) pack(t tree, name string, zipped bool) error {
	below := make(tree, len(t))
	for i, e := range t {
		e.name = path.Join(name, e.name)
		below[i] = e
	}
	if zipped {
		b, err := below.zip(r.epoch)
		if err != nil {
			return err
		}
		return r.write(name+".zip", b)
	}
	b, err := below.tarGz(r.epoch)
	if err != nil {
		return err
	}
	return r.write(name+".tar.gz", b)
}
