//go:build !race

package team

const raceDetector = false
