package check

import (
	"os"
	"strconv"
	"testing"
)

// Some returns all cases of a test in a whole run. In a short run it returns every n-th case, from the first on.
func Some[T any](cases []T, n int) []T {
	if !testing.Short() {
		return cases
	}
	some := make([]T, 0, (len(cases)+n-1)/n)
	for i := 0; i < len(cases); i += n {
		some = append(some, cases[i])
	}
	return some
}

// Few returns whole in a whole run, and short in a short run. Both are usually numbers of cases.
func Few[N any](whole, short N) N {
	if testing.Short() {
		return short
	}
	return whole
}

// Random returns a number of random cases: short in a short run, and whole times [More] in a whole run.
func Random[N int | int64 | uint64](whole, short N) N { return Few(whole*N(More()), short) }

// more is the environment variable with the number that More returns.
const more = "RUNG_MORE"

// More returns the factor for the number of random cases in a whole run. It is 1 in the run that decides about a commit,
// and the number RUNG_MORE in the nightly runs. A value of RUNG_MORE that is no number from 1 to 10 000 ends the test
// binary by a panic.
func More() int {
	text := os.Getenv(more)
	if text == "" {
		return 1
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > 10000 {
		panic("check: " + more + " is no number from 1 to 10 000: " + strconv.Quote(text))
	}
	return n
}

// Night returns a size of a test: night in the nightly runs, which set RUNG_MORE, and the smaller day otherwise. The caller has
// checked that the test of size day still fails when a fault is put into the code.
func Night[N any](night, day N) N {
	if More() > 1 {
		return night
	}
	return day
}

// Long skips a test in short runs, go test -short ./..., which are to be quick.
func Long(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("a test of whole runs")
	}
}

// Nightly skips a test outside the nightly runs, which set RUNG_MORE, because it takes too long for each commit.
func Nightly(t testing.TB) {
	t.Helper()
	if Long(t); More() == 1 {
		t.Skip("a test of every night's runs, which take " + more)
	}
}
