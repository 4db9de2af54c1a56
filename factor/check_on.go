//go:build check

package factor

// checks adds the assertions of assert.go to the numeric functions.
const checks = true
