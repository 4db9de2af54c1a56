package objective

import (
	"fmt"
	"math"
	"math/cmplx"
	"slices"
	"strconv"
	"strings"
)

// modeColumn is a number of a mode: its eigenvalue λ, its frequency |λ|/2π, Hz, or its damping ratio −Re λ/|λ|.
type modeColumn struct {
	mode int // index in the list of modes
	part int // one of modeReal to modeDamping
}

// modeNames are the numbers of a mode; the constants are their indices.
var modeNames = []string{modeReal: "re", modeImaginary: "im", modeFrequency: "frequency", modeDamping: "damping"}

const (
	modeReal = iota
	modeImaginary
	modeFrequency
	modeDamping
)

// newModeColumn parses the name mode.K.re, .im, .frequency or .damping, with K from 1 on.
func newModeColumn(name string) (modeColumn, error) {
	words := strings.Split(name, ".")
	if len(words) == 3 && words[0] == "mode" {
		k, err := strconv.Atoi(words[1])
		if part := slices.Index(modeNames, words[2]); err == nil && k > 0 && part >= 0 {
			return modeColumn{k - 1, part}, nil
		}
	}
	return modeColumn{}, fmt.Errorf("derive/objective: columns of modes are mode.K.re, .im, .frequency and .damping, K from 1 on")
}

// of returns the number of the eigenvalue l, and its derivative for the derivative dl of the eigenvalue.
func (c modeColumn) of(l, dl complex128) (value, slope float64) {
	size := cmplx.Abs(l)
	along := real(l)*real(dl) + imag(l)*imag(dl) // size times its derivative
	switch c.part {
	case modeReal:
		return real(l), real(dl)
	case modeImaginary:
		return imag(l), imag(dl)
	case modeFrequency:
		return size / (2 * math.Pi), along / size / (2 * math.Pi)
	}
	return -real(l) / size, -real(dl)/size + real(l)*along/(size*size*size)
}
