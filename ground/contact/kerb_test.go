package contact_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/spatial"
)

// TestKerbBetweenPlaces: a wheel that stands 1 mm deep meets the edge of a kerb
// as sharp as a knife between the places that are looked at. The search does not
// end on the ground before it, where it is less deep than at a place on the kerb.
func TestKerbBetweenPlaces(t *testing.T) {
	const r, stand = 0.3, 1e-3
	for _, where := range []contact.Where{contact.Deepest, contact.Local} {
		shape := contact.Shape{Type: contact.Disc, Radius: r, Axis: spatial.Vec3{0, 1, 0}, Where: where}
		dst := make([]contact.Point, shape.MaxPoints())
		for _, edge := range []float64{0.05, 0.06} {
			for degrees := 12.0; degrees <= 45; degrees += 0.37 {
				sin, cos := math.Sincos(degrees * math.Pi / 180)
				c := spatial.Vec3{0, 0, r - stand}
				x, z := (r-edge)*sin, c[2]-(r-edge)*cos
				s, err := ground.Function(fmt.Sprintf("%v*(1+tanh((x-%v)/%v))", z/2, x, z/80)) // a face as steep as can be touched
				require.NoError(t, err)
				n, err := shape.PointsTo(dst, s, c, spatial.Vec3{0, 1, 0})
				require.NoError(t, err, "%v°", degrees)
				require.NotZero(t, n)
				deepest := 0.0
				for i := range n {
					deepest = max(deepest, dst[i].Depth)
				}
				require.Greater(t, deepest, 1.5*stand, "%v at %v°", edge, degrees)
				require.Less(t, deepest, 2*edge)
			}
		}
	}
}
