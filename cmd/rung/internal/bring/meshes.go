package bring

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/model"
)

// placeMeshes names the meshes of m, which was read from the file at path, as the model at output finds them: by the way
// from its folder. Files that are not there, or not in that folder or below it, keep the name that they have in the
// file.
func placeMeshes(m *model.Model, path string, packages map[string]string, output string) {
	to := "."
	if output != shell.Stdio {
		to = filepath.Dir(output)
	}
	to, err := realPath(to)
	if err != nil {
		return
	}
	source, err := realPath(path)
	if err != nil {
		return
	}
	for i := range m.Visuals {
		v := &m.Visuals[i]
		if v.Kind != model.MeshVisual {
			continue
		}
		file, err := realPath(meshPath(v.File, filepath.Dir(source), packages))
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

// meshPath returns the path of what a text in a file of folder dir means, "" if no folder was given for its package.
func meshPath(text, dir string, packages map[string]string) string {
	scheme, rest, address := strings.Cut(text, "://")
	if !address {
		rest = text
	}
	if scheme == "package" || scheme == "model" {
		name, inside, _ := strings.Cut(rest, "/")
		if name != "" {
			if dir = packages[name]; dir == "" {
				return ""
			}
		}
		rest = inside
	} else if address && scheme != "file" {
		return ""
	}
	if rest = filepath.FromSlash(rest); filepath.IsAbs(rest) {
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
