package document

// NextIsObject reports whether the next value is an object.
func (d *Reader) NextIsObject() bool { return d.src.peek() == '{' }

// NextIsText reports whether the next value is a string.
func (d *Reader) NextIsText() bool { return d.src.peek() == '"' }
