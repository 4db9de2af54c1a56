package derive

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// ErrCoordinates is the error for freedoms that are no independent coordinates of the mechanism.
var ErrCoordinates = errors.New("derive: no independent coordinates")

// pivotTol is the least pivot of a freedom, relative to its diagonal entry: a freedom with a smaller one depends on the freedoms before it.
const pivotTol = 1e-12

// coordinates are independent coordinates with their motions: column k of N, six numbers a body, is the motion in which coordinate k has
// the rate 1 and the others rest.
type coordinates struct {
	freedoms []mechanism.Freedom
	N        [][]float64
	open     []branch // joints of an open mechanism, which walk moves without N
	at       []int    // index in open of each coordinate's joint
}

// branch is a joint of an open mechanism, with its outer and its inner body; inner is −1 for the world.
type branch struct {
	joint        *carriedJoint
	inner, outer int32
}

// independent chooses coordinates and computes N of (D5). It takes all of list, or as many freedoms as the mechanism moves if list is nil.
func (d *Derivatives) independent(list []mechanism.Freedom) (*coordinates, error) {
	rows := 0
	for i := range d.mech.NumConstraints() {
		rows += d.mech.ConstraintRows(i)
	}
	m := 6*d.mech.NumBodies() - (rows - d.velocities.Redundant())
	candidates := list
	if list == nil {
		candidates = d.candidates()
	}
	for _, f := range list {
		d.mustHave(f)
		if jt := &d.mech.Joints[f.Joint]; !jt.Kind.Scalar(f.Freedom) || jt.Prescribed(f.Freedom) {
			return nil, d.mech.AtJoint(f.Joint, -1, fault.Errorf("%w: freedom %d has no coordinate, or is prescribed", ErrCoordinates, f.Freedom))
		}
	}
	// The rows e of the freedoms, and x = P·M⁻¹·eᵀ, both followed by entries of multipliers.
	e, x := zeros(len(candidates), len(d.plainRight)), zeros(len(candidates), len(d.plainRight))
	R := zeros(len(candidates), len(candidates)) // e·P·M⁻¹·eᵀ
	for i, f := range candidates {
		if err := d.freedomRow(e[i], f); err != nil {
			return nil, err
		}
	}
	if err := answerAll(d.velocities, x, e); err != nil {
		return nil, err
	}
	for i := range e {
		e[i] = e[i][:6*d.mech.NumBodies()]
	}
	for i := range R {
		for k := range R {
			R[i][k] = d.rowDot(e[i], x[k], candidates[i])
		}
	}
	chosen, err := d.pivots(R, candidates, list != nil, m)
	if err != nil {
		return nil, err
	}
	y := &coordinates{} // N = P·M⁻¹·eᵀ·R⁻¹ for the chosen freedoms, with R made symmetric
	S := zeros(len(chosen), len(chosen))
	for i, a := range chosen {
		y.freedoms = append(y.freedoms, candidates[a])
		for k, b := range chosen {
			S[i][k] = (R[a][b] + R[b][a]) / 2
		}
	}
	inverse := invert(S)
	for k := range chosen {
		column := make([]float64, 6*d.mech.NumBodies())
		for i, a := range chosen {
			floats.AddScaled(column, inverse[i][k], x[a][:len(column)])
		}
		y.N = append(y.N, column)
	}
	if len(chosen) < m {
		return nil, d.leftover(y, e, chosen)
	}
	return y, d.refine(y, e, chosen)
}

// answerAll stores in x the answers to the right sides.
func answerAll(by *kkt.Answers, x, right [][]float64) error {
	_, err := together(by, x, right, make([]float64, len(x)), func(k int) error {
		_, _, err := by.AnswerTo(x[k], right[k])
		return err
	})
	return err
}

// refine removes the rounding that the inverse of R has left in N, which grows with the square of the length of a chain: first J·N = 0 by
// the least change, then e·N = 1 by steps of Newton's method.
func (d *Derivatives) refine(y *coordinates, e [][]float64, chosen []int) error {
	x, u := d.answer[:len(d.plainRight)], d.newDirection()
	for _, column := range y.N {
		for i := range d.bodies {
			u.bodies[i].Angular, u.bodies[i].Linear = spatial.Vec3(column[6*i:][:3]), spatial.Vec3(column[6*i+3:][:3])
		}
		d.measure(&u)
		if err := d.misses(&u, ofVelocities); err != nil {
			return err
		}
		if err := d.correct(x, d.velocities, d.sizeOf(&u, ofVelocities)); err != nil {
			return err
		}
		floats.AddScaled(column, 1, x[:len(column)])
	}
	for range 2 {
		if d.normalize(y, e, chosen) < normalTol {
			break
		}
	}
	return nil
}

// normalTol is the error of e·N whose square is rounding: a further step of Newton's method would not reduce it. A smaller value costs time
// only.
const normalTol = 1e-8

// normalize improves e·N = 1 for the chosen rows by one step of Newton's method: N becomes N·(2 − e·N). It returns the largest entry of 1 −
// e·N before.
func (d *Derivatives) normalize(y *coordinates, e [][]float64, chosen []int) (most float64) {
	n := len(y.N)
	X := zeros(n, n) // 1 − e·N
	for i, a := range chosen {
		for k := range n {
			X[i][k] = -d.rowDot(e[a], y.N[k], y.freedoms[i])
		}
		X[i][i]++
		most = max(most, algebra.MaxAbs(X[i]))
	}
	old := make([][]float64, n)
	for k := range old {
		old[k] = append([]float64(nil), y.N[k]...)
	}
	for k := range n {
		for i := range n {
			floats.AddScaled(y.N[k], X[i][k], old[i])
		}
	}
	return most
}

