package algebra

// Conjugate makes the search directions of preconditioned conjugate gradients (Hestenes & Stiefel 1952). A step
// for A·x = b with a preconditioner B is
//
//	r = b − A·x,  z = B⁻¹·r,  Turn(z, rᵀz),  x += ρ/(pᵀAp)·p.
//
// The caller stops before the change of x where ρ = rᵀz is small, or where the curvature pᵀAp is not positive.
type Conjugate struct {
	P   []float64 // the search direction p, as long as x
	Rho float64   // ρ = rᵀz of the last call of Turn; 0 before the first
}

// Turn makes P the next search direction z + β·P, where β = ρ/ρ' and ρ' is the ρ of the previous call, and stores rho in
// Rho. It returns β, which is 0 for the first direction.
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
