package tape

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rung-mbd/rung/internal/check"
	"github.com/rung-mbd/rung/internal/tape/places"
	"github.com/rung-mbd/rung/spatial"
)

// size is that of the workspaces of these tests.
const size = 4096

// programs returns a tape of each instruction on operands that do not overlap, and with those of lengths all lengths.
func programs() (list [][]Op) {
	place := func(n int) uint32 { return uint32(64 * (1 + n)) }
	for c := Code(1); c < numCodes; c++ {
		for n := uint32(1); n <= 6; n++ {
			o := Op{Code: c, N: n, A: place(0), B: place(300), C: place(600), D: place(900), E: place(1200), F: 64 * 7}
			if s := &spans[c]; s.reads[5].used || s.writes[5].used {
				o.F = place(1500)
			}
			list = append(list, []Op{o, {Code: End}})
		}
	}
	return list
}

// shared is the array of shared numbers of these tests.
var shared = append(Front(1e-9, 1e-24), fill(99)...)

// fill fills a workspace with numbers of all signs, so that quotients and roots are of numbers.
func fill(seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	w := NewWorkspace(size)
	for i := range w {
		w[i] = rng.NormFloat64()
	}
	return w
}

// TestSetsAgree: all sets of instructions that the processor has give the same bits as Go, and an instruction writes nothing but its results.
func TestSetsAgree(t *testing.T) {
	check.Long(t)
	for k, list := range programs() {
		want := fill(uint64(k))
		runGo(want, shared, list)
		for name, run := range sets() {
			if name == "AVX2" && list[0].wide() {
				continue
			}
			got := fill(uint64(k))
			run(got, shared, list)
			for i := range got {
				if math.Float64bits(got[i]) != math.Float64bits(want[i]) && !(math.IsNaN(got[i]) && math.IsNaN(want[i])) {
					require.Equal(t, want[i], got[i], "%s of %v, N = %d, place %d, lane %d", name, list[0].Code, list[0].N, i/Lanes, i%Lanes)
				}
			}
		}
	}
}

// wide reports whether an instruction has too many accumulators for AVX2.
func (o *Op) wide() bool {
	for _, c := range [...]Code{Tile3x5, Tile3x6, Fresh3x5, Fresh3x6} {
		if o.Code == c {
			return true
		}
	}
	return false
}

// TestLanesAreApart: a lane has the bits that it has beside any others.
func TestLanesAreApart(t *testing.T) {
	check.Long(t)
	for k, list := range programs() {
		if Set() == "AVX2" && list[0].wide() {
			continue
		}
		a, b := fill(uint64(k)), fill(uint64(k)+1000)
		for i := range size {
			b[i*Lanes+5] = a[i*Lanes+2]
		}
		Run(a, shared, list)
		Run(b, shared, list)
		for i := range size {
			x, y := a[i*Lanes+2], b[i*Lanes+5]
			require.True(t, math.Float64bits(x) == math.Float64bits(y) || math.IsNaN(x) && math.IsNaN(y), "%v, place %d", list[0].Code, i)
		}
	}
}

// TestRunDoesNotAllocate: running a tape allocates nothing.
func TestRunDoesNotAllocate(t *testing.T) {
	w, list := fill(1), []Op{{Code: Cross, A: 64 * 20, B: 64 * 30, C: 64 * 40}, {Code: End}}
	require.Zero(t, testing.AllocsPerRun(100, func() { Run(w, shared, list) }))
	require.PanicsWithValue(t, "tape: no end", func() { Run(w, shared, list[:1]) })
	require.PanicsWithValue(t, "tape: no shared numbers", func() { Run(w, nil, list) })
	require.True(t, Check(list, size, 1))
	require.False(t, Check([]Op{{Code: numCodes}, {Code: End}}, size, 1))
	require.False(t, Check([]Op{{Code: Cross, A: 64 * size}, {Code: End}}, size, 1))
	require.True(t, Check([]Op{{Code: Cross, A: 64 * (size - 3)}, {Code: End}}, size, 1))
	require.False(t, Check([]Op{{Code: Cross, A: 64 * (size - 2)}, {Code: End}}, size, 1), "the last two numbers of the result are out")
	ends := func(n uint32) []Op { return []Op{{Code: Copy, N: n, A: 64 * 20, B: 64 * (size - 5)}, {Code: End}} }
	require.True(t, Check(ends(5), size, 1))
	require.False(t, Check(ends(6), size, 1), "the last turn reads out of the workspace")
	require.False(t, Check(ends(0), size, 1), "the kernels turn once before they count")
	require.False(t, Check([]Op{{Code: Judge, N: 1, A: 64 * 20, C: 64 * 30, D: 64 * 40, E: 64 * 50}, {Code: End}}, size, 1), "it reads before B")
	of := func(place uint32) []Op { return []Op{{Code: MulVecShared, C: place}, {Code: End}} }
	require.True(t, Check(of(8*4), size, 5))
	require.False(t, Check(of(8*5), size, 5))
	require.False(t, Check(of(8*4+4), size, 5))
	require.Equal(t, "Cross", Cross.String())
	require.Equal(t, "unknown", Code(numCodes).String())
}

