package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// mostPaper is the size in bytes up to which files within archives are read. Licences are shorter, and programs longer.
const mostPaper = 1 << 20

// licenceTexts checks that each archive of the release has LICENSE and NOTICE as in the commit and, with a library for Windows, the licence
// of the runtime that is linked into it.
func (r *release) licenceTexts() error {
	var want []string
	for _, name := range []string{"LICENSE", "NOTICE"} {
		text, err := r.read(name)
		if err != nil {
			return err
		}
		want = append(want, text)
	}
	list, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	for _, e := range list {
		if e.Name() == "notes.md" || strings.HasSuffix(e.Name(), ".cdx.json") {
			continue
		}
		files, err := r.within(filepath.Join(r.out, e.Name()))
		if err == nil {
			err = lacks(files, want)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", e.Name(), err)
		}
	}
	return nil
}

// lacks returns an error if an archive lacks one of the texts want, or has a library for Windows without the licence of its runtime.
func lacks(files map[string]string, want []string) error {
	windows, runtime := false, false
	var texts []string
	for name, text := range files {
		windows = windows || path.Ext(name) == ".dll"
		runtime = runtime || path.Base(name) == runtimeLicence && text != ""
		texts = append(texts, text)
	}
	for _, w := range want {
		if !slices.Contains(texts, w) {
			title, _, _ := strings.Cut(w, "\n")
			return fmt.Errorf("it lacks the text that begins with %q", title)
		}
	}
	if windows && !runtime {
		return fmt.Errorf("it has a library for Windows, and no %s", runtimeLicence)
	}
	return nil
}

// within returns the texts of the files of an archive by name (paper).
func (r *release) within(name string) (map[string]string, error) {
	b, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	switch {
	case strings.HasSuffix(name, ".zip"), strings.HasSuffix(name, ".whl"):
		return withinZip(b)
	case strings.HasSuffix(name, ".tar.gz"):
		z, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			return nil, err
		}
		return withinTar(z)
	case strings.HasSuffix(name, ".deb"):
		out, err := r.command(r.work, nil, "dpkg-deb", "--fsys-tarfile", name).Output()
		if err != nil {
			return nil, err
		}
		return withinTar(bytes.NewReader(out))
	}
	return nil, errors.New("nobody looks for licences in a file of this kind")
}

// withinZip returns the texts of the files of a zip archive by name (paper).
func withinZip(b []byte) (map[string]string, error) {
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for _, e := range z.File {
		f, err := e.Open()
		if err != nil {
			return nil, err
		}
		files[e.Name], err = paper(e.Name, f, int64(e.UncompressedSize64))
		f.Close()
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// withinTar returns the texts of the files of a tar archive by name (paper).
func withinTar(from io.Reader) (map[string]string, error) {
	files := map[string]string{}
	for t := tar.NewReader(from); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err == nil {
			files[h.Name], err = paper(h.Name, t, h.Size)
		}
		if err != nil {
			return nil, err
		}
	}
}

// paper returns the text of a file of an archive, uncompressed if its name ends in .gz, and "" if it is larger than mostPaper.
func paper(name string, from io.Reader, size int64) (string, error) {
	if size > mostPaper {
		return "", nil
	}
	if path.Ext(name) == ".gz" {
		z, err := gzip.NewReader(from)
		if err != nil {
			return "", err
		}
		from = z
	}
	b, err := io.ReadAll(io.LimitReader(from, mostPaper))
	return string(b), err
}
