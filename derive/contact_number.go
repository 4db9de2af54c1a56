package derive

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/spatial"
)

const (
	// linearPart is the relative change of a number in which forces are linear, so that a difference is exact. A smaller change costs
	// digits, and a larger one may pass the corner where the force would pull.
	linearPart = 1. / 128
	// smoothPart is the change of other numbers, relative to their size or to the depth. Differences of order 6 have an error of its sixth
	// power, and rounding divided by it.
	smoothPart = 1. / 256
	// smoothShorter is the factor by which a step is shortened if a point begins or ceases to touch over it, and smoothTries the number of
	// attempts.
	smoothShorter, smoothTries = 0.25, 6
	// roundPart is the least change of a depth, relative to the coordinates whose difference it is: a thousand times their rounding.
	roundPart = 0x1p-42
)

// node is a value of a difference formula: its distance from the middle in steps, and its weight.
type node struct{ steps, weight float64 }

// differences is a difference formula. sign multiplies the steps and the weights of all nodes.
type differences struct {
	nodes []node
	sign  float64
}

var (
	// sixthOrder is the central difference of order 6, and aheadOrder the one-sided difference of the same order.
	sixthOrder = [...]node{{1, 3. / 4}, {-1, -3. / 4}, {2, -3. / 20}, {-2, 3. / 20}, {3, 1. / 60}, {-3, -1. / 60}}
	aheadOrder = [...]node{{0, -49. / 20}, {1, 6}, {2, -15. / 2}, {3, 20. / 3}, {4, -15. / 4}, {5, 6. / 5}, {6, -1. / 6}}
	// straight is the difference of a linear function.
	straight = [...]node{{1, 1}, {0, -1}}
)

// mostSteps is the number of steps of central differences to either side.
const mostSteps = 3

// smallNumber is the least magnitude that counts for the step of a number of a terrain or of a length: smaller numbers, zeros too, get the
// step of this one.
const smallNumber = 1e-3

// powerOfTwo returns the largest power of two up to x > 0: adding such a step to a number is mostly exact.
func powerOfTwo(x float64) float64 { return math.Exp2(math.Floor(math.Log2(x))) }

// vectorEntries is the number of entries of one contactNumber that slots distinguish.
const vectorEntries = 3

// contactNumber is a number of a contact that may be a parameter.
type contactNumber struct {
	path string // path behind forces[name], with [] for an index
	// at returns pointers to the numbers of c that this is, all with the same value; none if the law or the shape has no such number. k is
	// the index of an entry of a vector.
	at   func(c *contact.Contact, k int) []*float64
	size sizeOfNumber
}

// sizeOfNumber says to which size the step of a number is relative.
type sizeOfNumber uint8

const (
	ofValue  sizeOfNumber = iota // the magnitude of the number, 1 if it is zero
	ofOne                        // 1
	ofDepth                      // the depth of the contact, for lengths
	isLinear                     // as ofValue; forces are linear in the number
)

// contactNumbers are the numbers of contacts that have derivatives, sorted by path.
var contactNumbers = listContactNumbers()

// listContactNumbers returns contactNumbers.
func listContactNumbers() (list []contactNumber) {
	add := func(path string, size sizeOfNumber, at func(c *contact.Contact, k int) []*float64) {
		list = append(list, contactNumber{path, at, size})
	}
	one := func(path string, size sizeOfNumber, at func(c *contact.Contact) *float64) {
		add(path, size, func(c *contact.Contact, _ int) []*float64 { return []*float64{at(c)} })
	}
	one("normal.stiffness", isLinear, func(c *contact.Contact) *float64 { return &c.Law.Normal.Stiffness })
	one("normal.exponent", ofOne, func(c *contact.Contact) *float64 { return &c.Law.Normal.Exponent })
	one("normal.dissipation", isLinear, func(c *contact.Contact) *float64 { return &c.Law.Normal.Dissipation })
	one("normal.damping", isLinear, func(c *contact.Contact) *float64 { return &c.Law.Normal.Damping })
	for name, of := range map[string]func(c *contact.Contact) *contact.Resistance{
		"rolling":  func(c *contact.Contact) *contact.Resistance { return &c.Law.Rolling },
		"drilling": func(c *contact.Contact) *contact.Resistance { return &c.Law.Drilling },
	} {
		one(name+".coefficient", isLinear, func(c *contact.Contact) *float64 { return &of(c).Coefficient })
		one(name+".speed", ofValue, func(c *contact.Contact) *float64 { return &of(c).Speed })
	}
	one("shape.radius", ofDepth, func(c *contact.Contact) *float64 { return &c.Shape.Radius })
	one("shape.tyre_radius", ofDepth, func(c *contact.Contact) *float64 { return &c.Shape.TyreRadius })
	one("shape.width", ofDepth, func(c *contact.Contact) *float64 { return &c.Shape.Width })
	vector := func(path string, size sizeOfNumber, of func(c *contact.Contact) *spatial.Vec3) {
		add(path, size, func(c *contact.Contact, k int) []*float64 {
			if k > 2 {
				return nil
			}
			return []*float64{&of(c)[k]}
		})
	}
	vector("shape.center[]", ofDepth, func(c *contact.Contact) *spatial.Vec3 { return &c.Shape.Center })
	vector("shape.axis[]", ofOne, func(c *contact.Contact) *spatial.Vec3 { return &c.Shape.Axis })
	addFrictionNumbers(add)
	slices.SortFunc(list, func(a, b contactNumber) int { return strings.Compare(a.path, b.path) })
	return list
}

