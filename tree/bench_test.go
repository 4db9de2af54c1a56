package tree_test

import (
	"fmt"
	"testing"

	"github.com/rung-mbd/rung/tree"
)

// benchCase is a rig at its initial state with destinations.
type benchCase struct {
	*rig
	qdd  []float64
	H, L *tree.BranchMatrix // up to 1000 bodies; H is filled
}

// run times f on a model of a family and reports the time by body.
func run(b *testing.B, family string, n int, f func(c *benchCase) error) {
	b.Run(fmt.Sprintf("model=%s/n=%d", family, n), func(b *testing.B) {
		c := &benchCase{rig: newRig(b, generate(b, family, n, 1), tree.Options{}).atInitial(b)}
		c.qdd = c.zeros()
		if n <= 1000 {
			c.H, c.L = c.plan.NewBranchMatrix(), c.plan.NewBranchMatrix()
			c.w.InertiaTo(c.H)
		}
		b.ReportAllocs()
		for b.Loop() {
			if err := f(c); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/body")
	})
}

// BenchmarkABA times a whole evaluation of forward dynamics from a maximal
// state: kinematics, loads and the articulated-body algorithm.
func BenchmarkABA(b *testing.B) {
	for _, family := range []string{"chain", "tree"} {
		for _, n := range []int{10, 100, 1000, 10000} {
			run(b, family, n, func(c *benchCase) error {
				if err := c.w.SetState(c.w.State()); err != nil {
					return err
				}
				return c.w.ForwardTo(c.qdd, nil)
			})
		}
	}
}

// BenchmarkABAFromVariables is BenchmarkABA from q and q̇.
func BenchmarkABAFromVariables(b *testing.B) {
	run(b, "chain", 1000, func(c *benchCase) error {
		if err := c.w.Set(c.q, c.qd, 0); err != nil {
			return err
		}
		return c.w.ForwardTo(c.qdd, nil)
	})
}

// BenchmarkForward times the articulated-body algorithm alone.
func BenchmarkForward(b *testing.B) {
	for _, family := range []string{"chain", "tree"} {
		run(b, family, 1000, func(c *benchCase) error { return c.w.ForwardTo(c.qdd, nil) })
	}
}

// BenchmarkRNEA times inverse dynamics alone.
func BenchmarkRNEA(b *testing.B) {
	run(b, "chain", 1000, func(c *benchCase) error {
		c.w.InverseTo(c.qdd, nil)
		return nil
	})
}

// BenchmarkCRBA times the joint-space inertia matrix at a given state.
func BenchmarkCRBA(b *testing.B) {
	for _, family := range []string{"chain", "tree"} {
		for _, n := range []int{10, 100, 1000} {
			run(b, family, n, func(c *benchCase) error {
				c.w.InertiaTo(c.H)
				return nil
			})
		}
	}
}

// BenchmarkLTL times the factorization of H, the copy of its values included.
func BenchmarkLTL(b *testing.B) {
	for _, family := range []string{"chain", "tree"} {
		for _, n := range []int{10, 100, 1000} {
			run(b, family, n, func(c *benchCase) error {
				c.H.CopyTo(c.L)
				return c.L.FactorLTDL()
			})
		}
	}
}

// BenchmarkPlan times the analysis.
func BenchmarkPlan(b *testing.B) {
	for _, family := range []string{"ladder", "random"} {
		for _, n := range []int{1000, 10000, 100000} {
			run(b, family, n, func(c *benchCase) error {
				_, err := tree.NewPlan(c.mech, tree.Options{})
				return err
			})
		}
	}
}

// BenchmarkClusters times the search for the loop clusters.
func BenchmarkClusters(b *testing.B) {
	for _, family := range []string{"ladder", "random"} {
		for _, n := range []int{1000, 10000, 100000} {
			run(b, family, n, func(c *benchCase) error {
				tree.ClustersOf(c.mech)
				return nil
			})
		}
	}
}
