package sheet

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/rung-mbd/rung/internal/fault"
)

// Count returns n, from 10 000 on with three digits and a prefix k, M, G or T.
func Count(n int64) string {
	if n < 1e4 {
		return strconv.FormatInt(n, 10)
	}
	x, unit := float64(n), ""
	for _, unit = range [...]string{"k", "M", "G", "T"} {
		if x /= 1e3; x < 999.5 {
			break
		}
	}
	return strconv.FormatFloat(x, 'g', 3, 64) + unit
}

// Numbers of columns to which names are cut.
const (
	NameWidth = 14 // in a table
	TextWidth = 60 // elsewhere
)

// ModelTitle returns the name of a model for a heading.
func ModelTitle(name string) string {
	if name == "" {
		return "model"
	}
	return fault.Text(name, TextWidth)
}

// Short returns x with four digits.
func Short(x float64) string {
	if x == 0 {
		return "0" // never −0
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}

// Narrow returns x with four digits, or with three if four need more than nine columns.
func Narrow(x float64) string {
	s := Short(x)
	if len(s) > 9 {
		s = strconv.FormatFloat(x, 'g', 3, 64)
	}
	return s
}

// Plural returns n and the noun, in the plural unless n is 1: with an s, or ies in place of y.
func Plural(n int, noun string) string {
	s := strconv.Itoa(n) + " "
	switch {
	case n == 1:
		return s + noun
	case strings.HasSuffix(noun, "y"):
		return s + noun[:len(noun)-1] + "ies"
	default:
		return s + noun + "s"
	}
}

// named is the largest number of names that Enumerate lists.
const named = 12

// Enumerate joins the first names of a list with sep, and adds the number of the others.
func Enumerate(list []string, sep string) string {
	text := ""
	for i, s := range list {
		if i == named {
			return text + fmt.Sprintf("%sand %d more", sep, len(list)-i)
		}
		if i > 0 {
			text += sep
		}
		text += s
	}
	return text
}

// Digits3 returns x with three digits.
func Digits3(x float64) string { return strconv.FormatFloat(x, 'g', 3, 64) }

// Digits2 returns x with two digits.
func Digits2(x float64) string { return strconv.FormatFloat(x, 'g', 2, 64) }

// Duration returns ns with three digits and a unit.
func Duration(ns int64) string {
	x := float64(ns)
	for _, unit := range [...]string{"ns", "µs", "ms"} {
		if x < 999.5 {
			return strconv.FormatFloat(x, 'g', 3, 64) + " " + unit
		}
		x /= 1e3
	}
	return strconv.FormatFloat(x, 'g', max(3, len(strconv.Itoa(int(x)))), 64) + " s"
}
