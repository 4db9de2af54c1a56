// Command processor runs a test program and records its processor time. It serves go test -exec, as in make short:
//
//	go build -o out/processor ./internal/test/processor
//	go test -short -count=1 -exec="$PWD/out/processor -into $PWD/out/times -most 8s" ./kkt
//
// It appends a line with the seconds and the folder of the package to the file -into. A program that takes more than -most fails.
// Processor time depends less than wall time on the machine's other work.
package main
