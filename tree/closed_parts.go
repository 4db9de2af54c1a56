package tree

import (
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/mechanism"
)

// equation is the equation of motion (RBDA eq. 8.36) at a state, with n freedoms and nᶜ rows, and the scales in which it is solved. The
// rows of the gears follow the rows of K.
type equation struct {
	H        *BranchMatrix
	K        *Constraints
	G        *gears       // armature of joints that close loops; nil if there is none
	f        []float64    // n: τ − C
	k        []float64    // k, and then the right sides of the gears
	colScale []float64    // by entry of q̇: 1/√H_dd
	rowScale []float64    // by row: 1/‖terms of the entries·colScale‖, 0 for a row without terms
	errors   [2][]float64 // nᶜ: errors of the rows in positions and in velocities
}

// solution has q̈ and λ of an equation.
type solution struct {
	qdd    []float64 // n
	all    []float64 // λ of the rows of K, and then of the gears
	lambda []float64 // the first nᶜ entries of all
}

// corrections is the memory of the refinement.
type corrections struct {
	rf, dq []float64 // n: residual of f, and correction of q̈
	rk, dl []float64 // by row, gears included: residual of k, and correction of λ
}

// probes is the memory of the conjugate gradients of determined and release. All but zero are nil without held inertia.
type probes struct {
	probe [2][]float64 // n: the direction p, and its product with the inertia
	start []float64    // n: random
	zero  []float64    // by row, gears included: zeros
}

// bearings are the loads of joints whose friction grows with their reactions, and the state with these loads.
type bearings struct {
	load   []float64
	settle algebra.Settling // convergence of load
	loaded mechanism.State
}

// findings are the numbers of Report about a solution.
type findings struct {
	gap        rankGap
	rank       int     // of K
	residual   float64 // largest of a row, relative to its terms
	worstRow   int     // the row with this residual; −1 if all are zero
	correction float64 // size of the last one, relative to the solution
}

// rankGap has the numbers on which the decision on the rank rests: the smallest independent part of a row that has counted, and the largest
// that has not, relative to the terms of the row's entries.
type rankGap struct{ smallest, dropped float64 }

// newEquation allocates an equation with the gears G. most is the number of rows, gears included.
func (p *Plan) newEquation(G *gears, most int) equation {
	n, rows := p.nv, p.NumRows()
	return equation{
		H: p.NewBranchMatrix(), K: p.NewConstraints(), G: G, f: make([]float64, n), k: make([]float64, most),
		colScale: make([]float64, n), rowScale: make([]float64, most), errors: [2][]float64{make([]float64, rows), make([]float64, rows)},
	}
}

// newSolution allocates a solution for n freedoms and the rows of K. most is the number of rows, gears included.
func newSolution(n, rows, most int) solution {
	all := make([]float64, most)
	return solution{qdd: make([]float64, n), lambda: all[:rows], all: all}
}

// newProbes allocates probes. most is the number of rows, gears included.
func (p *Plan) newProbes(most int) probes {
	b := probes{zero: make([]float64, most)}
	if n := p.nv; p.held != nil {
		b.probe, b.start = [2][]float64{make([]float64, n), make([]float64, n)}, randomStart(n)
	}
	return b
}
