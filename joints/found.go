package joints

import "github.com/rung-mbd/rung/spatial"

// Found keeps what a search of FindTo has found. Evaluations at the same pose from the same Near take it from there: Frames.Found.
type Found struct {
	ep, es spatial.Mat3
	r      spatial.Vec3
	near   [3]float64 // of Frames.Near
	had    bool       // there was one

	at    [2]float64 // parameters
	side  float64
	seen  sight
	holds bool
	full  bool
}

// FindTo searches where the point is on its curve, or where the curves touch, and keeps it in out, unless it is there already.
//
// Cost: a search, no allocation. Searches on other goroutines may not read out meanwhile. It panics without a curve.
func (s *Spec) FindTo(out *Found, f *Frames) {
	if out.is(f) {
		return
	}
	out.full = false
	if s.SuccessorCurve == nil {
		out.at[0] = s.parameter(f)
	} else {
		var p pair
		p.set(s, f)
		out.at, out.seen, out.side, out.holds = p.find(f.Near)
	}
	out.ep, out.es, out.r, out.full = f.EP, f.ES, f.R, true
	if out.had = f.Near != nil; out.had {
		copy(out.near[:], f.Near)
	}
}

// is reports whether a search at f would find the same bits. A nil Found knows nothing.
func (m *Found) is(f *Frames) bool {
	if m == nil || !m.full || m.had != (f.Near != nil) || m.r != f.R || m.ep != f.EP || m.es != f.ES {
		return false
	}
	for i, x := range f.Near {
		if m.near[i] != x {
			return false
		}
	}
	return true
}
