// Package asmt reads assemblies of FreeCAD and Ondsel, whose text files end in .asmt: parts, markers, joints, motions
// as functions of time, limits and gravity. Lengths are taken as metres, masses as kilograms.
//
// Markers of parts are kept as frames. What the file has of another solver, its settings and its results, is not used.
//
//	files := source.NewFiles(os.DirFS("models"), nil)
//	result, report, err := asmt.Read(files, source.Name{Path: "arm.asmt"}, &source.Options{})
//	m := result.Model
//
// [docs/formats.md] lists what is read. Errors are *source.Problems, with the position of each.
//
// [docs/formats.md]: https://github.com/rung-mbd/rung/blob/main/docs/formats.md
package asmt
