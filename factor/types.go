package factor

import "github.com/rung-mbd/rung/internal/dd"

// Num is a number of 32 digits, the sum of two doubles: Hi is the sum rounded, Lo what that
// leaves.
type Num = dd.Num