// TestShaped: each number of rows has an instruction, for as many full rows as are asked for or more.
func TestShaped(t *testing.T) {
	require.Equal(t, Gram3of5, Shaped(Gram1of1, 5, 3))
	require.Equal(t, Rows3of3, Shaped(Rows1of1, 3, 2))
	require.Equal(t, Columns6of6, Shaped(Columns1of1, 6, 4))
	for n := 1; n <= 6; n++ {
		for full := range n + 1 {
			name := Shaped(Gram1of1, n, full).String()
			require.GreaterOrEqual(t, int(name[len("Gram")]-'0'), full, name)
			require.Equal(t, n, int(name[len(name)-1]-'0'), name)
		}
	}
	require.PanicsWithValue(t, "tape: no such shape", func() { Shaped(Gram1of1, 7, 0) })
}

// setter returns a function that stores numbers at places of a workspace, in all lanes.
func setter(w []float64) func(p int, list ...float64) {
	return func(p int, list ...float64) {
		for i, v := range list {
			for l := range Lanes {
				w[(p+i)*Lanes+l] = v
			}
		}
	}
}

// TestEuler: the rotation by a vector is that of the exponential, to rounding for the angles of steps, and the origin moves
// with the new velocity.
func TestEuler(t *testing.T) {
	const state, x, frame, data, record = 20, 40, 50, 70, 110
	w := fill(3)
	set := setter(w)
	set(state, 1, 2, 3, 1, 0, 0, 0, 1, 0, -1, 0.1, -0.05, 0.1)
	set(x, 0.04, 0, 0, 0, 2, 0)
	set(frame, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.1, -0.05, 0.1)
	set(data, make([]float64, places.Constants)...)
	set(data+places.Weight, 1, 1, 1, 0, 0, 0, 1)
	set(record, make([]float64, places.Behind)...)
	set(record+places.Step, 0.5)
	Run(w, shared, []Op{{Code: Euler, A: 64 * state, B: 64 * x, C: 64 * frame, D: 64 * data, E: 64 * record}, {Code: End}})
	a := math.Sqrt(0.06*0.06+0.025*0.025+0.05*0.05) / 2
	for i, want := range []float64{1.5, 2.5, 2.5, math.Cos(a), 0.03 * math.Sin(a) / a, -0.0125 * math.Sin(a) / a, 0.025 * math.Sin(a) / a, 1, 1, -1, 0.12, -0.05, 0.1} {
		require.InDelta(t, want, w[(state+i)*Lanes], 2e-16)
	}
	require.Zero(t, w[(record+places.NotFinite)*Lanes])
}

