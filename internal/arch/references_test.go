package arch_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// citation finds authors followed by a year, the year in parentheses or not:
// "Liu 1990", "George & Liu (1979)", "Gilbert, Ng & Peyton 1994",
// "Carpentier et al. 2021". Initials and particles belong to the first author.
var citation = regexp.MustCompile(
	`(?:(?:de|van|von) )?` + author + `(?:, ` + author + `)*(?: (?:&|and) ` + author + `)?(?: et al\.)?,? \(?((?:18|19|20)\d\d)\b`)

// centuries are how the year of a citation begins. Few comments have them, and they are found faster than citations.
var centuries = []string{"18", "19", "20"}

const author = `\p{Lu}[\p{L}-]+`

// authorWord is a word that reads like an author.
var authorWord = regexp.MustCompile(`^` + author + `$`)

// lead are capitalized words that may stand before a citation without being
// part of a name or a title.
var lead = map[string]bool{"After": true, "As": true, "By": true, "From": true, "In": true, "See": true, "The": true}

// citations returns the keys cited in a text, in the form of
// docs/references.md.
func citations(text string) []string {
	text = strings.Join(strings.Fields(text), " ")
	var keys []string
	if strings.Contains(text, "RBDA") {
		keys = append(keys, "RBDA")
	}
	if !slices.ContainsFunc(centuries, func(c string) bool { return strings.Contains(text, c) }) {
		return keys
	}
	for _, at := range citation.FindAllStringSubmatchIndex(text, -1) {
		// A capitalized word right before is the end of a title, not an author.
		before := strings.Fields(text[:at[0]])
		if n := len(before); n > 0 && !lead[before[n-1]] && authorWord.MatchString(before[n-1]) {
			continue
		}
		key := text[at[0]:at[1]]
		first, rest, ok := strings.Cut(key, " ")
		if ok && lead[strings.TrimSuffix(first, ",")] {
			key = rest
		}
		key = strings.NewReplacer("(", "", " and ", " & ").Replace(key)
		keys = append(keys, strings.ReplaceAll(key, ", "+text[at[2]:at[3]], " "+text[at[2]:at[3]]))
	}
	return keys
}

// keys returns the keys that docs/references.md resolves: the first column of
// its table.
func keys(t *testing.T) map[string]bool {
	t.Helper()
	set := map[string]bool{}
	for _, cells := range tableRows(t, page(t, "docs/references.md"), "## Keys") {
		require.Len(t, cells, 2, "row %v", cells)
		key := spans(cells[0])
		require.Len(t, key, 1, "row %v", cells)
		assert.False(t, set[key[0]], "key %q is there twice", key[0])
		set[key[0]] = true
	}
	return set
}

// TestCitationsResolve looks for citations in the comments of all files and in
// the text of the pages.
func TestCitationsResolve(t *testing.T) {
	known := keys(t)
	for _, f := range sources(t) {
		if f.pkg == "internal/arch" {
			continue // its examples
		}
		for _, c := range f.ast.Comments {
			for _, key := range citations(c.Text()) {
				assert.True(t, known[key], "%s cites %q, which docs/references.md does not resolve", f.path, key)
			}
		}
	}
	for _, p := range ownPages(t) {
		if p == "docs/references.md" {
			continue
		}
		for _, key := range citations(withoutCode(page(t, p))) {
			assert.True(t, known[key], "%s cites %q, which docs/references.md does not resolve", p, key)
		}
	}
}

func TestCitations(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"as in Liu 1990, Davis 2006 §4.1", []string{"Liu 1990", "Davis 2006"}},
		{"of Fiduccia & Mattheyses (1982)", []string{"Fiduccia & Mattheyses 1982"}},
		{"(Gilbert, Ng & Peyton 1994, by rows)", []string{"Gilbert, Ng & Peyton 1994"}},
		{"Amestoy, Davis & Duff\n(1996)", []string{"Amestoy, Davis & Duff 1996"}},
		{"de Niet and Wubs 2009", []string{"de Niet & Wubs 2009"}},
		{"Carpentier et al. 2021", []string{"Carpentier et al. 2021"}},
		{"In Baraff 1996 it is", []string{"Baraff 1996"}},
		{"Rigid Body Dynamics Algorithms (2008), RBDA §8.13", []string{"RBDA"}},
		{"about 2000 nodes; the year 1996; GOAMD64 2021", nil},
	} {
		assert.Equal(t, c.want, citations(c.text), "%s", c.text)
	}
}
