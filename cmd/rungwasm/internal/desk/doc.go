// Package desk is a model on a page: read from a text, moving, looked at and reported about. The command
// before it speaks to browsers; it knows none itself.
//
//	d, err := desk.Open(ctx, "model", text, nil, desk.Page{Frame: frame, Status: status, Ended: ended})
//	err = d.Send([]byte(`{"type": "look", "on": true}`))
//	report, err := d.Document(ctx, "accel", nil)
//
// Frame: world axes, as in package door. Units: SI.
package desk
