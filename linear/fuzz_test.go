package linear_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/linear"
)

const (
	// longest is the largest time for a document of a few bodies.
	longest = 5 * time.Second
	// fuzzSteps is the largest number of steps of a search: faults show in single steps.
	fuzzSteps = 10
)

// FuzzEquilibrium seeks the equilibrium of documents with extreme numbers: it ends in finite
// poses or in an error.
func FuzzEquilibrium(tf *testing.F) {
	f := check.NewFuzz(tf)
	f.Limit = longest
	e := modeltest.NewExtremes(f)
	f.Fuzz(func(t *testing.T, which uint8, edits []byte) {
		m := e.Model(t, which, edits)
		if m == nil {
			return
		}
		p, err := rung.NewPlan(m, kkt.Options{})
		if err != nil {
			return
		}
		st := p.Initial()
		q, err := linear.Equilibrate(p, st, linear.EquilibriumOptions{Steps: fuzzSteps})
		if err != nil {
			mustNameItsPlace(t, err)
			return
		}
		for i := range st.Bodies {
			b := &st.Bodies[i]
			mustBeFinite(t, b.Position[:]...)
			mustBeFinite(t, b.Rotation[:]...)
		}
		mustBeFinite(t, q.Lowest, q.Travel, q.Turn, q.Unbalanced.Force.Norm(), q.Relative)
	})
}

// FuzzModes computes modes of documents with extreme numbers, by both methods and with Steady:
// they are finite, or there is an error.
func FuzzModes(tf *testing.F) {
	f := check.NewFuzz(tf)
	f.Limit = longest
	e := modeltest.NewExtremes(f)
	f.Fuzz(func(t *testing.T, which uint8, edits []byte) {
		m := e.Model(t, which, edits)
		if m == nil {
			return
		}
		p, err := rung.NewPlan(m, kkt.Options{})
		if err != nil {
			return
		}
		s := linear.NewSystem(p)
		if err := s.Linearize(p.Initial()); err != nil {
			mustNameItsPlace(t, err)
			return
		}
		for _, o := range []linear.ModeOptions{{Count: 3, Method: linear.Dense}, {Count: 3, Method: linear.Sparse}, {Count: 100, Steady: true}} {
			out, err := s.Modes(o)
			if err != nil {
				mustNameItsPlace(t, err)
				continue
			}
			for i := range out.List {
				mustBeFinite(t, real(out.List[i].Lambda), imag(out.List[i].Lambda))
				mustBeFinite(t, out.List[i].Shape...)
			}
		}
	})
}

func mustBeFinite(t *testing.T, v ...float64) {
	t.Helper()
	for _, x := range v {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			t.Fatalf("%v", v)
		}
	}
}

// mustNameItsPlace requires that an error about numbers that overflow names an element.
func mustNameItsPlace(t *testing.T, err error) {
	t.Helper()
	if errors.Is(err, linear.ErrNotFinite) && !strings.Contains(err.Error(), `"`) {
		t.Fatalf("no place: %v", err)
	}
}
