package motion

import (
	"github.com/rung-mbd/rung/ground/contact"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/spatial"
	"github.com/rung-mbd/rung/tree"
)

// Wheels has the Jacobians of contacts on a spanning tree, for integrators and for controllers. Each direction in which a point of a
// contact moves over the ground has two rows. The row of the velocity, times q̇, is the velocity of the point in that direction. The row
// of the force, times the force of the ground in that direction, is the generalized force τ. Both rows are equal, except for forces of
// soil, which act at the centre of the wheel. The directions of a point are its axes N, X and Y and, where the law of the contact needs
// them, the velocity of the wheel's centre along X, the spin of the wheel, and its rotation about N (contact.PointMotion).
//
// tree.Workspace.InertiaTo and InverseTo give H and C of the same tree. A Wheels belongs to one goroutine.
type Wheels struct {
	mech   *mechanism.Mechanism
	plan   *tree.Plan
	points []wheelPoint
	used   int               // number of points in use
	eval   []*contact.Result // by contact
	rows   []WheelRow
	count  int              // number of rows in use
	matrix []float64        // rows of velocities, one after the other
	push   []float64        // rows of forces, one after the other
	jac    []spatial.Motion // Jacobian of the wheel about the point
}

// WheelRow has the contact, the point and the direction of a row of Wheels.
type WheelRow struct {
	Contact int // of the mechanism
	Point   int // of the contact
	By      int // contact.ByN, ByX, ByY, ByRoll, BySpin or ByTurn
}

// wheelPoint is a point of a contact with its rows.
type wheelPoint struct {
	contact *contact.Contact
	motion  contact.PointMotion
	share   float64 // of the point in the contact (contact.Point)
	first   int     // its first row
	by      []int   // by row: direction, contact.ByN …
	of      []int   // by row: force, contact.OfN …; −1 for none
}

// forceBy has by direction of a point the force along it; −1 for none.
var forceBy = [...]int{
	contact.ByN: contact.OfN, contact.ByX: contact.OfX, contact.ByY: contact.OfY,
	contact.ByRoll: -1, contact.BySpin: contact.OfAxle, contact.ByTurn: contact.OfTurn,
}

// NewWheels returns the rows of all contacts of the mechanism of a tree, with their memory.
func NewWheels(p *tree.Plan) *Wheels {
	if p == nil {
		panic("motion: no plan")
	}
	m := p.Mechanism()
	w := &Wheels{mech: m, plan: p, jac: make([]spatial.Motion, p.NumDof())}
	for i := range m.NumContacts() {
		c, _, _ := m.Contact(i)
		w.eval = append(w.eval, contact.NewResult(c))
		by := []int{contact.ByN, contact.ByX, contact.ByY}
		l := &c.Law
		slips := l.Friction.Type == contact.Tyre || l.Friction.Type == contact.Soil
		if slips {
			by = append(by, contact.ByRoll)
		}
		if slips || l.Rolling.Coefficient != 0 {
			by = append(by, contact.BySpin)
		}
		if l.Drilling.Coefficient != 0 {
			by = append(by, contact.ByTurn)
		}
		var of []int
		for _, k := range by {
			of = append(of, forceBy[k])
		}
		for range c.Shape.MaxPoints() {
			w.points = append(w.points, wheelPoint{contact: c, by: by, of: of})
			for range by {
				w.rows = append(w.rows, WheelRow{})
			}
		}
	}
	w.matrix, w.push = make([]float64, len(w.rows)*p.NumDof()), make([]float64, len(w.rows)*p.NumDof())
	return w
}

// Set computes the points of all contacts, and their rows, at the state in use of a workspace of the tree. A contact that does not touch
// has one point, which is nearest to the ground.
//
// Cost: as the contacts, and O(rows·NumDof), no allocation.
// It returns the errors of mechanism.Mechanism.ContactAt.
func (w *Wheels) Set(at *tree.Workspace) error {
	w.used, w.count = 0, 0
	st := at.State()
	var b contact.Body
	for i, r := range w.eval {
		c, body, _ := w.mech.Contact(i)
		w.mech.ContactBody(&b, i, at.Kinematics(), st)
		if err := c.EvalTo(r, &b, nil); err != nil {
			return w.mech.ContactError(i, st, err)
		}
		link := int(w.plan.LinkOf[body])
		var err error
		for k := range r.Touches {
			if e := w.add(at, i, k, link, &b, &r.Touches[k].Point); e != nil {
				err = e
			}
		}
		if len(r.Touches) == 0 {
			err = w.add(at, i, 0, link, &b, &r.Nearest)
		}
		if err != nil {
			return w.mech.ContactError(i, st, err)
		}
	}
	return nil
}

// add appends a point with its rows: point k of contact i on a link, with the motion b of its body.
func (w *Wheels) add(at *tree.Workspace, i, k, link int, b *contact.Body, p *contact.Point) error {
	q := &w.points[w.used]
	c, _, _ := w.mech.Contact(i)
	q.contact, q.share, q.first = c, p.Share, w.count
	w.used++
	com := b.Position.Add(b.Com)
	if err := c.MotionTo(&q.motion, p, b); err != nil {
		return err
	}
	n := len(w.jac)
	at.JacobianTo(w.jac, link, p.P.Sub(com))
	arm := p.Center().Sub(p.P)
	for _, by := range q.by {
		w.rows[w.count] = WheelRow{i, k, by}
		row, push := w.matrix[w.count*n:(w.count+1)*n], w.push[w.count*n:(w.count+1)*n]
		w.count++
		clear(push)
		var dir spatial.Vec3
		turns := false // the direction is a rotation about dir
		switch by {
		case contact.ByN:
			dir = p.N
		case contact.ByX:
			dir = p.X
		case contact.ByY:
			dir = p.Y
		case contact.ByRoll: // velocity of the centre; no force is along it
			w.along(row, &p.X, &arm)
			continue
		case contact.BySpin:
			dir, turns = p.Axis(), true
		case contact.ByTurn:
			dir, turns = p.N, true
		}
		if turns {
			for d := range row {
				j := &w.jac[d]
				row[d] = j[0]*dir[0] + j[1]*dir[1] + j[2]*dir[2]
			}
		} else {
			w.along(row, &dir, &spatial.Vec3{})
		}
		if copy(push, row); c.Law.Friction.Type == contact.Soil && !turns {
			w.along(push, &dir, &arm)
		}
	}
	return nil
}

// along stores the row of the velocity in the direction dir of the point that is at arm from the point of w.jac.
func (w *Wheels) along(row []float64, dir, arm *spatial.Vec3) {
	for d := range row {
		j := &w.jac[d]
		v := spatial.Vec3{j[3], j[4], j[5]}
		if *arm != (spatial.Vec3{}) {
			v = v.Add(spatial.Vec3{j[0], j[1], j[2]}.Cross(*arm))
		}
		row[d] = v.Dot(*dir)
	}
}

// NumRows returns the number of rows at the state of the last Set.
func (w *Wheels) NumRows() int { return w.count }

// Row returns the entries of the row of velocities i, one a freedom of the tree, and its contact, point and direction. They hold until the
// next Set.
func (w *Wheels) Row(i int) ([]float64, WheelRow) {
	n := w.plan.NumDof()
	return w.matrix[:w.count*n][i*n : (i+1)*n], w.rows[i]
}

// Push returns the row of forces i, one entry a freedom of the tree. It holds until the next Set.
func (w *Wheels) Push(i int) []float64 {
	n := w.plan.NumDof()
	return w.push[:w.count*n][i*n : (i+1)*n]
}
