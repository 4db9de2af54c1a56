// Package timetable reads CSV files that people and other programs write: a line of names, among them time, and lines of
// numbers whose times rise. A mark of the order of bytes, comments behind #, blanks around cells and the ends of lines of
// other systems are no part of names and numbers. What is wrong is a *Fault with its line and column.
package timetable
