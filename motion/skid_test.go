package motion_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

// A vehicle with four wheels that do not steer, m, kg, N/m, m/s. The
// chassis' centre of mass is before the middle and above the axles.
const (
	skidBase, skidTrack, skidRadius      = 0.9, 0.7, 0.2
	skidChassis, skidWheel               = 50.0, 4.0
	skidStiffness, skidFriction, skidLag = 1e7, 0.7, 0.02
	skidAhead, skidUp                    = 0.08, 0.15
	skidDisc, skidAxle                   = 0.05, 0.09 // kg m², of a wheel across and along its axle
)

// skid is the vehicle on level ground with prescribed speeds of the rims of the left and right wheels.
func skid(left, right float64) *model.Model {
	m := model.New("skid")
	m.Terrains = []model.Terrain{{Name: "ground", Type: model.PlaneTerrain}}
	z := skidRadius - (skidChassis+4*skidWheel)*9.81/4/skidStiffness
	across := [4]float64{math.Sqrt2 / 2, -math.Sqrt2 / 2, 0, 0} // z along y
	m.Bodies = []model.Body{{Name: "chassis", Mass: skidChassis, Com: [3]float64{skidAhead, 0, skidUp}, Inertia: model.Inertia{XX: 2, YY: 4, ZZ: 5}, Pose: model.Pose{Position: [3]float64{0, 0, z}}}}
	for i, name := range []string{"fl", "fr", "rl", "rr"} {
		at := [3]float64{skidBase / 2 * float64(1-i&2), skidTrack / 2 * float64(1-i&1*2), 0}
		rim := []float64{left, right}[i&1]
		m.Bodies = append(m.Bodies, model.Body{Name: name, Mass: skidWheel, Inertia: model.Inertia{XX: skidDisc, YY: skidAxle, ZZ: skidDisc},
			Pose: model.Pose{Position: [3]float64{at[0], at[1], z}}, Velocity: model.Velocity{Angular: [3]float64{0, rim / skidRadius, 0}}})
		m.Joints = append(m.Joints, model.Joint{Name: "spin " + name, Type: model.Revolute, Predecessor: "chassis", Successor: name,
			PredecessorFrame: model.Pose{Position: at, Orientation: across}, SuccessorFrame: model.Pose{Orientation: across},
			Motion: []*model.Motion{{Kind: model.Polynomial, Coefficients: []float64{0, rim / skidRadius}}}})
		m.Forces = append(m.Forces, model.ForceElement{Name: name, Type: model.ContactForce, A: model.Attachment{Body: name}, Contact: &model.Contact{
			Terrain: "ground", Shape: contact.Shape{Type: contact.Disc, Radius: skidRadius, Axis: spatial.Vec3{0, 1, 0}},
			Law: contact.Law{Normal: contact.Normal{Stiffness: skidStiffness, Exponent: 1, Dissipation: 5},
				Friction: contact.Friction{Type: contact.Coulomb, Coefficient: [2]float64{skidFriction, skidFriction}, SlipSpeed: skidLag}},
		}})
	}
	return m
}

// skidBalance is what Newton's and Euler's equations lack for the vehicle to go round steadily with the velocity (u, v)
// of its centre of mass in its own axes and the yaw rate w, where its wheels carry a + b x + c y.
func skidBalance(f, x []float64, left, right float64) {
	u, v, w := x[0], x[1], x[2]
	const mass = skidChassis + 4*skidWheel
	const ahead, up = skidChassis * skidAhead / mass, skidChassis * skidUp / mass // of the common centre of mass, over the middle of the axles
	height := skidRadius + up                                                     // over the wheels' lowest points
	spin := 0.0                                                                   // angular momentum of the wheels about their axles
	Jx := -skidChassis * (skidAhead - ahead) * (skidUp - up)                      // of the inertia's product xz
	sum := [6]float64{}                                                           // forces, and moments about the centre of mass
	for i := range 4 {
		px, py := skidBase/2*float64(1-i&2)-ahead, skidTrack/2*float64(1-i&1*2)
		rim := []float64{left, right}[i&1]
		spin += skidAxle * rim / skidRadius
		Jx -= skidWheel * px * (-up)
		vx, vy := u-w*py-rim, v+w*px
		N := x[3] + x[4]*px + x[5]*py
		s := -skidFriction * N / math.Sqrt(vx*vx+vy*vy+skidLag*skidLag)
		Fx, Fy := s*vx, s*vy
		for k, a := range [6]float64{Fx, Fy, N, py*N + height*Fy, -height*Fx - px*N, px*Fy - py*Fx} {
			sum[k] += a
		}
	}
	f[0] = sum[0] + mass*w*v
	f[1] = sum[1] - mass*w*u
	f[2] = sum[2] - mass*9.81
	f[3] = sum[3] + w*spin // dH/dt = w e_z × H
	f[4] = sum[4] - w*w*Jx
	f[5] = sum[5]
}

