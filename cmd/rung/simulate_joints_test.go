package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/cmd/rung/internal/simulate"
	"github.com/rung-mbd/rung/door/answers"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/results"
	"github.com/rung-mbd/rung/spatial"
)

// leg writes a leg that swings from a bent knee, which has a stop, with
// friction in the knee and a bearing in the hip, and returns the path.
func leg(t *testing.T, change func(m *model.Model)) string {
	t.Helper()
	b := rung.NewBuilder("leg").Gravity(0, -9.81, 0)
	z, hip := spatial.Vec3{0, 0, 1}, spatial.Vec3{}
	at := func(from spatial.Vec3, length, angle float64) spatial.Vec3 {
		return from.Add(spatial.Vec3{length * math.Sin(angle), -length * math.Cos(angle)})
	}
	middle := at(hip, 0.45, 0.9)
	upper := b.Rod("thigh", 7, 0.06, hip, middle)
	lower := b.Rod("shank", 4, 0.04, middle, at(middle, 0.42, -0.3))
	b.Revolute("hip", rung.World, upper, hip, z)
	b.Revolute("knee", upper, lower, middle, z)
	m, err := b.Model()
	require.NoError(t, err)
	m.Joints[0].Friction = []model.Friction{{Coefficient: 0.1, Radius: 0.02}}
	m.Joints[1].Friction = []model.Friction{{Force: 0.3, Hold: contact.Hold{Travel: 0.002, Damping: 0.5}}}
	m.Joints[1].Limits = []*model.Limit{{Lower: -2.5, Upper: 0.5, Stop: model.Stop{
		Normal: contact.Normal{Stiffness: 2000, Dissipation: 0.1}, Restitution: 0.4, ImpactSpeed: 0.5,
	}}}
	if change != nil {
		change(m)
	}
	path := filepath.Join(t.TempDir(), "leg.json")
	file, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, model.Write(file, m))
	require.NoError(t, file.Close())
	return path
}

// TestSimulateJoints: a run with impulses, bristles and bearings has their forces in its columns, its events in their
// file and its energy in balance, and goes on byte for byte.
func TestSimulateJoints(t *testing.T) {
	check.Long(t)
	path, dir := leg(t, nil), t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	integrators := []string{"dopri5", "generalized-alpha"}
	for _, integrator := range integrators {
		args := []string{"--until", "1.5", "--every", "0.01", "--integrator", integrator}
		var s simulate.Simulation
		whole := append(append([]string{"simulate", path}, args...), "--out", at("whole.csv"), "--events", at("whole-events.csv"), "--json")
		require.NoError(t, json.Unmarshal([]byte(ok(t, whole...)), &s))
		require.NotNil(t, s.Energy.Joints)
		require.NotNil(t, s.Energy.Balance)
		assert.Nil(t, s.Energy.Contacts)
		assert.Greater(t, *s.Energy.Joints, 0.5)
		near := 1e-5
		if integrator != "dopri5" {
			near = 1e-3
		}
		assert.InDelta(t, 0, *s.Energy.Balance, near**s.Energy.Joints, integrator)
		assert.Positive(t, s.Impacts)
		assert.Empty(t, s.Warnings)

		kept := append(append([]string{"--checkpoint", at(integrator + ".ckpt")}, args...), "--out", at("part.csv"), "--events", at("part-events.csv"))
		stopped(t, 60, path, kept...)
		kept = append(kept, "--resume")
		stopped(t, 40, path, kept...)
		ok(t, append([]string{"simulate", path}, kept...)...)
		for _, name := range []string{".csv", "-events.csv"} {
			assert.Equal(t, readText(t, at("whole"+name)), readText(t, at("part"+name)), name)
		}
		events := readText(t, at("whole-events.csv"))
		assert.Contains(t, events, ",knee.0,impact\n")
		assert.EqualValues(t, s.Impacts, strings.Count(events, ",impact\n"))
		columns, rows := readTrajectory(t, readText(t, at("whole.csv")))
		n := len(columns)
		require.Equal(t, []string{"hip.0.friction", "knee.0.stop", "knee.0.friction"}, columns[n-3:])
		most := 0.0
		for _, row := range rows {
			assert.LessOrEqual(t, math.Abs(row[n-1]), 0.31*2)
			most = max(most, math.Abs(row[n-3]))
		}
		assert.Greater(t, most, 0.1*0.02*11*9.81)
	}
	r := rungRun("simulate", path, "--until", "0.1", "--out", at("x.csv"))
	assert.Contains(t, strings.Join(strings.Fields(r.Err), " "), "stops and friction of joints took")
	r = rungRun("simulate", path, "--until", "1", "--contacts", at("c.csv"))
	assert.Equal(t, 2, r.Status)
	assert.Contains(t, r.Err, "the model has no contact")
}

