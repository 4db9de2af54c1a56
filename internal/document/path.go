package document

import (
	"errors"
	"strconv"
	"strings"
)

// Step is one step of a path: a key, or an entry with its name or number.
type Step struct {
	Key   string // the key, or the entry's name or number
	Entry bool   // the step is an entry, which is in brackets
}

// ParsePath splits a path such as bodies[crank].com[0] into steps. Names of entries may be in quotes, as in JSON.
func ParsePath(path string) ([]Step, error) {
	var steps []Step
	rest := strings.TrimPrefix(path, "$.")
	for first := true; first || rest != ""; first = false {
		if !first && rest[0] == '[' {
			name, after, err := entryOf(rest[1:])
			if err != nil {
				return nil, err
			}
			steps, rest = append(steps, Step{name, true}), after
			continue
		}
		if !first {
			if rest[0] != '.' {
				return nil, errors.New("has text after ]")
			}
			rest = rest[1:]
		}
		end := strings.IndexAny(rest, ".[")
		if end < 0 {
			end = len(rest)
		}
		if end == 0 {
			return nil, errors.New("is no path: a key is empty")
		}
		steps, rest = append(steps, Step{rest[:end], false}), rest[end:]
	}
	return steps, nil
}

// InBrackets returns the name of an entry in the form that paths have between brackets: in quotes if it contains ] or begins with
// a quote.
func InBrackets(name string) string {
	if strings.ContainsRune(name, ']') || strings.HasPrefix(name, `"`) {
		return strconv.Quote(name)
	}
	return name
}

// entryOf returns the name of an entry at the head of s, which begins behind the opening bracket, and the rest of s behind the
// closing bracket.
func entryOf(s string) (name, rest string, err error) {
	if strings.HasPrefix(s, `"`) {
		quoted, err := strconv.QuotedPrefix(s)
		if err != nil {
			return "", "", errors.New("has quotes that do not end")
		}
		name, err = strconv.Unquote(quoted)
		if err != nil {
			return "", "", errors.New("has quotes that do not end")
		}
		if rest, ok := strings.CutPrefix(s[len(quoted):], "]"); ok {
			return name, rest, nil
		}
		return "", "", errors.New("has a bracket that does not end")
	}
	name, rest, ok := strings.Cut(s, "]")
	switch {
	case !ok:
		return "", "", errors.New("has a bracket that does not end")
	case name == "":
		return "", "", errors.New("has empty brackets")
	}
	return name, rest, nil
}
