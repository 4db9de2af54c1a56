package contact_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/spatial"
)

// cases are contacts that touch, of all kinds, on a spline.
func cases(t testing.TB) (names []string, contacts []contact.Contact, bodies []contact.Body) {
	t.Helper()
	grid := rough(t)
	all := laws()
	add := func(law string, shapes ...contact.Shape) {
		for i, s := range shapes {
			c := contact.Contact{Shape: s, Law: all[law], Ground: grid}
			if s.Axis == (spatial.Vec3{}) {
				c.Law.Rolling = contact.Resistance{}
			}
			require.Empty(t, flaws(&c))
			names = append(names, fmt.Sprintf("shape=%s/where=%s/law=%s", s.Type, s.Where, law))
			contacts = append(contacts, c)
			b := randomBody(t, &c, check.Rand(uint64(i)), 0.02)
			r := contact.NewResult(&c)
			require.NoError(t, c.EvalTo(r, &b, make([]float64, c.NumStates())))
			b.Velocity, b.Omega = r.Nearest.X.Scale(3).Add(r.Nearest.Y.Scale(0.1)), b.E.MulVec(spatial.Vec3{0, 11, 0})
			bodies = append(bodies, b)
		}
	}
	add("ellipse", shapes[1:]...)
	for _, law := range []string{"linear", "hold", "tyre", "relaxation", "soil"} {
		add(law, shapes[2])
	}
	return names, contacts, bodies
}

func BenchmarkEval(b *testing.B) {
	names, contacts, bodies := cases(b)
	for i, name := range names {
		c, body := &contacts[i], &bodies[i]
		r, internal := contact.NewResult(c), make([]float64, c.NumStates())
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := c.EvalTo(r, body, internal); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkDerivatives(b *testing.B) {
	names, contacts, bodies := cases(b)
	for i, name := range names {
		c, body := &contacts[i], &bodies[i]
		r, internal := contact.NewResult(c), make([]float64, c.NumStates())
		require.NoError(b, c.EvalTo(r, body, internal))
		var pose, velocity contact.Jacobian
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := c.DerivativesTo(&pose, &velocity, r, body, internal); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
