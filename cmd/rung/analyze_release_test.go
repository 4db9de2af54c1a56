package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/mobility"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// axisTol is rounding in some products of unit quaternions.
const axisTol = 1e-14

// flatJoint adds to m a joint between bodies a and b, −1 the world, at the point at of
// the xy plane: axis z, but in the plane for prismatic joints.
func flatJoint(m *model.Model, rng *rand.Rand, kind model.JointType, a, b int, at spatial.Vec3) {
	axes := spatial.FromAxisAngle(spatial.Vec3{0, 0, 1}, 2*math.Pi*rng.Float64())
	if kind == model.Prismatic {
		axes = axes.Mul(spatial.FromAxisAngle(spatial.Vec3{1, 0, 0}, math.Pi/2))
	}
	j := model.Joint{Name: fmt.Sprintf("j%d", len(m.Joints)), Type: kind}
	for _, end := range []struct {
		body  int
		name  *string
		frame *model.Pose
	}{{a, &j.Predecessor, &j.PredecessorFrame}, {b, &j.Successor, &j.SuccessorFrame}} {
		*end.name = model.World
		pose := model.Pose{Orientation: spatial.IdentityQuat()}
		if end.body >= 0 {
			*end.name, pose = m.Bodies[end.body].Name, m.Bodies[end.body].Pose
		}
		q := spatial.Quat(pose.Orientation).Conj()
		*end.frame = model.Pose{
			Position: q.Rotate(at.Sub(spatial.Vec3(pose.Position))), Orientation: q.Mul(axes).Normalize(),
		}
	}
	m.Joints = append(m.Joints, j)
}

// flatModel returns a random mechanism that moves in the xy plane, with loops.
func flatModel(seed uint64) *model.Model {
	rng := rand.New(rand.NewPCG(1, seed))
	m := model.New(fmt.Sprintf("flat-%d", seed))
	point := func() spatial.Vec3 { return spatial.Vec3{4*rng.Float64() - 2, 4*rng.Float64() - 2, 0} }
	kinds := []model.JointType{
		model.Revolute, model.Revolute, model.Spherical, model.Prismatic, model.Cylindrical, model.Planar, model.SphereInCylinder, model.Fixed,
	}
	n := 1 + rng.IntN(4)
	for i := range n {
		m.Bodies = append(m.Bodies, model.Body{
			Name: fmt.Sprintf("b%d", i), Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1},
			Pose: model.Pose{Position: point(), Orientation: spatial.FromAxisAngle(spatial.Vec3{0, 0, 1}, 2*math.Pi*rng.Float64())},
		})
		flatJoint(m, rng, kinds[rng.IntN(4)], rng.IntN(i+1)-1, i, point())
	}
	for range 1 + rng.IntN(2) {
		b := rng.IntN(n)
		flatJoint(m, rng, kinds[rng.IntN(len(kinds))], rng.IntN(b+1)-1, b, point())
	}
	return m
}

// typedIn returns the document of m with the releases of a written into it: type
// and frames as the analysis has them, and nothing else but that what belongs to
// the freedoms and the shape of the old type is left out.
func typedIn(t *testing.T, m *model.Model, a *analysis) string {
	t.Helper()
	var doc bytes.Buffer
	require.NoError(t, model.Write(&doc, m))
	var fields map[string]any
	require.NoError(t, json.Unmarshal(doc.Bytes(), &fields))
	by := map[string]release{}
	for _, r := range a.Release {
		by[r.Joint] = r
	}
	for _, x := range fields["joints"].([]any) {
		j := x.(map[string]any)
		r, found := by[j["name"].(string)]
		if !found {
			continue
		}
		require.Equal(t, r.Type, j["type"])
		j["type"] = r.Suggest
		if r.PredecessorFrame != nil {
			j["predecessor_frame"] = r.PredecessorFrame
		}
		if r.SuccessorFrame != nil {
			j["successor_frame"] = r.SuccessorFrame
		}
		for _, k := range []string{"pitch", "length", "force", "stiffness", "damping", "rest", "turns"} {
			delete(j, k)
		}
	}
	out, err := json.Marshal(fields)
	require.NoError(t, err)
	return string(out)
}

