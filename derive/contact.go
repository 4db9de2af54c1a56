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

// touched is a contact at a state.
type touched struct {
	of       *model.Contact
	contact  *contact.Contact
	r        *contact.Result
	at       contact.Body
	internal []float64
}

// variation changes a number of a contact, or of its terrain.
type variation struct {
	step   float64
	linear bool // forces are linear in the number
	set    func(c *contact.Contact, by float64) error
}

// errTouches is for the derivative by a number of a contact that is too near to the end of touching for differences.
var errTouches = fault.Errorf("%w: by a number, where one of its points just touches", mechanism.ErrNoDerivatives)

// contactBy returns the derivatives of the force of a contact, and of its moment about the centre of mass, by a number of it or of a
// terrain. They are differences of this one contact, with its body held.
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
		if f, m, same, err = t.difference(v); err != nil || same {
			return f, m, err
		}
		part *= smoothShorter
	}
	return f, m, errTouches
}

// difference returns the derivatives of force and moment. same says that as many points touch for all values.
func (t *touched) difference(v *variation) (f, m spatial.Vec3, same bool, err error) {
	at := func(by float64) (w spatial.Force, touches int, err error) {
		other := *t.contact
		if err := v.set(&other, by); err != nil {
			return w, 0, err
		}
		r := contact.NewResult(&other)
		err = other.EvalTo(r, &t.at, t.internal)
		return r.Wrench, len(r.Touches), err
	}
	add := func(w spatial.Force, x float64) {
		f, m = f.Add(w.Linear().Scale(x/v.step)), m.Add(w.Moment().Scale(x/v.step))
	}
	if v.linear {
		w, n, err := at(v.step)
		add(w, 1)
		add(t.r.Wrench, -1)
		return f, m, n == len(t.r.Touches), err
	}
	same = true
	for k, weight := range sixthOrder {
		for _, sign := range [2]float64{1, -1} {
			w, n, err := at(sign * float64(k+1) * v.step)
			if err != nil {
				return f, m, false, err
			}
			same = same && n == len(t.r.Touches)
			add(w, sign*weight)
		}
	}
	return f, m, same, nil
}

// contactVariation returns how a number of a contact is changed.
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

// justTouches reports whether a small part of the depth of a contact is next to rounding of the place where it touches, or of the radius.
func (t *touched) justTouches() bool {
	size := max(t.contact.Shape.Radius, algebra.MaxAbs(t.r.Nearest.P[:]))
	return smoothPart*t.r.Depth < roundPart*size
}

// terrainNumber is a number of a terrain that parameters change, and the surfaces of the model with other values of it.
type terrainNumber struct {
	terrain int
	at      func(t *model.Terrain) *float64
	step    float64
	list    map[int][]*ground.Surface // by number of steps
}

// grounds are the terrains of a model, and the numbers of them that parameters change.
type grounds struct {
	doc     *model.Model
	numbers []terrainNumber
}

// variation returns how a number of a terrain is changed under a contact: so that the ground moves by a small part of the depth.
func (d *grounds) variation(t *touched, index int, part float64) (*variation, error) {
	x, here := &d.numbers[index], t.r.Nearest.P
	most := part * smoothPart * t.r.Depth
	h := part * smoothPart * max(math.Abs(*x.at(&d.doc.Terrains[x.terrain])), smallNumber)
	z, err := t.contact.Ground.Height(here[0], here[1])
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

// groundOf returns the surface of the terrain of a contact, of a list.
func (d *grounds) groundOf(t *touched, list []*ground.Surface) *ground.Surface {
	return list[d.terrainOf(t.of.Terrain)]
}

// terrainOf returns the number of the terrain of a name.
func (d *grounds) terrainOf(name string) int {
	return slices.IndexFunc(d.doc.Terrains, func(t model.Terrain) bool { return t.Name == name })
}

// surfaces returns those of the model with a number changed by so many steps.
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
