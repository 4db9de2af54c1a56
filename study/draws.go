package study

import (
	"encoding/binary"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"
	"gonum.org/v1/gonum/stat/distuv"
	"gonum.org/v1/gonum/stat/samplemv"
)

// Draws are the values of the parameters of all runs. They are immutable.
type Draws struct {
	s    *Study
	n    int        // drawn parameters
	unit *mat.Dense // points in the unit cube, draws × parameters; nil: made when they are asked for

	sobol []directions // of each drawn parameter; nil: other draws
	keys  []uint64     // the key of the random digits of each
}

// NewDraws returns the draws of a study. The values of a run depend on the study and the number of the run alone.
//
// Cost: nothing for grids, random and Sobol draws, O(draws × drawn parameters) time and memory else. It panics if the study is one that
// Read refuses: a negative number of draws, an unknown sampling, law or take, a list without values, or more parameters or draws than
// Sobol's points have.
func (s *Study) NewDraws() *Draws {
	s.mustBeDefined()
	d := &Draws{s: s, n: s.drawn()}
	if d.n == 0 || s.Sampling == Random {
		return d
	}
	if s.Sampling == Sobol {
		src := source(s.Seed, 0)
		for j := range d.n {
			d.sobol, d.keys = append(d.sobol, directionsOf(j)), append(d.keys, src.Uint64())
		}
		return d
	}
	d.unit = mat.NewDense(s.draws(), d.n, nil)
	cube, src := distmv.NewUnitUniform(d.n, nil), source(s.Seed, 0)
	if s.Sampling == LatinHypercube {
		samplemv.LatinHypercube{Q: cube, Src: src}.Sample(d.unit)
	} else {
		samplemv.Halton{Kind: samplemv.Owen, Q: cube, Src: src}.Sample(d.unit)
	}
	return d
}

// mustBeDefined panics for a study that has no values of parameters or outputs, or would have other ones than it says.
func (s *Study) mustBeDefined() {
	draws := s.draws()
	for i := range s.Parameters {
		switch p := &s.Parameters[i]; {
		case p.Law < Values || p.Law > Normal:
			panic("study: unknown law")
		case p.Law == Values && len(p.List) == 0:
			panic("study: parameter without values")
		}
	}
	for i := range s.Outputs {
		if take := s.Outputs[i].Take; take < Final || take > Max {
			panic("study: unknown take")
		}
	}
	switch {
	case s.Sampling < Random || s.Sampling > Sobol:
		panic("study: unknown sampling")
	case s.Sampling == Sobol && (s.drawn() > maxSobol || draws > MaxRuns):
		panic("study: more parameters or draws than Sobol's points have")
	}
}

// source returns the generator of the random numbers of one draw.
func source(seed, draw uint64) rand.Source {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	binary.LittleEndian.PutUint64(key[8:], draw)
	return rand.NewChaCha8(key)
}

// ValuesTo stores the values of the parameters of run i in dst. Consecutive runs are the draws at one point of the grid; from
// point to point the last parameter of the grid varies fastest. All points have the same draws.
//
// It panics if dst is not as long as there are parameters or the run is none of the study.
func (d *Draws) ValuesTo(dst []float64, i int) {
	if len(dst) != len(d.s.Parameters) || i < 0 || i >= d.s.Runs() {
		panic("study: values of no run")
	}
	draw, point := i%d.s.draws(), i/d.s.draws()
	for k := len(dst) - 1; k >= 0; k-- {
		if p := &d.s.Parameters[k]; p.Law == Values {
			dst[k] = p.List[point%len(p.List)]
			point /= len(p.List)
		}
	}
	if d.n == 0 {
		return
	}
	var src rand.Source
	if d.unit == nil && d.sobol == nil {
		src = source(d.s.Seed, uint64(draw))
	}
	at := 0
	for k := range dst {
		p := &d.s.Parameters[k]
		if p.Law == Values {
			continue
		}
		var u float64
		switch {
		case src != nil:
			u = (float64(src.Uint64()>>12) + 0.5) / (1 << 52) // 52 random bits, and never 0 or 1
		case d.sobol != nil:
			u = scrambled(d.sobol[at].at(uint32(draw)), d.keys[at])
		default:
			u = inside(d.unit.At(draw, at))
		}
		dst[k] = p.at(u)
		at++
	}
}

// inside keeps a coordinate of the unit cube off its faces, where rounding may put it and a normal law has no value.
func inside(u float64) float64 {
	const least = 1.0 / (1 << 53)
	return min(max(u, least), 1-least)
}

// at returns the quantile u of the law of p, 0 < u < 1.
func (p *Parameter) at(u float64) float64 {
	if p.Law == Normal {
		return p.Mean + p.Deviation*distuv.UnitNormal.Quantile(u)
	}
	return p.Low*(1-u) + p.High*u
}
