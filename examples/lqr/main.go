// Command lqr balances a pole on a cart. The linear state space about the upright pole is exact (derive.Derivatives.StateSpace); the
// gains of the linear quadratic regulator come from the eigenvectors of its Hamiltonian matrix. Then the nonlinear mechanism runs
// with these gains, from a tilt of twenty degrees.
package main

import (
	"errors"
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/rung-mbd/rung"
	"github.com/rung-mbd/rung/derive"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
	"github.com/rung-mbd/rung/motion"
	"github.com/rung-mbd/rung/sim"
	"github.com/rung-mbd/rung/spatial"
)

const (
	gravity = 9.81
	cart    = 2.0         // kg
	pole    = 0.5         // kg
	length  = 1.2         // m
	tilt    = math.Pi / 9 // rad
	sample  = 5e-3        // s, period of the controller
	until   = 6.0         // s
)

// build returns the model of the cart with its pole, which leans by an angle, rad.
func build(angle float64) (*model.Model, error) {
	m := rung.NewBuilder("cart-pole").Gravity(0, -gravity, 0)
	x, z := spatial.Vec3{1, 0, 0}, spatial.Vec3{0, 0, 1}
	wagon := m.Rod("cart", cart, 0.1, spatial.Vec3{-0.2, 0, 0}, spatial.Vec3{0.2, 0, 0})
	rod := m.Rod("pole", pole, 0.01, spatial.Vec3{}, spatial.Vec3{-length * math.Sin(angle), length * math.Cos(angle), 0})
	m.Prismatic("rail", rung.World, wagon, spatial.Vec3{}, x)
	m.Revolute("pin", wagon, rod, spatial.Vec3{}, z)
	return m.Model()
}

// linearize returns the matrix A of the state space about the upright pole, its column B for the force on the cart, and the freedoms
// that are the coordinates: of the rail, then of the pin. The state is both coordinates, then both rates.
func linearize() (A, B *mat.Dense, freedoms []mechanism.Freedom, err error) {
	m, err := build(0)
	if err != nil {
		return nil, nil, nil, err
	}
	plan, err := rung.NewPlan(m, rung.Options{})
	if err != nil {
		return nil, nil, nil, err
	}
	d := derive.New(plan, m)
	if err := d.At(plan.Initial()); err != nil {
		return nil, nil, nil, err
	}
	rail, pin := mechanism.Freedom{Joint: 0}, mechanism.Freedom{Joint: 1}
	freedoms = []mechanism.Freedom{rail, pin}
	s, err := d.StateSpace(derive.StateSpaceOptions{Coordinates: freedoms, Inputs: []mechanism.Freedom{rail}})
	if err != nil {
		return nil, nil, nil, err
	}
	A, B = mat.NewDense(4, 4, nil), mat.NewDense(4, 1, nil)
	for i := range 4 {
		A.SetRow(i, s.A[i])
		B.SetRow(i, s.B[i])
	}
	return A, B, freedoms, nil
}

// regulator returns the gains k of u = −k·x that minimize ∫ (xᵀQ x + r u²) dt, with a diagonal Q: k = Bᵀ P/r, where P = Y X⁻¹, and
// the columns (X, Y) are the eigenvectors of the Hamiltonian matrix [A, −B Bᵀ/r; −Q, −Aᵀ] with eigenvalues of negative real part.
func regulator(A, B *mat.Dense, Q []float64, r float64) ([]float64, error) {
	n, _ := A.Dims()
	H := mat.NewDense(2*n, 2*n, nil)
	for i := range n {
		for j := range n {
			H.Set(i, j, A.At(i, j))
			H.Set(i, n+j, -B.At(i, 0)*B.At(j, 0)/r)
			H.Set(n+i, n+j, -A.At(j, i))
		}
		H.Set(n+i, i, -Q[i])
	}
	var e mat.Eigen
	if !e.Factorize(H, mat.EigenRight) {
		return nil, errors.New("no eigenvectors")
	}
	var V mat.CDense
	e.VectorsTo(&V)
	// Real and imaginary part of a complex pair span the same plane as the pair.
	X, Y := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	column := 0
	for k, l := range e.Values(nil) {
		if real(l) >= 0 || imag(l) < 0 {
			continue
		}
		parts := []func(complex128) float64{func(z complex128) float64 { return real(z) }}
		if imag(l) > 0 {
			parts = append(parts, func(z complex128) float64 { return imag(z) })
		}
		for _, part := range parts {
			for i := range n {
				X.Set(i, column, part(V.At(i, k)))
				Y.Set(i, column, part(V.At(n+i, k)))
			}
			column++
		}
	}
	var P, k mat.Dense
	if err := P.Solve(X.T(), Y.T()); err != nil { // P is symmetric
		return nil, err
	}
	k.Mul(B.T(), &P)
	k.Scale(1/r, &k)
	return k.RawRowView(0), nil
}

// run linearizes the cart with the pole upright, checks one entry by hand, finds the gains, and balances the pole with them from its
// tilt.
func run() error {
	A, B, freedoms, err := linearize()
	if err != nil {
		return err
	}
	// For a cart of mass M with a thin pole of mass m and length l, q̈ of the pole is 6(M+m)g/(l(4M+m)) times its angle.
	byHand := 6 * (cart + pole) * gravity / (length * (4*cart + pole))
	fmt.Printf("the pole falls at %.6f per second squared, by hand %.6f\n", A.At(3, 1), byHand)
	k, err := regulator(A, B, []float64{1, 1, 0.1, 0.1}, 0.01)
	if err != nil {
		return err
	}

	m, err := build(tilt)
	if err != nil {
		return err
	}
	shared, err := rung.NewPlan(m, rung.Options{})
	if err != nil {
		return err
	}
	in := shared.Mechanism().NewInputs()
	plan := shared.With(in)
	mech := plan.Mechanism()
	// The coordinate of the pin is 0 at the start, where the pole leans, and −tilt when it stands.
	offset := [2]float64{0, tilt}
	largest := 0.0
	control := func(st *mechanism.State) error {
		u := 0.0
		for i, f := range freedoms {
			q, rate := mech.Coordinate(f, st)
			u -= k[i]*(q+offset[i]) + k[2+i]*rate
		}
		largest = max(largest, math.Abs(u))
		return in.SetForce(freedoms[0].Joint, 0, u)
	}
	d := motion.NewDynamics(plan)
	method := sim.NewRungeKutta(mech, d, sim.RungeKutta4(), sim.Tolerance{})
	s := sim.New(mech, method, plan.Initial(), sim.Options{
		Step: sample, Projector: d, Controllers: []sim.Controller{{Name: "regulator", Period: sample, Sample: control}},
	})
	for t := 0.0; t <= until; t += 1.5 {
		if err := s.Run(t); err != nil {
			return err
		}
		x, _ := mech.Coordinate(freedoms[0], s.State())
		q, _ := mech.Coordinate(freedoms[1], s.State())
		fmt.Printf("%.1f s: cart at %6.3f m, pole leans by %7.3f degrees\n", t, x, (q+tilt)*180/math.Pi)
	}
	fmt.Printf("largest force %.1f N\n", largest)
	return nil
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
