package check

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
)

// mutate returns an argument made from that of one seed, with parts of that of another.
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

// mutateNumber returns x, the other number, or one of any order.
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

// mutations change text. Arguments are the text, which they may overwrite, and that of another seed.
var mutations = []func(r *rand.Rand, b, other []byte) []byte{
	flipBit, setByte, remove, insert, repeat, splice, borrow,
	extremeNumber, extremeNumber, exchangeToken, exchangeToken, removeToken,
}

const (
	mostMutations = 8
	// shortText is a tape of edits rather than a document. It is often drawn anew.
	shortText = 24
)

// mutateBytes returns b with some changes, parts of other among them, or a short text of its own.
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

// span draws a part of n things, the shorter the likelier.
func span(r *rand.Rand, n int) (from, to int) {
	from = r.IntN(n + 1)
	return from, from + r.IntN(1+r.IntN(1+n-from))
}

func flipBit(r *rand.Rand, b, _ []byte) []byte {
	if len(b) > 0 {
		b[r.IntN(len(b))] ^= 1 << r.IntN(8)
	}
	return b
}

func setByte(r *rand.Rand, b, _ []byte) []byte {
	if len(b) > 0 {
		b[r.IntN(len(b))] = byte(r.Uint32())
	}
	return b
}

func remove(r *rand.Rand, b, _ []byte) []byte {
	from, to := span(r, len(b))
	return slices.Delete(b, from, to)
}

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

// splice ends the text with the end of the other.
func splice(r *rand.Rand, b, other []byte) []byte {
	return append(b[:r.IntN(len(b)+1)], other[r.IntN(len(other)+1):]...)
}

// borrow replaces a part of the text by one of the other.
func borrow(r *rand.Rand, b, other []byte) []byte {
	at, end := span(r, len(b))
	from, to := span(r, len(other))
	return slices.Replace(b, at, end, other[from:to]...)
}

var (
	tokens  = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*|[A-Za-z_]+|[^\sA-Za-z0-9]`)
	numbers = regexp.MustCompile(`-?[0-9][0-9.eE+-]*`)
	// extremes are at and around where sums, squares and products overflow or vanish, and what is no number at all.
	extremes = []string{
		"0", "-0", "1", "-1", "2", "3", "6", "7", "1e308", "-1e308", "1.7976931348623157e308", "1e309", "1e200", "1e160", "1e154", "1e103", "1e77", "1e30",
		"1e16", "1e8", "1e4", "1e2", "0.01", "1e-4", "1e-8", "1e-12", "1e-16", "1e-30", "1e-77", "1e-154", "1e-160", "1e-200", "1e-308", "5e-324", "1e-400",
		"2147483647", "-2147483648", "9223372036854775807", "1e18446744073709551616", "NaN", "Inf", "null", "true", `""`, "[]", "{}",
	}
)

func extremeNumber(r *rand.Rand, b, _ []byte) []byte {
	return replaceOne(r, b, numbers, []byte(extremes[r.IntN(len(extremes))]))
}

// exchangeToken replaces a word, text, number or mark by one of the
// other seed, so that what is nearly a document stays so.
func exchangeToken(r *rand.Rand, b, other []byte) []byte {
	if all := tokens.FindAll(other, -1); len(all) > 0 {
		return replaceOne(r, b, tokens, all[r.IntN(len(all))])
	}
	return b
}

func removeToken(r *rand.Rand, b, _ []byte) []byte { return replaceOne(r, b, tokens, nil) }

// replaceOne replaces one of the matches of what in b.
func replaceOne(r *rand.Rand, b []byte, what *regexp.Regexp, by []byte) []byte {
	all := what.FindAllIndex(b, -1)
	if len(all) == 0 {
		return b
	}
	at := all[r.IntN(len(all))]
	return slices.Replace(b, at[0], at[1], by...)
}
