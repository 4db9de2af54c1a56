// Package numbers replaces numbers of a JSON document by their paths, such as bodies[crank].mass.
//
// Cost: reading and writing are O(bytes) and allocate; setting a number is O(1).
package numbers
