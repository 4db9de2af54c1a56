// Package places has the offsets of the numbers of a body, a joint and a solve in the operands of the instructions of package
// tape, in vectors. The generator of the instructions and the packages that make programs use the same constants.
package places
