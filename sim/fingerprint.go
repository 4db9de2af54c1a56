package sim

import "github.com/rung-mbd/rung/mechanism"

// Fingerprint returns a hash of everything in a mechanism that decides about its motion, but the state: that by which a
// checkpoint knows its model. Surfaces of contacts count by their heights at some places.
//
// Cost: O(bodies + joints + forces).
func Fingerprint(m *mechanism.Mechanism) uint64 { return fingerprint(m) }
