package fault

import (
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	mostLetters = 200     // of a name for which others are looked at
	mostLooked  = 2 << 20 // names that are looked at for all unknown names of one document
)

// Meant returns ", did you mean NAME?" with the one of the names that is nearest to an unknown one, and "" if none is
// near: the nearest takes at most one change of three to five letters, two of six to nine, three of more. A change puts
// a letter in, leaves one out, exchanges one or swaps two neighbours (the distance of Damerau and Levenshtein between
// neighbours). Capitals are small letters, and numbers have to be the same: link1 is not meant by link2. Where
// no name is near, the only one that begins with what is written is meant.
//
// Cost: O(names × letters); allocates.
func Meant(name string, names ...string) string {
	return MeantOf(name, len(names), func(i int) string { return names[i] })
}

// MeantOf is Meant for the names at(0) up to at(n−1).
func MeantOf(name string, n int, at func(i int) string) string {
	var h Hints
	return h.Meant(name, n, at)
}

// Hints bounds what is spent on the names that the unknown names of one document were meant for: some million names are
// looked at, and no more. The zero value has looked at none.
type Hints struct{ looked int }

// Meant is MeantOf within the bound.
func (h *Hints) Meant(name string, n int, at func(i int) string) string {
	s := newSearch(name, 1)
	for i := range n {
		if h.looked++; h.looked > mostLooked {
			break
		}
		s.look(at(i))
	}
	return question(s.names())
}

// question is the hint with the first of the names.
func question(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return ", did you mean " + Text(names[0], longest) + "?"
}

// NoneOf says that there is no thing of a kind with a name, which names there are, and which of them may be meant.
func NoneOf(kind, name string, names []string) string {
	return "no " + kind + " " + Name(name) + "; there are " + strings.Join(names, ", ") + AfterList(MeantType(name, names...))
}

// Parse returns the value of a type whose name is given, or the error of NoneOf after a prefix. It is the inverse of Enum.
func Parse[T ~uint8](prefix, kind, name string, names []string) (T, error) {
	if i := slices.Index(names, name); i >= 0 {
		return T(i), nil
	}
	return 0, errors.New(prefix + NoneOf(kind, name, names))
}

// AfterList is what Meant returns as it stands at the end of a list of names: "; did you mean NAME?".
func AfterList(meant string) string {
	if meant == "" {
		return ""
	}
	return ";" + strings.TrimPrefix(meant, ",")
}

// NearPattern returns at most the given number of names that are near to a pattern, in which * is any text and ? any letter, as
// Meant has it; the nearest first. each calls look with the names until it returns false.
func NearPattern(pattern string, most int, each func(look func(name string) bool)) []string {
	s := newSearch(pattern, most)
	s.wild = strings.ContainsAny(pattern, "*?")
	looked := 0
	each(func(name string) bool {
		s.look(name)
		looked++
		return looked < mostLooked
	})
	return s.names()
}

// search finds the names nearest to one.
type search struct {
	name   []rune // folded
	digits string
	wild   bool // * and ? in the name are any text and any letter
	most   int  // names that are kept
	best   []candidate
	head   string // the name that begins with the wanted one
	heads  int    // how many do

	other []rune    // the folded name that is looked at
	rows  [3][]int8 // of the distance
}

// candidate is a name with the changes that make it of the wanted one.
type candidate struct {
	name string
	far  int
}

// newSearch returns a search for names that differ from name by no more than most changes of letters. A name of more than mostLetters has
// none near.
func newSearch(name string, most int) *search {
	s := &search{most: most, digits: numbersIn(name)}
	if utf8.RuneCountInString(name) <= mostLetters {
		s.name = fold(nil, name)
	}
	for k := range s.rows {
		s.rows[k] = make([]int8, len(s.name)+1)
	}
	return s
}

// fold appends the letters of a name to list, capitals as small letters.
func fold(list []rune, name string) []rune {
	for _, r := range name {
		list = append(list, unicode.ToLower(r))
	}
	return list
}

// numbersIn returns the numbers within a name without the zeros before them, each after a blank.
func numbersIn(name string) string {
	if !strings.ContainsAny(name, "0123456789") {
		return ""
	}
	var b strings.Builder
	for _, run := range strings.FieldsFunc(name, func(r rune) bool { return r < '0' || r > '9' }) {
		b.WriteByte(' ')
		b.WriteString(strings.TrimLeft(run, "0"))
	}
	return b.String()
}

// allowed is the number of changes up to which a name of so many letters is near.
func allowed(letters int) int {
	switch {
	case letters < 3:
		return 0
	case letters < 6:
		return 1
	case letters < 10:
		return 2
	}
	return 3
}

// look takes a name among the best if it is one of them.
func (s *search) look(name string) {
	n := len(s.name)
	if n == 0 || name == "" || len(name) > utf8.UTFMax*2*mostLetters {
		return
	}
	s.other = fold(s.other[:0], name)
	m := len(s.other)
	if n >= 3 && m > n && !s.wild && s.heads < 2 && slices.Equal(s.other[:n], s.name) {
		s.head = name
		s.heads++
	}
	limit := allowed(min(n, m))
	if len(s.best) == s.most {
		limit = min(limit, s.best[s.most-1].far-1)
	}
	if limit < 0 || !s.wild && max(n-m, m-n) > limit {
		return
	}
	far := s.distance(limit)
	if far > limit || !s.wild && s.digits != numbersIn(name) {
		return
	}
	k := len(s.best)
	for k > 0 && s.best[k-1].far > far {
		k--
	}
	s.best = append(s.best, candidate{})
	copy(s.best[k+1:], s.best[k:])
	s.best[k] = candidate{name, far}
	s.best = s.best[:min(len(s.best), s.most)]
}

// names returns what has been found, the nearest first.
func (s *search) names() []string {
	if len(s.best) == 0 && s.heads == 1 {
		return []string{s.head}
	}
	names := make([]string, len(s.best))
	for i, b := range s.best {
		names[i] = b.name
	}
	return names
}

// distance returns the least number of changes that make the other name of the wanted one, or more than limit if it is more
// than that. Row i of its table is for the first i letters of the other name.
func (s *search) distance(limit int) int {
	const far = 100
	n := len(s.name)
	before, last, row := s.rows[0], s.rows[1], s.rows[2]
	for k := range last {
		last[k] = int8(min(k, far))
		if s.wild && k > 0 && s.name[k-1] == '*' {
			last[k] = last[k-1]
		}
	}
	for i, y := range s.other {
		row[0] = int8(min(i+1, far))
		least := row[0]
		lo, hi := 0, n
		if !s.wild { // further from the diagonal there are more changes than the limit
			lo, hi = max(i-limit, 0), min(i+limit+2, n)
			if lo > 0 {
				row[lo] = far
			}
			if hi < n {
				row[hi+1] = far
			}
		}
		for k := lo; k < hi; k++ {
			x, d := s.name[k], int8(far)
			switch {
			case s.wild && x == '*':
				d = min(last[k+1], row[k])
			case x == y || s.wild && x == '?':
				d = last[k]
			default:
				d = 1 + min(last[k], last[k+1], row[k])
				if i > 0 && k > 0 && x == s.other[i-1] && s.name[k-1] == y {
					d = min(d, before[k-1]+1)
				}
			}
			row[k+1] = min(d, far)
			least = min(least, row[k+1])
		}
		if int(least) > limit {
			return far
		}
		before, last, row = last, row, before
	}
	return int(last[n])
}
