package tree

// Closer closes loops in the joint variables.
type Closer = closer

// NewCloser returns what NewNumericLoops closes the loops with.
func (p *Plan) NewCloser(independent []int) *Closer { return p.newCloser(independent) }

// CloseTo is closeTo.
func (c *closer) CloseTo(q []float64, t float64) (steps int, err error) { return c.closeTo(q, t) }
