// Package source has the common parts of the readers of foreign model files: access to files below given folders and within bounds,
// options, and the report on the treatment of each part of a file.
//
// Nothing is lost in silence. Each element and each attribute of a file ends in one
// [Class]: it is used, kept for viewers, without effect on the motion of rigid bodies, dropped, or an error.
//
//	files := source.NewFiles(os.DirFS("models"), nil) // nothing outside of it is opened
//	name, err := files.Resolve(source.Name{}, "meshes/link.stl")
//	data, err := files.Read(name)
package source
