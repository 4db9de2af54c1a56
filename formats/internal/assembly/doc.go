// Package assembly makes models from the content of foreign formats: links, joints made of elementary motions
// in a row, couplings and forces, with their positions in the files.
//
// It does the steps that all formats have in common. Links that are fixed to each other become one body. Massless links
// are folded: their two joints become one. Motions in a row become joint types of the
// model, by the table in the comment of combine.
//
//	a := assembly.Assembly{Name: "arm", Links: links, Joints: joints}
//	var report source.Report
//	result, err := a.Build(&source.Options{}, &report)
//
// Frames: of the links; motions are in the predecessor's joint frame. Units: SI.
package assembly
