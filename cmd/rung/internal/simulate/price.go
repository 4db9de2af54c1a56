package simulate

import (
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/motion/runs"
)

// mostSweepRows is the largest number of rows in all trajectories of one share of a sweep together.
const mostSweepRows = 1_000_000_000

// priceDocument returns an error of use if rows of n columns, one every so many seconds over a span, s, would take more than
// runs.MostKept bytes when kept in memory for one document.
func priceDocument(span, every float64, n int) error {
	const number = 8 // bytes
	if bytes := number * (span / every) * float64(n); bytes > runs.MostKept {
		return shell.UseErrorf("--every %v over %v s in one JSON document %s", every, span, fault.TooDear(bytes, runs.MostKept, "B", "give --out a file, or a longer --every"))
	}
	return nil
}

// priceShare calls report if count runs over a span, s, go beyond a limit: mostSweepRows with the interval every, s, of the rows
// of their trajectories (0: no trajectories), or runs.MostSteps with the fixed step, s (0: steps by error control). It returns
// the result of report, or nil.
func priceShare(count, span, every, step float64, report func(path, value, rule string) error) error {
	const instead = "take fewer runs, or cut them into shares (--of)"
	if rows := count * (span/every + 1); every > 0 && rows > mostSweepRows {
		return report("$.run.every", document.Number(every), "the trajectories of "+fault.Amount(count, "runs")+": "+fault.TooDear(rows, mostSweepRows, "rows", instead))
	}
	if steps := count * span / step; step > 0 && steps > runs.MostSteps {
		return report("$.run.step", document.Number(step), fault.Amount(count, "runs")+": "+fault.TooDear(steps, runs.MostSteps, "steps", instead))
	}
	return nil
}
