package motion_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// braked puts a vehicle of a family on a plane with its wheels locked, so that it stands or creeps as one body, and its
// centre of mass off the middle.
func braked(t *testing.T, family string, slope spatial.Vec3) *model.Model {
	t.Helper()
	m := generate(t, family, 1, 1)
	n := slope.Add(spatial.Vec3{0, 0, 1})
	m.Terrains[0] = model.Terrain{Name: m.Terrains[0].Name, Type: model.PlaneTerrain, Normal: n}
	var kept []model.ForceElement
	for _, f := range m.Forces {
		if a := f.Actuator; a == nil {
			kept = append(kept, f)
		} else {
			for i := range m.Joints {
				if m.Joints[i].Name == a.Joint {
					m.Joints[i].Motion = []*model.Motion{{Kind: model.Polynomial, Coefficients: []float64{0}}}
				}
			}
		}
	}
	m.Forces = kept
	// All of it is turned with the ground.
	q := tilt(n.Scale(1 / n.Norm()))
	for i := range m.Bodies {
		b := &m.Bodies[i]
		if b.Name == "chassis0" {
			b.Com = spatial.Vec3(b.Com).Add(spatial.Vec3{0.1, 0.08, 0.03})
		}
		b.Pose.Position = q.Rotate(b.Pose.Position)
		b.Pose.Orientation = q.Mul(b.Pose.Orientation)
	}
	return m
}

// tilt turns z to n, about a level axis.
func tilt(n spatial.Vec3) spatial.Quat {
	axis := spatial.Vec3{0, 0, 1}.Cross(n)
	if s := axis.Norm(); s > 0 {
		return spatial.Exp(axis.Scale(math.Asin(s) / s))
	}
	return spatial.Quat{1, 0, 0, 0}
}

// load is a force at a place, known or along a direction by an unknown.
type load struct {
	at, force spatial.Vec3
	unknown   int // -1: the force is known
}

// statics are equations of equilibrium of a vehicle at a state: the unknowns are what the ground carries at each
// contact, straight up, and then forces along links.
type statics struct {
	t     *testing.T
	mech  *mechanism.Mechanism
	st    *mechanism.State
	k     *mechanism.Kinematics
	rows  [][]float64
	right []float64
}

func (s *statics) body(name string) int {
	i, err := s.mech.BodyIndex(name)
	require.NoError(s.t, err)
	return i
}

// weights are the loads on bodies by gravity and ground.
func (s *statics) weights(bodies ...string) (list []load) {
	for _, name := range bodies {
		i := s.body(name)
		list = append(list, load{s.st.Bodies[i].Position.Add(s.k.Bodies[i].Com), spatial.Vec3{0, 0, -s.mech.Bodies[i].Mass * 9.81}, -1})
		for c := range s.mech.NumContacts() {
			if _, on, _ := s.mech.Contact(c); on == i {
				r, err := s.mech.ContactAt(c, s.k, s.st)
				require.NoError(s.t, err)
				require.Len(s.t, r.Touches, 1)
				list = append(list, load{r.Touches[0].At, spatial.Vec3{0, 0, 1}, c})
			}
		}
	}
	return list
}

// axis is where a revolute joint turns.
func (s *statics) axis(joint string) (at, along spatial.Vec3) {
	j, err := s.mech.JointIndex(joint)
	require.NoError(s.t, err)
	var jk mechanism.JointKinematics
	s.mech.JointTo(&jk, j, s.k, s.st)
	at = jk.ArmP
	if p := s.mech.Joints[j].Pred; p >= 0 {
		at = at.Add(s.st.Bodies[p].Position)
	}
	return at, jk.EP.Col(2)
}

// equation says that the loads have no moment about an axis, or, with no axis, no sum along z.
func (s *statics) equation(list []load, at, along spatial.Vec3) {
	row, right := make([]float64, s.mech.NumContacts()+2), 0.0
	for _, l := range list {
		x := l.force[2]
		if along != (spatial.Vec3{}) {
			x = along.Dot(l.at.Sub(at).Cross(l.force))
		}
		if l.unknown < 0 {
			right -= x
		} else {
			row[l.unknown] += x
		}
	}
	s.rows, s.right = append(s.rows, row), append(s.right, right)
}

// hinged says that bodies and further loads have no moment about the axis of a revolute joint.
func (s *statics) hinged(joint string, list []load) {
	at, along := s.axis(joint)
	s.equation(list, at, along)
}

