// Package asmt reads assemblies of FreeCAD and Ondsel, whose text files end in .asmt: parts, markers, joints, motions
// as functions of time, limits and gravity. Lengths are taken as metres, masses as kilograms.
//
// Markers of parts are kept as frames. What the file has of another solver, its settings and its results, is not used.
package asmt
