//go:build race

package guard

// raceDetector reports whether the program is built with the race detector.
const raceDetector = true
