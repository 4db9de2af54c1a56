package closing

import (
	"context"

	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/team"
)

// Factors is the system of a Closer, factored in one of several ways (kkt.Try): a kkt.Factored, or a solver for all pieces of a
// mechanism together. Its methods are those of kkt.Factored.
type Factors interface {
	Factorize(w kkt.Way) error
	FactorizeDamped(scale []float64, mu float64) error
	SolveTo(x, b []float64)
	Current() bool
	NextWay() kkt.Way
	Changed()
}

// Ranks connects a Closer of a piece of a mechanism with the ranks that have the other pieces (package dist). All ranks call its
// methods together, and also the methods of the Closer and of its Factors.
type Ranks interface {
	// Largest replaces each number of v by the largest of all ranks. NaN counts as larger than all numbers.
	Largest(v []float64)
	// Sum replaces each number of v by its sum over all ranks.
	Sum(v []float64)
	// Agree returns nil on all ranks if err is nil on all. Otherwise it
	// returns an error on all ranks: err on ranks where err is not nil.
	Agree(err error) error
	// Exchange replaces the six numbers in v of each body that belongs to another rank by the numbers of that rank.
	Exchange(v []float64)
	// Counts reports whether this rank adds the rows of a node to sums. Each joint between ranks counts on one of them.
	Counts(node int) bool
}

// NewPieceCloser allocates a closer of a piece of a mechanism. system returns the factors for the values that the closer
// fills in; they do not eliminate a right side. All ranks call it together.
//
// ClosePositions and ProjectVelocities then close all pieces as one, by the same steps on all ranks. Closing, and Options.Hold and
// Nearest, do not work for pieces. It panics if the tolerance is out of range.
func NewPieceCloser(l *assemble.Layout, t *team.Team, r Ranks, tolerance float64, system func(*assemble.Weighted) Factors) *Closer {
	ctx := context.Background() // does not end, so there are no errors
	c, _ := newCloser(ctx, l, l.Mech, t, new(team.Watch))
	c.ranks = r
	_ = c.choose(ctx, Options{Tolerance: tolerance})
	c.fac = system(c.sys)
	return c
}

// largest returns the largest x of all ranks.
func (c *Closer) largest(x float64) float64 {
	if c.ranks == nil {
		return x
	}
	c.few[0] = x
	c.ranks.Largest(c.few[:1])
	return c.few[0]
}

// fastest returns the largest v and the largest w of all ranks, speeds in m/s and rad/s.
func (c *Closer) fastest(v, w float64) (float64, float64) {
	if c.ranks == nil {
		return v, w
	}
	c.few[0], c.few[1] = v, w
	c.ranks.Largest(c.few[:2])
	return c.few[0], c.few[1]
}

// allOf reports whether yes is true on all ranks.
func (c *Closer) allOf(yes bool) bool {
	if yes {
		return c.largest(0) == 0
	}
	return c.largest(1) == 0
}

// agree returns err, or an error on all ranks if some rank has one.
func (c *Closer) agree(err error) error {
	if c.ranks == nil || c.allOf(err == nil) {
		return err
	}
	return c.ranks.Agree(err)
}

// shareError is agree if it is known that some rank has an error.
func (c *Closer) shareError(err error) error {
	if c.ranks == nil {
		return err
	}
	return c.ranks.Agree(err)
}

// counts reports whether this rank adds the rows of a node to sums.
func (c *Closer) counts(node int) bool { return c.ranks == nil || c.ranks.Counts(node) }

// combine returns the sums of the errors of all ranks from the sums fit of this one. It returns an error if any rank has one.
func (c *Closer) combine(fit misfit, err error) (misfit, error) {
	if c.ranks == nil {
		return fit, err
	}
	if err = c.agree(err); err != nil {
		return fit, err
	}
	own := fit.relative
	c.few = [4]float64{fit.largest, fit.relative, fit.excess, fit.loose}
	c.ranks.Largest(c.few[:])
	fit.largest, fit.relative, fit.excess, fit.loose = c.few[0], c.few[1], c.few[2], c.few[3]
	fit.elsewhere = fit.row < 0 || fit.relative > own
	c.few[0] = fit.merit
	c.ranks.Sum(c.few[:1])
	fit.merit = c.few[0]
	return fit, nil
}

// exchange stores in x, six numbers a body, the numbers of bodies that belong to other ranks.
func (c *Closer) exchange(x []float64) {
	if c.ranks != nil {
		c.ranks.Exchange(x)
	}
}

// exchangeLengths stores in c.length the lengths of bodies that belong to other ranks: only the rank of a body knows all its joints.
func (c *Closer) exchangeLengths() {
	if c.ranks == nil {
		return
	}
	for i, l := range c.length {
		c.x[6*i] = l
	}
	c.exchange(c.x)
	for i := range c.length {
		c.length[i] = c.x[6*i]
	}
}
