package check

import (
	"os"
	"strconv"
	"testing"
)

// Some returns all cases of a test in a whole run, and every n-th of them, from the first on, in a short one.
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

// Few returns a number of cases: whole, or short in a short run.
func Few[N any](whole, short N) N {
	if testing.Short() {
		return short
	}
	return whole
}

// Random returns a number of random cases: short in a short run, and whole times [More] in a whole one. The first cases
// are the same whatever their number.
func Random[N int | int64 | uint64](whole, short N) N { return Few(whole*N(More()), short) }

// more is the variable of the environment with the number that More returns.
const more = "RUNG_MORE"

// More returns how many times as many random cases a whole run takes as the one that decides about a commit. It is 1
// unless RUNG_MORE says otherwise, which it does every night. A value that is no number from 1 to 10 000 is a mistake
// of who calls go test, and ends the test binary by a panic.
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

// Night returns a size: the one of every night's runs, which have RUNG_MORE, or a smaller one of the run that decides about a commit,
// which a fault that is put in has been seen to fail.
func Night[N any](night, day N) N {
	if More() > 1 {
		return night
	}
	return day
}

// Long leaves a test to whole runs. Short ones, go test -short ./... of all packages, are to be quick.
func Long(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("a test of whole runs")
	}
}

// Nightly leaves a test to the runs of every night, which have RUNG_MORE: it takes too long for each commit.
func Nightly(t testing.TB) {
	t.Helper()
	if Long(t); More() == 1 {
		t.Skip("a test of every night's runs, which take " + more)
	}
}
