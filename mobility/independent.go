package mobility

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/rung-mbd/rung/closing"
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/team"
)

// Independents are freedoms whose rates determine all velocities that the joints allow at a pose, so that they can serve as minimal
// coordinates there (RBDA §8.8), with the basis of velocities that belongs to them: the matrix G of q̇ = G·ẏ for bodies.
//
// Sizes of velocities are in the metric of theory.md (25): ℓ²·ω² + v² for each body, ℓ its length, v the velocity of its centre of mass.
// Rates of angles are multiplied by the length of the longer body at the joint, so that Condition has no unit. Only one goroutine may
// use it at a time.
type Independents struct {
	// Mobility is the number of independent motions, with prescribed freedoms at rest.
	Mobility int
	// Freedoms are the chosen freedoms, in the order of the candidates. They are fewer than Mobility if the candidates do not determine all
	// motions: ball joints and free bodies have no scalar freedoms.
	Freedoms []mechanism.Freedom
	// Condition is the largest norm of the vector of rates of Freedoms over the least one, for motions of size 1 that they determine. It is 1
	// for a single freedom, about 1 for a good choice of several, and grows without bound toward a pose at which other freedoms
	// have to be chosen. A relative error of the rates gives a relative error of the velocities that is at most Condition times larger.
	Condition float64
	// Weakest is the least of these norms, m/s: the freedoms move at least that fast while the bodies move by 1 m/s. It is small for a single
	// freedom next to a dead centre, where Condition is 1.
	Weakest float64
	// Basis has Mobility columns, one after the other, of six numbers a body: ω and the velocity of the centre of mass, world axes. In
	// column k the rate of Freedoms[k] is 1 and the rates of the others are 0. In the columns after len(Freedoms), of motions that the
	// freedoms do not determine, all these rates are 0; these columns are orthonormal in the metric.
	Basis []float64

	mech   *mechanism.Mechanism
	state  *mechanism.State // the pose, at rest; scratch for velocities
	kin    *mechanism.Kinematics
	unit   []float64 // for each of the six numbers of each body: ℓ or 1
	normal []float64 // basis of the motions, multiplied by unit so that it is orthonormal, column after column
	to     []float64 // Mobility×Mobility, by rows: the coordinates (rates of Freedoms, then others) of each column of normal
}

const (
	// dependent is the rate of a freedom in the motions in which the freedoms chosen before rest, relative to the largest velocity of a body,
	// up to which it counts as rounding.
	dependent = 1e-9
	// lostPart is the least part of a random motion that has to remain, after the motions found before are subtracted, for its direction to be
	// accurate.
	lostPart = 1e-6
)

// Independent chooses, among the candidates, freedoms that determine the motions at st: one after the other the freedom with the
// largest rate in the motions in which those before rest (QR with column pivoting, Golub & Van Loan 2013 §5.4). Nil stands for all
// scalar freedoms that are not prescribed. With as many candidates as motions, Condition is the condition of the candidates. Loads and
// velocities do not matter, nor does a violation of the joints.
//
// Cost: two factorizations, and two more for each motion; O(Mobility²·(bodies + candidates)) besides; allocates. It returns the
// errors of kkt.Solver.RankAt and closing.Closer.AllowMotion, and one that wraps kkt.ErrInaccurate if it finds fewer motions
// than the rank allows. It panics if p or st is nil, or a candidate is out of range or has no scalar coordinate.
func Independent(p *kkt.Plan, st *mechanism.State, candidates []mechanism.Freedom) (*Independents, error) {
	return IndependentContext(context.Background(), p, st, candidates)
}

