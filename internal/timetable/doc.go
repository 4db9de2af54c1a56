// Package timetable reads CSV files that people and other programs write. A file has a line of names, among them time, and lines of
// numbers with increasing times. A byte order mark, comments behind #, blanks around cells and the line ends of
// other systems are ignored. An error in a cell is a *Fault with its line and column.
package timetable
