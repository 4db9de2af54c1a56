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
// symmetric reports that K is symmetric on displacements that the joints allow.
func (s *System) dampedModes(out *Modes, o ModeOptions, v *inverse, typical float64, symmetric bool) error {
	// The undamped modes tell the size of the wanted eigenvalues.
	first := &Modes{}
	if err := s.undampedModes(first, o, v, typical); err != nil {
		return err
	}
	out.Products, out.Factors = out.Products+first.Products, out.Factors+first.Factors
	sigma, most := first.firstShifts(typical)
	var free [][]float64
	if symmetric {
		// Where K has no force, damping does not move a body either.
		out.List, free = first.withoutStiffness()
	}
	asked := o.Count
	if (!symmetric || first.Unstable() > 0) && s.covers(longBasis/2) {
		o.Count = longBasis // growing modes come first, and one basis has them all
	}
	var seen []band
	var sure, far []Mode  // those within the reach of a band, and the others of the last one
	count, beyond := 0, 0 // their eigenvalues
	for {
		before := out.List
		b, near, others, err := s.dampedBand(out, o, first.List, free, sigma, seen)
		if err != nil {
			out.List = before // without what it has found
		}
		limited := err != nil && (errors.Is(err, ErrNoConvergence) || unfactored(err)) // by rounding
		if limited && len(seen) == 0 && o.Count > asked {
			o.Count = asked
			continue
		}
		if limited && len(seen) == 0 && sigma < most {
			sigma = min(bandRange*sigma, most)
			continue
		}
		if limited && len(seen) > 0 {
			out.List = append(sure, far...)
			break
		}
		if err != nil {
			return err
		}
		count, beyond, seen = count+near, others, append(seen, b)
		sure, far = withinReach(out.List, seen)
		if len(sure) >= o.Count || len(seen) == bands || !b.blurred && s.covers((count+beyond)/2) {
			break
		}
		if sigma = b.reach; sigma < bandGain*b.sigma {
			break
		}
		out.List = sure // the next band knows the others better
	}
	out.All = len(out.List) <= asked && s.covers((count+beyond)/2)
	out.choose(asked)
	return nil
}

// dampedBand adds to out the modes around σ that are not known from bands before, and returns their
// band and the numbers of their eigenvalues as collect. The undamped modes are the start. free are all
// displacements without stiffness, or nil if they are not known.
func (s *System) dampedBand(out *Modes, o ModeOptions, undamped []Mode, free [][]float64, sigma float64, seen []band) (
	b band, near, beyond int, err error) {
	g, err := s.quadratic(sigma)
	if err != nil {
		return b, 0, 0, err
	}
	out.Factors++
	n := s.dim()
	k := s.newKrylov(2*n, g.apply, g.metric)
	k.warm = 1
	// The undamped shapes are a good start. Modes that damping brings down are in vectors that
	// do not depend on these shapes.
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
		if err := k.mustHold(r, g.sigma, k.largest/bandReach); err != nil {
			return b, 0, 0, err
		}
		// Eigenvalues come in the order of their distance from σ, and all within a radius are
		// there. So the lowest are those whose size is below the radius less σ.
		all := len(r) < want || k.done == len(k.V) || len(k.V) == 0
		radius := math.Inf(1)
		if !all {
			radius = 1/cmplx.Abs(r[want-1].theta)*(1+realTol) - g.sigma
		}
		b = band{sigma: g.sigma, reach: bandReach / k.largest, other: math.Inf(1)}
		out.List = slices.Clone(before)
		if near, beyond, err = s.collect(out, k, r, free, &b, radius, seen); err != nil {
			return b, 0, 0, err
		}
		if free == nil {
			if err := s.restRigid(out, k, g, &b, len(before)); err != nil {
				return b, 0, 0, err
			}
		}
		s.settleRigid(out)
		if all || len(out.List) >= o.Count {
			break
		}
		want += max(2, want/2)
	}
	out.Shift = g.sigma * g.sigma
	out.Products += k.products
	return b, near, beyond, nil
}

// collect adds to out the modes of the eigenvalues r. It leaves out those that are known, those
// beyond a radius unless they grow, as these come first, and conjugates. It returns the numbers of
// eigenvalues, conjugates included, within the reach of b and beyond it, and brings the reach of b
// down to the first whose shape or eigenvalue is lost in rounding. Where zero may be the eigenvalue, the mode is
// rigid. But if the free displacements are known, they are in out already, and such a mode is left out if
// it is a combination of them, or else is what its eigenvalue says.
func (s *System) collect(out *Modes, k *krylov, r []ritz, free [][]float64, b *band, radius float64, seen []band) (
	near, beyond int, err error) {
	n := s.dim()
	before := out.List
	scale := b.sigma * b.sigma
	if free != nil { // shapes tell, and zero may come out as large as what their errors make
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
		if err := k.sharpen(b, &r[i], lambda); err != nil {
			return 0, 0, err
		}
		values := 1
		if imag(theta) != 0 {
			values = 2
		}
		if b.distance(lambda) < b.reach {
			near += values
		} else {
			beyond += values
		}
		m, doubtful := s.damped(lambda, re[:n], im[:n], scale)
		if !doubtful {
			if doubtful, err = k.doubts(&r[i], lambda, b.sigma); err != nil {
				return 0, 0, err
			}
		}
		switch {
		case free == nil && doubtful:
			m.Kind, m.Lambda = Rigid, 0
		case free != nil && (doubtful || m.Kind == Rigid) && s.still(free, &m):
			continue // its directions are there, and known better
		}
		b.see(&m, cmplx.Abs(lambda))
		out.List = s.appendPair(out.List, m, theta)
		out.Residual = max(out.Residual, r[i].residual/cmplx.Abs(theta))
	}
	return near, beyond, nil
}

// firstShifts returns the first shift σ for damped modes, if these are the undamped ones, and the largest that may have to replace it.
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

// withoutStiffness returns the rigid ones of the lowest undamped modes, and their shapes, or nil if there may be more of them.
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

// known reports which of the eigenvalues λ have been seen in a band or belong to a mode of list. Next to the edge of a band rounding may
// bring an eigenvalue to its other side. So each mode of the list stands for the eigenvalue that is next to it, and for no other one.
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
