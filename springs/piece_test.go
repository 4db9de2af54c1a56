package springs_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/rung-mbd/rung/springs"
)

// TestPieces: pieces change exactly where the slope of the force jumps.
func TestPieces(t *testing.T) {
	at, forces := []float64{-1, 0, 1, 2}, []float64{-3, 0, 1, 4}
	for _, interpolation := range []springs.Interpolation{springs.Monotone, springs.Spline, springs.Linear} {
		for _, outside := range []springs.Outside{springs.Tangent, springs.Level} {
			table := (&springs.Law{At: at, Forces: forces, Interpolation: interpolation, Outside: outside}).Prepared()
			for damper, l := range map[bool]*springs.Laws{false: {Spring: table}, true: {Damper: table}} {
				of := func(x float64) (piece int, slope float64) {
					if damper {
						_, _, slope, err := l.At(0, x)
						assert.NoError(t, err)
						return l.Piece(7, x), slope
					}
					_, slope, _, err := l.At(x, 0)
					assert.NoError(t, err)
					return l.Piece(x, 7), slope
				}
				corners := 0
				for _, x := range []float64{-5, -1, -0.5, 0, 1, 2, 5} {
					before, s0 := of(x - 1e-9)
					after, s1 := of(x + 1e-9)
					jumps := s1-s0 > 1e-6 || s0-s1 > 1e-6
					assert.Equal(t, jumps, before != after, "%v %v at %v", interpolation, outside, x)
					if jumps {
						corners++
					}
				}
				assert.Equal(t, corners > 0, l.Bent())
			}
		}
	}
	assert.False(t, (&springs.Laws{}).Bent())
}

// TestPiecesOfFormulas: pieces of a formula change where abs, min or max choose another branch.
func TestPiecesOfFormulas(t *testing.T) {
	of := func(expression string) *springs.Law {
		return (&springs.Law{Kind: springs.Function, Expression: expression}).Prepared()
	}
	assert.False(t, (&springs.Laws{Spring: of("3*x + sin(y)")}).Bent())
	l := &springs.Laws{Spring: of("max(x, 0) + abs(y - 1)"), Damper: of("min(y, x)")}
	assert.True(t, l.Bent())
	pieces := map[int]bool{}
	for _, at := range [][2]float64{{-1, 0}, {1, 0}, {-1, 2}, {3, 2}, {1, 2}, {-1, -2}} {
		pieces[l.Piece(at[0], at[1])] = true
	}
	assert.Len(t, pieces, 6)
	assert.Equal(t, l.Piece(1, 0), l.Piece(2, -0.5))
}
