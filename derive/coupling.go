package derive

import (
	"github.com/rung-mbd/rung/couplings"
	"github.com/rung-mbd/rung/derive/internal/chain"
	"github.com/rung-mbd/rung/internal/fault"
)

// coupling records coupling i, theory.md (K1) to (K3): its row over the coordinates of its legs, and the forces of its multiplier along
// them.
func (b *builder) coupling(i int) error {
	d := b.d
	k := &d.mech.Couplings[i]
	b.begin(d.couplingNumber(i))
	defer func(was want) { b.want = was }(b.want)
	b.want = wantAll // couplings are few, so nothing is left out
	if k.Own() {
		return d.mech.AtConstraint(d.mech.NumJoints()+i, -1, fault.Errorf("%w: a row of one's own", ErrNoDerivatives))
	}
	c, n := &b.c, len(k.Legs)
	b.reserve(2*n, n)
	for l := range k.Legs {
		b.number = k.Legs[l].Joint // numbers of the joint, for this call
		b.setFreedoms(b.relation(b.number))
		b.number = d.couplingNumber(i)
	}
	at := d.layout.Pattern.Off[d.layout.CouplingNode(i)]
	lambda := b.multiplier(at)
	phi := c.Times1(-1, b.scalar(slot{kind: slotOffset}, k.Offset))
	rate, second := c.Num(0), c.Num(0)
	first := k.Bent()
	factors := make([]chain.Num, n)
	for l := range k.Legs[:first] {
		f := b.legFreedom(k.Legs[l].Freedom.Freedom, l)
		factors[l] = b.scalar(slot{kind: slotFactor, index: int32(l)}, k.Legs[l].Factor)
		phi = c.Add1(phi, c.Mul(factors[l], f.q))
	}
	if first < n {
		var x [2]*freedom
		for l := first; l < n; l++ {
			x[l-first] = b.legFreedom(k.Legs[l].Freedom.Freedom, l)
		}
		value, bend, err := b.lawOf(k.Law, x, factors[first:])
		if err != nil {
			return d.mech.AtConstraint(d.mech.NumJoints()+i, -1, err)
		}
		phi = c.Sub1(phi, value)
		second = c.Sub1(second, bend)
	}
	for l := range k.Legs {
		f := b.legFreedom(k.Legs[l].Freedom.Freedom, l)
		rate = c.Add1(rate, c.Mul(factors[l], f.qd))
		second = c.Add1(second, c.Mul(factors[l], f.qdd))
		r := &b.rel[l]
		m, force := r.S.moment, r.S.force
		r.S.moment, r.S.force = none, none
		b.bear(r, &f.line, c.Mul(lambda, factors[l]))
		b.legs = append(b.legs, legOf{r.number, r.S.moment, r.S.force})
		b.sum(&r.S.moment, m)
		b.sum(&r.S.force, force)
	}
	b.rows = append(b.rows, placedRow{at: at, plain: b.plainRow(d.mech.NumJoints() + i), second: second, rate: rate, delta: phi})
	return nil
}

// legFreedom returns freedom number of the joint of leg l.
func (b *builder) legFreedom(number, l int) *freedom { return &b.rel[l].freedoms[number] }

// lawOf adds the value f of the law at the freedoms x, and bend = Σ ∂²f/∂x∂y·ẋ·ẏ, the part of its second derivative by its curvature. It
// stores the derivatives of −f by the coordinates in factors.
func (b *builder) lawOf(l *couplings.Law, x [2]*freedom, factors []chain.Num) (f, bend chain.Num, err error) {
	c := &b.c
	n := l.Coordinates()
	var at [2]float64
	q := [2]chain.Num{c.Num(0), c.Num(0)}
	for k := range n {
		q[k], at[k] = x[k].q, c.Value1(x[k].q)
	}
	v, third := l.At(at), l.ThirdAt(at)
	f = c.Of2(q[0], q[1], v.F, v.D[0], v.D[1])
	of := b.lawChanges(l, at)
	f = of(f, func(w *couplings.Value) float64 { return w.F })
	bend = c.Num(0)
	for k := range n {
		slope := c.Of2(q[0], q[1], v.D[k], v.DD[k][0], v.DD[k][1])
		slope = of(slope, func(w *couplings.Value) float64 { return w.D[k] })
		factors[k] = c.Times1(-1, slope)
		for j := range n {
			curve := c.Of2(q[0], q[1], v.DD[k][j], third[k+j], third[k+j+1])
			curve = of(curve, func(w *couplings.Value) float64 { return w.DD[k][j] })
			bend = c.Add1(bend, c.Mul(curve, c.Mul(x[k].qd, x[j].qd)))
		}
	}
	return f, bend, nil
}

// lawChanges returns a function that adds to the node x the derivatives by the parameters of the law. Its argument of selects the number of
// the law that x is.
func (b *builder) lawChanges(l *couplings.Law, at [2]float64) func(x chain.Num, of func(*couplings.Value) float64) chain.Num {
	type change struct {
		p chain.Num
		v couplings.Value
	}
	var list []change
	for _, s := range b.d.scalarsOf(b.number) {
		if s.slot.kind != slotLawValue {
			continue
		}
		p := b.c.Num(0)
		b.numbers = append(b.numbers, numbered{p, s.at})
		list = append(list, change{p, l.ByValue(int(s.slot.index), at)})
	}
	return func(x chain.Num, of func(*couplings.Value) float64) chain.Num {
		for i := range list {
			x = b.c.Add1(x, b.c.Of(list[i].p, 0, of(&list[i].v)))
		}
		return x
	}
}