// solve returns the unknowns; those without an equation are 0.
func (s *statics) solve() []float64 {
	n := s.mech.NumContacts() + 2
	for len(s.rows) < n { // no links
		row := make([]float64, n)
		row[len(s.rows)] = 1
		s.rows, s.right = append(s.rows, row), append(s.right, 0)
	}
	A, b, x := mat.NewDense(n, n, nil), mat.NewVecDense(n, s.right), mat.NewVecDense(n, nil)
	for i, row := range s.rows {
		A.SetRow(i, row)
	}
	require.NoError(s.t, x.SolveVec(A, b))
	return x.RawVector().Data
}

// TestWheelLoads: on level ground and on slopes, along and across, each wheel of a braked rover, and of one with
// rockers, bogies and a differential of a beam and two links, which are loops, carries what statics says. The centre of
// mass is off the middle, so that all wheels differ. On a slope the vehicle creeps as one body, so that what the ground
// does at each wheel is straight up. Equations are those of the whole, and of the parts that turn on others, at the
// places where the run has put them.
func TestWheelLoads(t *testing.T) {
	check.Long(t)
	const tol = 1e-8 // of the weight
	for _, family := range []string{"rover", "rocker-bogie"} {
		for name, slope := range map[string]spatial.Vec3{"level": {}, "downhill": {0.2}, "across": {0, 0.15}, "askew": {-0.1, 0.12}} {
			t.Run(family+" "+name, func(t *testing.T) {
				p := newPlan(t, braked(t, family, slope), order.Auto)
				mech := p.Mechanism()
				n := motion.NewNewton(p)
				run := sim.New(mech, sim.NewGeneralizedAlpha(mech, n, sim.GeneralizedAlphaOptions{Fixed: true}), mech.Initial(), sim.Options{Projector: n, Step: 0.01})
				require.NoError(t, run.Run(8))
				s := &statics{t: t, mech: mech, st: run.State(), k: mech.NewKinematics()}
				require.NoError(t, mech.KinematicsTo(s.k, s.st))
				var all []load
				weight := 0.0
				for i := range mech.Bodies {
					weight += mech.Bodies[i].Mass * 9.81
					all = append(all, s.weights(mech.BodyName(i))...)
				}
				s.equation(all, spatial.Vec3{}, spatial.Vec3{})
				s.equation(all, spatial.Vec3{}, spatial.Vec3{1, 0, 0})
				s.equation(all, spatial.Vec3{}, spatial.Vec3{0, 1, 0})
				if family == "rover" {
					s.hinged("roll0", s.weights("axle0", "fl0", "fr0"))
				} else {
					var beam []load
					for i, side := range []string{"l", "r"} {
						a, _ := s.axis("universal" + side + "0")
						b, _ := s.axis("ball" + side + "0")
						along := b.Sub(a).Scale(1 / b.Sub(a).Norm())
						unknown := mech.NumContacts() + i
						half := spatial.Vec3{0, 0, -mech.Bodies[s.body("link"+side+"0")].Mass * 9.81 / 2}
						beam = append(beam, load{a, along, unknown}, load{a, half, -1})
						bogie := s.weights("bogie"+side+"0", "wheel"+side+"0_1", "wheel"+side+"0_2")
						s.hinged("bogiepivot"+side+"0", bogie)
						rocker := append(s.weights("rocker"+side+"0", "wheel"+side+"0_0"), load{b, along.Neg(), unknown}, load{b, half, -1})
						s.hinged("pivot"+side+"0", append(rocker, bogie...))
					}
					s.hinged("yaw0", append(beam, s.weights("beam0")...))
				}
				want := s.solve()
				worst, least, most := 0.0, math.Inf(1), 0.0
				for c := range mech.NumContacts() {
					r, err := mech.ContactAt(c, s.k, s.st)
					require.NoError(t, err)
					got := r.Wrench.Linear()
					worst = max(worst, got.Sub(spatial.Vec3{0, 0, want[c]}).Norm())
					least, most = min(least, want[c]), max(most, want[c])
				}
				t.Logf("weight %.1f N, wheels carry from %.3f N to %.3f N; off by %.2g N; link forces %.4g", weight, least, most, worst, want[mech.NumContacts():])
				assert.Less(t, worst, tol*weight)
				assert.Greater(t, most, 1.2*least)
			})
		}
	}
}
