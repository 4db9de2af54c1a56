// Package sheet writes texts for people: numbers of few digits, names
// that are cut, items and tables of as many columns as the terminal has.
package sheet
