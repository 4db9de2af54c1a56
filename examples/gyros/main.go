// Command gyros turns a spacecraft with four control moment gyros in a pyramid. On each face a wheel of constant angular momentum is
// turned by a gimbal; its torque is the rate of its momentum. A constant torque about x leads straight into a singular pose of the
// gimbals, in which the pyramid cannot make this torque any more, although its momentum is far from exhausted. The pseudoinverse of
// the torque matrix gets stuck there, feedback inverse kinematics goes on.
package main

import (
	"fmt"
	"log"
	"math"

	"github.com/rung-mbd/rung/ik/fik"
)

const (
	skew   = 54.73 * math.Pi / 180 // rad, of the faces
	torque = 0.1                   // 1/s, about x, in units of a wheel's momentum
	dt     = 0.01                  // s
	most   = 1.8                   // rad/s, largest rate of a gimbal
	steps  = 2000
)

// momentum returns the angular momentum of the pyramid at the angles of the gimbals, in units of a wheel's momentum. It stores its
// derivatives by the angles, which are the torques of unit rates, in the columns of A.
func momentum(A *fik.Dense, angles *[4]float64) (h [3]float64) {
	c, s := math.Cos(skew), math.Sin(skew)
	// The momentum of a wheel turns in the plane of its face: from along the edge, to up the face.
	edge := [4][3]float64{{0, 1, 0}, {-1, 0, 0}, {0, -1, 0}, {1, 0, 0}}
	up := [4][3]float64{{-c, 0, s}, {0, -c, s}, {c, 0, s}, {0, c, s}}
	for k, a := range angles {
		sin, cos := math.Sincos(a)
		for i := range h {
			h[i] += cos*edge[k][i] + sin*up[k][i]
			A.Row(i)[k] = cos*up[k][i] - sin*edge[k][i]
		}
	}
	return h
}

// leastNorm returns the manipulability √det(A Aᵀ), 0 in a singular pose, and the rates of least norm that make a torque:
// Aᵀ (A Aᵀ)⁻¹ tau.
func leastNorm(A *fik.Dense, tau *[3]float64) (volume float64, rates [4]float64) {
	var B [3][3]float64
	for i := range B {
		for j := range B {
			for k := range 4 {
				B[i][j] += A.Row(i)[k] * A.Row(j)[k]
			}
		}
	}
	minor := func(i, j int) float64 { // cofactor of the symmetric B
		a, b, c, d := (i+1)%3, (i+2)%3, (j+1)%3, (j+2)%3
		return B[a][c]*B[b][d] - B[a][d]*B[b][c]
	}
	det := B[0][0]*minor(0, 0) + B[0][1]*minor(0, 1) + B[0][2]*minor(0, 2)
	for i := range 3 {
		y := 0.0
		for j := range 3 {
			y += minor(i, j) * tau[j] / det
		}
		for k := range rates {
			rates[k] += A.Row(i)[k] * y
		}
	}
	return math.Sqrt(max(det, 0)), rates
}

// manoeuvre has the results of steer.
type manoeuvre struct {
	h       [3]float64 // momentum at the end
	off     float64    // largest error of the momentum
	fastest float64    // largest rate before limiting, rad/s
	least   float64    // least manipulability
}

// steer goes through the manoeuvre. rates returns the rates of the gimbals for a torque; A has the matrix of the present angles when
// it is called. Rates are limited to most.
func steer(A *fik.Dense, rates func(tau *[3]float64) ([4]float64, error)) (m manoeuvre, err error) {
	var angles [4]float64
	m.h, m.least = momentum(A, &angles), math.Inf(1)
	for n := range steps {
		// The wanted torque, plus a feedback of the error of the momentum.
		tau := [3]float64{torque + 2*(torque*dt*float64(n)-m.h[0]), -2 * m.h[1], -2 * m.h[2]}
		volume, _ := leastNorm(A, &tau)
		rate, err := rates(&tau)
		if err != nil {
			return m, err
		}
		for k := range angles {
			m.fastest = max(m.fastest, math.Abs(rate[k]))
			angles[k] += dt * min(max(rate[k], -most), most)
		}
		m.h, m.least = momentum(A, &angles), min(m.least, volume)
		m.off = max(m.off, math.Hypot(torque*dt*float64(n+1)-m.h[0], math.Hypot(m.h[1], m.h[2])))
	}
	return m, nil
}

// run steers with one constant torque, first by the pseudoinverse, then by feedback inverse kinematics, and prints how each ends.
func run() error {
	A := fik.NewDense(3, 4, nil)
	m, err := steer(A, func(tau *[3]float64) ([4]float64, error) {
		_, rates := leastNorm(A, tau)
		return rates, nil
	})
	if err != nil {
		return err
	}
	fmt.Printf("pseudoinverse\n  asks for rates beyond %v rad/s: %v\n", most, m.fastest > most)
	fmt.Printf("  ends in the singular pose, at the momentum %.3f, by hand %.3f\n", m.h[0], 2*math.Cos(skew))

	// The method's matrix P is computed from the matrix J0 of an asymmetric pose: from the pose at the start it would be diagonal, and
	// could not lead out of the singular pose.
	o := fik.Gyro()
	o.J0 = fik.NewDense(3, 4, nil)
	momentum(o.J0, &[4]float64{0.4, -0.7, 0.2, 0.9})
	momentum(A, new([4]float64))
	o.H = dt
	f, err := fik.New(A, o)
	if err != nil {
		return err
	}
	m, err = steer(A, func(tau *[3]float64) (rates [4]float64, err error) {
		err = f.StepTo(rates[:], tau[:])
		return rates, err
	})
	if err != nil {
		return err
	}
	fmt.Printf("feedback inverse kinematics\n  asks for %.2f rad/s at most, least volume of the torques %.3f\n", m.fastest, m.least)
	fmt.Printf("  passes with an error of the momentum of %.3f at most\n", m.off)
	fmt.Printf("  ends at the momentum %.3f, by hand %.3f\n", m.h[0], torque*dt*steps)
	return nil
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
