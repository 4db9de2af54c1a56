package factor

import "github.com/rung-mbd/rung/team"

// heeds is the part of a workspace that stops when its context ends.
type heeds struct{ watch *team.Watch }

// Heed makes the workspace end its work early when the context of w ends. With nil it does not.
func (h *heeds) Heed(w *team.Watch) { h.watch = w }

// Watched returns the watch of the workspace, nil if there is none.
func (h *heeds) Watched() *team.Watch { return h.watch }
