package spatial

import "math"

// DexpTo stores in dst the angular velocity of exp(theta)·q, outer axes, for the rate of the rotation vector theta,
// docs/theory.md (V1):
//
//	dexp(Θ)·x = x + α Θ×x + β Θ×(Θ×x),  α = (1 − cos θ)/θ²,  β = (θ − sin θ)/θ³.
//
// It is the inverse of DexpInvTo. The transpose of dexp(Θ) is dexp(−Θ). dst may be rate, not theta. α and β are power series
// for small angles.
// Cost: O(1), no allocation.
func DexpTo(dst, theta, rate *Vec3) {
	x := theta.Dot(*theta) // θ²
	var alpha, beta float64
	if x < shortTurn { // the first terms left out are below 7e-18
		alpha = 1./2 - x*(1./24-x*(1./720-x*(1./40320-x*(1./3628800))))
		beta = 1./6 - x*(1./120-x*(1./5040-x*(1./362880)))
	} else if x < longTurn { // the first terms left out are below 1e-17
		alpha = 1./2 - x*(1./24-x*(1./720-x*(1./40320-x*(1./3628800-x*(1./479001600-x/87178291200)))))
		beta = 1./6 - x*(1./120-x*(1./5040-x*(1./362880-x*(1./39916800-x/6227020800))))
	} else {
		angle := math.Sqrt(x)
		half, sin := math.Sin(angle/2), math.Sin(angle)
		alpha = 2 * half * half / x
		beta = (angle - sin) / (angle * x)
	}
	a := theta.Cross(*rate) // Θ×x
	b := theta.Cross(a)     // Θ×(Θ×x)
	for i := range 3 {
		dst[i] = rate[i] + alpha*a[i] + beta*b[i]
	}
}

// DexpInvAdjointTo stores in dst the gradient of y·dexp⁻¹(Θ)·ω with respect to Θ, docs/theory.md (V3); DexpInvTo has
// dexp⁻¹. The gradient exists for |Θ| < 2π. dst may not be one of the other arguments.
//
// Cost: O(1), no allocation.
func DexpInvAdjointTo(dst, theta, omega, y *Vec3) {
	kappa, slope := dexpInvTerms(theta.Dot(*theta))
	turned := theta.Cross(*omega) // Θ×ω
	half := omega.Cross(*y)       // gradient of y·(Θ×ω)
	// Gradient of y·(Θ×(Θ×ω)): by the first Θ and by the second.
	first, second := turned.Cross(*y), y.Cross(*theta)
	second = omega.Cross(second)
	along := 2 * slope * y.Dot(theta.Cross(turned)) // gradient of κ is 2·slope·Θ
	for i := range 3 {
		dst[i] = -0.5*half[i] + kappa*(first[i]+second[i]) + along*theta[i]
	}
}

// dexpInvTerms returns κ of docs/theory.md (46) and the derivative of κ with respect to x, the square of the angle in rad².
// For small angles κ is the series of |B₂ₖ|/(2k)!·xᵏ⁻¹, with the Bernoulli numbers B₂ₖ.
func dexpInvTerms(x float64) (kappa, slope float64) {
	if x < 1 { // the first terms left out are below 1e-17 of the sum
		terms := dexpInvSeries[:]
		if x < shortTurn {
			terms = terms[:6]
		}
		for k := len(terms) - 1; k >= 0; k-- {
			slope = slope*x + kappa
			kappa = kappa*x + terms[k]
		}
		return kappa, slope
	}
	angle := math.Sqrt(x)
	sin, cos := math.Sincos(angle / 2)
	cot := cos / sin
	kappa = (1 - angle/2*cot) / x
	return kappa, (cot/angle+0.5/(sin*sin))/(4*x) - 1/(x*x)
}

// dexpInvSeries holds the coefficients |B₂ₖ|/(2k)! from k = 1 on, with the Bernoulli numbers B₂ₖ.
var dexpInvSeries = [...]float64{
	1. / 12, 1. / 720, 1. / 30240, 1. / 1209600, 1. / 47900160, 691. / 1307674368000, 1. / 74724249600, 3617. / 10670622842880000,
	43867. / 5109094217170944000, 174611. / 802857662698291200000, 77683. / 14101100039391805440000,
}
