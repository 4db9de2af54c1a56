// Package probe replaces the guards in a build for make sabotage. One guard at a time has a value that differs from the code's.
// No other build imports this package.
//
// Two environment variables control it. RUNG_SABOTAGE names one change: "c12=true" and "c12=false" make a condition constant,
// "k7=1000" multiplies a constant wherever it is used. RUNG_SABOTAGE_RECORD names a file that receives a line for each condition and
// outcome, and for each constant, when they are first reached: "c12=true", "k7".
package probe
