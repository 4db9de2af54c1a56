package linear

import (
	"errors"
	"math"
	"math/cmplx"
	"slices"

	"github.com/rung-mbd/rung/internal/algebra"
)

// dampedModes computes modes with C and an unsymmetric K from the eigenvalues θ of
// (A − σB)⁻¹B for z = (x, ẋ), with A·z = λB·z the first-order form and λ = σ + 1/θ:
//
//	x' = −(σ²M + σC + K)⁻¹·(M·ẋ + (C + σM)·x),   ẋ' = x + σ·x'.
//
// It stores the lowest modes that o asks for in out. v is the shifted inverse of the undamped system, and typical a typical eigenvalue of
// K, 1/s². symmetric says that K is symmetric on displacements that the joints allow.
//
// Modes come in bands: each shift σ shows the eigenvalues within some distance of it, and a larger shift shows the next ones.
// A band that fails ends the search with the modes of the bands before. If the first band fails, o.Count is lowered to the
// number that was asked for, and then σ is raised, before its error is returned.
func (s *System) dampedModes(out *Modes, o ModeOptions, v *inverse, typical float64, symmetric bool) error {
	// The undamped modes give the size of the wanted eigenvalues.
	first := &Modes{}
	if err := s.undampedModes(first, o, v, typical); err != nil {
		return err
	}
	out.Products, out.Factors = out.Products+first.Products, out.Factors+first.Factors
	sigma, most := first.firstShifts(typical)
	var free [][]float64
	if symmetric {
		// A displacement that K takes to zero is rigid with damping, too.
		out.List, free = first.withoutStiffness()
	}
	asked := o.Count
	if (!symmetric || first.Unstable() > 0) && s.covers(longBasis/2) {
		o.Count = longBasis // growing modes come first in the list, and one basis holds all modes
	}
	var seen []band
	var inside, outside []Mode // modes within the reach of a band, and the other modes of the last band
	nInside, nOutside := 0, 0  // numbers of their eigenvalues, conjugates included
	for {
		before := out.List
		b, within, beyond, err := s.dampedBand(out, o, first.List, free, sigma, seen)
		if err != nil {
			out.List = before // without the modes of the band that failed
		}
		limited := err != nil && (errors.Is(err, ErrNoConvergence) || unfactored(err)) // rounding allows no result with this σ
		if limited && len(seen) == 0 && o.Count > asked {
			o.Count = asked
			continue
		}
		if limited && len(seen) == 0 && sigma < most {
			sigma = min(bandRange*sigma, most)
			continue
		}
		if limited && len(seen) > 0 {
			out.List = append(inside, outside...)
			break
		}
		if err != nil {
			return err
		}
		nInside, nOutside, seen = nInside+within, beyond, append(seen, b)
		inside, outside = withinReach(out.List, seen)
		if len(inside) >= o.Count || len(seen) == bands || !b.blurred && s.covers((nInside+nOutside)/2) {
			break
		}
		if sigma = b.reach; sigma < bandGain*b.sigma {
			break
		}
		out.List = inside // the next band computes the others with a smaller error
	}
	out.All = len(out.List) <= asked && s.covers((nInside+nOutside)/2)
	out.choose(asked)
	return nil
}

// dampedBand adds to out the modes around σ that the bands seen have not found, and returns their band b and, as collect does, the
// numbers of their eigenvalues within and beyond its reach. The iteration starts from the undamped modes. free are all displacements
// without stiffness, orthonormal in M, or nil if they are not known. With an error the modes in out may be incomplete.
func (s *System) dampedBand(out *Modes, o ModeOptions, undamped []Mode, free [][]float64, sigma float64, seen []band) (
	b band, within, beyond int, err error) {
	g, err := s.quadratic(sigma)
	if err != nil {
		return b, 0, 0, err
	}
	out.Factors++
	n := s.dim()
	k := s.newKrylov(2*n, g.apply, g.metric)
	k.warm = 1
	// The undamped shapes are a good start. Strong damping makes slow modes of fast ones, whose shapes are not among the lowest undamped
	// shapes: random vectors bring them in.
	for i := range undamped {
		k.include(append(slices.Clone(undamped[i].Shape), make([]float64, n)...))
	}
	if err := k.start(freshVectors); err != nil {
		return b, 0, 0, err
	}
	want := min(2*o.Count+max(4, o.Count/2), 2*n)
	before := out.List
	for {
		if s.over() {
			return b, 0, 0, s.orCause(nil)
		}
		r, err := k.run(want, ritzTol)
		if err != nil {
			return b, 0, 0, err
		}
		if err := k.checkProducts(r, g.sigma, k.largest/bandReach); err != nil {
			return b, 0, 0, err
		}
		// Eigenvalues come by their distance from σ, and r has all within the distance of the last one, d. So r has all with |λ| < d − σ.
		all := len(r) < want || k.done == len(k.V) || len(k.V) == 0
		radius := math.Inf(1)
		if !all {
			radius = 1/cmplx.Abs(r[want-1].theta)*(1+realTol) - g.sigma
		}
		b = band{sigma: g.sigma, reach: bandReach / k.largest, other: math.Inf(1)}
		out.List = slices.Clone(before)
		if within, beyond, err = s.collect(out, k, r, free, &b, radius, seen); err != nil {
			return b, 0, 0, err
		}
		if free == nil {
			if err := s.replaceRigid(out, k, g, &b, len(before)); err != nil {
				return b, 0, 0, err
			}
		}
		s.mergeRigid(out)
		if all || len(out.List) >= o.Count {
			break
		}
		want += max(2, want/2)
	}
	out.Shift = g.sigma * g.sigma
	out.Products += k.products
	return b, within, beyond, nil
}