// IndependentContext is Independent that ends early when ctx does. It then returns the cause of ctx (context.Cause).
func IndependentContext(ctx context.Context, p *kkt.Plan, st *mechanism.State, candidates []mechanism.Freedom) (*Independents, error) {
	switch {
	case ctx == nil:
		panic("rung: nil context")
	case p == nil:
		panic("mobility: no plan")
	case st == nil:
		panic("mobility: no state")
	}
	mech := p.Mechanism()
	candidates = candidatesOf(mech, candidates)
	s := p.NewSolver()
	defer s.Watch(ctx)()
	watch := s.Workspace().Watched()
	if watch.Up() {
		return nil, fault.Errorf("mobility: %w", watch.Err())
	}
	rest := st.Clone()
	rest.Rest()
	x := &Independents{mech: mech, state: rest, kin: mech.NewKinematics(), unit: unitsOf(p)}
	if err := mech.KinematicsTo(x.kin, rest); err != nil {
		return nil, err
	}
	rank, err := s.RankAt(rest)
	if err != nil {
		return nil, err
	}
	x.Mobility = len(x.unit) - rank.Rank
	if err := x.findMotions(ctx, s, watch); err != nil {
		return nil, fault.Errorf("mobility: %w", err)
	}
	err = x.choose(candidates, watch)
	if ended := watch.Err(); ended != nil {
		err = ended
	}
	if err != nil {
		return nil, fault.Errorf("mobility: %w", err)
	}
	return x, nil
}

// candidatesOf returns a copy of list, or if list is nil all scalar freedoms that are not prescribed. It panics if a freedom of list is
// out of range or not scalar.
func candidatesOf(m *mechanism.Mechanism, list []mechanism.Freedom) []mechanism.Freedom {
	if list == nil {
		for j := range m.Joints {
			for i := range m.Joints[j].Kind.Freedoms() {
				if m.Joints[j].Kind.Scalar(i) && !m.Joints[j].Prescribed(i) {
					list = append(list, mechanism.Freedom{Joint: j, Freedom: i})
				}
			}
		}
		return list
	}
	for _, f := range list {
		if uint(f.Joint) >= uint(m.NumJoints()) || !m.Joints[f.Joint].Kind.Scalar(f.Freedom) {
			panic("mobility: freedom out of range")
		}
	}
	return slices.Clone(list)
}

// unitsOf returns six numbers for each body: three times its length, m, for the angular velocity, and three times 1.
func unitsOf(p *kkt.Plan) []float64 {
	length := make([]float64, p.Mechanism().NumBodies())
	p.Layout().LengthsTo(length)
	unit := make([]float64, 6*len(length))
	for i, l := range length {
		copy(unit[6*i:], []float64{l, l, l, 1, 1, 1})
	}
	return unit
}

// findMotions stores in x.normal an orthonormal basis of the motions that the joints allow. It projects random vectors on the allowed
// motions, and makes each orthogonal to the vectors before it, both twice: after the first time the remainder may be small, and its
// rounding relatively large. It returns kkt.ErrInaccurate if too many vectors depend on those before, errors of the closer, and the cause
// if the context ends.
func (x *Independents) findMotions(ctx context.Context, s *kkt.Solver, watch *team.Watch) error {
	closer, err := closing.NewCloserContext(ctx, s.Workspace(), closing.Options{Tolerance: closing.RunTolerance})
	if err != nil {
		return err
	}
	n := len(x.unit)
	rng, v := rand.New(rand.NewPCG(5, uint64(n))), make([]float64, n)
	for found, try := 0, 0; found < x.Mobility; try++ {
		if try > 2*x.Mobility+4 {
			return fault.Errorf("%w: %d of %d motions found", kkt.ErrInaccurate, found, x.Mobility)
		}
		for i, l := range x.unit {
			v[i] = (rng.Float64() - 0.5) / l
		}
		ok := true
		for range 2 {
			if watch.Up() {
				return watch.Err()
			}
			if err := closer.AllowMotion(v, x.state); err != nil {
				return err
			}
			for i, l := range x.unit {
				v[i] *= l
			}
			ok = ok && orthonormalize(v, x.normal, lostPart)
			for i, l := range x.unit {
				v[i] /= l
			}
		}
		if !ok {
			continue
		}
		for i, l := range x.unit {
			x.normal = append(x.normal, v[i]*l)
		}
		found++
	}
	return nil
}

