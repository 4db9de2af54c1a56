package sparse

// Num is a number of some 32 digits, the sum of two doubles: Hi is the sum rounded, and Lo is what that leaves. The few
// systems whose solution doubles lose have such numbers in matrix and vectors.
type Num = struct{ Hi, Lo float64 }
