package probe

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// most bounds the number of conditions, and the number of constants.
const most = 1 << 16

// The variables of the change are set once, before any test runs.
var (
	kind   byte    // 'c' for a condition, 'k' for a constant, 0 for no change
	number int     // number of the condition or constant
	says   bool    // outcome of the condition
	factor float64 // factor of the constant

	record *os.File
	lock   sync.Mutex
	met    [3 * most]atomic.Bool // reached so far: conditions that were false, conditions that were true, constants
)

// init reads the environment variables.
func init() {
	if name := os.Getenv("RUNG_SABOTAGE_RECORD"); name != "" {
		record, _ = os.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	}
	change, value, found := strings.Cut(os.Getenv("RUNG_SABOTAGE"), "=")
	if !found {
		return
	}
	kind = change[0]
	number, _ = strconv.Atoi(change[1:])
	says = value == "true"
	factor, _ = strconv.ParseFloat(value, 64)
}

// Bool returns the value of the condition with the given number: x, its value in the code, unless it is changed.
func Bool(condition int, x bool) bool {
	if record != nil {
		k, outcome := condition, "=false"
		if x {
			k, outcome = most+condition, "=true"
		}
		note(k, "c", condition, outcome)
	}
	if kind == 'c' && number == condition {
		return says
	}
	return x
}

// Value returns the value of the constant with the given number: x, its value in the code, unless it is changed.
func Value[T ~int | ~int32 | ~int64 | ~float64](constant int, x T) T {
	if record != nil {
		note(2*most+constant, "k", constant, "")
	}
	if kind == 'k' && number == constant {
		return T(float64(x) * factor)
	}
	return x
}

// note writes a line to the record at its first call for k, the index in met. The line consists of letter, n and outcome.
func note(k int, letter string, n int, outcome string) {
	if met[k].Swap(true) {
		return
	}
	lock.Lock()
	defer lock.Unlock()
	record.WriteString(letter + strconv.Itoa(n) + outcome + "\n")
}
