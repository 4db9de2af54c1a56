package ik

import (
	"encoding/csv"
	"os"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

func (e *drivenEngine) goal(i int) (*target, *mechanism.State) { return &e.list[i], e.st }
func (e *drivenEngine) problem() *Problem                      { return e.p }

// newDrivenOf returns the driven engine of a task at the model's pose.
func newDrivenOf(t testing.TB, m *model.Model, task *Task) *drivenEngine {
	t.Helper()
	task.Solver.Engine = DrivenEngine
	p, err := NewProblem(mustPlan(t, m), task)
	require.NoError(t, err)
	e, err := p.newEngine(task.Solver)
	require.NoError(t, err)
	require.NoError(t, e.set(p.plan.Initial()))
	return e.(*drivenEngine)
}

// TestDrivenIsTree: on trees the driven system has the 𝒥, the poses and the products of the recursion.
func TestDrivenIsTree(t *testing.T) {
	for seed := range uint64(6) {
		rng := check.Rand(seed)
		const n = 9
		m := randomTree(t, rng, n)
		task := Task{Targets: treeTargets(rng, n), Hold: []string{"j1"}, Solver: Options{Length: 0.6}}
		p, err := NewProblem(mustPlan(t, m), &task)
		require.NoError(t, err)
		a := newTreeOf(t, p)
		b := newDrivenOf(t, m, &task)
		for range 3 {
			J, K := jacobian(a), jacobian(b)
			check.CloseVec(t, K, J, 1e-11, max(1, check.MaxAbs(J)), "seed %d", seed)
			checkProducts(t, b, J, rng, 1e-11)
			rows, d := a.Dims()
			e, f, q := make([]float64, rows), make([]float64, rows), make([]float64, d)
			a.errorsTo(e)
			b.errorsTo(f)
			check.CloseVec(t, f, e, 1e-11, 1, "errors, seed %d", seed)
			a.coordinatesTo(q)
			for i := range q {
				q[i] += 0.6 * rng.NormFloat64()
			}
			require.NoError(t, a.moveTo(q))
			require.NoError(t, b.moveTo(q))
			x, y := p.plan.Initial(), p.plan.Initial()
			a.setRates(q)
			b.setRates(q)
			a.stateTo(x)
			b.stateTo(y)
			for i := range x.Bodies {
				check.CloseVec(t, y.Bodies[i].Position[:], x.Bodies[i].Position[:], 1e-11, 1, "position %d", i)
				check.CloseVec(t, y.Bodies[i].Velocity[:], x.Bodies[i].Velocity[:], 1e-10, 1, "velocity %d", i)
				check.CloseVec(t, y.Bodies[i].Omega[:], x.Bodies[i].Omega[:], 1e-10, 1, "angular velocity %d", i)
			}
			check.CloseVec(t, y.Angles, x.Angles, 1e-11, 1, "angles with springs")
		}
	}
}

func readModel(t testing.TB, name string) *model.Model {
	t.Helper()
	m, err := model.ReadFile(check.Reference(t, "ik", name+".model.json"))
	require.NoError(t, err)
	return m
}

// csvRows are a CSV with a header: columns by name.
func csvRows(t testing.TB, name string) (rows []map[string]string) {
	t.Helper()
	f, err := os.Open(check.Reference(t, "ik", name+".csv"))
	require.NoError(t, err)
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	for _, line := range all[1:] {
		row := map[string]string{}
		for i, x := range line {
			row[all[0][i]] = x
		}
		rows = append(rows, row)
	}
	require.NotEmpty(t, rows)
	return rows
}

func num(t testing.TB, row map[string]string, names ...string) (out []float64) {
	t.Helper()
	for _, name := range names {
		x, err := strconv.ParseFloat(row[name], 64)
		require.NoError(t, err, "column %s", name)
		out = append(out, x)
	}
	return out
}

var stewartLegs = []string{"slide1", "slide2", "slide3", "slide4", "slide5", "slide6"}

func stewartTask() *Task {
	return &Task{Driven: stewartLegs, Targets: []Target{{Name: "top", Type: PoseTarget, Body: "platform"}}, Solver: Options{Length: 1}}
}

var walkerDriven = []string{"trunk", "hip1", "motor1", "hip2", "motor2", "hip3", "motor3", "hip4", "motor4"}

func walkerTask() *Task {
	task := &Task{Driven: walkerDriven, Targets: []Target{{Name: "trunk", Type: PoseTarget, Body: "trunk", Weight: []float64{0, 0, 1, 1, 1, 0}}}, Solver: Options{Length: 1}}
	for _, leg := range []string{"1", "2", "3", "4"} {
		task.Targets = append(task.Targets, Target{Name: "foot" + leg, Type: Point, Body: "shank" + leg,
			Frame: model.Pose{Position: [3]float64{0.32}}, Weight: []float64{1, 1, 0}})
	}
	return task
}

// TestStewartPoses: with the legs at the lengths of the reference, the
// platform and all legs are where the reference has them.
func TestStewartPoses(t *testing.T) {
	e := newDrivenOf(t, readModel(t, "stewart"), stewartTask())
	places := bodiesOf(t, "stewart")
	for i, row := range csvRows(t, "stewart.targets") {
		require.NoError(t, e.moveTo(num(t, row, stewartLegs...)))
		e.aim(0, wanted{position: spatial.Vec3(num(t, row, "px", "py", "pz")), orientation: spatial.Quat(num(t, row, "qw", "qx", "qy", "qz"))})
		out := make([]float64, 6)
		e.errorsTo(out)
		require.LessOrEqual(t, check.MaxAbs(out), 1e-12, "pose %d", i)
		places.check(t, e, row["pose"], 1e-10)
		for _, leg := range []string{"1", "2", "3", "4", "5", "6"} {
			for k, name := range []string{"base" + leg + ".0", "base" + leg + ".1"} {
				j, err := e.mech.JointIndex("base" + leg)
				require.NoError(t, err)
				check.Close(t, e.coordinate(mechanism.Freedom{Joint: j, Freedom: k}, e.st), num(t, row, name)[0], 1e-10, 1, "%s, pose %d", name, i)
			}
		}
	}
}

type bodyPlaces map[string]map[string]string

func bodiesOf(t testing.TB, name string) bodyPlaces {
	list := bodyPlaces{}
	for _, row := range csvRows(t, name+".bodies") {
		list[row["pose"]+" "+row["body"]] = row
	}
	return list
}

// check compares the bodies of e with those of a pose.
func (p bodyPlaces) check(t testing.TB, e *drivenEngine, pose string, tol float64) {
	t.Helper()
	for b := range e.st.Bodies {
		row, ok := p[pose+" "+e.mech.BodyName(b)]
		require.True(t, ok, "body %s, pose %s", e.mech.BodyName(b), pose)
		x := num(t, row, "px", "py", "pz")
		q := spatial.Quat(num(t, row, "qw", "qx", "qy", "qz"))
		check.CloseVec(t, e.st.Bodies[b].Position[:], x, tol, 1, "body %s, pose %s", e.mech.BodyName(b), pose)
		off := q.Conj().Mul(e.st.Bodies[b].Rotation).Log()
		require.LessOrEqual(t, off.Norm(), tol, "rotation of %s, pose %s", e.mech.BodyName(b), pose)
	}
}

// TestStewartJacobian: a leg gets longer with the velocity of its upper
// end along it, so 𝒥 is the inverse of the matrix of the legs' lines.
func TestStewartJacobian(t *testing.T) {
	e := newDrivenOf(t, readModel(t, "stewart"), stewartTask())
	for _, row := range csvRows(t, "stewart.targets") {
		require.NoError(t, e.moveTo(num(t, row, stewartLegs...)))
		J := mat.NewDense(6, 6, jacobian(e))
		lines := mat.NewDense(6, 6, nil)
		var jk mechanism.JointKinematics
		platform := e.st.Bodies[0].Position
		for i := range stewartLegs {
			leg := strconv.Itoa(i + 1)
			slide, err := e.mech.JointIndex("slide" + leg)
			require.NoError(t, err)
			e.mech.JointTo(&jk, slide, e.kin, e.st)
			along := jk.EP.Col(2)
			ball := slices6(e.mech, "platform", "upper"+leg)
			e.mech.JointTo(&jk, ball, e.kin, e.st)
			at := jk.ArmP
			if e.mech.Joints[ball].Succ == 0 {
				at = jk.ArmS
			} else if e.mech.Joints[ball].Pred != 0 {
				t.Fatal("the platform has body 0")
			}
			_ = platform
			n := at.Cross(along)
			lines.SetRow(i, []float64{n[0], n[1], n[2], along[0], along[1], along[2]})
		}
		var one mat.Dense
		one.Mul(lines, J)
		for r := range 6 {
			for c := range 6 {
				check.Close(t, one.At(r, c), map[bool]float64{true: 1}[r == c], 1e-11, 1, "legs times 𝒥")
			}
		}
	}
}

// slices6 returns the joint between two bodies.
func slices6(m *mechanism.Mechanism, a, b string) int {
	for j := range m.Joints {
		p, s := m.BodyName(int(m.Joints[j].Pred)), m.BodyName(int(m.Joints[j].Succ))
		if p == a && s == b || p == b && s == a {
			return j
		}
	}
	panic("no joint between " + a + " and " + b)
}

// TestLoopJacobians compares 𝒥 with differences of closed poses, and the products with 𝒥.
func TestLoopJacobians(t *testing.T) {
	for name, task := range map[string]*Task{"stewart": stewartTask(), "walker": walkerTask()} {
		e := newDrivenOf(t, readModel(t, name), task)
		rng := check.Rand(2)
		_, n := e.Dims()
		q := make([]float64, n)
		e.coordinatesTo(q)
		for range 3 {
			for i := range q {
				q[i] += 0.02 * rng.NormFloat64()
			}
			require.NoError(t, e.moveTo(q))
			meetAll(t, e)
			J := jacobian(e)
			check.CloseVec(t, J, allDifferences(t, e, 1e-5), 1e-6, max(1, check.MaxAbs(J)), "%s", name)
			checkProducts(t, e, J, rng, 1e-12)
		}
	}
}

// TestWalkerPoses: the trunk and the feet come to where the reference
// has them, although each leg has three redundant rows.
func TestWalkerPoses(t *testing.T) {
	e := newDrivenOf(t, readModel(t, "walker"), walkerTask())
	require.Empty(t, e.p.Following())
	places := bodiesOf(t, "walker")
	columns := []string{"trunk.theta", "trunk.x", "trunk.y"}
	columns = append(columns, walkerDriven[1:]...)
	for i, row := range csvRows(t, "walker.targets") {
		require.NoError(t, e.moveTo(num(t, row, columns...)))
		theta := num(t, row, "trunk.theta")[0]
		e.aim(0, wanted{position: spatial.Vec3{num(t, row, "trunk.x")[0], num(t, row, "trunk.y")[0]}, orientation: spatial.Exp(spatial.Vec3{2: theta})})
		for k := range 4 {
			foot := "foot" + strconv.Itoa(k+1)
			e.aim(k+1, wanted{position: spatial.Vec3(num(t, row, foot+".x", foot+".y", foot+".z"))})
		}
		out := make([]float64, 11)
		e.errorsTo(out)
		require.LessOrEqual(t, check.MaxAbs(out), 1e-11, "pose %d", i)
		places.check(t, e, row["pose"], 1e-10)
	}
}

// solveFor moves e by Newton's method until its errors are small, and returns the steps.
func solveFor(t testing.TB, e engine, tol float64) int {
	t.Helper()
	m, n := e.Dims()
	out, q := make([]float64, m), make([]float64, n)
	for step := range 40 {
		e.errorsTo(out)
		if check.MaxAbs(out) <= tol {
			return step
		}
		var u mat.Dense
		require.NoError(t, u.Solve(mat.NewDense(m, n, jacobian(e)), mat.NewDense(m, 1, append([]float64(nil), out...))))
		e.coordinatesTo(q)
		scale := 1.0
		if most := mat.Norm(&u, 2); most > 0.5 {
			scale = 0.5 / most
		}
		for i := range q {
			q[i] += scale * u.At(i, 0)
		}
		require.NoError(t, e.moveTo(q))
	}
	require.Fail(t, "Newton's method does not converge", "errors %v", out)
	return 0
}

// TestStewartSolved: targets give the legs' coordinates of the reference, ‖p + R·bᵢ − aᵢ‖ less the length at zero.
func TestStewartSolved(t *testing.T) {
	e := newDrivenOf(t, readModel(t, "stewart"), stewartTask())
	q := make([]float64, 6)
	for i, row := range csvRows(t, "stewart.targets") {
		e.aim(0, wanted{position: spatial.Vec3(num(t, row, "px", "py", "pz")), orientation: spatial.Quat(num(t, row, "qw", "qx", "qy", "qz"))})
		steps := solveFor(t, e, 1e-13)
		require.LessOrEqual(t, steps, 8)
		e.coordinatesTo(q)
		check.CloseVec(t, q, num(t, row, stewartLegs...), 1e-12, 1, "pose %d", i)
	}
}

// TestFarAway: a mechanism a thousand kilometres away has the same driven coordinates.
func TestFarAway(t *testing.T) {
	for _, name := range []string{"stewart", "walker"} {
		var found [2][]float64
		for k, far := range []spatial.Vec3{{}, {1e6, -1e6, 1e6}} {
			m := readModel(t, name)
			for i := range m.Bodies {
				m.Bodies[i].Pose.Position = spatial.Vec3(m.Bodies[i].Pose.Position).Add(far)
			}
			for i := range m.Joints {
				if m.Joints[i].Predecessor == model.World {
					m.Joints[i].PredecessorFrame.Position = spatial.Vec3(m.Joints[i].PredecessorFrame.Position).Add(far)
				}
			}
			task := stewartTask()
			row := csvRows(t, "stewart.targets")[1]
			if name == "walker" {
				task, row = walkerTask(), csvRows(t, "walker.targets")[1]
			}
			e := newDrivenOf(t, m, task)
			if name == "stewart" {
				e.aim(0, wanted{position: spatial.Vec3(num(t, row, "px", "py", "pz")).Add(far), orientation: spatial.Quat(num(t, row, "qw", "qx", "qy", "qz"))})
			} else {
				x := num(t, row, "trunk.theta", "trunk.x", "trunk.y")
				e.aim(0, wanted{position: spatial.Vec3{x[1], x[2]}.Add(far), orientation: spatial.Exp(spatial.Vec3{2: x[0]})})
				for k := range 4 {
					foot := "foot" + strconv.Itoa(k+1)
					e.aim(k+1, wanted{position: spatial.Vec3(num(t, row, foot+".x", foot+".y", foot+".z")).Add(far)})
				}
			}
			solveFor(t, e, 1e-9)
			_, n := e.Dims()
			found[k] = make([]float64, n)
			e.coordinatesTo(found[k])
		}
		if name == "walker" { // whose first freedoms are the place itself
			for k := 1; k < 3; k++ {
				found[1][k] = found[0][k]
			}
		}
		check.CloseVec(t, found[1], found[0], 1e-9, 1, "%s", name)
	}
}

func TestDrivenAllocates(t *testing.T) {
	for name, task := range map[string]*Task{"stewart": stewartTask(), "walker": walkerTask()} {
		e := newDrivenOf(t, readModel(t, name), task)
		m, n := e.Dims()
		q, out, u, J := make([]float64, n), make([]float64, m), make([]float64, n), make([]float64, m*n)
		st := e.p.plan.Initial()
		e.coordinatesTo(q)
		step := 1e-3
		require.Zero(t, testing.AllocsPerRun(20, func() {
			q[0] += step
			step = -step
			if err := e.moveTo(q); err != nil {
				panic(err)
			}
			e.errorsTo(out)
			e.jacobianTo(J)
			e.MulTo(out, q)
			e.MulTransTo(u, out)
			e.setRates(q)
			e.stateTo(st)
			if err := e.set(st); err != nil {
				panic(err)
			}
		}), name)
	}
}

func BenchmarkStewart(b *testing.B) {
	e := newDrivenOf(b, readModel(b, "stewart"), stewartTask())
	rows := csvRows(b, "stewart.targets")
	var wants []wanted
	for _, row := range rows {
		wants = append(wants, wanted{position: spatial.Vec3(num(b, row, "px", "py", "pz")), orientation: spatial.Quat(num(b, row, "qw", "qx", "qy", "qz"))})
	}
	b.ReportAllocs()
	steps := 0
	i := 0
	for b.Loop() {
		e.aim(0, wants[i%len(wants)])
		steps += solveFor(b, e, 1e-12)
		i++
	}
	b.ReportMetric(float64(steps)/float64(b.N), "steps")
}
