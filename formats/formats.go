package formats

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rung-mbd/rung/formats/asmt"
	"github.com/rung-mbd/rung/formats/mjcf"
	"github.com/rung-mbd/rung/formats/sdf"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/formats/urdf"
	"github.com/rung-mbd/rung/formats/usd"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
)

// Endings has the endings of the names of files that the package reads, in lower case.
var Endings = []string{".urdf", ".sdf", ".world", ".xml", ".mjcf", ".asmt", ".usda", ".usd", ".usdc", ".usdz"}

// Is reports whether the name of a file has one of the Endings, in any case.
func Is(name string) bool {
	return slices.Contains(Endings, strings.ToLower(path.Ext(filepath.ToSlash(name))))
}

// reader reads one format.
type reader func(files *source.Files, name source.Name, o *source.Options) (*source.Result, *source.Report, error)

// readers has the readers of XML formats by the first element of a file.
var readers = map[string]reader{"mujoco": mjcf.Read, "robot": urdf.Read, "sdf": sdf.Read}

// Read reads a file, finds its format from its first bytes, and makes its model, with the report on all its elements.
// The Source of the model contains the report.
//
// Cost: O(bytes) of all files that it refers to. It returns the errors of the file system, and errors in the file as *source.SyntaxError
// or *source.Problems. The report is nil only if the file cannot be read or its format is unknown.
func Read(files *source.Files, name source.Name, o *source.Options) (*source.Result, *source.Report, error) {
	data, err := files.Read(name)
	if err != nil {
		return nil, nil, err
	}
	read := reader(asmt.Read)
	switch {
	case asmt.Sniff(data):
	case usd.Sniff(name.Path, data):
		read = usd.Read
	default:
		element, err := firstElement(data)
		if err != nil {
			return nil, nil, fmt.Errorf("formats: %s: %w", fault.Line(name.String()), err)
		}
		if read = readers[element]; read == nil {
			return nil, nil, fmt.Errorf("formats: %s: files that begin with the element %s are not read", fault.Line(name.String()), fault.Name(element))
		}
	}
	result, report, err := read(files, name, o)
	if err != nil {
		return nil, report, err
	}
	sum := sha256.Sum256(data)
	result.Model.Source = &model.Source{
		File: path.Base(name.Path), Format: report.Format, Version: report.Version, SHA256: hex.EncodeToString(sum[:]), Report: notes(report),
	}
	return result, report, nil
}

// notes returns the entries of the report as notes of a model.
func notes(r *source.Report) []model.SourceNote {
	severities := [...]model.Severity{
		source.Error: model.SeverityError, source.Loss: model.SeverityDropped, source.Change: model.SeverityChanged, source.Note: model.SeverityNote,
	}
	list := make([]model.SourceNote, len(r.Entries))
	for i := range r.Entries {
		e := &r.Entries[i]
		list[i] = model.SourceNote{
			Severity: severities[e.Severity], File: e.File, Line: e.Line, Column: e.Column, Count: e.Count,
			Element: valid(e.Element), What: valid(e.What), Why: valid(e.Why), Consequence: valid(e.Consequence),
		}
		if e.File == r.File {
			list[i].File = ""
		}
	}
	return list
}

// valid replaces bytes that are not UTF-8 by the replacement character.
func valid(s string) string { return strings.ToValidUTF8(s, "\ufffd") }

// firstElement returns the local name of the first element of an XML document.
func firstElement(data []byte) (string, error) {
	if bytes.HasPrefix(data, []byte{0xff, 0xfe}) || bytes.HasPrefix(data, []byte{0xfe, 0xff}) {
		return "", errors.New("the encoding UTF-16 is not read")
	}
	d := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
	d.Strict = false
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // the reader of the format checks the encoding
	for {
		token, err := d.RawToken()
		if err != nil {
			return "", errors.New("neither XML, nor an assembly of FreeCAD or Ondsel, nor USD in text")
		}
		if e, ok := token.(xml.StartElement); ok {
			return e.Name.Local, nil
		}
	}
}

// ReadFile reads the file at a path. It reads further files that the file refers to only from the folder of the file
// and below, and files of packages, such as package://NAME/FILE, from the folder packages[NAME].
// Links that lead out of these folders are not followed.
//
// It returns the errors of Read and of opening folders.
func ReadFile(file string, packages map[string]string, o *source.Options) (*source.Result, *source.Report, error) {
	real, err := filepath.EvalSymlinks(file)
	if err != nil {
		return nil, nil, err
	}
	var opened []*os.Root
	defer func() {
		for _, root := range opened {
			_ = root.Close() // reading only: an error loses nothing
		}
	}()
	open := func(dir string) (fs.FS, error) {
		root, err := os.OpenRoot(dir)
		if err != nil {
			return nil, err
		}
		opened = append(opened, root)
		return root.FS(), nil
	}
	main, err := open(filepath.Dir(real))
	if err != nil {
		return nil, nil, err
	}
	folders := map[string]fs.FS{}
	for name, dir := range packages {
		if folders[name], err = open(dir); err != nil {
			return nil, nil, err
		}
	}
	return Read(source.NewFiles(main, folders), source.Name{Path: filepath.Base(real)}, o)
}
