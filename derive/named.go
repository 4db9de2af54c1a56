package derive

import (
	"fmt"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/spatial"
)

// NamedDirection is a direction by names: an entry of directions in a document of rung-directions/1.
type NamedDirection struct {
	Name       string           `json:"name"`
	Follow     bool             `json:"follow"`
	Time       float64          `json:"time"`
	Bodies     []NamedBody      `json:"bodies"`
	Loads      []NamedLoad      `json:"loads"`
	Forces     []NamedForce     `json:"forces"`
	Parameters []NamedParameter `json:"parameters"`
}

// NamedBody is the change of a body by its name; the fields are as in BodyDirection.
type NamedBody struct {
	Body     string       `json:"body"`
	Rotation spatial.Vec3 `json:"rotation"`
	Position spatial.Vec3 `json:"position"`
	Angular  spatial.Vec3 `json:"angular"`
	Linear   spatial.Vec3 `json:"linear"`
}

// NamedLoad is a load at the centre of mass of a body, world axes.
type NamedLoad struct {
	Body   string       `json:"body"`
	Force  spatial.Vec3 `json:"force"`
	Torque spatial.Vec3 `json:"torque"`
}

// NamedForce is the change of the generalized force along a freedom of a joint, N or N m.
type NamedForce struct {
	Joint   string  `json:"joint"`
	Freedom int     `json:"freedom"`
	Change  float64 `json:"change"`
}

// NamedParameter is the change of the number at a path of the model.
type NamedParameter struct {
	Path   string  `json:"path"`
	Change float64 `json:"change"`
}

// Named returns the directions of list. Paths to poses and velocities of bodies change the state of At.
//
// It returns an error that names the direction and the unknown name in it: a body, a joint, a freedom, or a path (ErrParameter).
func (d *Derivatives) Named(list []NamedDirection) (*Directions, error) {
	found := make([][]*Parameter, len(list))
	for k := range list {
		for i := range list[k].Parameters {
			p, err := d.Parameter(list[k].Parameters[i].Path)
			if err != nil {
				return nil, &DirectionError{k, list[k].Name, err}
			}
			found[k] = append(found[k], p)
		}
	}
	in := d.NewDirections(len(list))
	for k := range list {
		if err := in.setNamed(k, &list[k], found[k]); err != nil {
			return nil, &DirectionError{k, list[k].Name, err}
		}
	}
	return in, nil
}

// setNamed sets direction k to n; found are its parameters.
func (in *Directions) setNamed(k int, n *NamedDirection, found []*Parameter) error {
	m := in.d.mech
	in.SetName(k, n.Name)
	in.SetFollow(k, n.Follow)
	in.SetTime(k, n.Time)
	u := &in.list[k]
	body := func(name string, change BodyDirection) error {
		i, err := m.BodyIndex(name)
		if err == nil && i < 0 {
			err = fmt.Errorf("derive: %s does not move", fault.Name(name))
		}
		u.given = append(u.given, given{body: i, joint: -1, freedom: -1, change: change})
		return err
	}
	for _, x := range n.Bodies {
		v := BodyDirection{Rotation: x.Rotation, Position: x.Position, Angular: x.Angular, Linear: x.Linear}
		if err := body(x.Body, v); err != nil {
			return err
		}
	}
	for _, x := range n.Loads {
		if err := body(x.Body, BodyDirection{Force: x.Force, Torque: x.Torque}); err != nil {
			return err
		}
	}
	for _, x := range n.Forces {
		j, err := m.JointIndex(x.Joint)
		if err != nil {
			return err
		}
		if freedoms := m.Joints[j].Kind.Freedoms(); x.Freedom < 0 || x.Freedom >= freedoms {
			return m.AtJoint(j, -1, fmt.Errorf("derive: it has no freedom %d", x.Freedom))
		}
		u.given = append(u.given, given{body: -1, joint: j, freedom: x.Freedom, force: x.Change})
	}
	for i, p := range found {
		in.AddParameter(k, p, n.Parameters[i].Change)
	}
	return nil
}

// NamedChange is the result of ForwardTo along a direction, by names: an entry of directions in a document of rung-gradient/1.
type NamedChange struct {
	Name      string             `json:"name"`
	Corrected float64            `json:"corrected"`
	Bodies    []NamedBodyChange  `json:"bodies"`
	Joints    []NamedJointChange `json:"joints"`
}

// NamedBodyChange is a BodyChange.
type NamedBodyChange struct {
	Name                string       `json:"name"`
	ComAcceleration     spatial.Vec3 `json:"com_acceleration"`
	AngularAcceleration spatial.Vec3 `json:"angular_acceleration"`
	Rotation            spatial.Vec3 `json:"rotation"`
	Position            spatial.Vec3 `json:"position"`
	Angular             spatial.Vec3 `json:"angular"`
	Linear              spatial.Vec3 `json:"linear"`
}

// NamedJointChange is a JointChange. Components of the wrench without derivative are nil, and so are the coordinates of freedoms that have
// none.
type NamedJointChange struct {
	Name  string      `json:"name"`
	Total NamedWrench `json:"total_wrench"`
	Q     []*float64  `json:"q"`
	Qd    []*float64  `json:"qd"`
	Qdd   []*float64  `json:"qdd"`
}

// NamedWrench is a wrench with components that may be nil.
type NamedWrench struct {
	Force  [3]*float64 `json:"force"`
	Moment [3]*float64 `json:"moment"`
}

// Named returns the results along direction k by names. It panics without results.
func (c *Changes) Named(k int) NamedChange {
	s, m := c.of(k), c.d.mech
	out := NamedChange{Name: s.taken.name, Corrected: s.corrected, Bodies: []NamedBodyChange{}, Joints: []NamedJointChange{}}
	for i := range m.NumBodies() {
		b := c.Body(k, i)
		out.Bodies = append(out.Bodies, NamedBodyChange{
			m.BodyName(i), b.ComAcceleration, b.AngularAcceleration, b.Rotation, b.Position, b.Angular, b.Linear,
		})
	}
	for j := range m.NumJoints() {
		x := c.Joint(k, j)
		n := NamedJointChange{Name: m.JointName(j), Q: []*float64{}, Qd: []*float64{}, Qdd: []*float64{}}
		for i := range 3 {
			if x.Undetermined>>i&1 == 0 {
				n.Total.Force[i] = &x.Wrench[3+i]
			}
			if x.Undetermined>>(3+i)&1 == 0 {
				n.Total.Moment[i] = &x.Wrench[i]
			}
		}
		kind := m.Joints[j].Kind
		for i := range kind.Freedoms() {
			var q, qd, qdd *float64
			if kind.Scalar(i) {
				q, qd, qdd = &x.Q[i], &x.Qd[i], &x.Qdd[i]
			}
			n.Q, n.Qd, n.Qdd = append(n.Q, q), append(n.Qd, qd), append(n.Qdd, qdd)
		}
		out.Joints = append(out.Joints, n)
	}
	return out
}
