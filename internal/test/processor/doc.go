// Command processor runs a test program and notes how much processor time it has taken: go test -short -exec, as make short does.
//
//	go build -o out/processor ./internal/test/processor
//	go test -short -count=1 -exec="$PWD/out/processor -into $PWD/out/times -most 8s" ./kkt
//
// A line with the seconds and the folder of the package is added to the file -into. A program that takes more than -most fails.
// Processor time depends less than the time of a clock on what else the machine does.
package main
