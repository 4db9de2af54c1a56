package learn_test

import (
	"context"
	"fmt"
	"log"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/derive/learn"
	"github.com/rung-mbd/rung/mechanism"
)

// torques is a law whose parameters are the forces themselves: one force each act, with its square as the cost, and a target for the angle
// at the end.
type torques struct{ u, slope []float64 }

func (l *torques) Act(u, y []float64, k int) float64 {
	if k == len(l.u) {
		return 100 * y[0] * y[0]
	}
	u[0] = l.u[k]
	return 1e-3 * u[0] * u[0]
}

func (l *torques) Back(x, y, u, w []float64, k int) {
	if k == len(l.u) {
		x[0] += 200 * y[0]
		return
	}
	l.slope[k] = w[0] + 2e-3*u[0]
}

// The gradient of a run by the torque in each of five intervals.
func ExampleRollouts_Gradients() {
	m, err := bench.NFourBar(1, 0.4, 1)
	if err != nil {
		log.Fatal(err)
	}
	plan, err := rung.NewPlan(m, rung.Options{})
	if err != nil {
		log.Fatal(err)
	}
	r, err := learn.New(plan, m, learn.Options{
		Forces: []mechanism.Freedom{{Joint: 0}}, Observe: []string{"joint.g0.q"}, Step: 5e-3, Hold: 4, Acts: 5,
	})
	if err != nil {
		log.Fatal(err)
	}
	law, out := &torques{make([]float64, 5), make([]float64, 5)}, make([]learn.Result, 1)
	if err := r.Gradients(context.Background(), []*mechanism.State{plan.Initial()}, []learn.Law{law}, out); err != nil || out[0].Err != nil {
		log.Fatal(err, out[0].Err)
	}
	fmt.Printf("cost %.4f, slopes %.3f\n", out[0].Cost, law.slope)
	// Output: cost 372.0555, slopes [0.423 0.327 0.233 0.139 0.046]
}
