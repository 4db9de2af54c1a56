// Package assembly makes models of what the readers of foreign formats find: links, joints made of elementary motions
// in a row, couplings and forces, with the places in the files where they stand.
//
// What all formats need is done here once. Links that nothing lets move against each other become one body. Links without
// mass are folded: the joints on both of their sides become one. Motions in a row become the joint types of the
// model, by the table in the comment of combine.
//
//	a := assembly.Assembly{Name: "arm", Links: links, Joints: joints}
//	var report source.Report
//	result, err := a.Build(&source.Options{}, &report)
//
// Frames: those of the links; motions are in the predecessor's joint frame. Units: SI.
package assembly
