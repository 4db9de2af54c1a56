package document

// Broken passes on the rules that a part of a document breaks.
type Broken struct {
	Report func(field, value, rule string) // gets a field of the part, its value and the broken rule
	Any    bool                            // some rule is broken
}

// Add reports a broken rule.
func (b *Broken) Add(field, value, rule string) {
	b.Any = true
	b.Report(field, value, rule)
}
