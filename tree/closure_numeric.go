package tree

import "gonum.org/v1/gonum/floats"

// numericLoops is the LoopFunction of a mechanism by Newton's method, for loops
// that nobody has solved: y are entries of q̇ with scalar coordinates, and each
// position starts from the one before. It belongs to one goroutine at a time.
type numericLoops struct {
	c      *closer
	y      []int     // entries of q̇
	coord  []int     // by y: its coordinate's place in q
	q      []float64 // last position
	qd     []float64
	column []int     // by y: its place among the variables of the projection
	G      []float64 // with its columns in the order of the projection
}

// NewNumericLoops returns the LoopFunction of the plan by Newton's method, for loops that nobody has solved. y are
// independent entries of q̇ that have scalar coordinates. The first position is the one near q0; each of the others
// starts from the one before. The function belongs to one goroutine at a time.
//
// PositionTo costs a few eliminations of a Projection and JacobianTo two; neither allocates. PositionTo returns
// ErrNotClosed, with the joint that is farthest from closed, and JacobianTo *IndependentError where y does not
// determine the motion.
//
// NewNumericLoops panics if an entry is out of range, chosen twice, or has no scalar
// coordinate, if q0 does not have NumQ entries, if a freedom is prescribed, or if a joint has nonholonomic rows.
func (p *Plan) NewNumericLoops(y []int, q0 []float64) LoopFunction {
	if len(q0) != p.nq {
		panic("tree: length mismatch")
	}
	p.mustBePoses()
	if y == nil {
		y = []int{} // a choice, if an empty one
	}
	f := &numericLoops{
		c: p.newCloser(y), y: append([]int(nil), y...), q: append([]float64(nil), q0...),
		qd: make([]float64, p.nv), G: make([]float64, p.nv*len(y)), column: make([]int, len(y)),
	}
	for _, d := range y {
		l := p.linkOfDof(d)
		k := d - int(l.Dof)
		if !l.Kind.Scalar(k) {
			panic("tree: variable without a coordinate")
		}
		if hasBall(l.Kind) {
			k++
		}
		f.coord = append(f.coord, int(l.Q)+k)
	}
	return f
}

// PositionTo stores γ(y) in q, by Newton's method from the last position.
//
// Cost: as closer.closeTo, no allocation. It returns the errors of closeTo.
func (f *numericLoops) PositionTo(q, y []float64) error {
	if len(q) != len(f.q) || len(y) != len(f.y) {
		panic("tree: length mismatch")
	}
	copy(q, f.q)
	for i, k := range f.coord {
		q[k] = y[i]
	}
	if _, err := f.c.closeTo(q, 0); err != nil {
		return err
	}
	copy(f.q, q)
	return nil
}

// JacobianTo stores G and g at the last position.
//
// Cost: two eliminations of a Projection, no allocation.
// It returns *IndependentError where y does not determine the motion.
func (f *numericLoops) JacobianTo(G, g, y, yd []float64) error {
	n, m := len(f.qd), len(f.y)
	if len(G) != n*m || len(g) != n || len(y) != m || len(yd) != m {
		panic("tree: length mismatch")
	}
	// G does not depend on rates; g needs the rates G·ẏ.
	clear(f.qd)
	if err := f.eliminate(g); err != nil {
		return err
	}
	for i, v := range f.c.m.y[:m] {
		for j, d := range f.y {
			if int(v) == d {
				f.column[j] = i
			}
		}
	}
	for d := range n {
		for j, i := range f.column {
			G[d*m+j] = f.G[d*m+i]
		}
		f.qd[d] = floats.Dot(G[d*m:(d+1)*m], yd)
	}
	return f.eliminate(g)
}

// eliminate stores G in f.G and g at the rates f.qd.
func (f *numericLoops) eliminate(g []float64) error {
	s, m := f.c.s, f.c.m
	s.ok = false
	if err := s.w.Set(f.q, f.qd, 0); err != nil {
		return err
	}
	if err := s.prepare(nil); err != nil {
		return err
	}
	m.eliminate(s)
	if err := m.checkChoice(s); err != nil {
		return err
	}
	m.explicitTo(f.G, g, s, s.K.rhs)
	return nil
}
