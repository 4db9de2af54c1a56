package mechanism

import (
	"context"
	"errors"
	"slices"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/model"
)

// ErrOwnRow is wrapped by the error of OnlyModelRows.
var ErrOwnRow = errors.New("mechanism: the row is one's own, and this method needs derivatives or freedoms, which it does not tell")

// ErrDemand is wrapped by the errors of NewWithRows that are about the rows.
var ErrDemand = errors.New("mechanism: row of one's own refused")

// Demand is a user-defined row with its name and bodies.
type Demand struct {
	Name   string
	Bodies []int // by number, each once
	Row    OwnRow
	Angle  bool // φ is an angle, rad, and not a length, m
	Rates  bool // the row constrains velocities alone (nonholonomic, RBDA ch. 3): it is the rate of no φ
}

// NewWithRows is NewContext with user-defined rows besides the rows of the model. They count as couplings that follow the couplings
// of the model (NumCouplings, CouplingName), and appear like these in reports, errors and reactions. A row whose parts are all zero
// counts as redundant.
//
// It also returns an error that wraps ErrDemand if a name is empty or the name of another coupling, or if bodies are missing, out of
// range or given twice. It panics if a row is nil.
func NewWithRows(ctx context.Context, m *model.Model, rows ...Demand) (*Mechanism, error) {
	mech, err := NewContext(ctx, m)
	if err != nil || len(rows) == 0 {
		return mech, err
	}
	taken := map[string]bool{"": true}
	for i := range m.Couplings {
		taken[m.Couplings[i].Name] = true
	}
	of := len(m.Couplings)
	for i := range rows {
		d := &rows[i]
		if taken[d.Name] {
			return nil, fault.Errorf("%w: name %s is empty or given twice", ErrDemand, fault.Name(d.Name))
		}
		taken[d.Name] = true
		c, err := mech.newOwnRow(d)
		if err != nil {
			return nil, err
		}
		mech.Couplings = append(mech.Couplings, c)
		if d.Rates {
			mech.nonholonomic = append(mech.nonholonomic, int32(mech.NumJoints()+of+i))
		}
	}
	mech.special.own = len(rows)
	if mech.couplingNames, err = newNames(len(mech.Couplings), func(i int) string {
		if i < of {
			return m.Couplings[i].Name
		}
		return rows[i-of].Name
	}); err != nil {
		return nil, err
	}
	return mech, nil
}

// newOwnRow returns the coupling of a demand, or an error that wraps ErrDemand.
func (m *Mechanism) newOwnRow(d *Demand) (c Coupling, err error) {
	if d.Row == nil {
		panic("mechanism: no row")
	}
	if len(d.Bodies) == 0 {
		return c, fault.Errorf("%w: row %s is of no body", ErrDemand, fault.Name(d.Name))
	}
	own := &ownRow{row: d.Row, rates: d.Rates}
	for _, b := range d.Bodies {
		if b < 0 || b >= len(m.Bodies) || slices.Contains(own.body, int32(b)) {
			return c, fault.Errorf("%w: row %s is of body %d, which is out of range or given twice", ErrDemand, fault.Name(d.Name), b)
		}
		own.body = append(own.body, int32(b))
	}
	c = Coupling{Bodies: slices.Sorted(slices.Values(own.body)), Size: 1, Angle: d.Angle, own: own}
	for _, b := range own.body {
		at, _ := slices.BinarySearch(c.Bodies, b)
		own.place = append(own.place, int32(at))
	}
	return c, nil
}

// OnlyModelRows returns an error that wraps ErrOwnRow and names the first user-defined row, or nil if there is none. Methods that need
// derivatives of rows, or their freedoms, call it.
func (m *Mechanism) OnlyModelRows() error {
	if m.special.own == 0 {
		return nil
	}
	return m.atCoupling(len(m.Couplings)-m.special.own, ErrOwnRow)
}
