package sim

import "math"

const (
	// mixColumns is how many earlier corrections Anderson's method looks back on.
	mixColumns = 5
	// mixNew is the part of a change of the correction that has to be new, squared.
	mixNew = 1e-12
)

// anderson is Anderson's method (Walker & Ni 2011) for a Newton iteration with a
// matrix that leaves something out. With the corrections f of the unknowns x, it
// keeps changes p of x and q of f of earlier ones, the q orthonormal, and corrects by
//
//	f − Σ (q·f)·(q + p),
//
// which for a linear f is as good as GMRES. Without memory the correction is f.
type anderson struct {
	p, q    [mixColumns][]float64
	x, f    []float64 // where the last correction was, and the correction
	now     []float64 // correction
	split   int       // entries of x that are accelerations; the others are multipliers
	weight  float64   // of displacements, squared
	begun   bool      // x and f are of this iteration
	columns int       // of this iteration; the last mixColumns are kept, column c in c mod mixColumns
}

// allocate makes the memory. length is that of displacements that count as much as 1 rad.
func (m *anderson) allocate(accelerations, multipliers int, length float64) {
	n := accelerations + multipliers
	m.split, m.weight = accelerations, 1/(length*length)
	for i := range m.p {
		m.p[i], m.q[i] = make([]float64, n), make([]float64, n)
	}
	m.x, m.f, m.now = make([]float64, n), make([]float64, n), make([]float64, n)
}

// begin forgets earlier corrections, which were with another matrix.
func (m *anderson) begin() { m.begun, m.columns = false, 0 }

// correct adds to u and lambda their correction, where Newton's method says du and dlambda.
func (m *anderson) correct(u, lambda, du, dlambda []float64) {
	if len(m.x) == 0 {
		for i, d := range du {
			u[i] += d
		}
		for i, d := range dlambda {
			lambda[i] += d
		}
		return
	}
	n := m.split
	if m.begun {
		m.look(u, lambda, du, dlambda)
	}
	m.begun = true
	for _, v := range [...]struct{ dst, a, b []float64 }{{m.x, u, lambda}, {m.f, du, dlambda}, {m.now, du, dlambda}} {
		copy(v.dst, v.a)
		copy(v.dst[n:], v.b)
	}
	for j := range min(m.columns, mixColumns) {
		p, q := m.p[j], m.q[j]
		c := m.dot(q, m.now)
		for i := range n {
			m.now[i] -= c * q[i]
			u[i] -= c * p[i]
		}
		for i := range lambda {
			m.now[n+i] -= c * q[n+i]
			lambda[i] -= c * p[n+i]
		}
	}
	for i, d := range m.now[:n] {
		u[i] += d
	}
	for i, d := range m.now[n:] {
		lambda[i] += d
	}
}

// look takes the changes since the last correction for a column in the place of the oldest one.
func (m *anderson) look(u, lambda, du, dlambda []float64) {
	at, n := m.columns%mixColumns, m.split
	p, q := m.p[at], m.q[at]
	for i := range u {
		p[i], q[i] = u[i]-m.x[i], du[i]-m.f[i]
	}
	for i := range lambda {
		p[n+i], q[n+i] = lambda[i]-m.x[n+i], dlambda[i]-m.f[n+i]
	}
	whole := m.dot(q, q)
	for j := range min(m.columns, mixColumns) {
		if j == at {
			continue
		}
		c := m.dot(m.q[j], q)
		for i := range p {
			p[i] -= c * m.p[j][i]
			q[i] -= c * m.q[j][i]
		}
	}
	left := m.dot(q, q)
	m.columns++
	if !(left > mixNew*whole) {
		clear(p) // a column of zeros does nothing
		clear(q)
		return
	}
	r := 1 / math.Sqrt(left)
	for i := range p {
		p[i] *= r
		q[i] *= r
	}
}

// dot is the product of corrections in which displacements count by their length. Multipliers do not count.
func (m *anderson) dot(a, b []float64) (sum float64) {
	for i := 0; i < m.split; i += 6 {
		x, y := (*[6]float64)(a[i:]), (*[6]float64)(b[i:])
		sum += x[0]*y[0] + x[1]*y[1] + x[2]*y[2] + m.weight*(x[3]*y[3]+x[4]*y[4]+x[5]*y[5])
	}
	return sum
}
