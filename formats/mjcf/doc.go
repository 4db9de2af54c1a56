// Package mjcf reads and writes models in MJCF, an XML format: the tree of bodies with its default classes, inertias
// given or summed over shapes, joints in a row, and the equalities that close loops.
//
// Frame: that of a link is its body's in the file. Units: SI, radians.
package mjcf
