// Package formats reads files of foreign formats as models, by what is
// in them: MJCF, URDF, SDFormat, USD in text, and assemblies of FreeCAD and Ondsel.
//
//	result, report, err := formats.ReadFile("robot.urdf", nil, &source.Options{})
//	plan, err := rung.NewPlan(result.Model, rung.Options{})
//	fmt.Println(report.Counts.Dropped) // what a model of rigid bodies cannot have
//
// The [source.Report] says what became of each element and attribute; nothing is lost in silence. Errors are *source.Problems,
// with the place of each. A model of the own format is read by rung.Open. [docs/formats.md] says what is read of each format.
//
// [docs/formats.md]: https://github.com/rung-mbd/rung/blob/main/docs/formats.md
package formats
