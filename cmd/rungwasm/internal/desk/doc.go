// Package desk moves a model for a page that shows it: it reads the model from a text and gives pictures and documents of it.
// Command rungwasm connects it to a browser; the package itself does not depend on one.
//
//	d, err := desk.Open(ctx, "model", text, nil, desk.Page{Frame: frame, Status: status, Ended: ended})
//	d.Send([]byte(`{"type": "look", "on": true}`))
//	report, err := d.Document(ctx, "accel", nil)
//
// Frame: world axes, as in package door. Units: SI.
package desk
