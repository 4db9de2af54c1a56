package rung_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/factor/order"
	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/motion/compare"
	"github.com/rung-mbd/rung/results"
	"github.com/rung-mbd/rung/spatial"
)

// machines are the models of reference/joints without composite joints.
var machines = append([]string{"armature-floating", "armature-four-bar", "point-governor", "slender-four-bar", "slender-slider-crank"}, coupled...)

// TestMachines compares the solutions of the sparse method with reference/joints, under every ordering.
func TestMachines(t *testing.T) {
	for _, name := range machines {
		for _, o := range orderings {
			t.Run(name+"/"+o.String(), func(t *testing.T) {
				m, err := rung.Open(check.Reference(t, "joints", name+".model.json"))
				require.NoError(t, err)
				p, err := rung.NewPlan(m, rung.Options{Ordering: o})
				require.NoError(t, err)
				s := p.NewSolver()
				require.NoError(t, s.Solve(p.Initial()))
				r, err := results.New(s)
				require.NoError(t, err)
				e := check.ReadExpectedIn(t, "joints", name)
				requireMachine(t, e, r)
				requireSecondRates(t, e, s)
				if o != order.Auto {
					assert.Equal(t, o.String(), r.Ordering)
				}
			})
		}
	}
}

func requireMachine(t *testing.T, e *check.Expected, r *rung.Result) {
	t.Helper()
	allowed := e.Allowed()
	for i, w := range e.Bodies {
		b := r.Bodies[i]
		check.CloseVec(t, b.ComAcceleration[:], w.ComAcceleration[:], 1, allowed.LinearAcceleration, "%s: acceleration", w.Name)
		check.CloseVec(t, b.AngularAcceleration[:], w.AngularAcceleration[:], 1, allowed.AngularAcceleration, "%s: angular acceleration", w.Name)
	}
	c, w := r.Constraints, e.Constraints
	assert.Equal(t, w.Rows, c.Rows, "rows")
	assert.Equal(t, w.Rank, c.Rank, "rank")
	assert.Equal(t, w.Redundant, c.Redundant, "redundant")
	assert.Equal(t, w.Mobility, c.Mobility, "mobility")
	for i := range e.Joints {
		w, j := &e.Joints[i], &r.Joints[i]
		undetermined := []string{}
		requireTriple(t, &w.TotalWrench.Force, j.TotalWrench.Force, allowed.Force, w.Name+": total ", "force", &undetermined)
		requireTriple(t, &w.TotalWrench.Moment, j.TotalWrench.Moment, allowed.Moment, w.Name+": total ", "moment", &undetermined)
		assert.Equal(t, undetermined, j.Undetermined, "%s: undetermined", w.Name)
		assert.Equal(t, w.WrenchUnique, j.WrenchUnique, "%s: unique", w.Name)
		require.Len(t, j.ArmatureForce, len(w.ArmatureForce), w.Name)
		for k, f := range w.ArmatureForce {
			if f.Known {
				check.Close(t, j.ArmatureForce[k], f.Value, 1, max(allowed.Force, allowed.Moment), "%s: armature force", w.Name)
			}
		}
	}
	for i, w := range e.Couplings {
		got := r.Couplings[i]
		require.Equal(t, w.Name, got.Name)
		assert.Equal(t, w.Multiplier.Known, got.MultiplierUnique, "%s: unique", w.Name)
		if w.Multiplier.Known {
			check.Close(t, got.Multiplier, w.Multiplier.Value, 1, allowed.Multiplier, "%s: multiplier", w.Name)
		}
	}
	assert.Less(t, r.Solve.Residual, residualTol)
	check.Close(t, r.Energy.Kinetic, e.Energy.Kinetic, 1, allowed.Energy, "kinetic energy")
	check.Close(t, r.Energy.Potential, e.Energy.Potential, 1, allowed.Energy, "potential energy")
}

