package sim

// Stats counts the work of a run.
type Stats struct {
	Steps    int64 `json:"steps"`
	Rejected int64 `json:"rejected"`
	Careful  int64 `json:"careful"`          // rejected steps that were tried again with closed stages
	Helped   int64 `json:"helped,omitempty"` // careful steps that closed stages made good at the same length
	Singular int64 `json:"singular"`         // steps next to singular poses
	// Stiff counts steps that are too long to follow the fastest motion (Simulation.Stiffness). Only every eighth step
	// is examined.
	Stiff int64 `json:"stiff,omitempty"`
	// Undecided counts steps after which the motion may be on another branch than the computed one: steps
	// in singular poses that are too slow for the branch to be known, and steps over singular
	// poses whose error is above the tolerance because of rounding. UndecidedAt is the time at
	// which the first of these steps began, s. Doubt is the largest error of the latter steps in
	// units of the tolerance.
	Undecided   int64   `json:"undecided"`
	UndecidedAt float64 `json:"undecided_at"`
	Doubt       float64 `json:"doubt"`

	Projections int64 `json:"projections"` // projected states from which the run has continued
	Worst       Drift `json:"worst"`       // largest drift at the end of a step, before projection
}
