package sim

// Stats counts the work of a run.
type Stats struct {
	Steps    int64 `json:"steps"`
	Rejected int64 `json:"rejected"`
	Careful  int64 `json:"careful"`          // rejected steps that were tried again with closed stages
	Helped   int64 `json:"helped,omitempty"` // of these, steps that closed stages alone made good
	Singular int64 `json:"singular"`         // steps next to singular poses

	// Stiff counts steps of those that are looked at, every eighth, that are too long to follow the fastest motion
	// (Simulation.Stiffness).
	Stiff int64 `json:"stiff,omitempty"`

	// Undecided counts steps after which the motion may be on another branch than computed: steps
	// in singular poses that are too slow for the branch to be known, and steps over singular
	// poses whose error is above the tolerance because of rounding. UndecidedAt is the time at
	// which the first of these steps began, s. Doubt is the largest error of the second kind in
	// units of the tolerance.
	Undecided   int64   `json:"undecided"`
	UndecidedAt float64 `json:"undecided_at"`
	Doubt       float64 `json:"doubt"`

	Projections int64 `json:"projections"` // of states the run goes on from
	Worst       Drift `json:"worst"`       // largest drift met at the end of a step, before projection
}
