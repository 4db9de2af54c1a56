package adjoint_test

import (
	"context"
	"fmt"
	"log"

	"github.com/rung-mbd/rung/derive/adjoint"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sim"
)

// fall is a body that falls: c̈ = (0, 0, −g), with g as the parameter.
type fall struct {
	g      float64
	height float64
}

// height is the function that is differentiated: the height of the body.
type height struct{}

func (f *fall) At(a []float64, st *mechanism.State) error {
	clear(a)
	a[5] = -f.g
	f.height = st.Bodies[0].Position[2]
	return nil
}

func (f *fall) PullTo(x, p, w []float64, of *height, scale float64) (float64, error) {
	p[0] -= w[5]
	if of == nil {
		return 0, nil
	}
	x[5] += scale // the z coordinate of the centre of mass
	return f.height, nil
}

// A body is thrown up at 5 m/s. After a second it is at 5 − g/2, which changes by −1/2 with g, by 1 with the height
// of the start, and by 1 s with the velocity there.
func Example() {
	mech, err := mechanism.New(&model.Model{Bodies: []model.Body{{Name: "ball", Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}}}})
	if err != nil {
		log.Fatal(err)
	}
	const g = 9.81
	tape := adjoint.NewTape(mech)
	for i := range 5 {
		st, t := mech.Initial(), float64(i)/4
		st.Time = t
		st.Bodies[0].Position[2], st.Bodies[0].Velocity[2] = 5*t-g*t*t/2, 5-g*t
		if err := tape.Add(st); err != nil {
			log.Fatal(err)
		}
	}
	tab := sim.RungeKutta4()
	fields := make([]adjoint.Field[height], len(tab.B))
	for i := range fields {
		fields[i] = &fall{g: g}
	}
	back := []adjoint.Gradient{{Parameters: make([]float64, 1)}}
	err = adjoint.NewSweep(mech, tab, fields).Run(context.Background(), tape, []adjoint.Objective[height]{{Final: &height{}}}, back)
	b := &back[0]
	fmt.Printf("%.3f m, by g %.3f, by the start %.3f and %.3f; %v\n", b.Final, b.Parameters[0], b.Start[5], b.Start[11], err)
	// Output: 0.095 m, by g -0.500, by the start 1.000 and 1.000; <nil>
}
