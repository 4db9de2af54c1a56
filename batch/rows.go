package batch

import (
	"math"

	"github.com/rung-mbd/rung/batch/internal/mechanics"
)

// Numbers of a body in the flat form of mechanism.State: poses of all bodies come first, then their rates.
const poseNumbers, rateNumbers = 7, 6

// FlatLen returns the number of numbers of a state in SetFlat and FlatTo, as in mechanism.State.FlatTo with as many
// angles as the states carry.
func (s *States) FlatLen() int {
	return s.flatBodies() + s.nAngles + s.nInternal + s.of.plan.Mechanism().NumBearings()
}

// flatBodies returns the number of numbers of the time and the bodies, which come first.
func (s *States) flatBodies() int {
	return 1 + (poseNumbers+rateNumbers)*s.of.plan.Mechanism().NumBodies()
}

// SetFlat is Set for a state as numbers in a row (mechanism.State.FlatTo). Quaternions have to have length 1. The reactions at the end of
// the row are not read, as states do not have them. If the row has the numbers that the state has already, Rollout does not check its
// joints again.
//
// Shapes: row has FlatLen entries. Cost: O(bodies), no allocation. It panics if i is out of range or row has another length.
func (s *States) SetFlat(i int, row []float64) {
	s.mustHave(i)
	s.mustFit(row)
	if s.held[i] && s.isFlat(i, row) {
		return
	}
	lane := s.lane(i)
	lane[0] = row[0]
	n := s.of.plan.Mechanism().NumBodies()
	for k := range n {
		at := lane[(mechanics.Bodies+bodyPlaces*k)*lanes:][:(bodyPlaces-1)*lanes+1]
		pose, rate := row[1+poseNumbers*k:][:poseNumbers], row[1+poseNumbers*n+rateNumbers*k:][:rateNumbers]
		at[(atPosition+0)*lanes], at[(atPosition+1)*lanes], at[(atPosition+2)*lanes] = pose[0], pose[1], pose[2]
		at[(atRotation+0)*lanes], at[(atRotation+1)*lanes] = pose[3], pose[4]
		at[(atRotation+2)*lanes], at[(atRotation+3)*lanes] = pose[5], pose[6]
		at[(atVelocity+0)*lanes], at[(atVelocity+1)*lanes], at[(atVelocity+2)*lanes] = rate[0], rate[1], rate[2]
		at[(atOmega+0)*lanes], at[(atOmega+1)*lanes], at[(atOmega+2)*lanes] = rate[3], rate[4], rate[5]
	}
	rest := row[s.flatBodies():]
	copy(s.angles[i*s.nAngles:][:s.nAngles], rest)
	copy(s.internal[i*s.nInternal:][:s.nInternal], rest[s.nAngles:])
	s.held[i] = false
}

// mustFit panics unless a row has the numbers of a state.
func (s *States) mustFit(row []float64) {
	if len(row) != s.FlatLen() {
		panic("batch: length mismatch")
	}
}

// isFlat reports whether state i has the numbers of a row, to the bit.
func (s *States) isFlat(i int, row []float64) bool {
	lane := s.lane(i)
	n := s.of.plan.Mechanism().NumBodies()
	other := differ(lane[0], row[0])
	for k := 0; k < n && !other; k++ {
		at := lane[(mechanics.Bodies+bodyPlaces*k)*lanes:][:(bodyPlaces-1)*lanes+1]
		pose, rate := row[1+poseNumbers*k:][:poseNumbers], row[1+poseNumbers*n+rateNumbers*k:][:rateNumbers]
		for j := range 3 {
			other = other || differ(at[(atPosition+j)*lanes], pose[j]) || differ(at[(atVelocity+j)*lanes], rate[j]) ||
				differ(at[(atOmega+j)*lanes], rate[3+j])
		}
		for j := range 4 {
			other = other || differ(at[(atRotation+j)*lanes], pose[3+j])
		}
	}
	rest := row[s.flatBodies():]
	for k, x := range s.angles[i*s.nAngles:][:s.nAngles] {
		other = other || differ(x, rest[k])
	}
	for k, x := range s.internal[i*s.nInternal:][:s.nInternal] {
		other = other || differ(x, rest[s.nAngles+k])
	}
	return !other
}

// differ reports whether the bits of two numbers differ.
func differ(x, y float64) bool { return math.Float64bits(x) != math.Float64bits(y) }

// FlatTo stores state i as numbers in a row, in the form of SetFlat. The reactions at the end of the row stay as they are.
//
// Shapes, cost and panics: as SetFlat.
func (s *States) FlatTo(row []float64, i int) {
	s.mustHave(i)
	s.mustFit(row)
	lane := s.lane(i)
	row[0] = lane[0]
	n := s.of.plan.Mechanism().NumBodies()
	for k := range n {
		at := lane[(mechanics.Bodies+bodyPlaces*k)*lanes:][:(bodyPlaces-1)*lanes+1]
		pose, rate := row[1+poseNumbers*k:][:poseNumbers], row[1+poseNumbers*n+rateNumbers*k:][:rateNumbers]
		pose[0], pose[1], pose[2] = at[(atPosition+0)*lanes], at[(atPosition+1)*lanes], at[(atPosition+2)*lanes]
		pose[3], pose[4] = at[(atRotation+0)*lanes], at[(atRotation+1)*lanes]
		pose[5], pose[6] = at[(atRotation+2)*lanes], at[(atRotation+3)*lanes]
		rate[0], rate[1], rate[2] = at[(atVelocity+0)*lanes], at[(atVelocity+1)*lanes], at[(atVelocity+2)*lanes]
		rate[3], rate[4], rate[5] = at[(atOmega+0)*lanes], at[(atOmega+1)*lanes], at[(atOmega+2)*lanes]
	}
	rest := row[s.flatBodies():]
	copy(rest, s.angles[i*s.nAngles:][:s.nAngles])
	copy(rest[s.nAngles:], s.internal[i*s.nInternal:][:s.nInternal])
}

// lane returns the numbers of the group of state i from its lane on: the number at a place of the state is at lanes times that place.
func (s *States) lane(i int) []float64 {
	return s.data[i/lanes*s.of.at.Length*lanes+i%lanes:]
}
