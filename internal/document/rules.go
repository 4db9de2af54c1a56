package document

// Broken tells which rules a part of a document breaks, and keeps whether there is any.
type Broken struct {
	Report func(field, value, rule string) // of the part: a field, its value and the rule
	Any    bool
}

// Add reports a broken rule.
func (b *Broken) Add(field, value, rule string) {
	b.Any = true
	b.Report(field, value, rule)
}
