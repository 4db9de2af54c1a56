package ground

import "github.com/rung-mbd/rung/internal/halt"

// lanes is the number of lines that are solved side by side along x. It affects only speed.
const lanes = 16

// splineOf returns the coefficients of the spline through the heights of f less base, docs/ground.md (G3), (G4), in
// Size[1]+2 lines of Size[0]+2 coefficients. It returns nil if the flag goes up. f has at least 4 × 4 nodes.
func splineOf(f *Field, base float64, flag *halt.Flag) []float64 {
	nx, ny := f.Size[0], f.Size[1]
	stride := nx + 2
	c := make([]float64, stride*(ny+2))
	gx, gy := pivots(nx), pivots(ny)
	for j := 0; j < ny; j += lanes {
		if flag.Up() {
			return nil
		}
		n := min(lanes, ny-j)
		for l := j; l < j+n; l++ {
			row := c[(l+1)*stride+1:]
			for i, z := range f.Heights[l*nx : (l+1)*nx] {
				row[i] = z - base
			}
		}
		s := lines{c[(j+1)*stride:], gx, nx, 1, n, stride, flag}
		s.solve()
	}
	s := lines{c, gy, ny, stride, stride, 1, flag}
	if s.solve(); flag.Up() {
		return nil
	}
	return c
}

// pivots returns the reciprocal pivots of the tridiagonal equations (G4) for n nodes, by the number of the coefficient.
func pivots(n int) []float64 {
	g := make([]float64, n+2)
	for a := 3; a <= n-2; a++ {
		g[a] = 1 / (4 - g[a-1])
	}
	return g
}

// lines are lines of heights that solve replaces by coefficients in place, side by side. Value a of line l is
// c[a·step + l·apart]. Before solve, values 1 to n are the heights at n nodes; after it, values 0 to n+1 are the coefficients.
type lines struct {
	c           []float64
	g           []float64 // pivots(n)
	n, step     int
	many, apart int // number of lines, and their distance in c
	flag        *halt.Flag
}

// solve computes the coefficients, docs/ground.md (G4). If the flag goes up, they have no meaning.
func (s *lines) solve() {
	n := s.n
	s.ends()
	for a := 3; a <= n-2 && !s.flag.Up(); a++ {
		s.forward(a, s.g[a])
	}
	for a := n - 2; a >= 3 && !s.flag.Up(); a-- {
		s.back(a, s.g[a])
	}
	for l := range s.many {
		s.outer(l*s.apart, s.step)
		s.outer(l*s.apart+(n+1)*s.step, -s.step)
	}
}

// ends stores coefficients 2 and n−1 of each line, which the not-a-knot condition and three heights determine, docs/ground.md (G4). It
// saves the heights that it replaces as values 0 and n+1.
func (s *lines) ends() {
	for l := range s.many {
		p := l * s.apart
		q := p + (s.n+1)*s.step
		c, d := s.c, s.step
		c[p], c[q] = c[p+2*d], c[q-2*d]
		first := (8*c[p+2*d] - c[p+d] - c[p+3*d]) / 6
		c[q-2*d] = (8*c[q-2*d] - c[q-d] - c[q-3*d]) / 6
		c[p+2*d] = first
	}
}

// forward eliminates coefficient a−1 from equation a.
func (s *lines) forward(a int, g float64) {
	p := a * s.step
	for range s.many {
		s.c[p] = (6*s.c[p] - s.c[p-s.step]) * g
		p += s.apart
	}
}

// back eliminates coefficient a+1 from equation a.
func (s *lines) back(a int, g float64) {
	p := a * s.step
	for range s.many {
		s.c[p] -= g * s.c[p+s.step]
		p += s.apart
	}
}

// outer stores the two outermost coefficients at an end of a line, by the equations of the two outermost nodes. p is the index of the
// last coefficient in c, and d the step inwards.
func (s *lines) outer(p, d int) {
	c := s.c
	inner := 6*c[p] - 4*c[p+2*d] - c[p+3*d]
	c[p] = 6*c[p+d] - 4*inner - c[p+2*d]
	c[p+d] = inner
}
