package mobility

import (
	"context"
	"slices"

	"github.com/rung-mbd/rung/kkt"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// Release is a joint of an over-constrained mechanism that may be replaced by a looser type, or a coupling that may be left
// out, without a new motion of the mechanism (RBDA §8.10).
type Release struct {
	Joint            string `json:"joint"`
	Type             string `json:"type"`                        // as joints.Kind.String returns it
	Suggest          string `json:"suggest"`                     // the looser type
	PredecessorFrame *Frame `json:"predecessor_frame,omitempty"` // new frame; nil if the joint keeps its frames
	SuccessorFrame   *Frame `json:"successor_frame,omitempty"`

	Coupling string `json:"coupling,omitempty"` // to be left out: in place of a joint, with type "coupling" and suggestion "none"

	// Turns is the number of times that both frames have been rotated so that x lies
	// where z was, y where x was and z where y was. Three times are the identity.
	Turns int `json:"-"`
}

// Frame is a frame of a joint as in rung-model/1: position in m, orientation as a quaternion, w first.
type Frame struct {
	Position    [3]float64 `json:"position"`
	Orientation [4]float64 `json:"orientation"`
}

// Counts are the numbers of constraints of a mechanism.
type Counts struct {
	Rows      int `json:"rows"`
	Rank      int `json:"rank"`
	Redundant int `json:"redundant"` // Rows − Rank
	Mobility  int `json:"mobility"`  // 6·bodies − Rank
}

// looser is a joint type that allows all motions of another type. If turned is set, its frames have to be rotated: its x axis lies where
// the other type has the z axis.
type looser struct {
	to     model.JointType
	turned bool
}

// looserTypes returns the types that allow all motions of t, and more, with the same frames or with rotated ones. Types with
// the most rows are first. It returns nil for types without looser ones.
func looserTypes(t model.JointType) []looser {
	switch t {
	case model.Fixed:
		return []looser{
			{model.Revolute, false}, {model.Prismatic, false}, {model.Cylindrical, false}, {model.Universal, false},
			{model.Spherical, false}, {model.Planar, false}, {model.SphereInCylinder, false}, {model.PointOnPlane, false},
		}
	case model.Revolute:
		return []looser{
			{model.Cylindrical, false}, {model.Universal, true}, {model.Spherical, false}, {model.Planar, false},
			{model.SphereInCylinder, false}, {model.PointOnPlane, false},
		}
	case model.Prismatic:
		return []looser{
			{model.Cylindrical, false}, {model.Planar, true}, {model.SphereInCylinder, false}, {model.PointOnPlane, true},
		}
	case model.Helical:
		return []looser{{model.Cylindrical, false}, {model.SphereInCylinder, false}}
	case model.Cylindrical:
		return []looser{{model.SphereInCylinder, false}, {model.PointOnPlane, true}}
	case model.Universal:
		return []looser{{model.Spherical, false}, {model.SphereInCylinder, false}, {model.PointOnPlane, false}}
	case model.Spherical:
		return []looser{{model.SphereInCylinder, false}, {model.PointOnPlane, false}}
	case model.Planar:
		return []looser{{model.PointOnPlane, false}}
	case model.SphereInCylinder:
		return []looser{{model.PointOnPlane, true}}
	case model.PointOnPlane, model.Distance:
		return []looser{{model.Free, false}}
	}
	return nil
}

// change is a joint with a looser type for it.
type change struct {
	joint int
	looser
}

const (
	releaseTrials = 400        // largest number of mechanisms that are tried in one search
	releaseBodies = 10_000_000 // largest number of bodies of all of them together
)

// releaser searches for joints to release.
type releaser struct {
	ctx    context.Context
	m      model.Model          // the model with the joints released so far
	turns  []int                // Release.Turns of each joint
	st     *mechanism.State     // at which ranks are computed
	from   *mechanism.Mechanism // the mechanism of st
	rank   int                  // rank of the constraints, which has to stay
	rows   []int                // numbers of redundant rows of each joint, then of each coupling
	turn   bool                 // frames may be rotated
	trials int                  // number of mechanisms that may still be tried
}

// Relief is an over-constrained mechanism with some joints released.
type Relief struct {
	Model    *model.Model
	Releases []Release
	Counts   Counts // of Model
}

// FindReleases searches for joints of m to release so that redundant rows vanish while
// the rank of the constraints, and with it the mobility, stays. There may be other choices.
//
// It tries joints with redundant rows first, and of their looser
// types first the one that removes most of these rows. Frames are rotated only if rows cannot be removed
// otherwise. Each step is checked by the rank of the released mechanism at
// st, which has to be a closed state of m whose rank is not less than nearby (Nearby.At).
// Loads along the freedoms of a released joint are dropped. Joints with prescribed motions, and joints of couplings and
// actuators, are not released.
//
// Cost: up to 400 plans and ranks of m, fewer beyond 25,000 bodies. m is not changed.
// It returns the errors of mechanism.New, kkt.NewPlan and kkt.Solver.RankAt. It panics without a model or a state.
func FindReleases(m *model.Model, st *mechanism.State) (*Relief, error) {
	return FindReleasesContext(context.Background(), m, st)
}

// FindReleasesContext is FindReleases that ends early when ctx does. It then returns the cause of ctx (context.Cause).
func FindReleasesContext(ctx context.Context, m *model.Model, st *mechanism.State) (*Relief, error) {
	if ctx == nil {
		panic("rung: nil context")
	}
	switch {
	case m == nil:
		panic("mobility: no model")
	case st == nil:
		panic("mobility: no state")
	}
	first := releaser{ctx: ctx, m: *m, st: st, trials: min(releaseTrials, releaseBodies/max(1, len(m.Bodies)))}
	var err error
	if first.from, err = mechanism.New(m); err != nil {
		return nil, err
	}
	rank, err := first.rankOf(m)
	if err != nil {
		return nil, err
	}
	first.rank, first.rows = rank.Rank, rank.RedundantRows
	r, err := first.search(false, true)
	if err != nil {
		return nil, err
	}
	if sum(r.rows) > 0 { // to rotate frames from the start may remove more rows
		other, err := first.search(true)
		if err != nil {
			return nil, err
		}
		if sum(other.rows) < sum(r.rows) {
			r = other
		}
	}
	redundant := sum(r.rows)
	out := &Relief{Model: &r.m, Releases: []Release{}, Counts: Counts{
		Rows: rank.Rank + redundant, Rank: rank.Rank, Redundant: redundant, Mobility: 6*len(m.Bodies) - rank.Rank,
	}}
	for i := range m.Joints {
		if r.m.Joints[i].Type != m.Joints[i].Type {
			out.Releases = append(out.Releases, releaseOf(&m.Joints[i], &r.m.Joints[i], r.turns[i]))
		}
	}
	kept := map[string]bool{}
	for i := range r.m.Couplings {
		kept[r.m.Couplings[i].Name] = true
	}
	for i := range m.Couplings {
		if name := m.Couplings[i].Name; !kept[name] {
			out.Releases = append(out.Releases, Release{Type: "coupling", Suggest: "none", Coupling: name})
		}
	}
	return out, nil
}

// releaseOf returns the Release of the joint before to the joint after, whose frames have been rotated the given number of times
// (Release.Turns).
func releaseOf(before, after *model.Joint, turns int) Release {
	out := Release{Joint: before.Name, Type: before.Type.String(), Suggest: after.Type.String(), Turns: turns}
	if turns%3 != 0 {
		p, s := Frame(after.PredecessorFrame), Frame(after.SuccessorFrame)
		out.PredecessorFrame, out.SuccessorFrame = &p, &s
	}
	return out
}

// search leaves out couplings and releases joints, in one pass for each entry of turn, which says whether frames may be rotated. It
// returns a new releaser with the result; r is not changed.
func (r *releaser) search(turn ...bool) (*releaser, error) {
	out := *r
	out.m.Joints, out.turns = slices.Clone(r.m.Joints), make([]int, len(r.m.Joints))
	if err := out.uncouple(false); err != nil {
		return nil, err
	}
	for _, out.turn = range turn {
		if err := out.release(); err != nil {
			return nil, err
		}
	}
	if err := out.uncouple(true); err != nil { // also couplings whose redundant rows are counted at joints that cannot be released
		return nil, err
	}
	return &out, nil
}

// uncouple leaves out couplings whose rows the rank does not need. It tries all couplings, or only couplings with redundant rows.
func (r *releaser) uncouple(all bool) error {
	var names []string
	for i := range r.m.Couplings {
		if all || r.rows[len(r.m.Joints)+i] > 0 {
			names = append(names, r.m.Couplings[i].Name)
		}
	}
	return r.leaveOut(names)
}

// leaveOut leaves out the couplings with these names if the rank stays: all at once if possible, else it tries each half.
func (r *releaser) leaveOut(names []string) error {
	if len(names) == 0 || r.trials == 0 || sum(r.rows) == 0 {
		return nil
	}
	r.trials--
	drop := make(map[string]bool, len(names))
	for _, name := range names {
		drop[name] = true
	}
	m := r.m
	m.Couplings = slices.DeleteFunc(slices.Clone(r.m.Couplings), func(c model.Coupling) bool { return drop[c.Name] })
	rank, err := r.rankOf(&m)
	switch {
	case err != nil:
		return err
	case rank.Rank == r.rank:
		r.m, r.rows = m, rank.RedundantRows
		return nil
	case len(names) == 1:
		return nil
	}
	half := len(names) / 2
	if err := r.leaveOut(names[:half]); err != nil {
		return err
	}
	return r.leaveOut(names[half:])
}

// release releases joints until no row is redundant or no further joint can be released.
func (r *releaser) release() error {
	for redundant := sum(r.rows); redundant > 0; {
		if err := r.round(r.rows[:len(r.m.Joints)]); err != nil {
			return err
		}
		if sum(r.rows) == redundant { // try all joints: others of the same loops may be released instead
			all := make([]int, len(r.m.Joints))
			for j := range all {
				all[j] = redundant
			}
			if err := r.round(all); err != nil {
				return err
			}
		}
		if sum(r.rows) == redundant {
			break
		}
		redundant = sum(r.rows)
	}
	return nil
}

// round tries to release each joint by looser types with most[joint] rows less, then by types with fewer rows less.
func (r *releaser) round(most []int) error {
	if len(most) == 0 {
		return nil
	}
	most = slices.Clone(most)
	named := r.named()
	for j := range most {
		if named[r.m.Joints[j].Name] {
			most[j] = 0
		}
	}
	for drop := slices.Max(most); drop > 0; drop-- {
		for nth := 0; ; nth++ {
			var list []change
			for j, n := range most {
				if n >= drop {
					if l, ok := r.nthLooser(&r.m.Joints[j], drop, nth); ok {
						list = append(list, change{j, l})
					}
				}
			}
			if len(list) == 0 {
				break
			}
			done, err := r.try(list)
			if err != nil {
				return err
			}
			for _, c := range done {
				most[c.joint] = 0
			}
		}
	}
	return nil
}

// named returns the names of the joints whose freedoms couplings and actuators refer to. These cannot be released, as a looser type numbers
// its freedoms differently.
func (r *releaser) named() map[string]bool {
	names := map[string]bool{}
	for i := range r.m.Forces {
		if a := r.m.Forces[i].Actuator; a != nil {
			names[a.Joint] = true
		}
	}
	for i := range r.m.Couplings {
		c := &r.m.Couplings[i]
		for k := range c.Terms {
			names[c.Terms[k].Joint] = true
		}
		for _, of := range c.Of() {
			names[of.Joint] = true
		}
	}
	return names
}

// nthLooser returns the nth looser type for a joint that has drop rows less, n counted from 0. It returns false if there is none, or the
// joint has prescribed motions.
func (r *releaser) nthLooser(j *model.Joint, drop, nth int) (looser, bool) {
	if j.Motion != nil {
		return looser{}, false
	}
	for _, l := range looserTypes(j.Type) {
		if j.Type.Constraints()-l.to.Constraints() == drop && (r.turn || !l.turned) {
			if nth == 0 {
				return l, true
			}
			nth--
		}
	}
	return looser{}, false
}

// try makes the changes of the list if the rank stays: all at once if possible, else it tries each half. It returns the changes that it has
// made.
func (r *releaser) try(list []change) (done []change, err error) {
	if r.trials == 0 || sum(r.rows) == 0 {
		return nil, nil
	}
	r.trials--
	m := r.m
	m.Joints = slices.Clone(r.m.Joints)
	for _, c := range list {
		c.apply(&m.Joints[c.joint])
	}
	rank, err := r.rankOf(&m)
	switch {
	case err != nil:
		return nil, err
	case rank.Rank == r.rank:
		r.m, r.rows = m, rank.RedundantRows
		for _, c := range list {
			if c.turned {
				r.turns[c.joint]++
			}
		}
		return list, nil
	case len(list) == 1:
		return nil, nil
	}
	half := len(list) / 2
	done, err = r.try(list[:half])
	if err != nil {
		return nil, err
	}
	more, err := r.try(list[half:])
	return append(slices.Clone(done), more...), err
}

// apply gives j the looser type, and rotates its frames if necessary. It drops all loads and limits along the freedoms of j.
func (c *change) apply(j *model.Joint) {
	j.Type, j.Pitch, j.Length = c.to, 0, 0
	j.Force, j.Stiffness, j.Damping, j.Rest, j.Turns, j.Limits, j.Armature, j.Friction = nil, nil, nil, nil, nil, nil, nil, nil
	j.Springs, j.Dampers = nil, nil
	if !c.turned {
		return
	}
	for _, f := range [2]*model.Pose{&j.PredecessorFrame, &j.SuccessorFrame} {
		q := spatial.Quat(f.Orientation)
		if q == (spatial.Quat{}) {
			q = spatial.IdentityQuat()
		}
		f.Orientation = q.Mul(spatial.Quat{0.5, -0.5, -0.5, -0.5}).Normalize() // new x along old z, new z along old y, new y along old x
	}
}

// rankOf returns the rank of the constraints of m at r.st, and the redundant rows.
func (r *releaser) rankOf(m *model.Model) (kkt.Rank, error) { return rankOf(r.ctx, m, r.st, r.from) }

// rankOf returns the rank of the constraints of m, and the redundant rows of each joint and coupling, at st: a state of the mechanism from,
// which has the same bodies.
func rankOf(ctx context.Context, m *model.Model, st *mechanism.State, from *mechanism.Mechanism) (kkt.Rank, error) {
	mech, err := mechanism.New(m)
	if err != nil {
		return kkt.Rank{}, err
	}
	p, err := kkt.NewPlanContext(ctx, mech, kkt.Options{})
	if err != nil {
		return kkt.Rank{}, err
	}
	if len(st.Angles) > 0 {
		st = st.Clone()
		mech.Adopt(st, from)
	}
	s := p.NewSolver()
	defer s.Watch(ctx)()
	return s.RankAt(st)
}

// sum returns the sum of the numbers of list.
func sum(list []int) (s int) {
	for _, n := range list {
		s += n
	}
	return s
}
