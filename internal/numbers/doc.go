// Package numbers reads and sets numbers of a JSON document at given paths, such as bodies[crank].mass.
//
// Cost: reading and writing are O(bytes) and allocate; setting a number is O(1).
package numbers
