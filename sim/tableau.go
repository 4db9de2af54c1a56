package sim

// Tableau is an explicit Runge–Kutta method with a continuous extension:
//
//	kᵢ = f(t₀ + cᵢ·h, y₀ + h Σⱼ aᵢⱼ·kⱼ),  y(t₀ + θh) = y₀ + h Σᵢ bᵢ(θ)·kᵢ.
type Tableau struct {
	Name       string
	Order      int         // order of y(t₀ + h)
	ErrorOrder int         // order of the embedded solution; 0 if there is none
	Dense      int         // order of the extension at all θ
	A          [][]float64 // row i has the i weights of stage i
	B, C       []float64   // weights of the solution, and times; one for each stage
	E          []float64   // B less the weights of the embedded solution; nil without one
	P          [][]float64 // bᵢ(θ) = Σⱼ P[i][j]·θʲ⁺¹
	FSAL       bool        // the last stage is the first of the next step
}

// Euler is the explicit method of order 1.
func Euler() *Tableau {
	return &Tableau{Name: "euler", Order: 1, Dense: 1, A: [][]float64{{}}, B: []float64{1}, C: []float64{0}, P: [][]float64{{1}}}
}

// RungeKutta4 is the classical method of order 4, with the extension of order 3
// that its stages allow (Hairer, Nørsett & Wanner 1993 §II.6).
func RungeKutta4() *Tableau {
	return &Tableau{
		Name: "rk4", Order: 4, Dense: 3,
		A: [][]float64{{}, {1. / 2}, {0, 1. / 2}, {0, 0, 1}},
		B: []float64{1. / 6, 1. / 3, 1. / 3, 1. / 6},
		C: []float64{0, 1. / 2, 1. / 2, 1},
		P: [][]float64{
			{1, -3. / 2, 2. / 3},
			{0, 1, -2. / 3},
			{0, 1, -2. / 3},
			{0, -1. / 2, 2. / 3},
		},
	}
}

// DormandPrince is the pair of order 5(4) of Dormand & Prince (1980), with the
// extension of order 4 that needs no further stage (Hairer, Nørsett & Wanner
// 1993 §II.6).
func DormandPrince() *Tableau {
	b := []float64{35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84, 0}
	return &Tableau{
		Name: "dp54", Order: 5, ErrorOrder: 4, Dense: 4, FSAL: true,
		A: [][]float64{
			{},
			{1. / 5},
			{3. / 40, 9. / 40},
			{44. / 45, -56. / 15, 32. / 9},
			{19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
			{9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
			b[:6],
		},
		B: b,
		C: []float64{0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1},
		E: []float64{71. / 57600, 0, -71. / 16695, 71. / 1920, -17253. / 339200, 22. / 525, -1. / 40},
		P: dormandPrinceExtension(b),
	}
}

// dormandPrinceExtension returns the polynomials of the extension. With
// Δ = Σ bᵢkᵢ they are
//
//	Σ bᵢ(θ)·kᵢ = θ·(Δ + (1−θ)·(k₁ − Δ + θ·(2Δ − k₁ − k₇ + (1−θ)·Σ dᵢkᵢ))).
//
// The extension has the values and slopes of the solution at both ends for
// every d. These d make it of order 4.
func dormandPrinceExtension(b []float64) [][]float64 {
	d := []float64{
		-12715105075. / 11282082432, 0, 87487479700. / 32700410799, -10690763975. / 1880347072,
		701980252875. / 199316789632, -1453857185. / 822651844, 69997945. / 29380423,
	}
	P := make([][]float64, len(b))
	for i := range b {
		first, last := 0.0, 0.0
		switch i {
		case 0:
			first = 1
		case len(b) - 1:
			last = 1
		}
		// Coefficients of θ(1−θ), θ²(1−θ) and θ²(1−θ)².
		u := first - b[i]
		v := 2*b[i] - first - last
		w := d[i]
		P[i] = []float64{b[i] + u, -u + v + w, -v - 2*w, w}
	}
	return P
}