// TestBeyondLimits: freedoms beyond their limits at the start are told
// by accel, analyze and simulate, with and without a stop.
func TestBeyondLimits(t *testing.T) {
	for _, stop := range []bool{false, true} {
		path := leg(t, func(m *model.Model) {
			l := &model.Limit{Lower: 0.2, Upper: 0.5}
			if stop {
				l.Stop.Stiffness = 100
			}
			m.Joints[1].Limits = []*model.Limit{l}
		})
		var r rung.Result
		require.NoError(t, json.Unmarshal([]byte(ok(t, "accel", path, "--json")), &r))
		require.Len(t, r.BeyondLimits, 1)
		l := r.BeyondLimits[0]
		assert.Equal(t, results.BeyondLimit{Joint: "knee", Coordinate: l.Coordinate, Limit: 0.2, Stop: stop}, l)
		assert.Less(t, l.Coordinate, 0.2)
		text := "freedom 0 of joint knee is at "
		for _, command := range [][]string{{"accel", path}, {"accel", path, "--method", "tree-direct"}, {"analyze", path}} {
			assert.Contains(t, strings.Join(strings.Fields(ok(t, command...)), " "), text)
		}
		var a answers.Analysis
		require.NoError(t, json.Unmarshal([]byte(ok(t, "analyze", path, "--json")), &a))
		assert.Equal(t, r.BeyondLimits, a.BeyondLimits)
		s := rungRun("simulate", path, "--until", "0.01", "--out", filepath.Join(t.TempDir(), "x.csv"))
		assert.Contains(t, strings.Join(strings.Fields(s.Err), " "), text)
		assert.Equal(t, !stop, strings.Contains(s.Err, "no stop"))
	}
}

// TestBearingsOfRedundantJoints: friction of a reaction that redundant joints leave undetermined is refused with the
// joint; rung analyze, which says what is undetermined, works.
func TestBearingsOfRedundantJoints(t *testing.T) {
	path := leg(t, func(m *model.Model) {
		second := m.Joints[0]
		second.Name, second.Friction = "second", nil
		second.PredecessorFrame.Position[2], second.SuccessorFrame.Position[2] = second.PredecessorFrame.Position[2]+0.1, second.SuccessorFrame.Position[2]+0.1
		m.Joints = append(m.Joints, second)
	})
	for _, command := range [][]string{{"accel", path}, {"accel", path, "--method", "tree-lambda"}, {"simulate", path, "--until", "1"}} {
		r := rungRun(command...)
		assert.Equal(t, 1, r.Status)
		assert.Contains(t, r.Err, "joint \"hip\"", r.Err)
		assert.Contains(t, r.Err, "reaction that is not unique")
	}
	assert.Contains(t, ok(t, "analyze", path), "5 rows")
}

// TestModesAtEdge: a stop at the edge of touching is told, one with an exponent above 1 and one in the air are not.
func TestModesAtEdge(t *testing.T) {
	for _, c := range []struct {
		lower, exponent float64
		told            bool
	}{{0, 1, true}, {0, 1.5, false}, {-0.1, 1, false}} {
		path := leg(t, func(m *model.Model) {
			for i := range m.Joints {
				m.Joints[i].Friction = nil
			}
			l := &model.Limit{Lower: c.lower, Upper: 1}
			l.Stop.Stiffness, l.Stop.Exponent = 100, c.exponent
			m.Joints[1].Limits, m.Joints[1].Stiffness = []*model.Limit{l}, []float64{10}
		})
		r := rungRun("modes", path, "--json")
		require.Zero(t, r.Status, r.Err)
		var modes answers.Modes
		require.NoError(t, json.Unmarshal([]byte(r.Out), &modes))
		assert.Equal(t, c.told, len(modes.Edges) > 0)
		assert.Equal(t, c.told, strings.Contains(r.Err, `stop "knee.0" is at the edge of touching`))
	}
}