// orthonormalize subtracts from v its projection on the orthonormal vectors in Q, one after the other, twice because of rounding, and
// scales v to a unit vector. It returns false, without scaling v, if at most the given part of v remains.
func orthonormalize(v, Q []float64, part float64) bool {
	n, before := len(v), math.Sqrt(algebra.Dot(v, v))
	for range 2 {
		for q := Q; len(q) > 0; q = q[n:] {
			add(v, -algebra.Dot(v, q[:n]), q[:n])
		}
	}
	size := math.Sqrt(algebra.Dot(v, v))
	if !(size > part*before) {
		return false
	}
	for i := range v {
		v[i] /= size
	}
	return true
}

// add adds s·w to v.
func add(v []float64, s float64, w []float64) {
	for i := range v {
		v[i] += s * w[i]
	}
}

// rates stores in r the rates of a freedom f in motions, one for each of len(r) columns of six numbers a body. inUnits says that the
// columns are multiplied by x.unit. It returns the length of the longer body at the joint if f is an angle, m, and 1 else.
func (x *Independents) rates(r []float64, f mechanism.Freedom, columns []float64, inUnits bool) (length float64) {
	jt := &x.mech.Joints[f.Joint]
	n := len(x.unit)
	var jk mechanism.JointKinematics
	var qd [6]float64
	for k := range r {
		length = 0
		for _, b := range [2]int32{jt.Pred, jt.Succ} {
			if b < 0 {
				continue
			}
			v := [6]float64(columns[k*n+6*int(b):])
			if l := x.unit[6*b]; inUnits {
				v[0], v[1], v[2] = v[0]/l, v[1]/l, v[2]/l
			}
			length = max(length, x.unit[6*b])
			x.state.Bodies[b].SetComVelocity(&v, &x.kin.Bodies[b].Com)
		}
		x.mech.JointTo(&jk, f.Joint, x.kin, x.state)
		jt.RatesTo(&qd, &jk.Frames)
		r[k] = qd[f.Freedom]
	}
	if !jt.Kind.Rotational(f.Freedom) {
		return 1
	}
	return length
}

// chosen is a candidate that has been chosen.
type chosen struct {
	candidate int       // its index
	length    float64   // as rates returns it
	row       []float64 // its rates in the motions of the basis, times length
}

// choose sets Freedoms, Condition, Weakest and Basis. It returns the errors of singularRange. If the context of watch ends, it returns nil
// early.
func (x *Independents) choose(candidates []mechanism.Freedom, watch *team.Watch) (err error) {
	m := x.Mobility
	// rest are the rows without their parts along the directions of the chosen ones.
	rows, rest, length := make([]float64, m*len(candidates)), make([]float64, m*len(candidates)), make([]float64, len(candidates))
	for i, f := range candidates {
		if watch.Every(i) {
			return nil
		}
		row := rows[i*m:][:m]
		length[i] = x.rates(row, f, x.normal, true)
		for k := range row {
			row[k] *= length[i]
		}
	}
	copy(rest, rows)
	var list []chosen
	var directions []float64 // orthonormal basis of the rows of list
	least := dependent * algebra.MaxAbs(x.normal)
	for len(list) < m && !watch.Up() {
		best, size := largestRow(rest, m)
		if best < 0 || !(size > least) {
			break
		}
		z := slices.Clone(rest[best*m:][:m])
		orthonormalize(z, directions, 0)
		directions = append(directions, z...)
		for i := range candidates {
			add(rest[i*m:][:m], -algebra.Dot(rest[i*m:][:m], z), z)
		}
		clear(rest[best*m:][:m])
		list = append(list, chosen{best, length[best], rows[best*m:][:m]})
	}
	slices.SortFunc(list, func(a, b chosen) int { return cmp.Compare(a.candidate, b.candidate) })
	for _, c := range list {
		x.Freedoms = append(x.Freedoms, candidates[c.candidate])
	}
	if x.Condition, x.Weakest, err = singularRange(list, m); err != nil {
		return err
	}
	x.complete(list, directions)
	return nil
}

