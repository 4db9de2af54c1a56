package mechanism

// RowsTo completes the kinematics k at s, whose Bodies are computed: it checks the laws of couplings, finds the contacts and feet of
// joints with curves or terrain, and computes the user-defined rows. KinematicsTo calls it.
//
// Cost: O(couplings with laws + joints with curves), and the cost of the rows; allocates at the first call, and for an error. It
// returns an error that names the first coupling whose law is undefined (ErrLaw), or whose row fails or is not finite
// (ErrNotFinite), or the first joint whose point is beyond an end of its curve (ErrCurve), whose curves do not touch (ErrTouch) or whose
// wheel has no foot on its terrain (ErrStand).
func (m *Mechanism) RowsTo(k *Kinematics, s *State) error {
	// A k that was used for another mechanism has its found to be cleared too.
	if p := &m.special; len(p.lawful) == 0 && len(p.curves) == 0 && p.own == 0 && len(k.found) == 0 {
		return nil
	}
	return m.specialRowsTo(k, s)
}

// specialRowsTo is RowsTo for a mechanism with such joints or couplings. It is a separate function, as it clears local memory, which
// costs 20 ns of the 1.4 µs of a four-bar.
func (m *Mechanism) specialRowsTo(k *Kinematics, s *State) error {
	if err := m.checkLaws(k, s); err != nil {
		return err
	}
	if err := m.checkCurves(k, s); err != nil {
		return err
	}
	return m.ownRowsTo(k, s)
}