// collect adds to out the modes of the eigenvalues r. It leaves out conjugates, modes that the bands seen have found, and modes with |λ|
// beyond radius, 1/s, unless they grow, as growing modes come first. It returns the numbers of the other eigenvalues, conjugates included,
// within the reach of b and beyond it, and lowers the reach of b to the first eigenvalue that is lost in rounding, or whose shape is.
//
// If zero may be the eigenvalue of a mode, the mode counts as rigid when the free displacements are not known (nil). When they are known,
// they are in out already: such a mode is left out if it is a combination of them, and is else taken by its eigenvalue.
func (s *System) collect(out *Modes, k *krylov, r []ritz, free [][]float64, b *band, radius float64, seen []band) (
	within, beyond int, err error) {
	n := s.dim()
	before := out.List
	scale := b.sigma * b.sigma
	if free != nil { // the shape decides below, so zero may come out as large as the error of a shape, 10·ritzTol, makes it
		scale = max(scale, 10*ritzTol*ritzTol/zeroTol*s.size[algebra.Largest(s.size)])
	}
	lambdas := make([]complex128, len(r))
	for i := range r {
		lambdas[i] = complex(b.sigma, 0) + 1/r[i].theta
	}
	isKnown := known(lambdas, seen, before)
	for i, lambda := range lambdas {
		if s.over() {
			return 0, 0, s.orCause(nil)
		}
		theta := r[i].theta
		if imag(theta) > 0 { // λ is below the real axis
			continue
		}
		if cmplx.Abs(lambda) > radius && !grows(lambda) || isKnown[i] {
			continue
		}
		re, im := k.vector(r[i].y)
		if size := max(algebra.MaxAbs(re[:n]), algebra.MaxAbs(im[:n])); s.violates(re[:n], size) || s.violates(im[:n], size) {
			b.reach = min(b.reach, 1/cmplx.Abs(theta))
			continue
		}
		if err := k.limitReach(b, &r[i], lambda); err != nil {
			return 0, 0, err
		}
		values := 1
		if imag(theta) != 0 {
			values = 2
		}
		if b.distance(lambda) < b.reach {
			within += values
		} else {
			beyond += values
		}
		m, doubtful := s.damped(lambda, re[:n], im[:n], scale)
		if !doubtful {
			if doubtful, err = k.mayBeZero(&r[i], lambda, b.sigma); err != nil {
				return 0, 0, err
			}
		}
		switch {
		case free == nil && doubtful:
			m.Kind, m.Lambda = Rigid, 0
		case free != nil && (doubtful || m.Kind == Rigid) && s.hasZeroEigenvalue(free, &m):
			continue // its directions are in out already, with smaller errors
		}
		b.addSize(&m, cmplx.Abs(lambda))
		out.List = s.appendPair(out.List, m, theta)
		out.Residual = max(out.Residual, r[i].residual/cmplx.Abs(theta))
	}
	return within, beyond, nil
}

// firstShifts returns the first shift σ for damped modes, 1/s, by the undamped modes m, and the largest shift that may have to replace it.
// typical is a typical eigenvalue of K, 1/s².
func (m *Modes) firstShifts(typical float64) (sigma, most float64) {
	sigma, most = math.Inf(1), math.Sqrt(shiftFloor*typical)
	for i := range m.List {
		if t := nearness * m.List[i].AngularFrequency(); t > 0 {
			sigma, most = min(sigma, t), max(most, t)
		}
	}
	if !(bandRange*sigma < most) {
		sigma = most
	}
	return sigma, most
}

// withoutStiffness returns the rigid modes among the lowest undamped modes m, and their shapes. shapes is nil if m may lack some rigid
// mode, and empty if there is none.
func (m *Modes) withoutStiffness() (rigid []Mode, shapes [][]float64) {
	shapes = make([][]float64, 0)
	for i := range m.List {
		if m.List[i].Kind == Rigid {
			rigid, shapes = append(rigid, m.List[i]), append(shapes, m.List[i].Shape)
		}
	}
	if n := len(m.List); !m.All && (n == 0 || m.List[n-1].Kind == Rigid) {
		shapes = nil
	}
	return rigid, shapes
}

// known reports, for each eigenvalue λ, whether a band seen has it within its reach or a mode of list has it. At the edge of a
// band, rounding may move an eigenvalue to the other side. So bands count up to a margin of bandEdge before their edge, and each mode of
// list marks the eigenvalue nearest to its own, no other one, if it is within bandEdge.
func known(lambda []complex128, seen []band, list []Mode) []bool {
	out := make([]bool, len(lambda))
	if len(seen) == 0 {
		return out
	}
	for i := range list {
		at, least := -1, math.Inf(1)
		for j, l := range lambda {
			if d := cmplx.Abs(l - list[i].Lambda); !out[j] && d <= bandEdge*cmplx.Abs(l) && d < least {
				at, least = j, d
			}
		}
		if at >= 0 {
			out[at] = true
		}
	}
	for j, l := range lambda {
		for i := range seen {
			out[j] = out[j] || seen[i].distance(l) < (1-bandEdge)*seen[i].reach
		}
	}
	return out
}
