// Package mesh reads surfaces made of triangles, in STL, OBJ and a part
// of COLLADA, and computes the mass properties of what they enclose.
//
// Lengths are those of the file; coordinates are in its frame.
package mesh
