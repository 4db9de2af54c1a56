package assemble

import "github.com/rung-mbd/rung/team"

// heeds is the part of a system that stops when its context ends.
type heeds struct{ watch *team.Watch }

// Heed makes FillTo and GeometricTo end early when the context of w ends; with nil they do not. FillTo then
// returns the cause, and the system is not filled.
func (h *heeds) Heed(w *team.Watch) { h.watch = w }
