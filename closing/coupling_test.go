package closing_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/bodies"
	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/test/modeltest"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// TestCloseCoupled is TestCloseRandom with couplings, some of them redundant.
func TestCloseCoupled(t *testing.T) {
	for seed := range uint64(60) {
		rng := check.Rand(seed)
		n := 6 + int(seed)/3
		m := modeltest.Couple(t, generate(t, "random", n, seed), rng, 1+rng.IntN(1+n/6))
		p := newPlan(t, m, order.Auto)
		mech, c, st := p.Mechanism(), closing.NewCloser(p, closing.Options{}), p.Initial()
		displace(mech, st, 0.1, seed)
		mech.FollowAngles(mech.NewKinematics(), st)
		requireClosed(t, c, mech, st, fmt.Sprintf("seed %d", seed))
	}
}

// TestCloseLaws is TestCloseRandom with laws of one coordinate and of two.
func TestCloseLaws(t *testing.T) {
	for seed := range uint64(40) {
		rng := check.Rand(seed)
		n := 6 + int(seed)/3
		m := modeltest.Follow(t, generate(t, "random", n, seed), rng, 1+rng.IntN(1+n/6))
		p := newPlan(t, m, order.Auto)
		mech, c, st := p.Mechanism(), closing.NewCloser(p, closing.Options{}), p.Initial()
		displace(mech, st, 0.1, seed)
		mech.FollowAngles(mech.NewKinematics(), st)
		requireClosed(t, c, mech, st, fmt.Sprintf("seed %d", seed))
	}
}

// TestCloseOverTurns: a pinion that is turned by a rack makes three turns while the model is closed.
func TestCloseOverTurns(t *testing.T) {
	const r, far = 0.05, 1.0
	for _, nearest := range []bool{false, true} {
		b := rung.NewBuilder("rack").Gravity(0, 0, 0)
		d, err := bodies.New(1, spatial.Vec3{}, spatial.Sym3{1e-3, 1e-3, 1e-3})
		require.NoError(t, err)
		pinion := b.Revolute("pinion", rung.World, b.Body("pinion", d, rung.At(0, 0, 0)), spatial.Vec3{}, spatial.Vec3{0, 0, 1})
		body := b.Body("rack", d, rung.At(far, 0, 0))
		rack := b.Prismatic("rack", rung.World, body, spatial.Vec3{}, spatial.Vec3{1, 0, 0})
		rack.SuccessorFrame.Position = [3]float64{}
		b.Couple("teeth", rung.Term{Joint: rack, Factor: 1}, rung.Term{Joint: pinion, Factor: -r})
		m, err := b.Model()
		require.NoError(t, err)
		p := newPlan(t, m, order.Auto)
		mech := p.Mechanism()
		st := p.Initial()
		c := closing.NewCloser(p, closing.Options{Hold: []int{body.Index()}, Nearest: nearest})
		require.NoError(t, c.ClosePositions(st))
		check.Close(t, st.Angles[0], far/r, 1, 1e-12, "angle with its turns")
		require.GreaterOrEqual(t, c.Closing().Steps, int(far/r/0.5), "no step turns a body by more than half a radian")
		k := mech.NewKinematics()
		require.NoError(t, mech.KinematicsTo(k, st))
		phi, _ := mech.CouplingErrors(0, k, st)
		require.Less(t, math.Abs(phi), 1e-14)
		// The model that is written has the turns.
		out := *m
		rung.SetState(&out, mech, st)
		require.Equal(t, []int64{3}, out.Joints[0].Turns)
		again := newPlan(t, &out, order.Auto)
		check.Close(t, again.Initial().Angles[0], far/r, 1, 1e-12, "angle of the model written")
	}
}

// TestCannotCloseCoupling: the error names the coupling that does not hold.
func TestCannotCloseCoupling(t *testing.T) {
	b := rung.NewBuilder("wheel").Gravity(0, 0, 0)
	d, err := bodies.New(1, spatial.Vec3{}, spatial.Sym3{1, 1, 1})
	require.NoError(t, err)
	wheel, up := b.Body("wheel", d, rung.At(0, 0, 0)), spatial.Vec3{0, 0, 1}
	b.Couple("one", rung.Term{Joint: b.Revolute("hinge", rung.World, wheel, spatial.Vec3{}, up), Factor: 2})
	b.Couple("two", rung.Term{Joint: b.Revolute("again", rung.World, wheel, spatial.Vec3{}, up), Factor: 2}).Offset = 1
	m, err := b.Model()
	require.NoError(t, err)
	err = closing.NewCloser(newPlan(t, m, order.Auto), closing.Options{}).ClosePositions(newPlan(t, m, order.Auto).Initial())
	var e *closing.CloseError
	require.ErrorAs(t, err, &e)
	require.Contains(t, []string{"one", "two"}, e.At.Coupling)
	require.Equal(t, "rad", e.Unit())
	check.Close(t, e.Off, 0.25, 1, 1e-2, "off") // half the way between both, about which closing ends
	require.ErrorContains(t, err, "coupling")
}

// TestSmallStepsWind: when a state is closed again and again after small steps, its angles count the turns of the poses, with a torsion spring
// alone and with a coupling.
func TestSmallStepsWind(t *testing.T) {
	for _, coupled := range []bool{false, true} {
		m := model.New("drums")
		for i, name := range []string{"a", "b"} {
			pose := model.Pose{Position: spatial.Vec3{float64(i)}}
			m.Bodies = append(m.Bodies, model.Body{Name: name, Mass: 1, Inertia: model.Inertia{XX: 1, YY: 1, ZZ: 1}, Pose: pose})
			m.Joints = append(m.Joints, model.Joint{
				Name: name, Type: model.Revolute, Predecessor: model.World, Successor: name, PredecessorFrame: pose, Stiffness: []float64{1},
			})
		}
		if coupled {
			m.Couplings = append(m.Couplings, model.Coupling{Name: "mesh", Terms: []model.CouplingTerm{
				{Coupled: model.Coupled{Joint: "a"}, Factor: 1}, {Coupled: model.Coupled{Joint: "b"}, Factor: 1},
			}})
		}
		p := newPlan(t, m, order.Auto)
		c, st := closing.NewCloser(p, closing.Options{}), p.Initial()
		const step, steps = 0.4, 40
		for range steps {
			for i, by := range []float64{step, -step} {
				turn := spatial.Quat{math.Cos(by / 2), 0, 0, math.Sin(by / 2)}
				st.Bodies[i].Rotation = turn.Mul(st.Bodies[i].Rotation).Normalize()
				st.Bodies[i].Position[0] += 1e-5
			}
			require.NoError(t, c.ClosePositions(st))
		}
		q, _ := p.Mechanism().Coordinate(mechanism.Freedom{}, st)
		require.InDelta(t, step*steps, q, 1e-6, "coupled %v", coupled)
	}
}
