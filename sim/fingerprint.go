package sim

import "github.com/rung-mbd/rung/mechanism"

// Fingerprint returns a hash of everything in a mechanism that decides about its motion, but the state: that by which a
// checkpoint knows its model, and ranks that they have the same one. Surfaces of contacts count with all their heights.
//
// Cost: O(bodies + joints + forces), and that of ground.Surface.Digest.
func Fingerprint(m *mechanism.Mechanism) uint64 { return fingerprint(m) }
