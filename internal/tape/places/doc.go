// Package places says where the numbers of a body and of a solve stand in the operands of the instructions of package
// tape. The generator of the instructions and those who make tapes read the same constants.
package places
