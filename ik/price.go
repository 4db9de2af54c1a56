package ik

const (
	// MaxRestarts is the largest number of starts at random where no time bounds them (Options.MaxTime).
	MaxRestarts = 10_000_000
	// mostSamples is the largest number of samples of a path.
	mostSamples = 100_000_000
)
