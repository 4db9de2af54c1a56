package joints_test

import (
	"fmt"
	"math"

	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/spatial"
)

// A crank turned by 60 degrees whose motion is prescribed.
func ExampleSpec_EvalTo() {
	s := &joints.Spec{
		Kind:   joints.Revolute,
		Motion: &[6]*joints.Motion{joints.NewPolynomial([]float64{math.Pi / 3, 2, 0.5})},
	}
	f := &joints.Frames{
		EP:     spatial.Identity3(),
		ES:     spatial.FromAxisAngle(spatial.Vec3{0, 0, 1}, math.Pi/3).Mat(),
		OmegaS: spatial.Vec3{0, 0, 2},
	}
	var rows joints.Rows
	if err := s.EvalTo(&rows, f, 0); err != nil {
		fmt.Println(err)
		return
	}
	var q, qd [6]float64
	s.CoordinatesTo(&q, &qd, f)
	fmt.Println(rows.N, "rows, the last", rows.T[5])
	fmt.Printf("σ = %.4g, σ̇ = %.4g\n", rows.Sigma[5], rows.SigmaDot[5])
	fmt.Printf("θ = %.4g, rate %.4g\n", q[0], qd[0])
	// Output:
	// 6 rows, the last [0 0 1 0 0 0]
	// σ = 2, σ̇ = 1
	// θ = 1.047, rate 2
}
