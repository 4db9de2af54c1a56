package derive

import (
	"context"
	"math"
	"slices"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// touched is a contact force at a state.
type touched struct {
	of       *model.Contact
	contact  *contact.Contact
	r        *contact.Result
	at       contact.Body // motion of its body
	internal []float64    // its internal state
}

// variation is a way to change a number of a contact or of its terrain.
type variation struct {
	step   float64 // of differences, in the unit of the number
	linear bool    // forces are linear in the number
	set    func(c *contact.Contact, by float64) error
}

// errTouches is the error for the derivative by a number of a contact that is too close to losing contact for differences.
var errTouches = fault.Errorf("%w: by a number, where one of its points just touches", mechanism.ErrNoDerivatives)

// contactBy returns the derivatives of the force f of a contact, and of its moment m about the centre of mass, by one of its numbers or by
// a number of a terrain. They are finite differences of this one contact with its body held. All values of a difference have the same
// number of touching points and the same piece of the force law, as the derivative jumps at corners.
func (d *grounds) contactBy(t *touched, terrain bool, index int) (f, m spatial.Vec3, err error) {
	if len(t.r.Touches) == 0 {
		return f, m, nil
	}
	part := 1.0
	for range smoothTries {
		var v *variation
		switch {
		case (terrain || contactNumbers[index/vectorEntries].size == ofDepth) && t.justTouches():
			return f, m, errTouches
		case terrain:
			if v, err = d.variation(t, index, part); err != nil {
				return f, m, err
			}
		default:
			v = contactVariation(t, index, part)
		}
		var same bool
		for _, rule := range v.rules(part < 1) {
			if f, m, same, err = t.difference(v, rule); err != nil || same {
				return f, m, err
			}
		}
		part *= smoothShorter
	}
	return f, m, errTouches
}

// rules returns the difference formulas to try, the best one first. One-sided formulas need more steps to their side, so they are used only
// after the step was shortened: then no value is further away than with the central formula.
func (v *variation) rules(shorter bool) []differences {
	switch {
	case v.linear:
		return []differences{{straight[:], 1}, {straight[:], -1}}
	case shorter:
		return []differences{{sixthOrder[:], 1}, {aheadOrder[:], 1}, {aheadOrder[:], -1}}
	}
	return []differences{{sixthOrder[:], 1}}
}

// difference returns the derivatives of force and moment by the formula rule. same reports whether the same number of points touches at all
// values, on the same piece of the force law.
func (t *touched) difference(v *variation, rule differences) (f, m spatial.Vec3, same bool, err error) {
	piece := t.contact.Piece(t.r)
	same = true
	for _, node := range rule.nodes {
		w := t.r.Wrench
		if node.steps != 0 {
			other := *t.contact
			if err := v.set(&other, rule.sign*node.steps*v.step); err != nil {
				return f, m, false, err
			}
			r := contact.NewResult(&other)
			if err := other.EvalTo(r, &t.at, t.internal); err != nil {
				return f, m, false, err
			}
			same = same && len(r.Touches) == len(t.r.Touches) && other.Piece(r) == piece
			w = r.Wrench
		}
		x := rule.sign * node.weight / v.step
		f, m = f.Add(w.Linear().Scale(x)), m.Add(w.Moment().Scale(x))
	}
	return f, m, same, nil
}

// contactVariation returns the variation of number index of a contact; its step is shortened by the factor part.
func contactVariation(t *touched, index int, part float64) *variation {
	x, k := &contactNumbers[index/vectorEntries], index%vectorEntries
	was := *x.at(t.contact, k)[0]
	h := powerOfTwo(part * x.stepAt(was, t.r.Depth))
	return &variation{step: h, linear: x.size == isLinear, set: func(c *contact.Contact, by float64) error {
		for _, y := range x.at(c, k) {
			*y = was + by
		}
		return nil
	}}
}

// justTouches reports whether a small part of the depth of a contact is as small as the rounding of the contact point or of the radius.
func (t *touched) justTouches() bool {
	size := max(t.contact.Shape.Radius, algebra.MaxAbs(t.r.Nearest.P[:]))
	return smoothPart*t.r.Depth < roundPart*size
}

// terrainNumber is a number of a terrain that parameters change, with the surfaces of the model for other values of it.
type terrainNumber struct {
	terrain int
	at      func(t *model.Terrain) *float64
	step    float64
	list    map[int][]*ground.Surface // surfaces of all terrains, by number of steps
}

// grounds holds the terrains of a model, and their numbers that parameters change.
type grounds struct {
	doc     *model.Model
	numbers []terrainNumber
}

// variation returns the variation of number index of a terrain under a contact. Its step moves the ground at the contact by at most a small
// part of the depth, shortened by the factor part.
func (d *grounds) variation(t *touched, index int, part float64) (*variation, error) {
	x, here := &d.numbers[index], t.r.Nearest.P
	most := part * smoothPart * t.r.Depth
	h := part * smoothPart * max(math.Abs(*x.at(&d.doc.Terrains[x.terrain])), smallNumber)
	z, err := t.contact.Ground.Height(here[0], here[1])
	// Shorten the step until the ground moves by no more than most.
	for range smoothTries {
		h = powerOfTwo(h)
		var list []*ground.Surface
		var other float64
		if list, err = d.surfaces(x, h, 1); err != nil {
			return nil, err
		}
		if other, err = d.groundOf(t, list).Height(here[0], here[1]); err != nil {
			h *= smoothShorter
			continue
		}
		moves := math.Abs(other - z)
		if moves <= most {
			break
		}
		h *= most / moves
	}
	if err != nil {
		return nil, err
	}
	return &variation{step: h, set: func(c *contact.Contact, by float64) error {
		list, err := d.surfaces(x, h, int(math.Round(by/h)))
		if err != nil {
			return err
		}
		c.Ground = d.groundOf(t, list)
		if c.Friction != nil {
			c.Friction = list[d.terrainOf(t.of.Map)]
		}
		return nil
	}}, nil
}

// groundOf returns the surface of the contact's terrain from list, which has one for each terrain of the model.
func (d *grounds) groundOf(t *touched, list []*ground.Surface) *ground.Surface {
	return list[d.terrainOf(t.of.Terrain)]
}

// terrainOf returns the index of the terrain with this name, −1 if there is none.
func (d *grounds) terrainOf(name string) int {
	return slices.IndexFunc(d.doc.Terrains, func(t model.Terrain) bool { return t.Name == name })
}

// surfaces returns the surfaces of all terrains of the model with the number x changed by steps times step. It keeps them until step
// changes.
func (d *grounds) surfaces(x *terrainNumber, step float64, steps int) ([]*ground.Surface, error) {
	if x.step != step {
		x.step, x.list = step, map[int][]*ground.Surface{}
	}
	if list := x.list[steps]; list != nil {
		return list, nil
	}
	m := *d.doc
	m.Terrains = slices.Clone(m.Terrains)
	for i := range m.Terrains {
		if t := &m.Terrains[i]; i == x.terrain || t.Type == model.SumTerrain {
			t.Surface = nil
		}
	}
	t := &m.Terrains[x.terrain]
	t.Heights = slices.Clone(t.Heights)
	for i := range t.Heights {
		t.Heights[i] = slices.Clone(t.Heights[i])
	}
	*x.at(t) += float64(steps) * step
	list, err := m.UsedSurfaces(context.Background())
	if err != nil {
		return nil, fault.Errorf("derive: beside the number of a terrain: %w", err)
	}
	x.list[steps] = list
	return list, nil
}
