package check

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// releasedHeading matches the heading of a release in CHANGELOG.md. Its groups are the version and the date.
var releasedHeading = regexp.MustCompile(`(?m)^## \[(\d[^\]]*)\] - (\d{4}-\d{2}-\d{2})$`)

// Released returns the version and the date of the last release in CHANGELOG.md. Both are empty before the first release.
func Released(t testing.TB) (version, date string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(Root(t), "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	if m := releasedHeading.FindSubmatch(text); m != nil {
		return string(m[1]), string(m[2])
	}
	return "", ""
}

// Promise returns the promises of the last release: the text of the file testdata/released/name of the package under test. With -update
// it first writes now, the present state, to the file. From the first release on, this also needs RUNG_RELEASE=1, because the
// file then holds the promises of the next release.
func Promise(t testing.TB, name string, now []byte) []byte {
	t.Helper()
	path := filepath.Join("testdata", "released", name)
	if *update {
		if v, _ := Released(t); v != "" && os.Getenv("RUNG_RELEASE") == "" {
			t.Fatalf("%s is what %s promised; RUNG_RELEASE=1 writes it for the next release", path, v)
		}
		if err := os.WriteFile(path, now, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	then, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return []byte(normal(then))
}

// Broken fails the test for each broken promise that testdata/released/allowed.txt does not list. A line of this file is
// the promise, two spaces, # and a reason.
func Broken(t testing.TB, broken []string) {
	t.Helper()
	path := filepath.Join("testdata", "released", "allowed.txt")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	may, bad := allowed(string(text))
	for _, line := range bad {
		t.Errorf("%s: no reason behind two spaces and #: %s", path, line)
	}
	for _, line := range broken {
		if !may[line] {
			t.Errorf("%s\nThe last release promised that. Keep it; or write it with a reason into %s, and into CHANGELOG.md. "+
				"Before the first release, -update writes anew what is promised", line, path)
		}
	}
}

// allowed returns the promises of a list that have a reason, and the lines without a reason of at least two words.
func allowed(text string) (may map[string]bool, bad []string) {
	may = map[string]bool{}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		what, why, _ := strings.Cut(line, "  # ")
		if len(strings.Fields(why)) < 2 {
			bad = append(bad, line)
			continue
		}
		may[strings.TrimSpace(what)] = true
	}
	return may, bad
}
