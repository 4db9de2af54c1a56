// Package formats reads files of foreign formats as models, by what is
// in them: MJCF, URDF, SDFormat, USD in text, and assemblies of FreeCAD and Ondsel.
//
//	result, report, err := formats.ReadFile("robot.urdf", nil, &source.Options{})
//	plan, err := rung.NewPlan(result.Model, rung.Options{})
//	fmt.Println(report.Counts.Dropped) // what a model of rigid bodies cannot have
//
// The [source.Report] says how each element and attribute was treated; nothing is lost in silence. Errors are *source.Problems,
// with the position of each. To read a model in Rung's format, use rung.Open. [docs/formats.md] lists the supported parts of each format.
//
// [docs/formats.md]: https://github.com/rung-mbd/rung/blob/main/docs/formats.md
package formats