// rowDot returns e·x for the row e of a freedom, which has entries at the bodies of its joint only.
func (d *Derivatives) rowDot(e, x []float64, f mechanism.Freedom) (sum float64) {
	jt := &d.mech.Joints[f.Joint]
	for _, b := range [2]int32{jt.Pred, jt.Succ} {
		if b >= 0 {
			sum += algebra.Dot(e[6*b:][:6], x[6*b:][:6])
		}
	}
	return sum
}

// candidates returns all scalar freedoms that are not prescribed. Freedoms with actuators or forces come first.
func (d *Derivatives) candidates() (list []mechanism.Freedom) {
	for _, driven := range [2]bool{true, false} {
		for j := range d.mech.Joints {
			jt := &d.mech.Joints[j]
			for i := range jt.Kind.Freedoms() {
				drive := d.mech.Drive(j)
				has := len(d.motors[j]) > 0 || drive != nil && drive.Force[i] != 0
				if jt.Kind.Scalar(i) && !jt.Prescribed(i) && has == driven {
					list = append(list, mechanism.Freedom{Joint: j, Freedom: i})
				}
			}
		}
	}
	return list
}

// freedomRow adds to e the row of a freedom, (D5): the loads on the bodies by a unit force along it.
func (d *Derivatives) freedomRow(e []float64, f mechanism.Freedom) error {
	b := &d.b
	b.begin(f.Joint)
	b.reserve(2, 1)
	r := b.relation(f.Joint)
	b.setFreedoms(r)
	b.push(r, &r.freedoms[f.Freedom].line, b.c.Num(1))
	b.loadsTo(e)
	return nil
}

// pivots chooses freedoms by a Cholesky factorization of R with pivots, m at most. With all it takes every freedom in the order of the
// list, and returns ErrCoordinates if one depends on those before it.
func (d *Derivatives) pivots(R [][]float64, of []mechanism.Freedom, all bool, m int) (chosen []int, err error) {
	n := len(R)
	L, left, used := zeros(n, n), make([]float64, n), make([]bool, n)
	for i := range left {
		left[i] = R[i][i]
	}
	for len(chosen) < n && (all || len(chosen) < m) {
		peak := algebra.NewPeak(0)
		for i, x := range left {
			if !used[i] && R[i][i] > 0 {
				peak.Take(x/R[i][i], i)
			}
		}
		best, most := peak.At, peak.Value
		if all { // in the order of the list
			best = len(chosen)
			most = left[best] / R[best][best]
		}
		if best < 0 || !(most > pivotTol) {
			if !all {
				return chosen, nil
			}
			return nil, d.mech.AtJoint(of[best].Joint, -1,
				fault.Errorf("%w: freedom %d does not move, or follows from those before it", ErrCoordinates, of[best].Freedom))
		}
		k := len(chosen)
		pivot := math.Sqrt(left[best])
		for i := range n {
			sum := R[i][best]
			for c := range k {
				sum -= L[i][c] * L[best][c]
			}
			L[i][k] = sum / pivot
			left[i] -= L[i][k] * L[i][k]
		}
		used[best] = true
		chosen = append(chosen, best)
	}
	return chosen, nil
}

// invert returns the inverse of a symmetric positive definite matrix by elimination. It overwrites S.
func invert(S [][]float64) [][]float64 {
	n := len(S)
	X := zeros(n, n)
	for i := range X {
		X[i][i] = 1
	}
	for k := range n {
		for i := range n {
			if i == k {
				continue
			}
			t := S[i][k] / S[k][k]
			for c := range n {
				S[i][c] -= t * S[k][c]
				X[i][c] -= t * X[k][c]
			}
		}
	}
	for i := range n {
		for c := range n {
			X[i][c] /= S[i][i]
		}
	}
	return X
}

// leftover returns ErrCoordinates at the body that moves most while all coordinates rest.
func (d *Derivatives) leftover(y *coordinates, e [][]float64, chosen []int) error {
	clear(d.plainRight)
	for i := range d.bodies {
		for k := range 6 {
			d.plainRight[6*i+k] = math.Sin(float64(7*i + 3*k + 1))
		}
	}
	x := d.answer[:len(d.plainRight)]
	if _, _, err := d.velocities.AnswerTo(x, d.plainRight); err != nil {
		return err
	}
	for k, a := range chosen {
		rate := algebra.Dot(e[a], x[:len(e[a])])
		for i := range y.N[k] {
			x[i] -= rate * y.N[k][i]
		}
	}
	worst := algebra.NewPeak(-1)
	for i := range d.bodies {
		v := spatial.Vec3(x[6*i:][:3]).Norm()*d.sizes.length + spatial.Vec3(x[6*i+3:][:3]).Norm()
		worst.Take(v, i)
	}
	return d.mech.AtBody(worst.At, fault.Errorf("%w: it moves while the coordinates stand still", ErrCoordinates))
}

func (d *Derivatives) mustHave(f mechanism.Freedom) {
	if f.Joint < 0 || f.Joint >= d.mech.NumJoints() || f.Freedom < 0 || f.Freedom >= d.mech.Joints[f.Joint].Kind.Freedoms() {
		panic("derive: freedom out of range")
	}
}

func zeros(rows, columns int) [][]float64 {
	m, all := make([][]float64, rows), make([]float64, rows*columns)
	for i := range m {
		m[i] = all[i*columns:][:columns:columns]
	}
	return m
}
