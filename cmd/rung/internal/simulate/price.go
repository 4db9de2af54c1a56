package simulate

import (
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/motion/runs"
)

// mostSweepRows is the number of rows of the trajectories of a share of a sweep at most.
const mostSweepRows = 1_000_000_000

// priceDocument refuses rows of n columns that would be kept in memory for one document.
func priceDocument(span, every float64, n int) error {
	const number = 8
	if bytes := number * (span / every) * float64(n); bytes > runs.MostKept {
		return shell.UseErrorf("--every %v over %v s in one JSON document %s", every, span, fault.TooDear(bytes, runs.MostKept, "B", "give --out a file, or a longer --every"))
	}
	return nil
}

// priceShare tells report of runs whose rows in trajectories, if every is not 0, or fixed steps are beyond the limits.
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
