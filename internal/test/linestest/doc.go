// Package linestest runs the lines of package lines one after the other and lane by lane, without registers, codes or printing.
// It is the oracle of all that is printed of them.
package linestest
