package fmu

import (
	"fmt"
	"strings"
)

// base are the exponents of kg, m, s and rad in a unit.
type base [4]int

// baseNames are the names of the base units in FMI, in the order of base.
var baseNames = [...]string{"kg", "m", "s", "rad"}

// symbols are the symbols of units, without powers.
var symbols = map[string]base{
	"kg": {1, 0, 0, 0}, "m": {0, 1, 0, 0}, "s": {0, 0, 1, 0}, "rad": {0, 0, 0, 1},
	"N": {1, 1, -2, 0}, "J": {1, 2, -2, 0}, "W": {1, 2, -3, 0}, "Pa": {1, -1, -2, 0},
}

// powers are the exponents behind a symbol.
var powers = []struct {
	sign string
	n    int
}{{"²", 2}, {"³", 3}}

// parseUnit returns the exponents of a unit such as "N m s/rad", and its name in ASCII, "N.m.s/rad". ok is false for a text that is
// not a quotient of products of symbols, such as "" and "m or rad".
func parseUnit(text string) (name string, exponents base, ok bool) {
	above, below, divided := strings.Cut(text, "/")
	if !exponents.times(above, 1) || divided && !exponents.times(below, -1) {
		return "", base{}, false
	}
	return strings.NewReplacer("²", "2", "³", "3", " ", ".").Replace(text), exponents, true
}

// times multiplies b by product to the power n. product has symbols between spaces, each with a power. times reports whether all
// symbols are known; if not, b has no meaning.
func (b *base) times(product string, n int) bool {
	for _, sign := range strings.Split(product, " ") {
		by := n
		for _, p := range powers {
			if rest, found := strings.CutSuffix(sign, p.sign); found {
				sign, by = rest, n*p.n
			}
		}
		s, known := symbols[sign]
		if !known {
			return false
		}
		for i := range b {
			b[i] += by * s[i]
		}
	}
	return true
}

// attributes returns the exponents as attributes of BaseUnit.
func (b base) attributes() string {
	var t strings.Builder
	for i, n := range b {
		if n != 0 {
			fmt.Fprintf(&t, ` %s="%d"`, baseNames[i], n)
		}
	}
	return t.String()
}
