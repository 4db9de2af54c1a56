package check

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
)

// mutate returns a random argument made from v, the argument of one seed, with parts of other, the argument of another seed. It
// panics for a type that no walk has.
func mutate(r *rand.Rand, v, other any) any {
	switch v := v.(type) {
	case []byte:
		return mutateBytes(r, v, other.([]byte))
	case string:
		return string(mutateBytes(r, []byte(v), []byte(other.(string))))
	case bool:
		return r.IntN(2) == 0
	case uint8:
		if r.IntN(2) == 0 {
			return uint8(r.IntN(256))
		}
		return v
	case float64:
		return mutateNumber(r, v, other.(float64))
	}
	panic(fmt.Sprintf("check: a walk has no arguments of type %T", v))
}

// mutateNumber returns x, a number close to x, −x, the other number, or a random number of any order of magnitude.
func mutateNumber(r *rand.Rand, x, other float64) float64 {
	const decades = 308
	switch r.IntN(6) {
	case 0:
		return x
	case 1:
		return other
	case 2:
		return -x
	case 3:
		return 2*r.Float64() - 1
	case 4:
		return x + math.Pow(10, -16*r.Float64())
	default:
		return (2*r.Float64() - 1) * math.Pow(10, decades*(2*r.Float64()-1))
	}
}

// mutations change a text. They get the text b, which they may overwrite, and the text other of another seed. They return the
// changed text. Functions that are listed twice are drawn twice as often.
var mutations = []func(r *rand.Rand, b, other []byte) []byte{
	flipBit, setByte, remove, insert, repeat, splice, borrow,
	extremeNumber, extremeNumber, exchangeToken, exchangeToken, removeToken,
}

const (
	// mostMutations bounds the number of changes of one text.
	mostMutations = 8
	// shortText is the largest length, in bytes, of a text that codes a list of edits rather than a document. Such a text is
	// often drawn anew.
	shortText = 24
)

// mutateBytes returns b with some changes, which may insert parts of other. A short b is replaced by a short random text half of the
// time.
func mutateBytes(r *rand.Rand, b, other []byte) []byte {
	if len(b) <= shortText && r.IntN(2) == 0 {
		b = make([]byte, r.IntN(shortText+1))
		for k := range b {
			b[k] = byte(r.Uint32())
		}
		return b
	}
	b = slices.Clone(b)
	for range 1 + r.IntN(1+r.IntN(mostMutations)) {
		b = mutations[r.IntN(len(mutations))](r, b, other)
	}
	return b
}

// span draws a random range of n elements, from ≤ to ≤ n. Shorter ranges are likelier.
func span(r *rand.Rand, n int) (from, to int) {
	from = r.IntN(n + 1)
	return from, from + r.IntN(1+r.IntN(1+n-from))
}

// flipBit inverts one bit.
func flipBit(r *rand.Rand, b, _ []byte) []byte {
	if len(b) > 0 {
		b[r.IntN(len(b))] ^= 1 << r.IntN(8)
	}
	return b
}

// setByte sets one byte to a random value.
func setByte(r *rand.Rand, b, _ []byte) []byte {
	if len(b) > 0 {
		b[r.IntN(len(b))] = byte(r.Uint32())
	}
	return b
}

// remove deletes a part of the text.
func remove(r *rand.Rand, b, _ []byte) []byte {
	from, to := span(r, len(b))
	return slices.Delete(b, from, to)
}

// insert inserts one to six random bytes at one place.
func insert(r *rand.Rand, b, _ []byte) []byte {
	at := r.IntN(len(b) + 1)
	for range 1 + r.IntN(6) {
		b = slices.Insert(b, at, byte(r.Uint32()))
	}
	return b
}

// repeat inserts a part of the text at another place.
func repeat(r *rand.Rand, b, _ []byte) []byte {
	from, to := span(r, len(b))
	return slices.Insert(b, r.IntN(len(b)+1), slices.Clone(b[from:to])...)
}

// splice replaces the end of the text by the end of other.
func splice(r *rand.Rand, b, other []byte) []byte {
	return append(b[:r.IntN(len(b)+1)], other[r.IntN(len(other)+1):]...)
}

// borrow replaces a part of the text by a part of other.
func borrow(r *rand.Rand, b, other []byte) []byte {
	at, end := span(r, len(b))
	from, to := span(r, len(other))
	return slices.Replace(b, at, end, other[from:to]...)
}

var (
	// tokens matches a string, number, word or mark of JSON.
	tokens = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|[A-Za-z_]+|[^\sA-Za-z0-9]`)
	// numbers matches a number of JSON.
	numbers = regexp.MustCompile(`-?[0-9][0-9.eE+-]*`)
	// extremes are numbers whose sums, squares or products overflow or underflow, numbers next to those, and other values of
	// JSON.
	extremes = []string{
		"0", "-0", "1", "-1", "2", "3", "6", "7", "1e308", "-1e308", "1.7976931348623157e308", "1e309", "1e200", "1e160", "1e154", "1e103", "1e77", "1e30",
		"1e16", "1e8", "1e4", "1e2", "0.01", "1e-4", "1e-8", "1e-12", "1e-16", "1e-30", "1e-77", "1e-154", "1e-160", "1e-200", "1e-308", "5e-324", "1e-400",
		"2147483647", "-2147483648", "9223372036854775807", "1e18446744073709551616", "NaN", "Inf", "null", "true", `""`, "[]", "{}",
	}
)

// extremeNumber replaces a number by one of the extremes.
func extremeNumber(r *rand.Rand, b, _ []byte) []byte {
	return replaceOne(r, b, numbers, []byte(extremes[r.IntN(len(extremes))]))
}

// exchangeToken replaces a token by a token of other. A text that is nearly a JSON document
// mostly remains one.
func exchangeToken(r *rand.Rand, b, other []byte) []byte {
	if all := tokens.FindAll(other, -1); len(all) > 0 {
		return replaceOne(r, b, tokens, all[r.IntN(len(all))])
	}
	return b
}

// removeToken deletes a token.
func removeToken(r *rand.Rand, b, _ []byte) []byte { return replaceOne(r, b, tokens, nil) }

// replaceOne replaces a random match of what in b by the text by. It returns b if there is no match.
func replaceOne(r *rand.Rand, b []byte, what *regexp.Regexp, by []byte) []byte {
	all := what.FindAllIndex(b, -1)
	if len(all) == 0 {
		return b
	}
	at := all[r.IntN(len(all))]
	return slices.Replace(b, at[0], at[1], by...)
}
