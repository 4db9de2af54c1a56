package bring

import (
	"os"
	"path/filepath"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/formats/source"
	"github.com/rung-mbd/rung/model"
)

// placeMeshes changes the names of the meshes of m, which was read from the file at path, to their paths relative to the folder of output,
// where a viewer of the written model looks for them. A mesh that does not exist, or is not in that folder or below it, keeps its
// name.
func placeMeshes(m *model.Model, path string, packages map[string]string, output string) {
	to := "."
	if output != shell.Stdio {
		to = filepath.Dir(output)
	}
	to, err := realPath(to)
	if err != nil {
		return
	}
	from, err := realPath(path)
	if err != nil {
		return
	}
	for i := range m.Visuals {
		v := &m.Visuals[i]
		if v.Kind != model.MeshVisual {
			continue
		}
		file, err := realPath(meshPath(v.File, filepath.Dir(from), packages))
		if err != nil {
			continue
		}
		if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
			continue
		}
		if rel, err := filepath.Rel(to, file); err == nil && filepath.IsLocal(rel) {
			v.File = filepath.ToSlash(rel)
		}
	}
}

// meshPath returns the path of the file that text names in a file of the folder dir; "" if it is in an unknown package, or is no address.
func meshPath(text, dir string, packages map[string]string) string {
	to, err := source.Address(text)
	if err != nil {
		return ""
	}
	if to.Package != "" {
		if dir = packages[to.Package]; dir == "" {
			return ""
		}
	}
	rest := filepath.FromSlash(to.Path)
	if filepath.IsAbs(rest) {
		return rest
	}
	return filepath.Join(dir, rest)
}

// realPath returns the absolute path of a file that exists, without links.
func realPath(path string) (string, error) {
	if path == "" {
		return "", os.ErrNotExist
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}
