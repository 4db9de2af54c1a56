// Package urdf reads robots in URDF, the unified robot description format, with common extensions for mechanisms with
// loops: elements loop_joint, loop and coupling, a second parent of a link, joints within gazebo elements, constraints
// with the prefix drake, and a separate file with pairs.
//
// Frame: the frame of a link is the frame of its joint. Units: SI, radians.
//
//	files := source.NewFiles(os.DirFS("models"), nil)
//	result, report, err := urdf.Read(files, source.Name{Path: "arm.urdf"}, &source.Options{})
//	m := result.Model
//	report, err = urdf.Write(file, m) // what the format lacks is in the report
//
// [docs/formats.md] lists what is read, written and lost. Errors are *source.Problems, with the position of each.
//
// [docs/formats.md]: https://github.com/rung-mbd/rung/blob/main/docs/formats.md
package urdf