// largestRow returns the index of the row, of m numbers each, with the largest norm, and this norm. Of rows that are equal up to rounding
// it is the first one. It returns −1 if all rows are zero.
func largestRow(rows []float64, m int) (best int, size float64) {
	most := algebra.NewPeak(0)
	for i := 0; i*m < len(rows); i++ {
		most.Take(math.Sqrt(algebra.Dot(rows[i*m:][:m], rows[i*m:][:m])), i)
	}
	return most.At, most.Value
}

// complete stores in x.to the matrix from motions to coordinates, and in x.Basis the motions with one coordinate 1 and the others 0. The
// coordinates are the rates of the freedoms in list, then components along further directions, with which it completes directions to an
// orthonormal basis.
func (x *Independents) complete(list []chosen, directions []float64) {
	m, n, k := x.Mobility, len(x.unit), len(list)
	for _, c := range list {
		for _, r := range c.row {
			x.to = append(x.to, r/c.length)
		}
	}
	for e := 0; len(directions) < m*m; e++ {
		z := make([]float64, m)
		z[e] = 1
		if orthonormalize(z, directions, 1/(2*math.Sqrt(float64(m)))) {
			directions = append(directions, z...)
			x.to = append(x.to, z...)
		}
	}
	inverse := inverseOf(x.to, m, k)
	x.Basis = make([]float64, m*n)
	for c := range m {
		column := x.Basis[c*n:][:n]
		for l := range m {
			add(column, inverse[l*m+c], x.normal[l*n:][:n])
		}
		for i, u := range x.unit {
			column[i] /= u
		}
	}
}

// VelocitiesTo stores in v the velocities of the bodies, as in a column of Basis, for the coordinates y: the rates of Freedoms, followed by
// the factors of the further columns.
//
// Shapes: y has Mobility entries, v six a body. Cost: O(Mobility·bodies), no allocation. It panics on a length mismatch.
func (x *Independents) VelocitiesTo(v, y []float64) {
	n := len(x.unit)
	if len(v) != n || len(y) != x.Mobility {
		panic("mobility: length mismatch")
	}
	clear(v)
	for k, r := range y {
		add(v, r, x.Basis[k*n:][:n])
	}
}

// RatesTo stores in y the coordinates, as in VelocitiesTo, of the velocities v of the bodies. For a v that the joints do not allow, they
// are those of the nearest velocities in the metric that the joints allow.
//
// Shapes: y has Mobility entries, v six a body. Cost: O(Mobility·(bodies + Mobility)), no allocation. It panics on a length mismatch.
func (x *Independents) RatesTo(y, v []float64) {
	m, n := x.Mobility, len(x.unit)
	if len(v) != n || len(y) != m {
		panic("mobility: length mismatch")
	}
	clear(y)
	for l := range m {
		c, q := 0.0, x.normal[l*n:][:n]
		for i, u := range x.unit {
			c += q[i] * u * v[i]
		}
		for k := range y {
			y[k] += x.to[k*m+l] * c
		}
	}
}

// Dependence returns the rates of a freedom, scalar or not, in the columns of Basis: its row of G in its rate = G·y.
//
// Cost: O(Mobility); allocates. It panics if f is out of range.
func (x *Independents) Dependence(f mechanism.Freedom) []float64 {
	if uint(f.Joint) >= uint(x.mech.NumJoints()) || uint(f.Freedom) >= uint(x.mech.Joints[f.Joint].Kind.Freedoms()) {
		panic("mobility: freedom out of range")
	}
	r := make([]float64, x.Mobility)
	x.rates(r, f, x.Basis, false)
	return r
}
