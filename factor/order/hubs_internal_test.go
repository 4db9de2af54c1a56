package order

// List returns the hubs in the order of their elimination.
func (h *Hubs) List() []int32 { return h.seq }
