// Package outline has the common parts of the writers of foreign formats: valid and unique names,
// the choice of joints that place links and joints that close loops, joints as
// motions in a row from the pose of the model, and the report on losses.
//
// A writer makes a [Draft] of its model, chooses the joints that place links with
// [Draft.Spread] if its format is a tree, writes lines to the text of the draft, and ends
// with [Draft.Losses] and [Draft.Flush]. Package assembly is its counterpart for readers.
//
//	d := outline.New(m, "sketch", "1")
//	d.Line("<body name=%q/>", m.Bodies[0].Name)
//	err := d.Flush(w)
//
// Frames: of the bodies; the motions of a joint are in a frame of the child. Units: SI.
package outline