// TestReleaseTypedIn writes the releases into the models and finds what they
// claim: rows, rank, redundancy and mobility.
func TestReleaseTypedIn(t *testing.T) {
	var models []*model.Model
	for _, name := range goldenNames(t) {
		m, err := rung.Open(golden(name))
		require.NoError(t, err)
		models = append(models, m)
	}
	for seed := range uint64(120) {
		models = append(models, flatModel(seed))
	}
	for _, family := range []string{"nfourbar", "revolute-net"} {
		m, err := bench.Generate(family, 4, 1)
		require.NoError(t, err)
		models = append(models, m)
	}
	released, turned, complete := 0, 0, 0
	for _, m := range models {
		var doc bytes.Buffer
		require.NoError(t, model.Write(&doc, m))
		r := rungWith(doc.String(), "analyze", "-", "--json")
		require.Equal(t, exitDone, r.status, "%s: %s", m.Name, r.err)
		var a analysis
		require.NoError(t, json.Unmarshal([]byte(r.out), &a))
		if a.Constraints.Redundant == 0 {
			assert.Empty(t, a.Release, m.Name)
			continue
		}
		assert.Equal(t, a.VariableMobility.RankNearby, a.Released.Rank, m.Name)
		loose := typedIn(t, m, &a)

		// At the pose where the releases were checked.
		plan, err := rung.NewPlan(m, rung.Options{})
		require.NoError(t, err)
		n, err := mobility.Compare(plan, plan.Initial())
		require.NoError(t, err)
		now, err := model.Read(strings.NewReader(loose), m.Name)
		require.NoError(t, err, m.Name)
		rank, rows, err := rankOf(now, n.At)
		require.NoError(t, err)
		left := sum(rows)
		assert.Equal(t, a.Released, releasedCounts{Rows: rank + left, Rank: rank, Redundant: left, Mobility: 6*len(m.Bodies) - rank}, m.Name)

		// At that of the document, by the command.
		if !a.VariableMobility.Varies {
			r = rungWith(loose, "analyze", "-", "--json")
			require.Equal(t, exitDone, r.status, "%s: %s", m.Name, r.err)
			var b analysis
			require.NoError(t, json.Unmarshal([]byte(r.out), &b))
			c := b.Constraints
			assert.Equal(t, a.Released, releasedCounts{c.Rows, c.Rank, c.Redundant, c.Mobility}, m.Name)
			assert.Equal(t, a.Constraints.Mobility, c.Mobility, m.Name)
		}
		for _, l := range a.Release {
			released++
			if l.PredecessorFrame != nil {
				turned++
			}
		}
		if a.Released.Redundant == 0 {
			complete++
		}
	}
	t.Logf("%d models, %d joints released, %d turned, %d complete", len(models), released, turned, complete)
	assert.Greater(t, released, 150)
	assert.Greater(t, turned, 20)
	assert.Greater(t, complete, 60)
}

// TestReleasePrefersFrames turns no frame where releases with the joints' own frames
// leave nothing redundant. In some mechanisms a search that may turn them does so.
func TestReleasePrefersFrames(t *testing.T) {
	turned := func(joints []int) bool { return sum(joints) > 0 }
	preferred := 0
	for seed := range uint64(200) {
		m := flatModel(seed)
		plan, err := rung.NewPlan(m, rung.Options{})
		require.NoError(t, err)
		r := releaser{m: *m, st: plan.Initial(), trials: releaseTrials}
		r.rank, r.rows, err = rankOf(m, r.st)
		require.NoError(t, err)
		own, err := r.search(false)
		require.NoError(t, err)
		require.False(t, turned(own.turns))
		if sum(own.rows) > 0 {
			continue
		}
		out, err := findReleases(m, r.st)
		require.NoError(t, err)
		for _, l := range out.list {
			assert.Nil(t, l.PredecessorFrame, "%s, %s", m.Name, l.Joint)
			assert.Nil(t, l.SuccessorFrame, "%s, %s", m.Name, l.Joint)
		}
		free, err := r.search(true)
		require.NoError(t, err)
		if turned(free.turns) {
			preferred++
		}
	}
	assert.Positive(t, preferred)
}

