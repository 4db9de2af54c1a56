package check

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var releasedHeading = regexp.MustCompile(`(?m)^## \[(\d[^\]]*)\] - (\d{4}-\d{2}-\d{2})$`)

// Released returns the last version in CHANGELOG.md, with its date; both are empty before the first.
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

// Promise returns what the last release promised, the file testdata/released/name of the package under test. With -update the file becomes
// what there is now. From the first release on that also takes RUNG_RELEASE=1, as it belongs to the next one.
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

// Broken complains about promises that are not kept: each needs a line in testdata/released/allowed.txt, with two
// spaces, # and a reason behind it.
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

// allowed returns the lines of a list of changes that have a reason, and those that have none.
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
