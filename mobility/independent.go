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

// Independents are freedoms whose rates tell all velocities that the joints allow at a pose: coordinates that can serve as minimal ones
// there (RBDA §8.8), with the basis of velocities that belongs to them, the matrix G of q̇ = G·ẏ for bodies.
//
// Sizes of velocities are in the metric of theory.md (25): ℓ²·ω² + v² of each body, ℓ its length, v that of its centre of mass. Rates
// of angles count with the length of the longer body at the joint. So Condition has no units. It belongs to one goroutine at a time.
type Independents struct {
	// Mobility is the number of independent motions, prescribed freedoms at rest.
	Mobility int
	// Freedoms are the ones chosen, in the order of the candidates. They are fewer than Mobility where the candidates do not tell all
	// motions: those of ball joints and free bodies have no scalar freedom.
	Freedoms []mechanism.Freedom
	// Condition is the quotient of the largest and the least rate of the freedoms, as a vector, over the motions of size 1 that they
	// tell. It is 1 for a freedom alone, at the best about 1 for more, and grows without bound toward a pose at which other freedoms
	// have to be chosen. An error of the rates makes one of the velocities that is relatively Condition times as large at the worst.
	Condition float64
	// Weakest is the least of these rates, m/s: how far the freedoms move at least while the bodies move by 1 m/s. A single one next to a dead
	// centre shows in Weakest.
	Weakest float64
	// Basis has Mobility columns of six numbers a body one after the other: ω and the velocity of the centre of mass, world axes. Column k
	// has the rate 1 of Freedoms[k] and 0 of the others. The columns beyond, of motions that the freedoms do not tell, have no
	// rates of these, and are orthonormal in the metric.
	Basis []float64

	mech   *mechanism.Mechanism
	state  *mechanism.State
	kin    *mechanism.Kinematics
	unit   []float64 // by scalar of the velocities: ℓ or 1
	normal []float64 // orthonormal basis of the motions, in units
	to     []float64 // Mobility²: rates and other coordinates of each column of normal, by rows
}

const (
	// dependent is the rate of a freedom in the motions that those chosen before leave, relative to the largest velocity of a body, up to
	// which it is rounding.
	dependent = 1e-9
	// lostPart is the part of a random motion that others have to leave for its direction to be known.
	lostPart = 1e-6
)

// Independent chooses freedoms among the candidates that tell the motions at st: one after the other the freedom with the
// largest rate in the motions in which those before rest (QR with column pivoting, Golub & Van Loan 2013 §5.4). Nil stands for all
// scalar freedoms that are not prescribed. With as many candidates as motions, Condition judges the candidates. Loads and velocities do not
// matter; a state that violates the joints is taken as it is.
//
// Cost: two factorizations, and two more a motion; O(Mobility²·(bodies + candidates)) besides; allocates. It returns the
// errors of kkt.Solver.RankAt and closing.Closer.AllowMotion, and one that wraps kkt.ErrInaccurate if fewer motions are
// found than the rank tells. It panics if p or st is nil, or a candidate is out of range or has no scalar coordinate.
func Independent(p *kkt.Plan, st *mechanism.State, candidates []mechanism.Freedom) (*Independents, error) {
	return IndependentContext(context.Background(), p, st, candidates)
}

// IndependentContext is Independent that ends early when ctx does. It then returns the cause for which ctx has ended.
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

// candidatesOf checks the candidates, or lists all scalar freedoms that are free.
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

// unitsOf returns the length of each body for its angular velocities, and 1 for the others.
func unitsOf(p *kkt.Plan) []float64 {
	length := make([]float64, p.Mechanism().NumBodies())
	p.Layout().LengthsTo(length)
	unit := make([]float64, 6*len(length))
	for i, l := range length {
		copy(unit[6*i:], []float64{l, l, l, 1, 1, 1})
	}
	return unit
}

// findMotions stores in x.normal an orthonormal basis of the motions that the joints allow. Each vector starts at random, is
// projected on the allowed motions, and made orthogonal to the vectors before it. Both are done twice: the remainder may be
// small, and the rounding of the first projection large beside it.
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

// orthonormalize subtracts from v its projection on the unit vectors that Q lists, twice for rounding, and scales v to a unit vector. It
// reports whether more than the given part of v is left.
func orthonormalize(v, Q []float64, part float64) bool {
	n, was := len(v), math.Sqrt(algebra.Dot(v, v))
	for range 2 {
		for q := Q; len(q) > 0; q = q[n:] {
			add(v, -algebra.Dot(v, q[:n]), q[:n])
		}
	}
	size := math.Sqrt(algebra.Dot(v, v))
	if !(size > part*was) {
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

// rates stores in r the rates of a freedom in the columns of the basis of motions. It returns the length that makes rates of
// an angle velocities, 1 for others.
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

// picked is a candidate that has been chosen.
type picked struct {
	candidate int
	length    float64
	row       []float64 // its rates, lengths in place of angles, in the motions of the basis
}

// choose chooses freedoms and makes the basis that belongs to them. It returns the errors of spread.
func (x *Independents) choose(candidates []mechanism.Freedom, watch *team.Watch) (err error) {
	m := x.Mobility
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
	var list []picked
	var directions []float64 // of the motions that the freedoms tell, orthonormal
	least := dependent * algebra.MaxAbs(x.normal)
	for len(list) < m && !watch.Up() {
		best, size := mostOf(rest, m)
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
		list = append(list, picked{best, length[best], rows[best*m:][:m]})
	}
	slices.SortFunc(list, func(a, b picked) int { return cmp.Compare(a.candidate, b.candidate) })
	for _, c := range list {
		x.Freedoms = append(x.Freedoms, candidates[c.candidate])
	}
	if x.Condition, x.Weakest, err = spread(list, m); err != nil {
		return err
	}
	x.complete(list, directions)
	return nil
}

// mostOf returns which row of m numbers has the largest norm, and this norm. Of rows that are equal to rounding it is the first; −1 if
// all are zero.
func mostOf(rows []float64, m int) (best int, size float64) {
	most := algebra.NewPeak(0)
	for i := 0; i*m < len(rows); i++ {
		most.Take(math.Sqrt(algebra.Dot(rows[i*m:][:m], rows[i*m:][:m])), i)
	}
	return most.At, most.Value
}

// complete stores in x.to the map from motions to their coordinates, and in x.Basis the motions of unit coordinates. The coordinates are
// the rates of the freedoms in the list, then those along directions orthogonal to theirs.
func (x *Independents) complete(list []picked, directions []float64) {
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

// VelocitiesTo stores in v the velocities of the bodies, as a column of Basis, with the rates y: of Freedoms, and of the columns beyond.
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

// RatesTo stores in y the rates that belong to velocities v of the bodies, the inverse of VelocitiesTo. Of v it takes the nearest that
// the joints allow, in the metric.
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

// Dependence returns the rates of a freedom, scalar or not, in the columns of Basis: its row of G.
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
