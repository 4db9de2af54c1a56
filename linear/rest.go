package linear

// fillRest adds couplings, bushings, cables, contacts and users' forces to K and C. It returns the first error of one.
func (s *System) fillRest() error {
	for _, part := range []struct {
		n    int
		fill func(int) error
	}{
		{s.mech.NumCouplings(), s.fillCoupling}, {s.mech.NumBushings(), s.fillBushing}, {s.mech.NumCables(), s.fillCable},
		{s.mech.NumContacts(), s.fillContact}, {s.mech.NumOwn(), s.fillOwn},
	} {
		for i := range part.n {
			if s.every(i) {
				return s.orCause(nil)
			}
			if err := part.fill(i); err != nil {
				return err
			}
		}
	}
	return nil
}
