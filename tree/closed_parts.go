package tree

import (
	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/mechanism"
)

// equation is the equation of motion (RBDA eq. 8.36) at a state, n freedoms and nᶜ rows, and the scales in which it is solved.
// Behind the rows of K stand those of the gears.
type equation struct {
	H        *BranchMatrix
	K        *Constraints
	G        *gears       // armature of joints that close loops; nil if there is none
	f        []float64    // n: τ − C
	k        []float64    // k, and then the right sides of the gears
	colScale []float64    // by entry of q̇: 1/√H_dd
	rowScale []float64    // by row: 1/‖terms of the entries·colScale‖, 0 for a row without
	errors   [2][]float64 // nᶜ: of the rows at position and velocity level
}

// solution is q̈ and λ of an equation.
type solution struct {
	qdd    []float64 // n
	lambda []float64 // nᶜ: the first entries of all
	all    []float64 // λ of the rows, and then of the gears
}

// corrections is the memory of the refinement: the residuals of f and k, and the corrections.
type corrections struct {
	rf, dq []float64 // n
	rk, dl []float64 // by row, with those of gears
}

// probes is the memory of the conjugate gradients of determined and release. All but zero are nil without held inertia.
type probes struct {
	probe [2][]float64 // n
	start []float64    // n: random
	zero  []float64    // by row, with those of gears: zeros
}

// bearings are the reactions that friction grows with, and the state with them.
type bearings struct {
	load   []float64
	settle algebra.Settling // of load
	loaded mechanism.State
}

// findings is what Report says of a solution.
type findings struct {
	gap        rankGap
	rank       int     // of K
	residual   float64 // largest of a row, relative to its terms
	worstRow   int     // the row that has it; −1 if none has one
	correction float64 // the last one, relative to the solution
}

// rankGap has the numbers on which the decision on the rank rests: sizes of what is left of
// rows, relative to the terms of their entries.
type rankGap struct{ smallest, dropped float64 }

// newEquation allocates an equation with G, and with most rows, those of gears included.
func (p *Plan) newEquation(G *gears, most int) equation {
	n, rows := p.nv, p.NumRows()
	return equation{
		H: p.NewBranchMatrix(), K: p.NewConstraints(), G: G, f: make([]float64, n), k: make([]float64, most),
		colScale: make([]float64, n), rowScale: make([]float64, most), errors: [2][]float64{make([]float64, rows), make([]float64, rows)},
	}
}

// newSolution allocates for n freedoms and the rows of K; most counts those of gears too.
func newSolution(n, rows, most int) solution {
	all := make([]float64, most)
	return solution{qdd: make([]float64, n), lambda: all[:rows], all: all}
}

// newProbes allocates for most rows, those of gears included.
func (p *Plan) newProbes(most int) probes {
	b := probes{zero: make([]float64, most)}
	if n := p.nv; p.held != nil {
		b.probe, b.start = [2][]float64{make([]float64, n), make([]float64, n)}, randomStart(n)
	}
	return b
}
