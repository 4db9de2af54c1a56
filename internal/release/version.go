package main

import (
	"fmt"
	"regexp"
	"strings"
)

// version is that of a release, 0.1.0 or 0.2.0-rc.1.
type version struct{ number, pre string }

var versionForm = regexp.MustCompile(`^((?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*))(?:-((?:alpha|beta|rc)\.(?:0|[1-9]\d*)))?$`)

// parseVersion reads a version. Others of Semantic Versioning have no form for Python or Debian.
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

// tag returns the version as Go and the repository have it.
func (v version) tag() string { return "v" + v.String() }

// debian returns the version as Debian sorts it: before the release that it comes before.
func (v version) debian() string {
	if v.pre == "" {
		return v.number
	}
	return v.number + "~" + v.pre
}

var heading = regexp.MustCompile(`(?m)^## \[([^\]]+)\](?: - (\d{4}-\d{2}-\d{2}))?$`)

// notes returns the part of a changelog on a version, and whether it has a heading with a date. Without, or if it is empty, the part on
// what is not yet released stands for it. The text is empty if neither part says anything.
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
