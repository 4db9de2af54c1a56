package sparse

// Num is a number of some 32 digits, the sum of two doubles: Hi is the rounded sum, and Lo the rest. It is for matrices and vectors of the
// few systems whose solution is lost with doubles.
type Num = struct{ Hi, Lo float64 }
