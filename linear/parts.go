package linear

import "math"

// EnergyPartsTo stores in dst the part of each body in φᴴMφ, in proportion to the kinetic energy of the mode. The parts add up to 1.
//
// Shapes: dst has one entry a body; m is a mode of s. Cost: O(bodies); allocates. It panics on a length mismatch, without a mode or a
// linearized state.
func (s *System) EnergyPartsTo(dst []float64, m *Mode) {
	if m == nil {
		panic("linear: no mode")
	}
	if 6*len(dst) != len(m.Shape) || s.Dim() != len(m.Shape) {
		panic("linear: length mismatch")
	}
	clear(dst)
	g := make([]float64, s.Dim())
	for _, x := range [2][]float64{m.Shape, m.Imag} {
		if x == nil {
			continue
		}
		s.MassTo(g, x)
		for b := range dst {
			for k := range 6 {
				dst[b] += x[6*b+k] * g[6*b+k]
			}
		}
	}
}

// Frequency returns the frequency of the lowest mode without damping, Hz; 0 if it does not vibrate or is not known.
func (e *Equilibrium) Frequency() float64 { return math.Sqrt(max(e.Lowest, 0)) / (2 * math.Pi) }