// solveSkid finds the balance by Newton's method from a guess.
func solveSkid(t *testing.T, left, right float64) []float64 {
	t.Helper()
	const mass = skidChassis + 4*skidWheel
	x := []float64{(left + right) / 2, 0, (right - left) / skidTrack / 3, mass * 9.81 / 4, 0, 0}
	f, g := make([]float64, 6), make([]float64, 6)
	J, step := mat.NewDense(6, 6, nil), mat.NewVecDense(6, nil)
	for range 200 {
		skidBalance(f, x, left, right)
		for k := range x {
			const h = 1e-6
			y := append([]float64(nil), x...)
			y[k] += h
			skidBalance(g, y, left, right)
			for i := range g {
				J.Set(i, k, (g[i]-f[i])/h)
			}
		}
		require.NoError(t, step.SolveVec(J, mat.NewVecDense(6, f)))
		scale := min(1, 0.05/mat.Norm(step.SliceVec(0, 3), 2))
		for k := range x {
			x[k] -= scale * step.AtVec(k)
		}
	}
	require.Less(t, mat.Norm(mat.NewVecDense(6, f), 2), 1e-9)
	return x
}

// TestSkidSteering: with different speeds left and right four wheels go round as the balance of their forces says:
// slipping sideways, the outer ones carry more, and the spinning wheels tilt the vehicle like gyroscopes.
func TestSkidSteering(t *testing.T) {
	check.Long(t)
	const tol = 1e-5
	speeds := [][2]float64{{0.9, 1.1}, {-0.6, 0.6}, {0.5, 1.0}, {-0.4, 0.8}}
	for _, c := range speeds {
		want := solveSkid(t, c[0], c[1])
		p := newPlan(t, skid(c[0], c[1]), order.Auto)
		n := motion.NewNewton(p)
		s := sim.New(p.Mechanism(), sim.NewGeneralizedAlpha(p.Mechanism(), n, sim.GeneralizedAlphaOptions{Fixed: true}), p.Mechanism().Initial(), sim.Options{Projector: n, Step: 0.005})
		require.NoError(t, s.Run(10))
		const mass = skidChassis + 4*skidWheel
		b := &s.State().Bodies[0]
		com := spatial.Vec3{skidChassis * skidAhead / mass, 0, skidChassis * skidUp / mass}
		v := b.Rotation.Conj().Rotate(b.Velocity.Add(b.Omega.Cross(b.Rotation.Rotate(com))))
		mech := p.Mechanism()
		k := mech.NewKinematics()
		require.NoError(t, mech.KinematicsTo(k, s.State()))
		loads := 0.0
		for i := range 4 {
			r, err := mech.ContactAt(i, k, s.State())
			require.NoError(t, err)
			N := want[3] + want[4]*(skidBase/2*float64(1-i&2)-com[0]) + want[5]*skidTrack/2*float64(1-i&1*2)
			loads = max(loads, math.Abs(r.Touches[0].Force.N/N-1))
		}
		t.Logf("rims %.1f and %.1f m/s: forward %.6f, sideways %.6f m/s, yaw %.6f rad/s, radius %.3f m; off by %.2g, %.2g, %.2g; loads by %.2g", c[0], c[1], v[0], v[1], b.Omega[2],
			v[0]/b.Omega[2], v[0]-want[0], v[1]-want[1], b.Omega[2]-want[2], loads)
		assert.InDelta(t, want[0], v[0], tol)
		assert.InDelta(t, want[1], v[1], tol)
		assert.InDelta(t, want[2], b.Omega[2], tol)
		assert.Less(t, loads, tol)
	}
}
