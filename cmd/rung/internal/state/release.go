package state

import (
	"slices"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/spatial"
)

// Release says to which type a joint of an over-constrained mechanism may be
// released without giving it a new motion (RBDA §8.10). Frames are nil where
// they stay.
type Release struct {
	Joint            string `json:"joint"`
	Type             string `json:"type"`
	Suggest          string `json:"suggest"`
	PredecessorFrame *Frame `json:"predecessor_frame,omitempty"`
	SuccessorFrame   *Frame `json:"successor_frame,omitempty"`

	turns int // of both frames by change.apply
}

// Frame is a frame of a joint as rung-model/1 has it.
type Frame struct {
	Position    [3]float64 `json:"position"`
	Orientation [4]float64 `json:"orientation"`
}

// ReleasedCounts are those of the constraints after all releases.
type ReleasedCounts struct {
	Rows      int `json:"rows"`
	Rank      int `json:"rank"`
	Redundant int `json:"redundant"`
	Mobility  int `json:"mobility"`
}

// Looser is a joint type that allows all that another one does. With turned
// frames its x axis lies where the other one's z axis is.
type Looser struct {
	To     model.JointType
	Turned bool
}

// LooserTypes returns the types that allow all that t allows, and more, as far as
// the frames of a joint tell where, those with the most rows first.
func LooserTypes(t model.JointType) []Looser {
	switch t {
	case model.Fixed:
		return []Looser{
			{model.Revolute, false}, {model.Prismatic, false}, {model.Cylindrical, false}, {model.Universal, false},
			{model.Spherical, false}, {model.Planar, false}, {model.SphereInCylinder, false}, {model.PointOnPlane, false},
		}
	case model.Revolute:
		return []Looser{
			{model.Cylindrical, false}, {model.Universal, true}, {model.Spherical, false}, {model.Planar, false},
			{model.SphereInCylinder, false}, {model.PointOnPlane, false},
		}
	case model.Prismatic:
		return []Looser{
			{model.Cylindrical, false}, {model.Planar, true}, {model.SphereInCylinder, false}, {model.PointOnPlane, true},
		}
	case model.Helical:
		return []Looser{{model.Cylindrical, false}, {model.SphereInCylinder, false}}
	case model.Cylindrical:
		return []Looser{{model.SphereInCylinder, false}, {model.PointOnPlane, true}}
	case model.Universal:
		return []Looser{{model.Spherical, false}, {model.SphereInCylinder, false}, {model.PointOnPlane, false}}
	case model.Spherical:
		return []Looser{{model.SphereInCylinder, false}, {model.PointOnPlane, false}}
	case model.Planar:
		return []Looser{{model.PointOnPlane, false}}
	case model.SphereInCylinder:
		return []Looser{{model.PointOnPlane, true}}
	case model.PointOnPlane, model.Distance:
		return []Looser{{model.Free, false}}
	}
	return nil
}

// Change is a joint with a looser type for it.
type Change struct {
	Joint int
	Looser
}

// ReleaseTrials bounds the mechanisms tried in one search, and releaseBodies the
// bodies of all of them together.
const (
	ReleaseTrials = 400
	releaseBodies = 10_000_000
)

// Releaser looks for joints to release.
type Releaser struct {
	M      model.Model // joints released so far
	Turns  []int       // of the frames of each joint
	St     *mechanism.State
	Rank   int   // that has to stay
	Rows   []int // redundant ones of each joint
	turn   bool  // frames may be turned
	Trials int
}

// relief is an over-constrained mechanism with some joints released.
type relief struct {
	M      *model.Model
	List   []Release
	Counts ReleasedCounts // of m
}

// FindReleases looks for joints to release so that redundant rows vanish while
// the rank, and with it the mobility, stays. It takes the joints with redundant rows first, and of their looser
// types the one that takes away most of these; frames are turned only for rows that
// cannot go without. Each step is checked by the rank of the released mechanism at
// st, a closed state of m where its rank is not less than nearby.
//
// It returns errors as kkt.Plan.RedundantRows does. m is not changed.
func FindReleases(m *model.Model, st *mechanism.State) (*relief, error) {
	rank, rows, err := RankOf(m, st)
	if err != nil {
		return nil, err
	}
	first := Releaser{M: *m, St: st, Rank: rank, Rows: rows, Trials: min(ReleaseTrials, releaseBodies/max(1, len(m.Bodies)))}
	r, err := first.Search(false, true)
	if err != nil {
		return nil, err
	}
	if Sum(r.Rows) > 0 { // a frame turned earlier may do better
		other, err := first.Search(true)
		if err != nil {
			return nil, err
		}
		if Sum(other.Rows) < Sum(r.Rows) {
			r = other
		}
	}
	left := Sum(r.Rows)
	out := &relief{M: &r.M, List: []Release{}, Counts: ReleasedCounts{
		Rows: rank + left, Rank: rank, Redundant: left, Mobility: 6*len(m.Bodies) - rank,
	}}
	for i := range m.Joints {
		if r.M.Joints[i].Type != m.Joints[i].Type {
			out.List = append(out.List, ReleaseOf(&m.Joints[i], &r.M.Joints[i], r.Turns[i]))
		}
	}
	return out, nil
}

