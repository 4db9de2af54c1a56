package replay

import (
	"fmt"
	"math"
	"sort"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
)

// parts are the columns of a body, in the order in which they are stored.
var parts = [...]string{"px", "py", "pz", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"}

// Replay gives the states of a mechanism at the rows of a Source. It belongs to one goroutine at a time.
type Replay struct {
	Source Source
	Mech   *mechanism.Mechanism

	bodies  []int32           // numbers of the bodies that the source has
	columns [][len(parts)]int // columns of each of them
	times   []float64
	row     []float64 // the row that was read last
	angles  []int     // columns of State.Angles; nil unless the source has all
	start   *mechanism.State
}

// New returns the replay of a source, a trajectory of m. Bodies that the source does not have stay at their poses in the model.
//
// Cost: as Source.ColumnTo, for the times. It returns an error if there is no column time, no body of
// m, only a part of the columns of a body, or no row; if the times do not increase; and errors of the source.
func New(m *mechanism.Mechanism, s Source) (*Replay, error) {
	r := &Replay{Source: s, Mech: m, row: make([]float64, len(s.Names())), start: m.Initial()}
	at := make(map[string]int, len(s.Names()))
	for k, n := range s.Names() {
		at[n] = k
	}
	time, ok := at["time"]
	if !ok {
		return nil, fmt.Errorf("no column \"time\" in the trajectory%s", fault.Meant("time", s.Names()...))
	}
	for i := range m.NumBodies() {
		if err := r.body(i, at); err != nil {
			return nil, err
		}
	}
	if len(r.bodies) == 0 && m.NumBodies() > 0 {
		return nil, fmt.Errorf("the trajectory has no body of the model; of its first body the columns were %s", fault.Name(m.BodyName(0)+".px")+" and so on")
	}
	if s.Rows() == 0 {
		return nil, fmt.Errorf("the trajectory has no rows")
	}
	r.findAngles(at)
	r.times = make([]float64, s.Rows())
	if err := s.ColumnTo(r.times, time); err != nil {
		return nil, err
	}
	for i, t := range r.times {
		if !algebra.Finite(t) || i > 0 && t <= r.times[i-1] {
			return nil, fmt.Errorf("row %d of the trajectory: time %g does not come after the one before", i+1, t)
		}
	}
	return r, nil
}

// body finds the columns of body i; at has the column of each name. It returns an error if the source has a part of them only.
func (r *Replay) body(i int, at map[string]int) error {
	var c [len(parts)]int
	name := r.Mech.BodyName(i)
	var missing []string
	for k, p := range parts {
		col, ok := at[name+"."+p]
		if !ok {
			missing = append(missing, name+"."+p)
		}
		c[k] = col
	}
	switch len(missing) {
	case 0:
		r.bodies, r.columns = append(r.bodies, int32(i)), append(r.columns, c)
	case len(parts):
	default:
		return fmt.Errorf("the trajectory has columns of body %s but not %s", fault.Name(name), fault.Name(strings.Join(missing, ", ")))
	}
	return nil
}

// findAngles finds the columns of the coordinates in State.Angles (mechanism.Mechanism.NumSprung), by the names that recordings have.
func (r *Replay) findAngles(at map[string]int) {
	list, found := make([]int, r.Mech.NumSprung()), 0
	for j := range r.Mech.NumJoints() {
		n := r.Mech.Joints[j].Kind.Freedoms()
		for i := range n {
			place := r.Mech.AnglePlace(mechanism.Freedom{Joint: j, Freedom: i})
			if place < 0 || place >= len(list) {
				continue
			}
			name := "joint." + r.Mech.JointName(j) + ".q"
			if n > 1 {
				name += strconv.Itoa(i)
			}
			if col, ok := at[name]; ok {
				list[place] = col
				found++
			}
		}
	}
	if found == len(list) && found > 0 {
		r.angles = list
	}
}

// anglesTo stores in st the angles of the row that has been read, or none if the source does not have all.
func (r *Replay) anglesTo(st *mechanism.State) {
	st.Angles = st.Angles[:0]
	for _, c := range r.angles {
		st.Angles = append(st.Angles, r.row[c])
	}
}

// Times returns the times of the rows, s. The list must not be changed.
func (r *Replay) Times() []float64 { return r.times }

// Others returns the names of the columns that are neither the time nor columns of a body.
func (r *Replay) Others() []string {
	taken := make([]bool, len(r.Source.Names()))
	for i := range r.columns {
		for _, c := range r.columns[i] {
			taken[c] = true
		}
	}
	out := []string{}
	for k, n := range r.Source.Names() {
		if !taken[k] && n != "time" {
			out = append(out, n)
		}
	}
	return out
}

// Bodies returns the numbers of the bodies that the source has. The list must not be changed.
func (r *Replay) Bodies() []int32 { return r.bodies }

// StateTo stores in st the state at row i. If the source has the coordinates of all joints that count turns (joint.NAME.q),
// st.Angles has them; otherwise st.Angles is empty (mechanism.State.Angles).
//
// Cost: as Source.RowTo. It returns the errors of the source, and an error that names row and body for an invalid pose. It panics
// if st has another number of bodies or i is out of range.
func (r *Replay) StateTo(st *mechanism.State, i int) error {
	if len(st.Bodies) != r.Mech.NumBodies() {
		panic("replay: state of another mechanism")
	}
	if err := r.Source.RowTo(r.row, i); err != nil {
		return err
	}
	st.Time = r.times[i]
	copy(st.Bodies, r.start.Bodies)
	for k, b := range r.bodies {
		c := &r.columns[k]
		v := func(p int) float64 { return r.row[c[p]] }
		to := &st.Bodies[b]
		to.Position = spatial.Vec3{v(0), v(1), v(2)}
		to.Rotation = spatial.Quat{v(3), v(4), v(5), v(6)}
		to.Velocity = spatial.Vec3{v(7), v(8), v(9)}
		to.Omega = spatial.Vec3{v(10), v(11), v(12)}
		const unit = 1e-6 // largest difference of the length of a quaternion from one, as files may have few digits
		if n := to.Rotation.Norm(); !to.IsFinite() || math.Abs(n-1) > unit {
			return fmt.Errorf("row %d of the trajectory: no pose of body %s", i+1, fault.Name(r.Mech.BodyName(int(b))))
		}
		to.Rotation = to.Rotation.Normalize()
	}
	r.anglesTo(st)
	return nil
}

// RowAt returns the number of the last row whose time is at most t (s), 0 for times before the first row.
func (r *Replay) RowAt(t float64) int {
	return max(0, sort.Search(len(r.times), func(i int) bool { return r.times[i] > t })-1)
}
