package factor_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/sparse"
	"github.com/stretchr/testify/require"
)

var ordAll = []factor.Ordering{factor.Natural, factor.LeafFirst, factor.Banded, factor.MinDegree, factor.NestedDissection}

// ordCases are graphs of every kind the orderings have to take.
func ordCases() map[string]*sparse.Pattern {
	rng := rand.New(rand.NewPCG(1, 1))
	cases := map[string]*sparse.Pattern{
		"empty":          ordPattern(0, nil),
		"body":           ordPattern(1, nil),
		"bodies":         ordPattern(3, nil),
		"world joint":    ordPattern(1, []ordJoint{ordLink(5, 0, ordWorld)}),
		"no body":        ordPattern(0, []ordJoint{{c: 3}, {c: 1}}),
		"parallel":       ordPattern(2, []ordJoint{ordLink(5, 0, 1), ordLink(3, 1, 0), ordLink(2, 0, 1), ordLink(6, 0, ordWorld)}),
		"parallel world": ordPattern(1, []ordJoint{ordLink(5, 0, ordWorld), ordLink(1, 0, ordWorld), ordLink(1, 0, ordWorld)}),
		"three bodies":   ordPattern(4, []ordJoint{ordLink(5, 0, 1, 2), ordLink(3, 3, 2), ordLink(3, 3, 2)}),
		"chain":          ordChain(40, false),
		"closed chain":   ordChain(300, true),
		"ladder":         ordLadder(200),
		"grid":           ordGrid(25),
		"star":           ordStar(500, 0, 0),
		"petals":         ordStar(60, 1, 0),
		"wheel":          ordStar(60, 3, 30),
	}
	for k := range 8 {
		n := 1 + rng.IntN(120)
		cases[fmt.Sprintf("tree %d", k)] = ordTree(n, rng)
		cases[fmt.Sprintf("sparse %d", k)] = ordRandom(n, n, 2, 0, rng)
		cases[fmt.Sprintf("dense %d", k)] = ordRandom(n, 2*n, 2, 0, rng)
		cases[fmt.Sprintf("local %d", k)] = ordRandom(10*n, 13*n, 2, 4, rng)
		cases[fmt.Sprintf("gears %d", k)] = ordRandom(n, n, 5, 6, rng)
	}
	return cases
}

func TestOrderObeysTileRule(t *testing.T) {
	for name, p := range ordCases() {
		for _, o := range ordAll {
			t.Run(name+"/"+o.String(), func(t *testing.T) {
				perm := factor.Order(p, o)
				require.NoError(t, factor.CheckTileRule(p, perm))
				require.Equal(t, perm, factor.Order(p, o), "deterministic")
			})
		}
	}
}
