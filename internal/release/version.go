package main

import (
	"fmt"
	"regexp"
	"strings"
)

// version is the version of a release, such as 0.1.0 or 0.2.0-rc.1.
type version struct{ number, pre string }

var versionForm = regexp.MustCompile(`^((?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*))(?:-((?:alpha|beta|rc)\.(?:0|[1-9]\d*)))?$`)

// parseVersion reads a version. It refuses forms of Semantic Versioning that Python or Debian cannot express.
func parseVersion(text string) (version, error) {
	m := versionForm.FindStringSubmatch(text)
	if m == nil {
		return version{}, fmt.Errorf("%q is no version; there are such as 0.1.0 and 0.2.0-rc.1 (alpha, beta, rc), without v", text)
	}
	return version{m[1], m[2]}, nil
}

func (v version) String() string {
	if v.pre == "" {
		return v.number
	}
	return v.number + "-" + v.pre
}

// tag returns the version in the form of Go and of tags of the repository.
func (v version) tag() string { return "v" + v.String() }

// debian returns the version in the form of Debian, in which 0.2.0~rc.1 sorts before 0.2.0.
func (v version) debian() string {
	if v.pre == "" {
		return v.number
	}
	return v.number + "~" + v.pre
}

var heading = regexp.MustCompile(`(?m)^## \[([^\]]+)\](?: - (\d{4}-\d{2}-\d{2}))?$`)

// notes returns the part of a changelog about a version, and whether its heading has a date. If there is no such part, or it is empty,
// notes returns the part "Unreleased". The text is empty if both are.
func notes(changelog string, v version) (text string, dated bool) {
	places := heading.FindAllStringSubmatchIndex(changelog, -1)
	for _, want := range []string{v.String(), "Unreleased"} {
		for i, p := range places {
			if changelog[p[2]:p[3]] != want {
				continue
			}
			end := len(changelog)
			if i+1 < len(places) {
				end = places[i+1][0]
			}
			if text = strings.TrimSpace(changelog[p[1]:end]); text == "" {
				continue // such notes would be empty
			}
			return text + "\n", want != "Unreleased" && p[4] >= 0
		}
	}
	return "", false
}
