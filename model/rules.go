package model

import (
	"math"
	"slices"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/spatial"
)

// triangleTolerance is the relative tolerance of the triangle inequality of an inertia.
const triangleTolerance = 1e-9

// Texts that the reader and the rules share.
const (
	ruleNotPositive = "is not positive"
	ruleNegative    = "is negative"
	ruleUp          = "does not point up"
)

// positiveDefinite reports whether I, which must be finite, is positive definite by its Cholesky
// factors, and no principal moment is so small that it may be zero (spatial.Sym3.Null).
func (I *Inertia) positiveDefinite() bool {
	s := I.largest()
	return s > 0 && cholesky(I.XX/s, I.YY/s, I.ZZ/s, I.XY/s, I.XZ/s, I.YZ/s) && I.inverse() < surelyRegular
}

// surelyRegular bounds inverse: below it no principal moment counts as zero.
const surelyRegular = 1e13

// semidefinite sets principal moments that are zero up to rounding to exact zeros. It returns their number, 0, 1 or 3, or −1 if I is no
// inertia (spatial.Sym3.Null).
func (I *Inertia) semidefinite() int {
	_, n, clean := I.sym().Null()
	*I = Inertia{clean[0], clean[1], clean[2], clean[3], clean[4], clean[5]}
	return n
}

// broken returns the rule that I, which must be finite, breaks; "" if it is an inertia: positive semidefinite, within the triangle
// inequality, and with a finite inverse on the directions with inertia. Principal moments that are zero up to rounding, as for a rod or a
// point mass, pass.
func (I *Inertia) broken() string {
	clean, zeros := *I, 0 // with exact zeros in place of moments that are zero up to rounding, and their number
	if !I.positiveDefinite() {
		zeros = clean.semidefinite()
	}
	switch {
	case zeros < 0:
		return "is not positive semidefinite"
	case clean == (Inertia{}): // a point mass
		return ""
	case !clean.triangular():
		return "breaks the triangle inequality"
	case zeros == 0 && !clean.invertible(),
		zeros == 1 && !algebra.Finite(1/clean.sym().Trace()): // of a rod: both of its moments are half the trace
		return "is too small: its inverse overflows"
	}
	return ""
}

// sym returns I as a matrix.
func (I *Inertia) sym() spatial.Sym3 { return spatial.Sym3{I.XX, I.YY, I.ZZ, I.XY, I.XZ, I.YZ} }

// triangular reports whether the principal moments satisfy the triangle
// inequality up to triangleTolerance: ½tr(I)·1 − I, the matrix of second
// moments of mass, is positive semidefinite.
func (I *Inertia) triangular() bool {
	s := I.largest()
	half := (I.XX/s + I.YY/s + I.ZZ/s) / 2 * (1 + triangleTolerance/2)
	return cholesky(half-I.XX/s, half-I.YY/s, half-I.ZZ/s, -I.XY/s, -I.XZ/s, -I.YZ/s)
}

// invertible reports whether the inverse of I, which is positive definite, is finite.
func (I *Inertia) invertible() bool { return algebra.Finite(I.inverse() / I.largest()) }

// inverse returns the largest entry of I⁻¹ times the largest entry of I, which must be positive definite. With
// I = LDLᵀ, I⁻¹ = L⁻ᵀD⁻¹L⁻¹. Its diagonal entries are sums of positive terms, and the largest of them bounds all entries.
func (I *Inertia) inverse() float64 {
	s := I.largest()
	xx, xy, xz := I.XX/s, I.XY/s, I.XZ/s
	l10, l20 := xy/xx, xz/xx
	yy, yz := I.YY/s-l10*xy, I.YZ/s-l10*xz
	l21 := yz / yy
	zz := I.ZZ/s - l20*xz - l21*yz
	m20 := l10*l21 - l20
	x, y, z := 1/xx+l10/yy*l10+m20/zz*m20, 1/yy+l21/zz*l21, 1/zz
	return max(x, y, z)
}

// largest returns the largest magnitude of an entry.
func (I *Inertia) largest() float64 {
	s := max(math.Abs(I.XX), math.Abs(I.YY), math.Abs(I.ZZ))
	return max(s, math.Abs(I.XY), math.Abs(I.XZ), math.Abs(I.YZ))
}

// list returns the entries in the order of inertiaFields.
func (I *Inertia) list() [6]float64 {
	return [6]float64{I.XX, I.YY, I.ZZ, I.XY, I.XZ, I.YZ}
}

// cholesky reports whether all pivots of the factorization of a symmetric 3×3 matrix are positive.
func cholesky(xx, yy, zz, xy, xz, yz float64) bool {
	if !(xx > 0) {
		return false
	}
	ly, lz := xy/xx, xz/xx
	yy -= ly * xy
	yz -= ly * xz
	zz -= lz * xz
	return yy > 0 && zz-yz/yy*yz > 0
}

// allZero reports whether x has no entry other than zero.
func allZero[T int64 | float64](x []T) bool {
	for _, v := range x {
		if v != 0 {
			return false
		}
	}
	return true
}

// bounds reports whether l is neither nil nor NoLimit.
func (l *Limit) bounds() bool { return l != nil && *l != NoLimit() }

// limited reports whether a joint's list of limits bounds a freedom.
func limited(list []*Limit) bool { return slices.ContainsFunc(list, (*Limit).bounds) }

// canonicalLimits sets entries of list that do not bound to nil, and the exponent of stops to 1 if it is 0. It returns list, or nil
// if all entries are nil.
func canonicalLimits(list []*Limit) []*Limit {
	for k, l := range list {
		if !l.bounds() {
			list[k] = nil
		} else if l.Stop != (Stop{}) && l.Stop.Exponent == 0 {
			own := *l // a copy, as other joints may share the limit
			own.Stop.Exponent = 1
			list[k] = &own
		}
	}
	if !limited(list) {
		return nil
	}
	return list
}

// someOf reports whether a joint's list of motions or laws has an entry that is not nil.
func someOf[T any](list []*T) bool {
	return slices.ContainsFunc(list, func(e *T) bool { return e != nil })
}
