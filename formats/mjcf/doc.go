// Package mjcf reads and writes models in MJCF, an XML format: the tree of bodies with its default classes, inertias
// given or summed over shapes, joints in a row, and the equalities that close loops.
//
// Frame: the frame of a body is its frame in the file. Units: SI, radians.
//
//	files := source.NewFiles(os.DirFS("models"), nil)
//	result, report, err := mjcf.Read(files, source.Name{Path: "arm.xml"}, &source.Options{})
//	m := result.Model
//	report, err = mjcf.Write(file, m) // what the format lacks is in the report
//
// [docs/formats.md] lists what is read, written and lost. Errors are *source.Problems, with the position of each.
//
// [docs/formats.md]: https://github.com/rung-mbd/rung/blob/main/docs/formats.md
package mjcf
