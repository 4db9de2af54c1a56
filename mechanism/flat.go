package mechanism

// Numbers of a body in a flat state.
const (
	poseNumbers = 7 // position, rotation
	rateNumbers = 6 // velocity, omega
)

// FlatLen returns the length of dst in FlatTo: 1 + 13·bodies + len(Angles) + len(Internal) + len(Bearings).
func (s *State) FlatLen() int {
	return 1 + (poseNumbers+rateNumbers)*len(s.Bodies) + len(s.Angles) + len(s.Internal) + len(s.Bearings)
}

// FlatTo stores all numbers of s in dst, for optimizers, learners and user-defined files. With n bodies, the order is:
//
//	0                  Time, s
//	1        … 7n      poses, body by body: Position x y z, m; Rotation w x y z
//	7n+1     … 13n     velocities, body by body: Velocity x y z, m/s; Omega x y z, rad/s
//	13n+1    …         Angles, Internal, Bearings, each as long as s has it
//
// Frame: world axes, as in BodyState. SetFlat restores the same bits.
//
// Shapes: dst has FlatLen entries. Cost: O(bodies), no allocation. It panics if dst has another length.
func (s *State) FlatTo(dst []float64) {
	if len(dst) != s.FlatLen() {
		panic("mechanism: length mismatch")
	}
	n := len(s.Bodies)
	dst[0] = s.Time
	poses, rates, rest := dst[1:1+poseNumbers*n], dst[1+poseNumbers*n:][:rateNumbers*n], dst[1+(poseNumbers+rateNumbers)*n:]
	for i := range s.Bodies {
		b, pose, rate := &s.Bodies[i], poses[poseNumbers*i:][:poseNumbers], rates[rateNumbers*i:][:rateNumbers]
		copy(pose, b.Position[:])
		copy(pose[3:], b.Rotation[:])
		copy(rate, b.Velocity[:])
		copy(rate[3:], b.Omega[:])
	}
	for _, list := range [...][]float64{s.Angles, s.Internal, s.Bearings} {
		rest = rest[copy(rest, list):]
	}
}

// SetFlat makes s the state that FlatTo has stored in src. Angles, Internal and Bearings of s must have the lengths that they
// had in the stored state, as in a Clone of it. SetFlat checks no values: rotations have to be unit quaternions, which
// Mechanism.KinematicsTo checks.
//
// Shapes: src has FlatLen entries. Cost: O(bodies), no allocation. It panics if src has another length.
func (s *State) SetFlat(src []float64) {
	if len(src) != s.FlatLen() {
		panic("mechanism: length mismatch")
	}
	n := len(s.Bodies)
	s.Time = src[0]
	poses, rates, rest := src[1:1+poseNumbers*n], src[1+poseNumbers*n:][:rateNumbers*n], src[1+(poseNumbers+rateNumbers)*n:]
	for i := range s.Bodies {
		b, pose, rate := &s.Bodies[i], poses[poseNumbers*i:][:poseNumbers], rates[rateNumbers*i:][:rateNumbers]
		copy(b.Position[:], pose)
		copy(b.Rotation[:], pose[3:])
		copy(b.Velocity[:], rate)
		copy(b.Omega[:], rate[3:])
	}
	for _, list := range [...][]float64{s.Angles, s.Internal, s.Bearings} {
		rest = rest[copy(list, rest):]
	}
}
