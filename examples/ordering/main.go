// Command ordering factors the system of a net in an elimination order of its own, a sweep from left to right, and
// compares it with the orders of the library.
package main

import (
	"cmp"
	"fmt"
	"log"
	"math"
	"slices"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/assemble"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/factor"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
)

// sweep returns the nodes of the system, bodies and joints, from left to right: the bodies by where they are, each
// followed by the joints whose bodies are all there by then. So a joint is never eliminated before its bodies, which
// keeps the rule that order.CheckTileRule looks at.
func sweep(l *assemble.Layout, st *mechanism.State) []int32 {
	mech := l.Mech
	bodies := make([]int, mech.NumBodies())
	for i := range bodies {
		bodies[i] = i
	}
	slices.SortStableFunc(bodies, func(a, b int) int {
		return cmp.Compare(st.Bodies[a].Position[0], st.Bodies[b].Position[0])
	})
	rank := make([]int, len(bodies)) // of each body
	for r, i := range bodies {
		rank[i] = r
	}
	after := make([][]int32, len(bodies)) // the joints that come after a body
	for j := range mech.Joints {
		last := -1
		for _, b := range []int32{mech.Joints[j].Pred, mech.Joints[j].Succ} {
			if b != mechanism.World && (last < 0 || rank[b] > rank[last]) {
				last = int(b)
			}
		}
		if node := l.JointNode(j); node >= 0 {
			after[last] = append(after[last], int32(node))
		}
	}
	var perm []int32
	for _, i := range bodies {
		perm = append(append(perm, int32(i)), after[i]...)
	}
	return perm
}

// solve returns the accelerations of the bodies, six numbers each, by a factorization in the order perm.
func solve(l *assemble.Layout, perm []int32, st *mechanism.State) ([]float64, error) {
	system, numeric := l.NewWeighted(), factor.Analyze(l.Pattern, perm).NewFactor()
	if err := system.FillTo(st); err != nil {
		return nil, err
	}
	if err := numeric.Factorize(system.Matrix, system.Scale, kkt.DefaultEpsilon, factor.WhereWeak); err != nil {
		return nil, err
	}
	x, r := make([]float64, len(system.Right)), make([]float64, len(system.Right))
	numeric.SolveRefinedTo(x, r, system.Right, system.Matrix, system.FreeSize())
	a := make([]float64, 6*l.Mech.NumBodies())
	system.AccelerationsTo(a, x)
	return a, nil
}

func run() error {
	m, err := bench.BallNet(12, 1)
	if err != nil {
		return err
	}
	plan, err := rung.NewPlan(m, rung.Options{})
	if err != nil {
		return err
	}
	l, st := plan.Layout(), plan.Initial()
	own := sweep(l, st)
	if err := order.CheckTileRule(l.Pattern, own); err != nil {
		return err
	}
	for _, o := range order.All() {
		c := factor.CountOrder(l.Pattern, order.Of(l.Pattern, o))
		fmt.Printf("%-17s %6d numbers %9d flops\n", o, c.NonZeros, c.Flops)
	}
	c := factor.CountOrder(l.Pattern, own)
	fmt.Printf("%-17s %6d numbers %9d flops\n", "sweep", c.NonZeros, c.Flops)

	a, err := solve(l, own, st)
	if err != nil {
		return err
	}
	solver := plan.NewSolver()
	if err := solver.Solve(st); err != nil {
		return err
	}
	want := make([]float64, len(a))
	solver.AccelerationsTo(want)
	size, off := 0.0, 0.0
	for i := range a {
		size, off = max(size, math.Abs(want[i])), max(off, math.Abs(a[i]-want[i]))
	}
	fmt.Printf("difference from the library's accelerations: %.9f of the largest, by hand 0\n", off/size)
	return nil
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
