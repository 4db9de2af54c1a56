// Package sdf reads SDFormat, versions 1.4 to 1.12: models and worlds with their frames, included and nested models,
// all types of joints, and the plugins that hold links together.
//
// Every joint becomes a joint, also in loops. Links of static models belong to the ground. Poses are as in the
// file, with all coordinates zero.
//
//	files := source.NewFiles(os.DirFS("models"), nil)
//	result, report, err := sdf.Read(files, source.Name{Path: "arm.sdf"}, &source.Options{})
//	m := result.Model
//	report, err = sdf.Write(file, m) // what the format lacks is in the report
//
// [docs/formats.md] lists what is read, written and lost. Errors are *source.Problems, with the position of each.
//
// [docs/formats.md]: https://github.com/rung-mbd/rung/blob/main/docs/formats.md
package sdf
