// Package beside has what the programs share that measure Rung beside other engines and publish what they have found: where it was
// measured, programs of peers and what they print, trees of bodies as text for them, records, and pages with tables between two
// lines.
package beside