// addFrictionNumbers adds the numbers of friction laws. Most of them belong to one law only.
func addFrictionNumbers(add func(path string, size sizeOfNumber, at func(c *contact.Contact, k int) []*float64)) {
	of := func(law contact.FrictionType, path string, size sizeOfNumber, at func(f *contact.Friction) *float64) {
		add("friction."+path, size, func(c *contact.Contact, _ int) []*float64 {
			if c.Law.Friction.Type != law {
				return nil
			}
			return []*float64{at(&c.Law.Friction)}
		})
	}
	add("friction.coefficient", isLinear, func(c *contact.Contact, _ int) []*float64 {
		if f := &c.Law.Friction; f.Type == contact.Coulomb || f.Type == contact.Tyre {
			return []*float64{&f.Coefficient[0], &f.Coefficient[1]}
		}
		return nil
	})
	add("friction.coefficient[]", ofValue, func(c *contact.Contact, k int) []*float64 {
		if f := &c.Law.Friction; k < 2 && (f.Type == contact.Coulomb || f.Type == contact.Tyre) {
			return []*float64{&f.Coefficient[k]}
		}
		return nil
	})
	coulomb, tyre, soil := contact.Coulomb, contact.Tyre, contact.Soil
	of(coulomb, "slip_speed", ofValue, func(f *contact.Friction) *float64 { return &f.SlipSpeed })
	of(coulomb, "hold.travel", ofValue, func(f *contact.Friction) *float64 { return &f.Hold.Travel })
	of(coulomb, "hold.damping", isLinear, func(f *contact.Friction) *float64 { return &f.Hold.Damping })
	for name, curve := range map[string]func(f *contact.Friction) *contact.Curve{
		"long": func(f *contact.Friction) *contact.Curve { return &f.Tyre.Long },
		"lat":  func(f *contact.Friction) *contact.Curve { return &f.Tyre.Lat },
	} {
		of(tyre, name+".b", ofValue, func(f *contact.Friction) *float64 { return &curve(f).B })
		of(tyre, name+".c", ofValue, func(f *contact.Friction) *float64 { return &curve(f).C })
		of(tyre, name+".e", ofOne, func(f *contact.Friction) *float64 { return &curve(f).E })
	}
	of(tyre, "relaxation", ofValue, func(f *contact.Friction) *float64 { return &f.Tyre.Relaxation })
	add("friction.low_speed", ofValue, func(c *contact.Contact, _ int) []*float64 {
		switch f := &c.Law.Friction; f.Type {
		case tyre:
			return []*float64{&f.Tyre.LowSpeed}
		case soil:
			return []*float64{&f.Soil.LowSpeed}
		}
		return nil
	})
	addSoilNumbers(of)
}

// addSoilNumbers adds the numbers of the friction law of soil.
func addSoilNumbers(of func(law contact.FrictionType, path string, size sizeOfNumber, at func(f *contact.Friction) *float64)) {
	for path, x := range map[string]struct {
		size sizeOfNumber
		at   func(s *contact.SoilLaw) *float64
	}{
		"cohesive_modulus":   {isLinear, func(s *contact.SoilLaw) *float64 { return &s.Cohesive }},
		"frictional_modulus": {isLinear, func(s *contact.SoilLaw) *float64 { return &s.Friction }},
		"exponent":           {ofOne, func(s *contact.SoilLaw) *float64 { return &s.Exponent }},
		"cohesion":           {isLinear, func(s *contact.SoilLaw) *float64 { return &s.Cohesion }},
		"angle":              {ofOne, func(s *contact.SoilLaw) *float64 { return &s.Angle }},
		"shear":              {ofValue, func(s *contact.SoilLaw) *float64 { return &s.Shear }},
		"c0":                 {ofOne, func(s *contact.SoilLaw) *float64 { return &s.C0 }},
		"c1":                 {ofOne, func(s *contact.SoilLaw) *float64 { return &s.C1 }},
		"recovery":           {ofValue, func(s *contact.SoilLaw) *float64 { return &s.Recovery }},
		"width":              {ofValue, func(s *contact.SoilLaw) *float64 { return &s.Width }},
	} {
		of(contact.Soil, path, x.size, func(f *contact.Friction) *float64 { return x.at(&f.Soil) })
	}
}

// check returns an error that says why entry k of the number has no derivative at the contact c; nil if it has one.
func (x *contactNumber) check(c *contact.Contact, k int) error {
	list := x.at(c, k)
	if len(list) == 0 || k >= vectorEntries {
		return errors.New("derive: the model has no such number")
	}
	if f := &c.Law.Friction; x.path == "friction.coefficient[]" && f.Type == contact.Coulomb && f.Coefficient[0] == f.Coefficient[1] {
		return errors.New("derive: the coefficients along and across are equal, where the force has a corner; one number for both has one")
	}
	for _, sign := range [2]float64{1, -1} {
		if x.size == isLinear && sign < 0 {
			break
		}
		other := *c
		for _, y := range x.at(&other, k) {
			*y += sign * mostSteps * x.stepAt(*list[0], max(math.Abs(*list[0]), smallNumber))
		}
		var wrong error
		other.Check(func(path, value, rule string) {
			if wrong == nil {
				wrong = fmt.Errorf("derive: it is at the end of its range, or has no meaning here: beside it, %s of %s %s", path[1:], value, rule)
			}
		})
		if wrong != nil {
			return wrong
		}
	}
	return nil
}

// stepAt returns the step of the number for its value and the depth of the contact.
func (x *contactNumber) stepAt(value, depth float64) float64 {
	value = math.Abs(value)
	switch {
	case x.size == ofDepth:
		return smoothPart * math.Abs(depth)
	case x.size == isLinear && value != 0:
		return linearPart * value
	case x.size == isLinear:
		return linearPart
	case x.size == ofValue && value != 0:
		return smoothPart * value
	}
	return smoothPart
}
