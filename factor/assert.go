package factor

import "github.com/rung-mbd/rung/sparse"

// The assertions of this file stand behind "if checks", which the build tag
// check turns on. They verify conditions that the documentation asks of callers and that a
// caller can know.

// assertInput panics unless the arguments of Factorize are as documented. It lets a
// scale that is NaN pass, as the pivot of that row is then an error.
func assertInput(m *sparse.Matrix, scale []float64, eps float64, policy Policy) {
	p := m.Pattern
	if m.Dia != nil && len(m.Dia) != int(p.Dia[p.Len()]) || len(m.Val) != int(p.Pos[len(p.Ind)]) {
		panic("factor: matrix does not fit its pattern")
	}
	if !(eps > 0 && eps <= 1) {
		panic("factor: eps out of range")
	}
	if policy > Everywhere {
		panic("factor: unknown policy")
	}
	for i := p.Positive(); i < p.Len(); i++ {
		for _, s := range scale[p.Off[i]:p.Off[i+1]] {
			if s < 0 {
				panic("factor: negative scale")
			}
		}
	}
}

// assertDisjoint panics if two of the vectors are the same array.
//
// Vectors of one array that end at different places are found as long as
// neither was cut with a capacity of its own.
func assertDisjoint(v ...[]float64) {
	for i, a := range v {
		for _, b := range v[:i] {
			if cap(a) > 0 && cap(b) > 0 && &a[:cap(a)][cap(a)-1] == &b[:cap(b)][cap(b)-1] {
				panic("factor: vectors overlap")
			}
		}
	}
}
