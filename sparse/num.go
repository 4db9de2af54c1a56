package sparse

// Num is a number of some 32 digits, the sum of two doubles: Hi is the sum rounded, and Lo is what that leaves. Matrices and vectors of the few
// systems whose solution doubles lose have entries of it.
type Num = struct{ Hi, Lo float64 }
