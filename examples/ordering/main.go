// Command ordering factors the system of a dome of rods in an elimination order of its own, from the crown down to the
// ground, compares this order with the orders of the library, and simulates the fall of the dome with it.
package main

import (
	"cmp"
	"fmt"
	"log"
	"math"
	"slices"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// dome returns half a sphere of rods along meridians and rings, on ball joints. It has no diagonals, so that the sideways component of
// its gravity makes it fall.
func dome(rings, meridians int) (*model.Model, error) {
	b := rung.NewBuilder("dome").Gravity(3, 0, -9.81)
	node := func(ring, meridian int) spatial.Vec3 {
		up, around := math.Pi/2*float64(ring)/float64(rings+1), 2*math.Pi*float64(meridian)/float64(meridians)
		return spatial.Vec3{math.Cos(up) * math.Cos(around), math.Cos(up) * math.Sin(around), math.Sin(up)}.Scale(10)
	}
	hubs := map[[2]int]rung.Body{} // by node: the rod to which the other rods there are joined
	rod := func(name string, ends ...[2]int) {
		r := b.Rod(name, 20, 0.05, node(ends[0][0], ends[0][1]), node(ends[1][0], ends[1][1]))
		for k, e := range ends {
			hub, found := hubs[e]
			if e[0] == 0 {
				hub, found = rung.World, true
			}
			if found {
				b.Spherical(fmt.Sprint(name, "-", k), hub, r, node(e[0], e[1]))
			} else {
				hubs[e] = r
			}
		}
	}
	for i := range rings {
		for k := range meridians {
			rod(fmt.Sprint("meridian-", i, "-", k), [2]int{i, k}, [2]int{i + 1, k})
		}
		for k := range meridians {
			rod(fmt.Sprint("ring-", i, "-", k), [2]int{i + 1, k}, [2]int{i + 1, (k + 1) % meridians})
		}
	}
	return b.Model()
}

// main prints the size and work of the factor in each order of the library and in its own order, shows an order that is refused, and
// compares two falls, in its own order and in the library's.
func main() {
	m := must(dome(8, 12))
	library := must(rung.NewPlan(m, rung.Options{}))
	st := library.Initial()
	down := make([]int32, len(st.Bodies)) // numbers of the bodies from the crown to the ground
	for i := range down {
		down[i] = int32(i)
	}
	slices.SortStableFunc(down, func(a, b int32) int {
		return -cmp.Compare(st.Bodies[a].Position[2], st.Bodies[b].Position[2])
	})
	pattern := library.Layout().Pattern
	own := must(rung.NewPlan(m, rung.Options{Order: order.OfBodies(pattern, down)}))
	for _, o := range order.All() {
		show(o, factor.CountOrder(pattern, order.Of(pattern, o)))
	}
	show(own.Ordering(), own.Counts())

	// Joints and bodies may be in any sequence that obeys the tile rule (order.CheckTileRule). This one begins with a joint, which the
	// rule forbids.
	wrong := own.Order()
	k := slices.Index(wrong, int32(library.Layout().JointNode(0)))
	wrong[0], wrong[k] = wrong[k], wrong[0]
	_, err := rung.NewPlan(m, rung.Options{Order: wrong})
	fmt.Println("refused:", err)

	var moved [2]float64
	for i, p := range []*rung.Plan{own, library} {
		s := must(rung.NewSimulation(p, rung.SimulationOptions{}))
		must(0, s.Run(0.1))
		moved[i] = s.State().Bodies[down[0]].Position.Sub(st.Bodies[down[0]].Position).Norm()
	}
	fmt.Printf("way of the crown in 0.1 s: %.8f m, by hand %.8f m\n", moved[0], moved[1])
}

// show prints the numbers in a factor and the flops of a factorization.
func show(o order.Ordering, c factor.Counts) {
	fmt.Printf("%-17s %7d numbers %9d flops\n", o, c.NonZeros, c.Flops)
}

// must returns the value, or ends the process if err is not nil.
func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
