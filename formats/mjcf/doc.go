// Package mjcf reads and writes models in MJCF, an XML format: the tree of bodies with its default classes, inertias
// given or summed over shapes, joints in a row, and the equalities that close loops.
//
// Frame: that of a link is its body's in the file. Units: SI, radians.
//
//	files := source.NewFiles(os.DirFS("models"), nil)
//	result, report, err := mjcf.Read(files, source.Name{Path: "arm.xml"}, &source.Options{})
//	m := result.Model
//	report, err = mjcf.Write(file, m) // what the format lacks is in the report
//
// [docs/formats.md] says what is read, what is written and what is lost. Errors are *source.Problems, with the place of each.
//
// [docs/formats.md]: https://github.com/rung-mbd/rung/blob/main/docs/formats.md
package mjcf
