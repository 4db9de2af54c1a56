// Package usd reads scenes of USD in text (.usda) whose bodies and joints are those of its schema for physics.
//
// A scene is composed first: sublayers, inherits, variants, references and payloads, of files below the folder. Then
// the rigid bodies, their masses and the joints become a model, loops as they are. Units and axes: those of the
// stage become SI; the axes of the world stay those of the file, so that a stage with Y up has gravity along −y.
//
//	files := source.NewFiles(os.DirFS("models"), nil)
//	result, report, err := usd.Read(files, source.Name{Path: "arm.usda"}, &source.Options{})
//	m := result.Model
//
// [docs/formats.md] says what is read. Errors are *source.Problems, with the place of each.
//
// [docs/formats.md]: https://github.com/rung-mbd/rung/blob/main/docs/formats.md
package usd
