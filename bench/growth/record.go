package growth

// Record is one measurement: a size of a family by a method. Times are medians, ns.
type Record struct {
	Family         string  `json:"family"`
	Bodies         int     `json:"bodies"`
	Joints         int     `json:"joints"`
	Unknowns       int     `json:"unknowns"` // in the system that the method solves
	Method         string  `json:"method"`
	Ordering       string  `json:"ordering"` // elimination order of the sparse method; "" for others
	Threads        int     `json:"threads"`
	AnalyzeNs      int64   `json:"analyze_ns"`
	AssembleNs     int64   `json:"assemble_ns"`
	FactorNs       int64   `json:"factor_ns"`
	SolveNs        int64   `json:"solve_ns"`
	TotalNs        int64   `json:"total_ns"` // a whole evaluation, from a state to accelerations and multipliers
	FactorNonzeros int64   `json:"factor_nonzeros"`
	FactorFlops    int64   `json:"factor_flops"`
	PeakBytes      int64   `json:"peak_bytes"` // peak memory of mechanism, analysis, solver and evaluations together
	Residual       float64 `json:"residual"`
	SolveOnceNs    int64   `json:"solve_once_ns"` // a solution without check and refinement; 0 for tree methods
	Usage                  // while the evaluations were timed
	single         bool    // of a family of one model (Single)
}

// Flops returns the work of a factorization, for Fits.
func Flops(r *Record) float64 { return float64(r.FactorFlops) }

// Time returns the time of an evaluation, ns, for Fits.
func Time(r *Record) float64 { return float64(max(r.TotalNs, 1)) }