// TestReleaseKeepsFrames compares a hinge and a ball on one body, which cannot move
// in the plane: the ball has to lose a row in the plane, which no type with z across
// the plane does. With the ball's z in the plane its frames stay.
func TestReleaseKeepsFrames(t *testing.T) {
	for _, stay := range []bool{false, true} {
		rng := rand.New(rand.NewPCG(1, 1))
		m := model.New("held")
		m.Bodies = []model.Body{{Name: "b", Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}, Pose: model.Pose{Orientation: spatial.IdentityQuat()}}}
		flatJoint(m, rng, model.Revolute, -1, 0, spatial.Vec3{})
		flatJoint(m, rng, model.Spherical, -1, 0, spatial.Vec3{1, 0.5, 0})
		if stay {
			for _, f := range []*model.Pose{&m.Joints[1].PredecessorFrame, &m.Joints[1].SuccessorFrame} {
				f.Orientation = spatial.FromAxisAngle(spatial.Vec3{1, 0, 0}, math.Pi/2)
			}
		}
		var doc bytes.Buffer
		require.NoError(t, model.Write(&doc, m))
		r := rungWith(doc.String(), "analyze", "-", "--json")
		require.Equal(t, exitDone, r.status, r.err)
		var a analysis
		require.NoError(t, json.Unmarshal([]byte(r.out), &a))
		assert.Equal(t, releasedCounts{Rows: 6, Rank: 6, Redundant: 0, Mobility: 0}, a.Released)
		require.Len(t, a.Release, 1)
		l := a.Release[0]
		assert.Equal(t, [2]string{"j1", "point_on_plane"}, [2]string{l.Joint, l.Suggest})

		out := rungWith(doc.String(), "analyze", "-").out
		requireColumns(t, out)
		words := strings.Join(strings.Fields(out), " ")
		if stay {
			assert.Nil(t, l.PredecessorFrame)
			assert.Nil(t, l.SuccessorFrame)
			assert.Contains(t, words, "release j1 from spherical to point_on_plane: nothing is redundant then cluster")
			continue
		}
		assert.Contains(t, words, "release j1 from spherical to point_on_plane (in both its frames x where z was, y where x was, z where y was): "+
			"nothing is redundant then; --json has the turned frames cluster")
		for i, f := range []*frame{l.PredecessorFrame, l.SuccessorFrame} {
			was := [2]model.Pose{m.Joints[1].PredecessorFrame, m.Joints[1].SuccessorFrame}[i]
			require.NotNil(t, f)
			assert.Equal(t, was.Position, f.Position)
			requireTurned(t, 1, was.Orientation, f.Orientation)
		}
	}
}

// requireTurned holds the axes of the frame now where turnText says that those of was
// were.
func requireTurned(t *testing.T, turns int, was, now spatial.Quat) {
	t.Helper()
	text := turnText(turns)
	for i, axis := range "xyz" {
		_, after, found := strings.Cut(text, string(axis)+" where ")
		require.True(t, found, text)
		var a, b spatial.Vec3
		a[i], b[after[0]-'x'] = 1, 1
		x, y := now.Rotate(a), was.Rotate(b)
		for k := range x {
			require.InDelta(t, y[k], x[k], axisTol)
		}
	}
}

// TestTurnText turns a frame again and again.
func TestTurnText(t *testing.T) {
	was := model.Joint{SuccessorFrame: model.Pose{Orientation: spatial.FromAxisAngle(spatial.Vec3{1, 2, 3}, 0.7)}}
	j := was
	for turns := 1; turns < 6; turns++ {
		(&change{0, looser{model.PointOnPlane, true}}).apply(&j)
		l := releaseOf(&was, &j, turns)
		if turns == 3 {
			assert.Empty(t, turnText(turns))
			assert.Nil(t, l.SuccessorFrame)
			continue
		}
		requireTurned(t, turns, was.SuccessorFrame.Orientation, l.SuccessorFrame.Orientation)
		requireTurned(t, turns, spatial.IdentityQuat(), l.PredecessorFrame.Orientation)
	}
}

func TestReleaseText(t *testing.T) {
	one := []release{{Joint: "a", Type: "fixed", Suggest: "revolute"}}
	for _, c := range []struct {
		list []release
		left int
		vary bool
		want string
	}{
		{nil, 0, false, "nothing to release"},
		{nil, 1, false, "no joint found that can be released; 1 row stays redundant"},
		{nil, 2, false, "no joint found that can be released; 2 rows stay redundant"},
		{one, 0, false, "a from fixed to revolute: nothing is redundant then"},
		{one, 1, false, "a from fixed to revolute: 1 row stays redundant then"},
		{one, 3, true, "a from fixed to revolute: 3 rows stay redundant then at poses nearby"},
	} {
		a := &analysis{Release: c.list, Released: releasedCounts{Redundant: c.left}, VariableMobility: variableMobility{Varies: c.vary}}
		assert.Equal(t, c.want, releaseText(a))
	}
}
