package live

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/scene"
	"github.com/rung-mbd/rung/spatial"
)

// Pages returns the number of pages of s.
func Pages(s *Session) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.pages {
		if p != nil {
			n++
		}
	}
	return n
}

// clock is a clock that stands still until it is moved.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

// newTest returns a session with a page that looks and reads nothing, and its clock, which passes no time while it steps.
func newTest(t testing.TB, m *model.Model, o Options) (*Session, *clock) {
	t.Helper()
	plan, err := rung.NewPlan(m, rung.Options{})
	require.NoError(t, err)
	center, _ := scene.New(plan.Mechanism(), scene.Options{}).Bounds(plan.Initial())
	c := &clock{time.Unix(1e9, 0)}
	o.now = c.now
	s, err := NewSession(plan, plan.Initial(), center, o)
	require.NoError(t, err)
	p := s.enter(func() {})
	s.look(p, true)
	return s, c
}

// Wild plays with a mechanism: every tenth of a second another body is pulled to some place within reach.
func Wild(t *testing.T, m *model.Model, until float64) {
	t.Helper()
	s, c := newTest(t, m, Options{})
	r := rand.New(rand.NewPCG(1, 2))
	size := 2.0
	for k := 0; s.sim.State().Time-s.base < until; k++ {
		c.at = c.at.Add(frameTime)
		if n := s.mech.NumBodies(); k%6 == 0 && n > 0 {
			i := r.IntN(n)
			at := s.shown.Bodies[i].Position.Sub(s.center)
			to := at.Add(spatial.Vec3{r.Float64() - 0.5, r.Float64() - 0.5, r.Float64() - 0.5}.Scale(size))
			s.apply(&Message{Type: "pull", Body: i, Vector: to, page: s.pages[0]})
		}
		s.tick()
		require.Empty(t, s.failure, "at %g s", s.sim.State().Time)
		if k > int(until*60*20) {
			t.Fatalf("%g s after %d frames", s.sim.State().Time, k)
		}
	}
	if s.method.rattle != nil {
		t.Logf("%s: %+v", s.method.text, s.method.rattle.Stats())
	}
}
