// Package sheet writes texts for people: numbers with few digits, shortened
// names, and items and tables that fit the width of the terminal.
package sheet
