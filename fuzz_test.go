package rung_test

import (
	"bytes"
	"math"
	"os"
	"testing"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
)

// FuzzAccelerate solves whatever document is a model: it ends in a result of
// finite numbers or in an error.
func FuzzAccelerate(tf *testing.F) {
	f := check.NewFuzz(tf)
	for _, name := range []string{"four-bar", "type-helical-loop", "type-universal", "type-distance", "driven-mixed", "islands", "springs", "rbda-8-3"} {
		b, err := os.ReadFile(check.ModelPath(f, name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, uint8(0))
	}
	b, err := os.ReadFile(check.Reference(f, "joints", "gear-pair.model.json"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b, uint8(1))
	f.Fuzz(func(t *testing.T, doc []byte, o uint8) {
		m, err := model.Read(bytes.NewReader(doc), "fuzz")
		if err != nil || len(m.Bodies) > 30 || len(m.Joints) > 60 {
			return
		}
		r, err := rung.Accelerate(m, rung.Options{Ordering: order.Ordering(o % 6)})
		if err != nil {
			return
		}
		if r.Constraints.Rank+r.Constraints.Redundant != r.Constraints.Rows {
			t.Fatalf("rank %d and redundant %d of %d rows", r.Constraints.Rank, r.Constraints.Redundant, r.Constraints.Rows)
		}
		for i := range r.Bodies {
			b := &r.Bodies[i]
			for k := range 3 {
				if x := b.ComAcceleration[k] + b.AngularAcceleration[k]; math.IsNaN(x) || math.IsInf(x, 0) {
					t.Fatalf("body %q: acceleration %v %v", b.Name, b.ComAcceleration, b.AngularAcceleration)
				}
			}
		}
	})
}
