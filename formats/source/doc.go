// Package source has what all readers of foreign model files share: files below given folders and within bounds, what
// a reader may be told, and the report that says what became of each part of a file.
//
// The rule of the report is that nothing is lost in silence. Each element and each attribute of a file ends in one
// [Class]: it is used, kept for viewers, without effect on the motion of rigid bodies, dropped, or an error.
//
//	files := source.NewFiles(os.DirFS("models"), nil) // nothing outside of it is opened
//	name, err := files.Resolve(source.Name{}, "meshes/link.stl")
//	data, err := files.Read(name)
package source
