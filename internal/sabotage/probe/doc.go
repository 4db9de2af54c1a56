// Package probe is what guards call in a build for make sabotage: one of them at a time says something else than the code does.
// No other build imports this package.
//
// Two environment variables say what happens. RUNG_SABOTAGE names one change: "c12=true" and "c12=false" make a condition constant,
// "k7=1000" multiplies the uses of a constant. RUNG_SABOTAGE_RECORD names a file that receives a line for each condition and outcome, and
// for each constant, when they are first met: "c12=true", "k7".
package probe
