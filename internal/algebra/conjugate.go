package algebra

// Conjugate makes the directions of preconditioned conjugate gradients (Hestenes & Stiefel 1952). For A·x = b
// with a preconditioner B a step is
//
//	r = b − A·x,  z = B⁻¹·r,  Turn(z, rᵀz),  x += ρ/(pᵀAp)·p,
//
// and ends before it where ρ is small, or where the curvature pᵀAp is not positive.
type Conjugate struct {
	P   []float64 // the direction p, as long as x
	Rho float64   // rᵀz of the last turn; 0 before the first
}

// Turn makes P the next direction, z + β·P with β = ρ/ρ', ρ' the value of the last turn, and keeps rho. It returns
// β, which is 0 for the first direction.
//
// Cost: a multiplication a number.
func (c *Conjugate) Turn(z []float64, rho float64) (beta float64) {
	if c.Rho == 0 {
		copy(c.P, z)
	} else {
		beta = rho / c.Rho
		for i, x := range z {
			c.P[i] = x + beta*c.P[i]
		}
	}
	c.Rho = rho
	return beta
}
