package derive

import (
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/spatial"
)

// ownPart is a force whose derivatives by the motion of its bodies are given as matrices. Rows are the wrenches about the origins of the
// bodies' frames. The columns of pose are rotations and travels of these frames, the columns of velocity the angular velocities and the
// velocities of the origins. Both are stored row by row, with six rows and columns a body.
type ownPart struct {
	bodies         []int32
	pose, velocity []float64
	change         []float64     // changes of the wrenches (pull)
	tangents       []bodyTangent // cotangents of the bodies (back)
	frames         []ownFrame
	scalars        []ownScalar
}

// ownFrame is a point of a force that a parameter moves, with the changes by of the wrenches for its travels along the axes of its body.
type ownFrame struct {
	frame int32
	by    [3][]float64
}

// ownScalar is a number of a force that a parameter changes: its index in direction.scalars, and the changes by of the wrenches.
type ownScalar struct {
	at int32
	by []float64
}

// pull computes the changes of the wrenches for a direction.
func (p *ownPart) pull(b *builder, in *direction, dx []float64) {
	wide := 6 * len(p.bodies)
	p.change = append(p.change[:0], make([]float64, wide)...)
	for i, body := range p.bodies {
		t := &b.tangent
		b.d.tangentTo(t, in, dx, body)
		for k := range 3 {
			for r := range wide {
				row := r*wide + 6*i + k
				p.change[r] += p.pose[row]*t.phi[k] + p.pose[row+3]*t.r[k] + p.velocity[row]*t.w[k] + p.velocity[row+3]*t.v[k]
			}
		}
	}
	for i := range p.frames {
		for k, x := range in.frames[p.frames[i].frame].Origin {
			addScaled(p.change, x, p.frames[i].by[k])
		}
	}
	for i := range p.scalars {
		addScaled(p.change, in.scalars[p.scalars[i].at], p.scalars[i].by)
	}
}

// addScaled adds s·x to dst.
func addScaled(dst []float64, s float64, x []float64) {
	for i, v := range x {
		dst[i] += s * v
	}
}

// gather adds to r the change of the residual from the changes of pull.
func (p *ownPart) gather(b *builder, r []float64) {
	for i, body := range p.bodies {
		m, f := spatial.Vec3(p.change[6*i:][:3]), spatial.Vec3(p.change[6*i+3:][:3])
		b.d.bodies[body].gather(r[6*body:][:6], &m, &f)
	}
}

// back is the transpose of pull and gather.
func (p *ownPart) back(b *builder, out *direction, y, dx []float64) {
	if y == nil {
		return
	}
	wide := 6 * len(p.bodies)
	p.tangents = append(p.tangents[:0], make([]bodyTangent, len(p.bodies))...)
	for i, body := range p.bodies {
		var s bodyTangent
		b.d.bodies[body].spread(&s, y[6*body:][:6])
		// x is the cotangent of component r of the wrench on this body: moment, then force.
		for r := range 6 {
			x := s.moment[r%3]
			if r >= 3 {
				x = s.force[r%3]
			}
			for f := range p.frames {
				for k := range 3 {
					out.frames[p.frames[f].frame].Origin[k] += x * p.frames[f].by[k][6*i+r]
				}
			}
			for f := range p.scalars {
				out.scalars[p.scalars[f].at] += x * p.scalars[f].by[6*i+r]
			}
			for j := range p.bodies {
				t := &p.tangents[j]
				for k := range 3 {
					row := (6*i+r)*wide + 6*j + k
					t.phi[k] += x * p.pose[row]
					t.r[k] += x * p.pose[row+3]
					t.w[k] += x * p.velocity[row]
					t.v[k] += x * p.velocity[row+3]
				}
			}
		}
	}
	for j, other := range p.bodies {
		b.d.addTangent(out, dx, other, &p.tangents[j])
	}
}

