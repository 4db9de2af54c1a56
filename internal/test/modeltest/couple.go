package modeltest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

// Couple returns a copy of m with n random couplings that hold at its pose. Each has one to four terms, of scalar freedoms without
// motions. Every second coupling has a polynomial of a freedom that is in no term, if there is one. Every third coupling is a
// multiple of the previous one. The couplings need not hold for the rates. It stops the test if m has no such freedom.
func Couple(t testing.TB, m *model.Model, rng *rand.Rand, n int) *model.Model {
	t.Helper()
	free, value := freedoms(t, m)
	pick := func() model.Coupled { return free[rng.IntN(len(free))] }
	out := *m
	out.Couplings = nil
	for i := range n {
		name := fmt.Sprint("coupling ", i)
		if i%3 == 2 {
			out.Couplings = append(out.Couplings, tripled(name, &out.Couplings[i-1]))
			continue
		}
		c := model.Coupling{Name: name}
		for range 1 + rng.IntN(4) {
			f := 0.2 + rng.Float64()
			if rng.IntN(2) == 0 {
				f = -f
			}
			c.Terms = append(c.Terms, model.CouplingTerm{Coupled: pick(), Factor: f})
			c.Offset += f * value[c.Terms[len(c.Terms)-1].Coupled]
		}
		if i%2 == 1 {
			p := &model.CouplingPolynomial{Of: pick()}
			if p.Of = other(&c, free, p.Of); p.Of.Joint == "" {
				out.Couplings = append(out.Couplings, c)
				continue
			}
			x := 1.0
			for range model.MaxPower + 1 {
				a := 0.5 * (rng.Float64() - 0.5)
				p.Coefficients = append(p.Coefficients, a)
				c.Offset -= a * x
				x *= value[p.Of]
			}
			c.Polynomial = p
		}
		out.Couplings = append(out.Couplings, c)
	}
	return &out
}

// other returns the first freedom from q on that c does not name, or the zero value if c names all.
func other(c *model.Coupling, free []model.Coupled, q model.Coupled) model.Coupled {
	for i := range free {
		of := free[(slices.Index(free, q)+i)%len(free)]
		named := c.Law != nil && slices.Contains(c.Law.Of, of)
		for _, t := range c.Terms {
			named = named || t.Coupled == of
		}
		if !named {
			return of
		}
	}
	return model.Coupled{}
}

// freedoms returns the scalar freedoms of m without motions, and their coordinates. It stops the test if there are none.
func freedoms(t testing.TB, m *model.Model) (free []model.Coupled, value map[model.Coupled]float64) {
	t.Helper()
	mech, err := mechanism.New(m)
	if err != nil {
		t.Fatal(err)
	}
	k, st := mech.NewKinematics(), mech.Initial()
	if err := mech.KinematicsTo(k, st); err != nil {
		t.Fatal(err)
	}
	value = map[model.Coupled]float64{}
	var q, qd [6]float64
	var jk mechanism.JointKinematics
	for j := range mech.Joints {
		jt := &mech.Joints[j]
		mech.JointTo(&jk, j, k, st)
		jt.CoordinatesTo(&q, &qd, &jk)
		for i := range jt.Kind.Freedoms() {
			if c := (model.Coupled{Joint: mech.JointName(j), Freedom: i}); jt.Kind.Scalar(i) && !jt.Prescribed(i) {
				free, value[c] = append(free, c), q[i]
			}
		}
	}
	if len(free) == 0 {
		t.Fatal("modeltest: nothing to couple")
	}
	return free, value
}

// tripled returns the coupling c multiplied by three, which is an equivalent coupling.
func tripled(name string, c *model.Coupling) model.Coupling {
	out := model.Coupling{Name: name, Terms: slices.Clone(c.Terms), Offset: 3 * c.Offset}
	for k := range out.Terms {
		out.Terms[k].Factor *= 3
	}
	if p := c.Polynomial; p != nil {
		out.Polynomial = &model.CouplingPolynomial{Of: p.Of}
		for _, x := range p.Coefficients {
			out.Polynomial.Coefficients = append(out.Polynomial.Coefficients, 3*x)
		}
	}
	return out
}
