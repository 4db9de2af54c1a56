package sim

import "math"

const (
	// mixColumns is the number of earlier corrections that Anderson's method uses.
	mixColumns = 5
	// mixNew is the least square of the part of a change of the correction that is orthogonal to the earlier changes, relative to the
	// square of the change. With less the change is not used.
	mixNew = 1e-12
)

// anderson is Anderson's method (Walker & Ni 2011) for a Newton iteration with an
// approximate matrix. f is the correction of the unknowns x by that matrix. From earlier
// corrections the method keeps the changes p of x and q of f, the q orthonormal, and corrects by
//
//	f − Σ (q·f)·(q + p),
//
// which for a linear f is as good as GMRES. Before allocate the correction is f.
type anderson struct {
	p, q    [mixColumns][]float64
	x, f    []float64 // unknowns before the last correction, and that correction
	now     []float64 // the present correction
	split   int       // number of entries of x that are accelerations; the others are multipliers
	weight  float64   // factor of squared displacements in dot, 1/m²
	begun   bool      // x and f belong to this iteration
	columns int       // number of columns in this iteration; the last mixColumns are kept, column c at c mod mixColumns
}

// allocate makes the memory. A displacement of length (m) counts as much as 1 rad.
func (m *anderson) allocate(accelerations, multipliers int, length float64) {
	n := accelerations + multipliers
	m.split, m.weight = accelerations, 1/(length*length)
	for i := range m.p {
		m.p[i], m.q[i] = make([]float64, n), make([]float64, n)
	}
	m.x, m.f, m.now = make([]float64, n), make([]float64, n), make([]float64, n)
}

// begin starts an iteration with another matrix: it forgets earlier corrections.
func (m *anderson) begin() { m.begun, m.columns = false, 0 }

// correct adds to u and lambda their correction, from the corrections du and dlambda of Newton's method.
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
		m.addColumn(u, lambda, du, dlambda)
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

// addColumn makes a column of the changes since the last correction, in place of the oldest column.
func (m *anderson) addColumn(u, lambda, du, dlambda []float64) {
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
		clear(p) // a column of zeros has no effect
		clear(q)
		return
	}
	r := 1 / math.Sqrt(left)
	for i := range p {
		p[i] *= r
		q[i] *= r
	}
}

// dot returns the scalar product of two corrections, with displacements relative to the length of allocate. Multipliers do not count.
func (m *anderson) dot(a, b []float64) (sum float64) {
	for i := 0; i < m.split; i += 6 {
		x, y := (*[6]float64)(a[i:]), (*[6]float64)(b[i:])
		sum += x[0]*y[0] + x[1]*y[1] + x[2]*y[2] + m.weight*(x[3]*y[3]+x[4]*y[4]+x[5]*y[5])
	}
	return sum
}
