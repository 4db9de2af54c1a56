package linear

// fillRest adds the elements of which a mechanism has few.
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
