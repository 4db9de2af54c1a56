package fault

import (
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	mostLetters = 200     // longest unknown name, in letters, for which a near name is searched
	mostLooked  = 2 << 20 // names that are compared for all unknown names of one document
)

// Meant returns ", did you mean NAME?", where NAME is the one of names that is nearest to the unknown name. It returns ""
// if no name is near. A near name differs by at most one change for three to five letters, two for six to nine letters, and
// three for more letters. A change inserts, deletes or replaces a letter, or swaps two adjacent letters (the distance of
// Damerau and Levenshtein for adjacent letters). Capitals count as small letters, and numbers have to be equal: link2 is
// not near link1. If no name is near, but exactly one begins with the unknown name, NAME is this one.
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

// Hints bounds the time of the searches for near names in one document: all its calls together compare at most mostLooked names.
// The zero value is ready for use.
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

// question returns ", did you mean NAME?" with the first of the names, and "" if there is none.
func question(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return ", did you mean " + Text(names[0], longest) + "?"
}

// NoneOf returns the message that there is no thing of a kind with this name. It lists the names that there are, and suggests one
// of them.
func NoneOf(kind, name string, names []string) string {
	return "no " + kind + " " + Name(name) + "; there are " + strings.Join(names, ", ") + AfterList(MeantType(name, names...))
}

// Parse returns the index of name in names as a value of T, or an error with the text of NoneOf after the prefix. It is the inverse
// of Enum.
func Parse[T ~uint8](prefix, kind, name string, names []string) (T, error) {
	if i := slices.Index(names, name); i >= 0 {
		return T(i), nil
	}
	return 0, errors.New(prefix + NoneOf(kind, name, names))
}

// AfterList returns the result of Meant in the form for the end of a list of names: "; did you mean NAME?", or "" for "".
func AfterList(meant string) string {
	if meant == "" {
		return ""
	}
	return ";" + strings.TrimPrefix(meant, ",")
}

// NearPattern returns up to most names that are near a pattern, in which * is any text and ? any letter, the nearest first. See
// Meant for what is near. each calls look with all names, and stops if look returns false.
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

// search finds the names nearest to the wanted name.
type search struct {
	name   []rune // the wanted name, in small letters; nil if it is too long
	digits string // the numbers in the wanted name
	wild   bool   // * and ? in the wanted name are any text and any letter
	most   int    // largest number of names that are kept
	best   []candidate
	head   string // the last name found that begins with the wanted one
	heads  int    // number of names that begin with it, counted up to 2

	other []rune    // the name that is compared, in small letters
	rows  [3][]int8 // rows of the table in distance
}

// candidate is a near name with its distance from the wanted one.
type candidate struct {
	name string
	far  int // number of changes
}

// newSearch returns a search for up to most names near name. No name is near a name of more than mostLetters letters.
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

// numbersIn returns the numbers within a name, each without leading zeros and after a blank.
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

// allowed returns the largest number of changes of a near name; letters is the length of the shorter of the two names.
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

// look compares a name with the wanted one, and inserts it into best if it is near and among the nearest.
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

// names returns the names found, the nearest first.
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

// distance returns the smallest number of changes that turn the wanted name into the other name. If it is above limit, the result is
// some number above limit. Row i of the table is for the first i letters of the other name.
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
		if !s.wild { // farther from the diagonal the distance is above the limit
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
