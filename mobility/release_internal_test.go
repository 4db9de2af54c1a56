package mobility

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bench"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/joints"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// looserTol is the residual of a released joint at a state of the reference,
// which closes its joints to 1e-13, m, rad or per second.
const looserTol = 1e-12

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

// typedIn returns the model of a document of m with the releases written into it: type
// and frames, and nothing else but that what belongs to
// the freedoms and the shape of the old type is left out.
func typedIn(t *testing.T, m *model.Model, list []Release) *model.Model {
	t.Helper()
	var doc bytes.Buffer
	require.NoError(t, model.Write(&doc, m))
	var fields map[string]any
	require.NoError(t, json.Unmarshal(doc.Bytes(), &fields))
	by := map[string]Release{}
	for _, r := range list {
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
	now, err := model.Read(bytes.NewReader(out), m.Name)
	require.NoError(t, err, m.Name)
	return now
}

// countsAt counts the constraints of m at st, a state of the mechanism from.
func countsAt(t *testing.T, m *model.Model, st *mechanism.State, from *mechanism.Mechanism) Counts {
	t.Helper()
	r, err := rankOf(t.Context(), m, st, from)
	require.NoError(t, err)
	left := sum(r.RedundantRows)
	return Counts{Rows: r.Rank + left, Rank: r.Rank, Redundant: left, Mobility: 6*len(m.Bodies) - r.Rank}
}

func initial(t *testing.T, m *model.Model) *mechanism.State {
	t.Helper()
	mech, err := mechanism.New(m)
	require.NoError(t, err)
	return mech.Initial()
}

func goldenModels(t *testing.T) (models []*model.Model) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("..", "reference", "golden", "*.model.json"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, p := range paths {
		m, err := model.ReadFile(p)
		require.NoError(t, err)
		models = append(models, m)
	}
	return models
}

// TestReleaseTypedIn writes the releases into the models and finds what they
// claim: rows, rank, redundancy and mobility.
func TestReleaseTypedIn(t *testing.T) {
	check.Long(t)
	models := goldenModels(t)
	seeds := 120
	for seed := range uint64(seeds) {
		models = append(models, flatModel(seed))
	}
	for _, family := range []string{"nfourbar", "revolute-net"} {
		m, err := bench.Generate(family, 4, 1)
		require.NoError(t, err)
		models = append(models, m)
	}
	released, turned, complete := 0, 0, 0
	for _, m := range models {
		plan, err := rung.NewPlan(m, rung.Options{})
		require.NoError(t, err)
		n, err := Compare(plan, plan.Initial())
		require.NoError(t, err)
		r, err := FindReleases(m, n.At)
		require.NoError(t, err, m.Name)
		assert.Equal(t, n.Around, r.Counts.Rank, m.Name)
		before := countsAt(t, m, plan.Initial(), plan.Mechanism())
		if before.Redundant == 0 {
			assert.Empty(t, r.Releases, m.Name)
			continue
		}
		now := typedIn(t, m, r.Releases)
		assert.Equal(t, r.Counts, countsAt(t, now, n.At, plan.Mechanism()), "%s, where the releases were checked", m.Name)
		if n.Around == n.Rank {
			mech, err := mechanism.New(now)
			require.NoError(t, err)
			assert.Equal(t, r.Counts, countsAt(t, now, mech.Initial(), mech), "%s, at the pose of the document", m.Name)
			assert.Equal(t, before.Mobility, r.Counts.Mobility, m.Name)
		}
		for _, l := range r.Releases {
			released++
			if l.PredecessorFrame != nil {
				turned++
			}
		}
		if r.Counts.Redundant == 0 {
			complete++
		}
	}
	t.Logf("%d models, %d joints released, %d turned, %d complete", len(models), released, turned, complete)
	assert.Greater(t, released, 5*seeds/4)
	assert.Greater(t, turned, seeds/6)
	assert.Greater(t, complete, seeds/2)
}

// TestReleasePrefersFrames turns no frame where releases with the joints' own frames
// leave nothing redundant. In some mechanisms a search that may turn them does so.
func TestReleasePrefersFrames(t *testing.T) {
	check.Long(t)
	turned := func(joints []int) bool { return sum(joints) > 0 }
	preferred := 0
	seeds := uint64(200)
	for seed := range seeds {
		m := flatModel(seed)
		r := releaser{ctx: t.Context(), m: *m, st: initial(t, m), trials: releaseTrials}
		rank, err := rankOf(t.Context(), m, r.st, nil)
		require.NoError(t, err)
		r.rank, r.rows = rank.Rank, rank.RedundantRows
		own, err := r.search(false)
		require.NoError(t, err)
		require.False(t, turned(own.turns))
		if sum(own.rows) > 0 {
			continue
		}
		out, err := FindReleases(m, r.st)
		require.NoError(t, err)
		for _, l := range out.Releases {
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

// held is a hinge and a ball on one body, which cannot move
// in the plane: the ball has to lose a row in the plane, which no type with z across
// the plane does. With the ball's z in the plane its frames stay.
func held(stay bool) *model.Model {
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
	return m
}

// TestReleaseKeepsFrames turns the frames of the ball unless they lie well.
func TestReleaseKeepsFrames(t *testing.T) {
	for _, stay := range []bool{false, true} {
		m := held(stay)
		bearing := model.Friction{Coefficient: 0.1, Radius: 0.1}
		m.Joints[1].Friction = []model.Friction{bearing, bearing, bearing} // which the looser type does not have
		r, err := FindReleases(m, initial(t, m))
		require.NoError(t, err)
		assert.Equal(t, Counts{Rows: 6, Rank: 6, Redundant: 0, Mobility: 0}, r.Counts)
		require.Len(t, r.Releases, 1)
		l := r.Releases[0]
		assert.Equal(t, [2]string{"j1", "point_on_plane"}, [2]string{l.Joint, l.Suggest})
		if stay {
			assert.Nil(t, l.PredecessorFrame)
			assert.Nil(t, l.SuccessorFrame)
			continue
		}
		assert.Equal(t, 1, l.Turns)
		for i, f := range []*Frame{l.PredecessorFrame, l.SuccessorFrame} {
			was := [2]model.Pose{m.Joints[1].PredecessorFrame, m.Joints[1].SuccessorFrame}[i]
			require.NotNil(t, f)
			assert.Equal(t, was.Position, f.Position)
			requireTurned(t, 1, was.Orientation, f.Orientation)
		}
	}
}

// requireTurned holds the axes of the frame now where those of was were that Release.Turns names.
func requireTurned(t *testing.T, turns int, was, now spatial.Quat) {
	t.Helper()
	for axis, where := range [3]string{1: "zxy", 2: "yzx"}[turns%3] {
		var a, b spatial.Vec3
		a[axis], b[where-'x'] = 1, 1
		x, y := now.Rotate(a), was.Rotate(b)
		for k := range x {
			require.InDelta(t, y[k], x[k], axisTol)
		}
	}
}

// TestTurns turns a frame again and again.
func TestTurns(t *testing.T) {
	was := model.Joint{SuccessorFrame: model.Pose{Orientation: spatial.FromAxisAngle(spatial.Vec3{1, 2, 3}, 0.7)}}
	j := was
	for turns := 1; turns < 6; turns++ {
		(&change{0, looser{model.PointOnPlane, true}}).apply(&j)
		l := releaseOf(&was, &j, turns)
		if turns == 3 {
			assert.Nil(t, l.SuccessorFrame)
			continue
		}
		requireTurned(t, turns, was.SuccessorFrame.Orientation, l.SuccessorFrame.Orientation)
		requireTurned(t, turns, spatial.IdentityQuat(), l.PredecessorFrame.Orientation)
	}
}

// TestReleases solves every released mechanism of the reference and of
// the families: it has the mobility of the original, and the redundant rows that
// are said to be left.
func TestReleases(t *testing.T) {
	models := goldenModels(t)
	for _, family := range []string{"nfourbar", "revolute-net", "random"} {
		m, err := bench.Generate(family, 9, 1)
		require.NoError(t, err)
		models = append(models, m)
	}
	released := 0
	for _, m := range models {
		mech, err := mechanism.New(m)
		require.NoError(t, err)
		before, err := json.Marshal(m)
		require.NoError(t, err)
		out, err := FindReleases(m, mech.Initial())
		require.NoError(t, err)
		after, err := json.Marshal(m)
		require.NoError(t, err)
		require.JSONEq(t, string(before), string(after), "the model given is as it was")
		rank, err := rankOf(t.Context(), m, mech.Initial(), mech)
		require.NoError(t, err)
		r, err := rung.Accelerate(out.Model, rung.Options{})
		require.NoError(t, err, m.Name)
		assert.Equal(t, 6*len(m.Bodies)-rank.Rank, r.Constraints.Mobility, m.Name)
		assert.Equal(t, out.Counts.Redundant, r.Constraints.Redundant, m.Name)
		assert.Zero(t, out.Counts.Redundant, m.Name)
		released += len(out.Releases)
	}
	assert.Greater(t, released, 100)
}

// TestLooserTypes releases the joints of the reference one by one to all types
// offered: each still holds at position and velocity level, so it allows what
// the joint did, and has fewer rows.
func TestLooserTypes(t *testing.T) {
	check.Long(t)
	seen := map[model.JointType]bool{}
	for _, m := range goldenModels(t) {
		for j := range m.Joints {
			joint := m.Joints[j]
			if joint.Motion != nil {
				continue
			}
			seen[joint.Type] = true
			for _, l := range looserTypes(joint.Type) {
				m.Joints[j] = joint
				(&change{j, l}).apply(&m.Joints[j])
				assert.Less(t, l.to.Constraints(), joint.Type.Constraints())
				mech, err := mechanism.New(m)
				require.NoError(t, err)
				k, st := mech.NewKinematics(), mech.Initial()
				require.NoError(t, mech.KinematicsTo(k, st))
				pos, vel := mech.Residuals(j, k, st)
				assert.Less(t, pos, looserTol, "%s, %s to %s", m.Name, joint.Name, l.to)
				assert.Less(t, vel, looserTol, "%s, %s to %s", m.Name, joint.Name, l.to)
			}
			m.Joints[j] = joint
		}
	}
	assert.Len(t, seen, int(joints.Composite)-4) // all but rolling, no_slip, those with curves and composite, which are not released
}