// ReleaseOf describes the release of joint was to now, with frames turned so
// often.
func ReleaseOf(was, now *model.Joint, turns int) Release {
	out := Release{Joint: was.Name, Type: was.Type.String(), Suggest: now.Type.String(), turns: turns}
	if turns%3 != 0 {
		p, s := Frame(now.PredecessorFrame), Frame(now.SuccessorFrame)
		out.PredecessorFrame, out.SuccessorFrame = &p, &s
	}
	return out
}

// Search releases joints in passes, each with frames turned or not, and returns
// what they come to. r is not changed.
func (r *Releaser) Search(turn ...bool) (*Releaser, error) {
	out := *r
	out.M.Joints, out.Turns = slices.Clone(r.M.Joints), make([]int, len(r.M.Joints))
	for _, out.turn = range turn {
		if err := out.release(); err != nil {
			return nil, err
		}
	}
	return &out, nil
}

// Release releases joints until nothing is redundant or no joint is left that
// can be released.
func (r *Releaser) release() error {
	for left := Sum(r.Rows); left > 0; {
		if err := r.round(r.Rows); err != nil {
			return err
		}
		if Sum(r.Rows) == left { // other joints of the same loops
			all := make([]int, len(r.Rows))
			for j := range all {
				all[j] = left
			}
			if err := r.round(all); err != nil {
				return err
			}
		}
		if Sum(r.Rows) == left {
			break
		}
		left = Sum(r.Rows)
	}
	return nil
}

// round tries to take from each joint as many rows as most says, then fewer.
func (r *Releaser) round(most []int) error {
	most = slices.Clone(most)
	for drop := slices.Max(most); drop > 0; drop-- {
		for nth := 0; ; nth++ {
			var list []Change
			for j, n := range most {
				if n >= drop {
					if l, ok := r.nthLooser(&r.M.Joints[j], drop, nth); ok {
						list = append(list, Change{j, l})
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
				most[c.Joint] = 0
			}
		}
	}
	return nil
}

// nthLooser returns the nth type that takes drop rows from a joint. Joints with
// prescribed motions keep theirs.
func (r *Releaser) nthLooser(j *model.Joint, drop, nth int) (Looser, bool) {
	if j.Motion != nil {
		return Looser{}, false
	}
	for _, l := range LooserTypes(j.Type) {
		if j.Type.Constraints()-l.To.Constraints() == drop && (r.turn || !l.Turned) {
			if nth == 0 {
				return l, true
			}
			nth--
		}
	}
	return Looser{}, false
}

// try makes the changes of the list that leave the rank as it is, all at once or
// else by halves, and returns them.
func (r *Releaser) try(list []Change) (done []Change, err error) {
	if r.Trials == 0 || Sum(r.Rows) == 0 {
		return nil, nil
	}
	r.Trials--
	m := r.M
	m.Joints = slices.Clone(r.M.Joints)
	for _, c := range list {
		c.Apply(&m.Joints[c.Joint])
	}
	rank, rows, err := RankOf(&m, r.St)
	switch {
	case err != nil:
		return nil, err
	case rank == r.Rank:
		r.M, r.Rows = m, rows
		for _, c := range list {
			if c.Turned {
				r.Turns[c.Joint]++
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

// Apply gives j the looser type. What acts along its freedoms is dropped.
func (c *Change) Apply(j *model.Joint) {
	j.Type, j.Pitch, j.Length = c.To, 0, 0
	j.Force, j.Stiffness, j.Damping, j.Rest, j.Turns = nil, nil, nil, nil, nil
	if !c.Turned {
		return
	}
	for _, f := range [2]*model.Pose{&j.PredecessorFrame, &j.SuccessorFrame} {
		q := spatial.Quat(f.Orientation)
		if q == (spatial.Quat{}) {
			q = spatial.IdentityQuat()
		}
		f.Orientation = q.Mul(spatial.Quat{0.5, -0.5, -0.5, -0.5}).Normalize() // x to z, z to y, y to x
	}
}

// RankOf returns the rank of the constraints of m at st, and the redundant rows of
// each joint.
func RankOf(m *model.Model, st *mechanism.State) (rank int, redundant []int, err error) {
	plan, err := rung.NewPlan(m, rung.Options{})
	if err != nil {
		return 0, nil, err
	}
	if redundant, err = plan.RedundantRows(st); err != nil {
		return 0, nil, err
	}
	return plan.Layout().Pattern.Dim() - 6*len(m.Bodies) - Sum(redundant), redundant, nil
}

// TurnText says where the axes of frames that were turned so often by change.apply
// are.
func TurnText(turns int) string {
	return [3]string{
		"", " (in both its frames x where z was, y where x was, z where y was)", " (in both its frames x where y was, y where z was, z where x was)",
	}[turns%3]
}

func Sum(list []int) (s int) {
	for _, n := range list {
		s += n
	}
	return s
}