// contact adds a contact by its exact derivatives, docs/ground.md (G16). Its internal states are held.
func (b *builder) contact(element int) error {
	d := b.d
	i := d.contactOf(element)
	r, err := d.mech.ContactAt(i, d.kin, d.st)
	if err != nil {
		return err
	}
	c, body, _ := d.mech.Contact(i)
	t := touched{of: d.doc.Forces[element].Contact, contact: c, r: r, internal: d.mech.ContactInternal(i, d.st)}
	var pose, velocity contact.Jacobian
	d.mech.ContactBody(&t.at, i, d.kin, d.st)
	if err := c.DerivativesTo(&pose, &velocity, r, &t.at, t.internal); err != nil {
		return d.mech.AtForce(element, err)
	}
	p := b.aboutOrigins([]int32{int32(body)}, []spatial.Force{r.Wrench}, pose[:], velocity[:])
	for _, s := range d.scalarsOf(b.number) {
		f, m, err := d.grounds.contactBy(&t, s.slot.kind == slotTerrain, int(s.slot.index))
		if err != nil {
			return d.mech.AtForce(element, err)
		}
		m = m.Add(d.bodies[body].k.Cross(f))
		p.scalars = append(p.scalars, ownScalar{at: s.at, by: append(m[:], f[:]...)})
	}
	b.own = append(b.own, p)
	return nil
}

// force adds force i of the caller's own.
func (b *builder) force(i int) error {
	d := b.d
	b.begin(d.elementNumber(len(d.mech.Forces) + i))
	w, err := d.mech.OwnWrenches(i, d.kin, d.st)
	if err != nil {
		return err
	}
	w = append([]spatial.Force(nil), w...)
	pose, velocity, err := d.mech.OwnDerivatives(i, d.kin, d.st)
	if err != nil {
		return err
	}
	bodies, _ := d.mech.OwnBodies(i)
	b.own = append(b.own, b.aboutOrigins(bodies, w, pose, velocity))
	return nil
}

// aboutOrigins moves the wrenches w, and their derivatives pose and velocity by the motions of the centres of mass, to the origins of the
// bodies' frames. A rotation φ about the origin moves the centre of mass by φ×k, and changes its velocity by ω×(φ×k), with ω and the
// velocity of the origin held.
func (b *builder) aboutOrigins(bodies []int32, w []spatial.Force, pose, velocity []float64) ownPart {
	wide := 6 * len(bodies)
	p := ownPart{bodies: bodies, pose: make([]float64, wide*wide), velocity: make([]float64, wide*wide)}
	column := make([]float64, wide) // change of the wrenches
	for c := range 2 * wide {
		at, k := c%wide/6, c%6
		body := &b.d.bodies[bodies[at]]
		var x, y [6]float64 // changes of pose and velocity at the centre of mass
		var e, moved spatial.Vec3
		e[k%3] = 1
		switch {
		case k >= 3 && c < wide:
			x[k] = 1
		case k >= 3:
			y[k] = 1
		case c < wide:
			moved = e.Cross(body.k)
			v := body.omega.Cross(moved)
			x[k] = 1
			copy(x[3:], moved[:])
			copy(y[3:], v[:])
		default:
			v := e.Cross(body.k)
			y[k] = 1
			copy(y[3:], v[:])
		}
		for r := range column {
			column[r] = 0
			for j := range 6 {
				column[r] += pose[r*wide+6*at+j]*x[j] + velocity[r*wide+6*at+j]*y[j]
			}
		}
		to := p.pose
		if c >= wide {
			to = p.velocity
		}
		for i, other := range bodies {
			f := spatial.Vec3(column[6*i+3:][:3])
			m := spatial.Vec3(column[6*i:][:3]).Add(b.d.bodies[other].k.Cross(f))
			if i == at {
				m = m.Add(moved.Cross(w[i].Linear()))
			}
			for r := range 3 {
				to[(6*i+r)*wide+c%wide], to[(6*i+3+r)*wide+c%wide] = m[r], f[r]
			}
		}
	}
	return p
}