// TestSnap: a body comes to hang on its pin: origins meet, axes agree but for the third power of the angle between them, the
// velocity is that of a hinge with the rate that the body has had about the axis. A body on its pin stays.
func TestSnap(t *testing.T) {
	const (
		state, frame, own, pin, sum = 20, 40, 60, 80, 100
		tilt                        = 1e-3
		round                       = 1e-15
	)
	w := fill(5)
	set := setter(w)
	vec := func(p int) spatial.Vec3 { return spatial.Vec3{w[p*Lanes], w[(p+1)*Lanes], w[(p+2)*Lanes]} }
	origin, axis := spatial.Vec3{0.3, -0.2, 0.5}, spatial.Vec3{2, 3, 6}.Scale(1./7)
	far, z := spatial.Vec3{1, 2, -1}, spatial.Vec3{6, -2, 3}.Scale(1./7)
	speed, omega := spatial.Vec3{0.1, 0.7, -0.3}, spatial.Vec3{0.5, 0.2, -0.4}
	// A rotation that takes the axis to z, and another one by tilt about a vector across z.
	n := axis.Cross(z)
	q := spatial.Exp(n.Scale(math.Acos(axis.Dot(z)) / n.Norm()))
	off := spatial.Exp(spatial.Vec3{1, 3, 0}.Scale(tilt / math.Sqrt(10))).Mul(q)
	turns, moves := spatial.Vec3{0.9, -0.1, 0.3}, spatial.Vec3{0.4, 0.4, 0.1}
	set(state, 0.31, 0.2, -0.1, off[0], off[1], off[2], off[3], moves[0], moves[1], moves[2], turns[0], turns[1], turns[2])
	set(own, origin[0], origin[1], origin[2], axis[0], axis[1], axis[2])
	set(pin, far[0], far[1], far[2], z[0], z[1], z[2], speed[0], speed[1], speed[2], omega[0], omega[1], omega[2])
	set(sum, 0)
	list := []Op{{Code: PutOnPin, A: 64 * state, B: 64 * frame, C: 64 * own, D: 64 * pin, E: 64 * sum}, {Code: End}}
	rate := turns.Sub(omega).Dot(z)
	for k, tol := range [2]float64{tilt * tilt * tilt, round} {
		was := vec(state)
		Run(w, shared, list)
		E := spatial.Quat{w[(state+3)*Lanes], w[(state+4)*Lanes], w[(state+5)*Lanes], w[(state+6)*Lanes]}
		require.InDelta(t, 1, E.Norm(), round)
		require.InDelta(t, 0, E.Rotate(axis).Sub(z).Norm(), tol)
		near := E.Rotate(origin)
		require.InDelta(t, 0, vec(state).Add(near).Sub(far).Norm(), round)
		require.InDelta(t, 0, vec(state+10).Sub(omega).Sub(z.Scale(rate)).Norm(), 2*round)
		require.InDelta(t, 0, vec(state+7).Add(vec(state+10).Cross(near)).Sub(speed).Norm(), 2*round)
		require.InDelta(t, 0, vec(frame).Sub(spatial.Vec3{E.Mat()[0], E.Mat()[1], E.Mat()[2]}).Norm(), round)
		if k == 0 {
			moved := vec(state).Sub(was).Norm()
			across := spatial.Vec3{1, 3, 0}.Scale(tilt / math.Sqrt(10))
			turned := across.Sub(z.Scale(across.Dot(z))).Norm()
			require.InEpsilon(t, moved*moved+turned*turned, w[sum*Lanes], 1e-5)
		}
	}
}

