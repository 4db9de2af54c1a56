// Package usd reads scenes of USD in text (.usda) with bodies and joints of the physics schema.
//
// A scene is composed first: sublayers, inherits, variants, references and payloads, of files in the folder and below. Then
// the rigid bodies, their masses and the joints become a model; loops stay loops. The units of the
// stage are converted to SI. The axes of the world stay as in the file: a stage with Y up has gravity along −y.
//
//	files := source.NewFiles(os.DirFS("models"), nil)
//	result, report, err := usd.Read(files, source.Name{Path: "arm.usda"}, &source.Options{})
//	m := result.Model
//
// [docs/formats.md] lists what is read. Errors are *source.Problems, with the position of each.
//
// [docs/formats.md]: https://github.com/rung-mbd/rung/blob/main/docs/formats.md
package usd
