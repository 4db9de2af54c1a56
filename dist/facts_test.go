package dist_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/dist"
	"github.com/rung-mbd/rung/ground"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/sim"
)

// onRanks runs f on n ranks and returns the errors of all.
func onRanks(n int, f func(dist.Comm) error) []error {
	errs := make([]error, n)
	end := dist.Run(n, func(c dist.Comm) error {
		errs[c.Rank()] = f(c)
		return nil
	})
	if end != nil {
		errs = append(errs, end)
	}
	return errs
}

// requireRefused looks for the same DifferError on all ranks.
func requireRefused(t *testing.T, errs []error, rank int, fact string) {
	t.Helper()
	for r, err := range errs {
		var d *dist.DifferError
		require.ErrorAs(t, err, &d, "rank %d", r)
		require.Equal(t, rank, d.Rank)
		require.NotEqual(t, d.Value, d.Usual)
		require.Contains(t, d.Fact, fact)
		require.ErrorContains(t, err, fmt.Sprintf("rank %d computes something else than rank %d", d.Rank, d.Other))
	}
}

func TestAgreeOn(t *testing.T) {
	for _, c := range []struct {
		name  string
		facts [][]dist.Fact
		rank  int // that differs, −1 if none does
	}{
		{"alike", [][]dist.Fact{{{"a", "1"}, {"b", ""}}, {{"a", "1"}, {"b", ""}}}, -1},
		{"nothing", [][]dist.Fact{nil, nil}, -1},
		{"second of two", [][]dist.Fact{{{"a", "1"}}, {{"a", "2"}}}, 1},
		{"first of three", [][]dist.Fact{{{"a", "1"}}, {{"a", "2"}}, {{"a", "2"}}}, 0},
		{"a fact more", [][]dist.Fact{{{"a", "1"}}, {{"a", "1"}, {"b", "2"}}, {{"a", "1"}}}, 1},
		{"another fact", [][]dist.Fact{{{"a", "1"}}, {{"b", "1"}}, {{"a", "1"}}}, 1},
		{"longer than a number", [][]dist.Fact{{{"a fact", "0123456789abcdef"}}, {{"a fact", "0123456789abcdeg"}}}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			errs := onRanks(len(c.facts), func(r dist.Comm) error { return dist.AgreeOn(r, c.facts[r.Rank()]...) })
			if c.rank >= 0 {
				requireRefused(t, errs, c.rank, "")
				return
			}
			for _, err := range errs {
				require.NoError(t, err)
			}
		})
	}
}

// Ranks with other models or options do not compute.
func TestRanksDiffer(t *testing.T) {
	ladder := func(seed uint64, change func(*model.Model)) *model.Model {
		m, err := bench.Generate("ladder", 10, seed)
		require.NoError(t, err)
		if change != nil {
			change(m)
		}
		return m
	}
	m := ladder(1, nil)
	for _, c := range []struct {
		name  string
		other *model.Model
		o     dist.Options
		fact  string
	}{
		{"seed", ladder(2, nil), dist.Options{}, "fingerprint of bodies, joints and forces"},
		{"a mass", ladder(1, func(m *model.Model) { m.Bodies[7].Mass *= 1 + 1e-15 }), dist.Options{}, "fingerprint of bodies, joints and forces"},
		{"gravity", ladder(1, func(m *model.Model) { m.Gravity = [3]float64{0, 0, -1.62} }), dist.Options{}, "gravity"},
		{"a body", ladder(1, func(m *model.Model) {
			m.Bodies = append(m.Bodies, m.Bodies[0])
			m.Bodies[len(m.Bodies)-1].Name = "one more"
		}), dist.Options{}, "number of bodies"},
		{"a name", ladder(1, func(m *model.Model) {
			last := m.Joints[len(m.Joints)-1]
			last.Name = "renamed"
			m.Joints[len(m.Joints)-1] = last
		}), dist.Options{}, "names"},
		{"a velocity", ladder(1, func(m *model.Model) { m.Bodies[3].Velocity.Linear[0] += 1e-15 }), dist.Options{}, "initial state"},
		{"the time", ladder(1, func(m *model.Model) { m.Time = 1 }), dist.Options{}, "initial state"},
		{"Epsilon", m, dist.Options{Epsilon: 1e-9}, "option Epsilon"},
		{"Refine", m, dist.Options{Refine: true}, "option Refine"},
		{"Root", m, dist.Options{Root: func(c dist.Comm, h *dist.Held) (dist.Root, error) { return dist.NewSparseRoot(c, h) }}, "option Root"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, ranks := range []int{2, 3} {
				for _, odd := range []int{1, ranks - 1} {
					requireRefused(t, onRanks(ranks, func(r dist.Comm) error {
						mine, o := m, dist.Options{}
						if r.Rank() == odd {
							mine, o = c.other, c.o
						}
						_, err := dist.NewPlan(r, mine, o)
						return err
					}), odd, c.fact)
				}
			}
		})
	}
	// Threads make no difference to the bits, and nil is no model.
	for _, err := range onRanks(2, func(r dist.Comm) error {
		_, err := dist.NewPlan(r, m, dist.Options{Threads: 1 + r.Rank()})
		return err
	}) {
		require.NoError(t, err)
	}
	require.ErrorContains(t, dist.Run(2, func(r dist.Comm) error {
		mine := m
		if r.Rank() == 1 {
			mine = nil
		}
		_, err := dist.NewPlan(r, mine, dist.Options{})
		return err
	}), "dist: nil model")
}

