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

// Endings are those of the files that are read, in small letters.
var Endings = []string{".urdf", ".sdf", ".world", ".xml", ".mjcf", ".asmt", ".usda", ".usd", ".usdc", ".usdz"}

// Is reports whether a file is read by this package, by the ending of its name.
func Is(name string) bool {
	return slices.Contains(Endings, strings.ToLower(path.Ext(filepath.ToSlash(name))))
}

// reader reads one format.
type reader func(files *source.Files, name source.Name, o *source.Options) (*source.Result, *source.Report, error)

// readers are those of XML by the element with which a file begins.
var readers = map[string]reader{"mujoco": mjcf.Read, "robot": urdf.Read, "sdf": sdf.Read}

// Read reads a file, whose format is that of its beginning, and makes its model, with the report on all its elements.
// The model has the report in its Source.
//
// Cost: O(bytes) of all files that it names. It returns the errors of the file system, and those of the format as *source.SyntaxError
// or *source.Problems. The report is nil only if the format is not known.
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

// notes returns the report as models have it.
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

func valid(s string) string { return strings.ToValidUTF8(s, "\ufffd") }

// firstElement returns the name of the element with which a document begins.
func firstElement(data []byte) (string, error) {
	if bytes.HasPrefix(data, []byte{0xff, 0xfe}) || bytes.HasPrefix(data, []byte{0xfe, 0xff}) {
		return "", errors.New("the encoding UTF-16 is not read")
	}
	d := xml.NewDecoder(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
	d.Strict = false
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // the reader of the format looks at it
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

// ReadFile reads the file at a path. Files that it names are read from its folder
// and below, and those of packages, such as package://NAME/FILE, from the folders
// that are given by name. Links that lead out of these folders are not followed.
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
			_ = root.Close() // nothing has been written
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
