package source

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/rung-mbd/rung/internal/fault"
)

const (
	// MaxFile is the largest size of a file that is read, bytes.
	MaxFile = 64 << 20
	// maxTotal is the largest size of all files of one model together, bytes.
	maxTotal = 256 << 20
	// MaxIncludes is the largest number of files that one model includes.
	MaxIncludes = 256
	// MaxDepth is the largest depth of files that include each other.
	MaxDepth = 32
)

// Files gives access to the files of one model: in a root file system, and in the file systems of named packages.
// Nothing else is opened. It belongs to one goroutine.
type Files struct {
	root     fs.FS
	packages map[string]fs.FS
	left     int64 // bytes that may still be read, of maxTotal
	opened   int   // files opened by Include
}

// NewFiles returns Files with a root and the file systems of packages by name.
func NewFiles(root fs.FS, packages map[string]fs.FS) *Files {
	return &Files{root: root, packages: packages, left: maxTotal}
}

// Name identifies a file by its package, "" for the root, and its path there.
type Name struct{ Package, Path string }

// String returns the name for messages.
func (n Name) String() string {
	if n.Package == "" {
		return n.Path
	}
	return "package://" + n.Package + "/" + n.Path
}

// Address splits the address of a file: a path, package://NAME/PATH, model://NAME/PATH or file://PATH. Without a package,
// as also in package:///PATH, which some exporters write, the package is "". It returns an error for other schemes.
func Address(text string) (Name, error) {
	scheme, rest, ok := strings.Cut(text, "://")
	switch {
	case !ok:
		return Name{Path: text}, nil
	case scheme == "file":
		return Name{Path: rest}, nil
	case scheme == "package" || scheme == "model":
		name, p, _ := strings.Cut(rest, "/")
		return Name{name, p}, nil
	}
	return Name{}, fmt.Errorf("formats/source: %s files are not read: %s", fault.Name(scheme), fault.Name(text))
}

// Resolve returns the file for an address (Address) that occurs in a file in folder dir. Paths without a package are
// relative to dir. It returns an error for a file outside the root and the packages.
func (f *Files) Resolve(dir Name, text string) (Name, error) {
	to, err := Address(text)
	if err != nil {
		return Name{}, err
	}
	if to.Package != "" {
		if _, ok := f.packages[to.Package]; !ok {
			return Name{}, fmt.Errorf("formats/source: no folder was given for the package %s of %s", fault.Name(to.Package), fault.Name(text))
		}
		dir = Name{Package: to.Package, Path: "."}
	}
	return f.within(dir, to.Path, text)
}

// within joins path p to a folder. It returns an error if the result is outside the root of the folder; text is the address for messages.
func (f *Files) within(dir Name, p, text string) (Name, error) {
	if strings.ContainsAny(p, "\\\x00") {
		return Name{}, fmt.Errorf("formats/source: no path of a file: %s", fault.Name(text))
	}
	if path.IsAbs(p) {
		return Name{}, fmt.Errorf("formats/source: absolute paths are not read: %s", fault.Name(text))
	}
	joined := path.Join(dir.Path, p)
	if !fs.ValidPath(joined) {
		return Name{}, fmt.Errorf("formats/source: the path leaves the folder that may be read: %s", fault.Name(text))
	}
	return Name{dir.Package, joined}, nil
}

// Known reports whether a text is an address without a package, or with a known package.
func (f *Files) Known(text string) bool {
	name, err := Address(text)
	return err == nil && (name.Package == "" || f.packages[name.Package] != nil)
}

// Dir returns the folder of a file.
func Dir(n Name) Name { return Name{n.Package, path.Dir(n.Path)} }

// Exists reports whether n is a regular file.
func (f *Files) Exists(n Name) bool {
	root := f.fs(n)
	if root == nil {
		return false
	}
	info, err := fs.Stat(root, n.Path)
	return err == nil && info.Mode().IsRegular()
}

// fs returns the file system of n, nil for an unknown package.
func (f *Files) fs(n Name) fs.FS {
	if n.Package == "" {
		return f.root
	}
	return f.packages[n.Package]
}

// Include is Read for files that other files refer to. It returns an error after MaxIncludes calls.
func (f *Files) Include(n Name) ([]byte, error) {
	if f.opened++; f.opened > MaxIncludes {
		return nil, fmt.Errorf("formats/source: more than %d files are included", MaxIncludes)
	}
	return f.Read(n)
}

// Read returns a file. It returns an error if it is not a regular file or too large.
func (f *Files) Read(n Name) ([]byte, error) {
	root := f.fs(n)
	if root == nil || !fs.ValidPath(n.Path) {
		return nil, fmt.Errorf("formats/source: no file %s", fault.Name(n.String()))
	}
	info, err := fs.Stat(root, n.Path)
	if err != nil {
		return nil, fmt.Errorf("formats/source: %s: %w", fault.Name(n.String()), cause(err))
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("formats/source: %s is not a regular file", fault.Name(n.String()))
	}
	most := min(MaxFile, f.left)
	if info.Size() > most {
		return nil, f.tooLarge(n)
	}
	in, err := root.Open(n.Path)
	if err != nil {
		return nil, fmt.Errorf("formats/source: %s: %w", fault.Name(n.String()), cause(err))
	}
	defer func() { _ = in.Close() }()
	data, err := io.ReadAll(io.LimitReader(in, most+1))
	if err != nil {
		return nil, fmt.Errorf("formats/source: %s: %w", fault.Name(n.String()), cause(err))
	}
	if int64(len(data)) > most {
		return nil, f.tooLarge(n)
	}
	f.left -= int64(len(data))
	return data, nil
}

// tooLarge returns the error for a file that exceeds MaxFile or the rest of maxTotal.
func (f *Files) tooLarge(n Name) error {
	if f.left < MaxFile {
		return fmt.Errorf("formats/source: %s: the files of the model are together larger than the %d MiB that are read",
			fault.Name(n.String()), maxTotal>>20)
	}
	return fmt.Errorf("formats/source: %s is larger than the %d MiB that are read", fault.Name(n.String()), MaxFile>>20)
}

// cause returns the error of the system without the operation and the path.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
