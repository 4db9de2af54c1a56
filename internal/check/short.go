package check

import "testing"

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

// Long leaves a test to whole runs: short ones, go test -short ./... of all packages, take a minute at most.
func Long(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("a test of whole runs")
	}
}
