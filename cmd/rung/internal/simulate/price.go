package simulate

import (
	"github.com/rung-mbd/rung/cmd/rung/internal/shell"
	"github.com/rung-mbd/rung/internal/document"
	"github.com/rung-mbd/rung/internal/fault"
)

const (
	// mostRows is the number of rows of a trajectory at most.
	mostRows = 100_000_000
	// mostSweepRows is the number of rows of the trajectories of a share of a sweep at most.
	mostSweepRows = 1_000_000_000
	// mostSteps is the number of fixed steps of a run, and of all runs of a share of a sweep, at most: days of the
	// smallest mechanism.
	mostSteps = 1e11
	// mostDocument is the memory of the numbers that rows in one JSON document take at most, bytes.
	mostDocument = 1 << 30
)

// priceTimes refuses rows and fixed steps over a span of time that are beyond the limits. All are in s; a step of 0 is
// none.
func priceTimes(span, every, step float64) error {
	if rows := span / every; rows > mostRows {
		return shell.UseErrorf("--every %v over %v s %s", every, span, fault.TooDear(rows, mostRows, "rows", "give a longer --every"))
	}
	if steps := span / step; step > 0 && steps > mostSteps {
		return shell.UseErrorf("--step %v over %v s %s", step, span, fault.TooDear(steps, mostSteps, "steps", "give a longer --step"))
	}
	return nil
}

// priceDocument refuses rows of n columns that would be kept in memory for one document.
func priceDocument(span, every float64, n int) error {
	const number = 8
	if bytes := number * (span / every) * float64(n); bytes > mostDocument {
		return shell.UseErrorf("--every %v over %v s in one JSON document %s", every, span, fault.TooDear(bytes, mostDocument, "B", "give --out a file, or a longer --every"))
	}
	return nil
}

// priceShare tells report of runs whose rows in trajectories, if every is not 0, or fixed steps are beyond the limits.
func priceShare(runs, span, every, step float64, report func(path, value, rule string) error) error {
	const instead = "take fewer runs, or cut them into shares (--of)"
	if rows := runs * (span/every + 1); every > 0 && rows > mostSweepRows {
		return report("$.run.every", document.Number(every), "the trajectories of "+fault.Amount(runs, "runs")+": "+fault.TooDear(rows, mostSweepRows, "rows", instead))
	}
	if steps := runs * span / step; step > 0 && steps > mostSteps {
		return report("$.run.step", document.Number(step), fault.Amount(runs, "runs")+": "+fault.TooDear(steps, mostSteps, "steps", instead))
	}
	return nil
}
