package probe

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

const most = 1 << 16

// The variables are set once, before any test runs.
var (
	kind   byte // of the change: 'c', 'k' or none
	number int
	says   bool
	factor float64

	record *os.File
	lock   sync.Mutex
	met    [3 * most]atomic.Bool // conditions that were false, conditions that were true, constants
)

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

// Bool is the condition with the given number, which the code says is x.
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

// Value is the constant with the given number, which the code says is x.
func Value[T ~int | ~int32 | ~int64 | ~float64](constant int, x T) T {
	if record != nil {
		note(2*most+constant, "k", constant, "")
	}
	if kind == 'k' && number == constant {
		return T(float64(x) * factor)
	}
	return x
}

// note records what came out at place n, of the kind that letter names, the first time it does.
func note(k int, letter string, n int, outcome string) {
	if met[k].Swap(true) {
		return
	}
	lock.Lock()
	defer lock.Unlock()
	record.WriteString(letter + strconv.Itoa(n) + outcome + "\n")
}
