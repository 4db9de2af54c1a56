package check

import (
	"errors"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
)

// Endings of the files in the folders of reference/.
const modelEnding, expectedEnding = ".model.json", ".expected.json"

// Root returns the folder of the module: the nearest folder with a go.mod, from
// the folder of the package under test upwards.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := root()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// root returns the folder of go.mod above the working folder.
func root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("check: no go.mod above the working folder")
		}
		dir = up
	}
}

// Reference returns the path of a file or folder below reference/, as in
// Reference(t, "golden", "four-bar.model.json"). It stops the test if there is
// none.
func Reference(t testing.TB, elem ...string) string {
	t.Helper()
	path := filepath.Join(append([]string{Root(t), "reference"}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// GoldenModels returns the names of the models of reference/golden, sorted;
// each has a ModelPath and an answer for ReadExpected.
func GoldenModels(t testing.TB) []string {
	t.Helper()
	files, err := os.ReadDir(Reference(t, "golden"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		if name, ok := strings.CutSuffix(f.Name(), modelEnding); ok {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		t.Fatal("check: no models in reference/golden")
	}
	sort.Strings(names)
	return names
}

// ModelPath returns the path of a golden model.
func ModelPath(t testing.TB, name string) string {
	t.Helper()
	return Reference(t, "golden", name+modelEnding)
}

// ReadExpected reads the expected quantities of a golden model. It stops the test if the
// file is missing or has other fields than Expected.
func ReadExpected(t testing.TB, name string) *Expected {
	t.Helper()
	return ReadExpectedIn(t, "golden", name)
}

// ReadExpectedIn is ReadExpected for a model of another folder of reference/.
func ReadExpectedIn(t testing.TB, folder, name string) *Expected {
	t.Helper()
	e, err := readExpected(Reference(t, folder, name+expectedEnding))
	if err != nil {
		t.Fatal(err)
	}
	if e.Name != name {
		t.Fatalf("check: %s names itself %q", name+expectedEnding, e.Name)
	}
	return e
}