// requireSecondRates compares coordinates' second derivatives and the rate of the kinetic energy.
func requireSecondRates(t *testing.T, e *check.Expected, s *rung.Solver) {
	t.Helper()
	mech, st, kin := s.Plan().Mechanism(), s.State(), s.Kinematics()
	a := make([]float64, 6*mech.NumBodies())
	s.AccelerationsTo(a)
	power := 0.0
	for i := range mech.Bodies {
		var u [6]float64
		st.Bodies[i].ComVelocityTo(&u, &kin.Bodies[i].Com)
		I := mech.Bodies[i].Inertia.Rotate(kin.Bodies[i].E)
		power += mech.Bodies[i].Mass*spatial.Vec3(u[3:]).Dot(spatial.Vec3(a[6*i+3:6*i+6])) + spatial.Vec3(u[:3]).Dot(I.MulVec(spatial.Vec3(a[6*i:6*i+3])))
	}
	allowed := e.Allowed()
	for j := range e.Joints {
		var qdd, q, qd [6]float64
		require.NoError(t, mech.SecondRatesTo(&qdd, j, a, kin, st))
		var jk mechanism.JointKinematics
		mech.JointTo(&jk, j, kin, st)
		mech.Joints[j].CoordinatesTo(&q, &qd, &jk)
		for k, w := range e.Joints[j].Accelerations {
			if w.Known {
				check.Close(t, qdd[k], w.Value, 1, allowed.CoordinateAcceleration, "%s: second derivative", e.Joints[j].Name)
			}
			if mech.Joints[j].Armature != nil {
				power += mech.Joints[j].Armature[k] * qdd[k] * qd[k]
			}
		}
	}
	check.Close(t, power, e.Power.KineticEnergyRate, 1, allowed.Power, "rate of the kinetic energy")
}

// TestMachinesByTree compares the solutions of the spanning-tree methods with reference/joints.
func TestMachinesByTree(t *testing.T) {
	for _, name := range append(slices.Clone(machines), composites...) {
		for _, method := range []motion.Method{motion.TreeDirect, motion.TreeLambda, motion.TreeProjection} {
			t.Run(name+"/"+method.String(), func(t *testing.T) {
				m, err := rung.Open(check.Reference(t, "joints", name+".model.json"))
				require.NoError(t, err)
				p, err := rung.NewPlan(m, rung.Options{})
				require.NoError(t, err)
				r, err := compare.Accelerate(p, method, p.Initial())
				require.NoError(t, err)
				r.Solve.Residual = 0 // of the rows of loops, where there are any
				requireMachine(t, check.ReadExpectedIn(t, "joints", name), r)
				require.Nil(t, r.RankDiffers)
			})
		}
	}
}

// TestArmatureIsAFlywheel compares armature with what it stands for: a
// flywheel on the ground that a coupling turns 1 : 1 with the freedom.
func TestArmatureIsAFlywheel(t *testing.T) {
	const flywheelTol = 1e-12
	for _, name := range machines {
		e := check.ReadExpectedIn(t, "joints", name)
		wheeled, n := flywheels(t, name, e)
		if n == 0 {
			continue
		}
		m, err := rung.Open(check.Reference(t, "joints", name+".model.json"))
		require.NoError(t, err)
		want, err := rung.Accelerate(wheeled, rung.Options{})
		require.NoError(t, err)
		got, err := rung.Accelerate(m, rung.Options{})
		require.NoError(t, err)
		for i, b := range got.Bodies {
			check.CloseVec(t, b.AngularAcceleration[:], want.Bodies[i].AngularAcceleration[:], flywheelTol, e.Scale.AngularAcceleration, "%s: %s", name, b.Name)
			check.CloseVec(t, b.ComAcceleration[:], want.Bodies[i].ComAcceleration[:], flywheelTol, e.Scale.LinearAcceleration, "%s: %s", name, b.Name)
		}
	}
}
