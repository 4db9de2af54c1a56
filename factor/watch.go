package factor

import "github.com/rung-mbd/rung/internal/halt"

// Watch is a context with which workspaces stop early. The zero value has none.
type Watch = halt.Watch

// heeds is the part of a workspace that stops when its context ends.
type heeds struct{ watch *Watch }

// Heed makes the workspace end early when the context ends that w watches; nil is for none.
func (h *heeds) Heed(w *Watch) { h.watch = w }

// Watched returns the watch of the workspace, nil if there is none.
func (h *heeds) Watched() *Watch { return h.watch }
