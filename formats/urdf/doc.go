// Package urdf reads robots in URDF, the unified robot description format, with what its users add for mechanisms with
// loops: elements loop_joint, loop and coupling, a second parent of a link, joints within gazebo elements, constraints
// with the prefix drake, and a file of pairs beside the model.
//
// Frame: that of a link is its joint's. Units: SI, radians.
//
//	files := source.NewFiles(os.DirFS("models"), nil)
//	result, report, err := urdf.Read(files, source.Name{Path: "arm.urdf"}, &source.Options{})
//	m := result.Model
//	report, err = urdf.Write(file, m) // what the format lacks is in the report
//
// [docs/formats.md] says what is read, what is written and what is lost. Errors are *source.Problems, with the place of each.
//
// [docs/formats.md]: https://github.com/rung-mbd/rung/blob/main/docs/formats.md
package urdf
