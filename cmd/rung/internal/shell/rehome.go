package shell

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/rung-mbd/rung/model"
)

// Rehome returns a copy of m, which was read at the path from, for writing at the path to. Files of terrains, curves and meshes,
// whose names are relative to the folder of from, get names relative to the folder of to. Stdio stands for the working folder.
// It returns m itself if both folders are the same, or one has no absolute path.
func Rehome(m *model.Model, from, to string) *model.Model {
	was, err := folderOf(from)
	if err != nil {
		return m
	}
	is, err := folderOf(to)
	if err != nil || was == is {
		return m
	}
	name := func(file string) string {
		if file == "" || filepath.IsAbs(file) || strings.Contains(file, "://") { // such as package://NAME/FILE
			return file
		}
		path := filepath.Join(was, filepath.FromSlash(file))
		if rel, err := filepath.Rel(is, path); err == nil {
			path = rel
		}
		return filepath.ToSlash(path)
	}
	out := *m
	out.Terrains, out.Joints, out.Visuals = slices.Clone(m.Terrains), slices.Clone(m.Joints), slices.Clone(m.Visuals)
	for i := range out.Terrains {
		out.Terrains[i].File = name(out.Terrains[i].File)
	}
	for i := range out.Visuals {
		out.Visuals[i].File = name(out.Visuals[i].File)
	}
	for i := range out.Joints {
		for _, c := range [2]**model.PointCurve{&out.Joints[i].Curve, &out.Joints[i].SuccessorCurve} {
			if *c != nil && (*c).File != "" {
				other := **c
				other.File = name(other.File)
				*c = &other
			}
		}
	}
	return &out
}

// folderOf returns the absolute path of the folder of the model at path.
func folderOf(path string) (string, error) {
	if path == Stdio {
		return filepath.Abs(".")
	}
	return filepath.Abs(filepath.Dir(path))
}
