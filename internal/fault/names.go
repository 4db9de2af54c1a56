package fault

import (
	"fmt"
	"slices"
)

// OtherNames returns the message that a list of names of things differs from the wanted list. It lists some of the missing and of the
// additional names. If there are none, it gives the first name at which the order differs, or else the two lengths.
func OtherNames(things string, got, want []string) string {
	missing, besides := without(want, got), without(got, want)
	switch {
	case len(missing) > 0 && len(besides) > 0:
		return fmt.Sprintf("its %s lack %s and have %s", things, some(missing), some(besides))
	case len(missing) > 0:
		return fmt.Sprintf("its %s lack %s", things, some(missing))
	case len(besides) > 0:
		return fmt.Sprintf("its %s have %s besides", things, some(besides))
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			return fmt.Sprintf("its %s are in another order: %s where %s is wanted", things, Name(got[i]), Name(want[i]))
		}
	}
	return fmt.Sprintf("it has %d %s, not %d", len(got), things, len(want))
}

// without returns the names of list that are not in other.
func without(list, other []string) (left []string) {
	there := make(map[string]bool, len(other))
	for _, n := range other {
		there[n] = true
	}
	return slices.DeleteFunc(slices.Clone(list), func(n string) bool { return there[n] })
}

// mostSome is the largest number of names that some lists.
const mostSome = 3

// some returns the first few names of a list, and the number of the others.
func some(names []string) string {
	text := ""
	for i, n := range names[:min(len(names), mostSome)] {
		if i > 0 {
			text += ", "
		}
		text += Name(n)
	}
	if more := len(names) - mostSome; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
