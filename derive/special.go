package derive

// special adds the rows of the types whose axes move in both frames.
func (b *builder) special(r *relation) {}

func (b *builder) compositeFreedoms(r *relation) {}
