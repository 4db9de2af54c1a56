package build

import (
	"slices"

	"github.com/rung-mbd/rung/couplings"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// Term is a factor times the coordinate of a freedom of a joint (model.CouplingTerm).
type Term struct {
	Joint   *Joint
	Freedom int
	Factor  float64
}

// Coordinate names the coordinate of a freedom of a joint, m or rad.
type Coordinate struct {
	Joint   *Joint
	Freedom int
}

// Coupling is a coupling of a Builder. Its offset, and its polynomial or law, may be set at any time: each call of Model copies
// the present values. The pointer stays valid.
type Coupling struct {
	Terms  []Term
	Offset float64

	of           []Coordinate   // of the polynomial or the law
	coefficients []float64      // of the polynomial; nil: there is none
	law          *couplings.Law // nil: there is none

	index int
	name  string
}

// Index returns the number of the coupling in the model and in all that is made of it.
func (c *Coupling) Index() int { return c.index }

// Follow makes the sum of the terms follow Offset + c0 + c1·q + … of a freedom of a joint, with up to five
// coefficients, and returns c.
func (c *Coupling) Follow(of *Joint, freedom int, coefficients ...float64) *Coupling {
	c.of, c.coefficients, c.law = []Coordinate{{of, freedom}}, append([]float64{}, coefficients...), nil
	return c
}

// FollowLaw makes the sum of the terms follow Offset + law of a coordinate x, or of two, x and y, in place of a polynomial,
// and returns c. A law without spans holds everywhere, or as far as its points go.
func (c *Coupling) FollowLaw(law couplings.Law, of ...Coordinate) *Coupling {
	if law.Spans == nil {
		law.Spans = make([]couplings.Span, len(of))
	}
	c.of, c.coefficients, c.law = of, nil, law.Clone()
	return c
}

// Couple adds a coupling: the sum of the terms is constant, and zero unless Offset is set. Two gears with r and R for
// radii that mesh on the outside turn by r·θ + R·φ = 0; a rack moves by d − r·θ = 0.
func (b *Builder) Couple(name string, terms ...Term) *Coupling {
	b.mustBe()
	c := &Coupling{Terms: terms, index: len(b.couplings), name: name}
	b.couplings = append(b.couplings, c)
	return c
}

// coupling returns c in the form of a model. It appends an error to errs for each term and coordinate of another builder's joint.
func (b *Builder) coupling(c *Coupling, errs *[]error) model.Coupling {
	at := mechanism.Error{Coupling: c.name, CouplingIndex: c.index, BodyIndex: -1, JointIndex: -1, ForceIndex: -1, Row: -1}
	named := func(j *Joint, freedom int) model.Coupled {
		if j == nil || j.index >= len(b.joints) || b.joints[j.index] != j {
			own := at
			own.Err = fault.Errorf("build: a joint that is not of this builder")
			*errs = append(*errs, fault.Errorf("build: %w", &own))
			return model.Coupled{}
		}
		return model.Coupled{Joint: j.Name, Freedom: freedom}
	}
	out := model.Coupling{Name: c.name, Offset: c.Offset}
	for _, t := range c.Terms {
		out.Terms = append(out.Terms, model.CouplingTerm{Coupled: named(t.Joint, t.Freedom), Factor: t.Factor})
	}
	var of []model.Coupled
	for _, x := range c.of {
		of = append(of, named(x.Joint, x.Freedom))
	}
	switch {
	case c.law != nil:
		out.Law = &model.CouplingLaw{Of: of, Law: *c.law.Clone()}
	case len(of) > 0:
		out.Polynomial = &model.CouplingPolynomial{Of: of[0], Coefficients: slices.Clone(c.coefficients)}
	}
	return out
}
