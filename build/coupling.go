package build

import (
	"slices"

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

// Coupling is a coupling of a Builder, to be given an offset and a polynomial. The pointer stays valid; what is set
// counts from the next Model on.
type Coupling struct {
	Terms  []Term
	Offset float64

	of           *Joint // of the polynomial; nil: there is none
	freedom      int
	coefficients []float64

	index int
	name  string
}

// Index returns the number of the coupling in the model and in all that is made of it.
func (c *Coupling) Index() int { return c.index }

// Follow makes the sum of the terms follow Offset + c0 + c1·q + … of a freedom of a joint, with up to five
// coefficients, and returns c.
func (c *Coupling) Follow(of *Joint, freedom int, coefficients ...float64) *Coupling {
	c.of, c.freedom, c.coefficients = of, freedom, coefficients
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

// coupling returns c for a model. It keeps an error for a joint of another builder.
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
	if c.coefficients != nil || c.of != nil {
		out.Polynomial = &model.CouplingPolynomial{Of: named(c.of, c.freedom), Coefficients: slices.Clone(c.coefficients)}
	}
	return out
}