// TestTerrainsDiffer: one height of many makes another model, wherever it is.
func TestTerrainsDiffer(t *testing.T) {
	rover := func(height float64) *model.Model {
		m, err := bench.Generate("rover", 1, 1)
		require.NoError(t, err)
		g := m.Terrains[0]
		g.Interpolation, g.Surface, g.Heights = ground.Linear, nil, make([][]float64, 100)
		for i := range g.Heights {
			g.Heights[i] = make([]float64, 100)
		}
		g.Heights[3][8] = height
		m.Terrains = []model.Terrain{g}
		return m
	}
	requireRefused(t, onRanks(2, func(c dist.Comm) error {
		_, err := dist.NewPlan(c, rover(0.5*float64(c.Rank())), dist.Options{})
		return err
	}), 1, "fingerprint of bodies, joints and forces")
}

// Pieces that are not of one model are refused where they meet.
func TestPiecesDiffer(t *testing.T) {
	m, err := bench.Generate("ladder", 12, 1)
	require.NoError(t, err)
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	part := dist.Partition(mech, 2)
	for _, c := range []struct {
		name   string
		change func(p *dist.Piece)
		want   string
	}{
		{"none", func(*dist.Piece) {}, ""},
		{"gravity", func(p *dist.Piece) { p.Model.Gravity[0] = 1 }, "gravity"},
		{"time", func(p *dist.Piece) { p.Model.Time = 1 }, "time"},
		{"a body of the halo", func(p *dist.Piece) { p.Model.Bodies[p.Own].Mass *= 2 }, "with its bodies"},
		{"a joint", func(p *dist.Piece) {
			for j := range p.Model.Joints {
				p.Model.Joints[j].Limits = nil
				f := &p.Model.Joints[j].SuccessorFrame
				f.Position[0] += 1e-9
			}
		}, "with its bodies"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, err := range onRanks(2, func(r dist.Comm) error {
				p, err := dist.Cut(m, part, r.Rank())
				require.NoError(t, err)
				if r.Rank() == 1 {
					c.change(p)
				}
				_, err = dist.NewPlanOf(r, p, dist.Options{})
				return err
			}) {
				if c.want == "" {
					require.NoError(t, err)
				} else {
					require.ErrorContains(t, err, c.want)
				}
			}
		})
	}
}

// A state that is not the one of the other ranks is refused with its body, and a later one is solved.
func TestStatesDiffer(t *testing.T) {
	m, err := bench.Generate("ladder", 30, 1)
	require.NoError(t, err)
	for _, ranks := range []int{2, 4} {
		for odd := range ranks {
			require.NoError(t, dist.Run(ranks, func(r dist.Comm) error {
				p, err := dist.NewPlan(r, m, dist.Options{})
				if err != nil {
					return err
				}
				s, err := p.NewSolver()
				if err != nil {
					return err
				}
				halo := p.Piece().Own
				name := p.Mechanism().BodyName(halo)
				for _, c := range []struct {
					change func(*mechanism.State)
					want   string
				}{
					{func(st *mechanism.State) { st.Bodies[halo].Position[0] += 1e-15 }, "its pose or velocity is not the one on rank"},
					{func(st *mechanism.State) { st.Bodies[halo].Omega[2] -= 1 }, "its pose or velocity is not the one on rank"},
					{func(st *mechanism.State) { st.Time = 1 }, "the time, s, is "},
					{func(st *mechanism.State) {}, ""},
				} {
					st := p.Mechanism().Initial()
					if r.Rank() == odd {
						c.change(st)
					}
					switch err := s.Solve(st); {
					case c.want == "" && err != nil:
						return err
					case c.want == "":
					case err == nil:
						return fmt.Errorf("rank %d: no error", r.Rank())
					default:
						require.ErrorContains(t, err, c.want)
						if r.Rank() == odd && c.want[0] == 'i' {
							require.ErrorContains(t, err, name)
						}
					}
				}
				return nil
			}))
		}
	}
}

// Ranks that begin other runs are refused.
func TestRunsDiffer(t *testing.T) {
	m, err := bench.Generate("ladder", 12, 1)
	require.NoError(t, err)
	for _, c := range []struct {
		name        string
		step, until float64
		want        string
	}{
		{"alike", 1e-3, 0.01, ""},
		{"step", 2e-3, 0.01, "method and options"},
		{"end", 1e-3, 0.02, "the end of the run"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, err := range onRanks(3, func(r dist.Comm) error {
				p, err := dist.NewPlan(r, m, dist.Options{})
				if err != nil {
					return err
				}
				s, err := p.NewSolver()
				if err != nil {
					return err
				}
				step, until := 1e-3, 0.01
				if r.Rank() == 2 {
					step, until = c.step, c.until
				}
				mech := p.Mechanism()
				return sim.New(mech, sim.NewRungeKutta(mech, s, sim.RungeKutta4(), sim.Tolerance{}), mech.Initial(), sim.Options{Projector: sim.NoProjector, Step: step}).Run(until)
			}) {
				if c.want == "" {
					require.NoError(t, err)
				} else {
					require.ErrorContains(t, err, c.want)
				}
			}
		})
	}
}