// TestRoot: a body on a hinge to the ground moves by EulerRoot and MovedRoot as by the instructions that know nothing of the
// ground: but for rounding, and for what the angle makes by which its axis is off.
func TestRoot(t *testing.T) {
	const (
		state, column, frame, data, record, z, hinge, spread = 20, 40, 60, 150, 200, 240, 250, 300
		tilt, h, round                                       = 1e-6, 0.1, 2e-15
	)
	axis, far := spatial.Vec3{6, -2, 3}.Scale(1./7), spatial.Vec3{1, 2, -1}
	r, origin, com := spatial.Vec3{2, 3, 6}.Scale(1./7), spatial.Vec3{0.3, -0.2, 0.5}, spatial.Vec3{0.1, 0.4, -0.2}
	n := r.Cross(axis)
	q := spatial.Exp(spatial.Vec3{3, 6, -2}.Scale(tilt / 7)).Mul(spatial.Exp(n.Scale(math.Acos(r.Dot(axis)) / n.Norm())))
	x, omega := far.Sub(q.Rotate(origin)), axis.Scale(0.7)
	v := omega.Cross(x.Sub(far))
	L := [6]float64{1.5, 0.8, 1.2, 0.3, -0.2, 0.4} // 00 11 22 10 20 21
	mass, gain := 2.0, 0.6
	inverse := [6]float64{1 / L[0], 1 / L[1], 1 / L[2], -L[3] / (L[0] * L[1]), (L[3]*L[5]/L[1] - L[4]) / (L[0] * L[2]), -L[5] / (L[1] * L[2])}
	swing := r.Cross(com.Sub(origin)).Scale(gain * math.Sqrt(mass))
	E := q.Mat()

	run := func(codes ...Code) []float64 {
		w := fill(7)
		set := setter(w)
		set(state, x[0], x[1], x[2], q[0], q[1], q[2], q[3], v[0], v[1], v[2], omega[0], omega[1], omega[2])
		set(column, gain*(L[0]*r[0]+L[3]*r[1]+L[4]*r[2]), gain*(L[1]*r[1]+L[5]*r[2]), gain*L[2]*r[2], swing[0], swing[1], swing[2])
		set(column+6, 0, 0, 0, 0, 0, 0)
		set(frame, E[:]...)
		set(frame+places.Frame, make([]float64, places.Pin)...)
		set(frame+places.Frame, far[0], far[1], far[2], axis[0], axis[1], axis[2])
		set(hinge, origin[0], origin[1], origin[2], r[0], r[1], r[2])
		set(hinge+places.HingeWeight, inverse[:]...)
		set(hinge+places.HingePin, far[0], far[1], far[2], axis[0], axis[1], axis[2])
		set(data, make([]float64, places.Constants)...)
		set(data+places.Weight, append(inverse[:], 1/math.Sqrt(mass))...)
		set(data+places.Com, com[:]...)
		set(record, make([]float64, places.Behind)...)
		set(record+places.Step, h)
		set(z, -1.3, 0.9) // acceleration; or displacement and change of velocity
		var list []Op
		for _, c := range codes {
			constants, motion := uint32(64*hinge), uint32(64*column)
			if c == EulerPin || c == Moved { // those of the solutions
				motion = 64 * spread
				for k := range uint32(2) {
					list = append(list, Op{Code: Columns1of1, A: motion + 64*6*k, B: 64 * column, C: 64 * (z + k), D: 64 * (column + 6)})
				}
			}
			if c == Moved {
				constants = 64 * data
			}
			list = append(list, Op{Code: c, N: 1, A: 64 * state, B: motion, C: 64 * frame, D: constants, E: 64 * record, F: 64 * z})
		}
		Run(w, shared, append(list, Op{Code: End}))
		return w
	}
	for _, c := range []struct {
		code, like Code
		tol        float64
	}{{EulerRoot, EulerPin, tilt * tilt}, {MovedRoot, Moved, tilt}} { // the last two turn the body about the pin and about its own axis
		a, b := run(c.code), run(c.like)
		for _, part := range [][2]int{{state, places.State}, {frame, 9}, {record, places.Record}} {
			for p := part[0]; p < part[0]+part[1]; p++ {
				if p == record+places.Violation && c.code == EulerRoot { // the other one takes the curve of the path for drift
					require.InEpsilon(t, tilt*tilt, a[p*Lanes], 1e-3)
					continue
				}
				require.InDelta(t, b[p*Lanes], a[p*Lanes], round+c.tol, "%v, place %d", c.code, p)
			}
		}
		require.Positive(t, math.Abs(a[(state+places.Omega)*Lanes]-omega[0]))
	}
	a, turned := run(EulerRoot), spatial.Exp(axis.Scale(h*(0.7+h*gain*1.3)))
	want := turned.Mul(spatial.Exp(q.Rotate(r).Cross(axis))).Mul(q)
	for i := range 4 {
		require.InDelta(t, want[i], a[(state+places.Rotation+i)*Lanes], round)
	}
}

// TestSharedForms: an instruction has the same bits with shared numbers and with these numbers in all lanes.
func TestSharedForms(t *testing.T) {
	forms := 0
	for _, list := range check.Some(programs(), 10) {
		form, operands := SharedForm(list[0].Code)
		if form == 0 {
			continue
		}
		forms++
		o := list[0]
		o.Code = form
		numbers := append(Front(1e-9, 1e-24), make([]float64, len(shared))...)
		a, b := fill(uint64(forms)), fill(uint64(forms))
		for i, p := range o.operands() {
			if operands>>i&1 == 1 {
				for k := range 40 {
					setter(a)(int(p)/64+k, shared[int(p)/8+k])
					numbers[int(p)/8+k] = shared[int(p)/8+k]
				}
			}
		}
		copy(b, a)
		Run(a, shared, list)
		Run(b, numbers, []Op{o, {Code: End}})
		for i := range a {
			require.False(t, differ(a[i], b[i]), "%v, N = %d, place %d", form, o.N, i/Lanes)
		}
	}
	require.Greater(t, forms, check.Few(200, 15))
}
