package build_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/build"
	"github.com/rung-mbd/rung/couplings"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// shafts returns two shafts on the ground.
func shafts(t *testing.T) (b *build.Builder, one, two *build.Joint) {
	t.Helper()
	b = build.New("shafts")
	d, err := bodies.New(1, spatial.Vec3{}, spatial.Sym3{1, 1, 1})
	require.NoError(t, err)
	z := spatial.Vec3{0, 0, 1}
	one = b.Revolute("one", build.World, b.Body("one", d, build.At(0, 0, 0)), spatial.Vec3{}, z)
	two = b.Cylindrical("two", build.World, b.Body("two", d, build.At(1, 0, 0)), spatial.Vec3{1, 0, 0}, z)
	return b, one, two
}

func TestCouple(t *testing.T) {
	b, one, two := shafts(t)
	first := b.Couple("gear", build.Term{Joint: one, Factor: 1}, build.Term{Joint: two, Factor: 3})
	second := b.Couple("cam", build.Term{Joint: two, Freedom: 1, Factor: 2}).Follow(one, 0, 0, 0.1)
	second.Offset = 4
	two.Name = "renamed" // counts from the next Model on
	m, err := b.Model()
	require.NoError(t, err)
	require.Equal(t, []int{0, 1}, []int{first.Index(), second.Index()})
	at := func(joint string, freedom int) model.Coupled { return model.Coupled{Joint: joint, Freedom: freedom} }
	require.Equal(t, []model.Coupling{
		{Name: "gear", Terms: []model.CouplingTerm{{Coupled: at("one", 0), Factor: 1}, {Coupled: at("renamed", 0), Factor: 3}}},
		{Name: "cam", Offset: 4, Terms: []model.CouplingTerm{{Coupled: at("renamed", 1), Factor: 2}},
			Polynomial: &model.CouplingPolynomial{Of: at("one", 0), Coefficients: []float64{0, 0.1}}},
	}, m.Couplings)
	m.Couplings[1].Polynomial.Coefficients[1] = 9 // of a copy
	again, err := b.Model()
	require.NoError(t, err)
	require.Equal(t, 0.1, again.Couplings[1].Polynomial.Coefficients[1])
}

// TestFollowLaw: a law in place of a polynomial, as it is when FollowLaw is called.
func TestFollowLaw(t *testing.T) {
	b, one, two := shafts(t)
	law := couplings.Law{X: []float64{0, 1, 3}, Values: []float64{0, 2, 1}}
	c := b.Couple("cam", build.Term{Joint: two, Freedom: 1, Factor: 2}).Follow(one, 0, 0, 0.1).FollowLaw(law, build.Coordinate{Joint: one})
	law.Values[1] = 7
	m, err := b.Model()
	require.NoError(t, err)
	k := &m.Couplings[c.Index()]
	require.Nil(t, k.Polynomial)
	require.Equal(t, &model.CouplingLaw{Of: []model.Coupled{{Joint: "one"}}, Law: couplings.Law{Spans: make([]couplings.Span, 1),
		X: []float64{0, 1, 3}, Values: []float64{0, 2, 1}}}, k.Law)
	k.Law.Values[1] = 9 // of a copy
	again, err := b.Model()
	require.NoError(t, err)
	require.Equal(t, 2.0, again.Couplings[0].Law.Values[1])
	c.FollowLaw(law)
	_, err = b.Model()
	require.ErrorContains(t, err, "$.couplings[0].law.of: wrong length 0, a law of the kind table is of 1 coordinate")
	_, _, foreign := shafts(t)
	c.FollowLaw(law, build.Coordinate{Joint: foreign})
	_, err = b.Model()
	require.ErrorContains(t, err, `coupling "cam": a joint that is not of this builder`)
}

func TestCoupleErrors(t *testing.T) {
	b, one, _ := shafts(t)
	other, _, foreign := shafts(t)
	_ = other
	b.Couple("mixed", build.Term{Joint: one, Factor: 1}, build.Term{Joint: foreign, Factor: 1})
	b.Couple("none", build.Term{Factor: 1})
	b.Couple("zero", build.Term{Joint: one})
	_, err := b.Model()
	var at *mechanism.Error
	require.ErrorAs(t, err, &at)
	require.Equal(t, "mixed", at.Coupling)
	require.Equal(t, 0, at.CouplingIndex)
	require.ErrorContains(t, err, `coupling "mixed": a joint that is not of this builder`)
	require.ErrorContains(t, err, `coupling "none"`)
	require.ErrorContains(t, err, "$.couplings[2].terms[0].factor: is zero")
	require.NotContains(t, err.Error(), "unknown joint", "told once")
}
