// Package linestest interprets the lines of package lines one after another and lane by lane, without registers or codes. Tests compare
// the printed assembly with it.
package linestest
