package sim

import (
	"math"

	"github.com/rung-mbd/rung/internal/fault"
	"github.com/rung-mbd/rung/mechanism"
)

// places implements gauged.
func (k *RungeKutta) places() (first, end place) { return k.gauge.places[0], k.gauge.places[1] }

// slow reports whether the motion is slow at the start of the step last tried: the largest square of
// a velocity is below path times the largest acceleration. path and linear velocities and
// accelerations are in units of Tolerance.Length.
func (k *RungeKutta) slow(path float64) bool {
	square, most, L := 0.0, 0.0, k.tol.Length
	for i := range k.start {
		v, a := (*[6]float64)(k.vel[0][6*i:]), (*[6]float64)(k.acc[0][6*i:])
		square = max(square, v[0]*v[0]+v[1]*v[1]+v[2]*v[2], (v[3]*v[3]+v[4]*v[4]+v[5]*v[5])/(L*L))
		most = max(most, length(a[:3]), length(a[3:])/L)
	}
	return k.all.largest(square) < path*k.all.largest(most)
}

// middle implements gauged: it returns the middle of the widest gap between the times of stages, the last of several.
func (k *RungeKutta) middle() float64 {
	wide, at := 0.0, 0.0
	for i, c := range k.tab.C {
		next := math.Inf(1)
		for _, d := range k.tab.C {
			if d > c {
				next = min(next, d)
			}
		}
		if gap := next - c; !math.IsInf(gap, 1) && gap >= wide {
			wide, at = gap, k.tab.C[i]+gap/2
		}
	}
	return at
}

// redundantAt implements gauged. It keeps the accelerations at st for the next step.
func (k *RungeKutta) redundantAt(st *mechanism.State) (bool, error) {
	if k.gauge.dyn == nil {
		return false, nil
	}
	if err := k.evaluate(k.acc[0], st); err != nil {
		return false, err
	}
	k.measure(0)
	k.kept = true
	return k.gauge.places[0].rows > 0, nil
}

// expect implements gauged.
func (k *RungeKutta) expect(redundant int) { k.gauge.rows = redundant }

// loses reports whether the number of redundant rows at the stage of the last evaluation, an open one, differs from the expected number.
func (k *RungeKutta) loses() bool {
	if k.gauge.rows == 0 || k.gauge.dyn == nil || k.near.proj != nil {
		return false
	}
	_, rows := k.gauge.dyn.Nearness()
	return rows != k.gauge.rows
}

// allowedError is errorNorm for the part of the error along the motions that the joints allow
// at the end. The projection at the end removes the other part, which is mostly rounding
// next to a singular pose. It overwrites k.lead.acc.
func (k *RungeKutta) allowedError(h float64, p ExactProjector) (float64, error) {
	if k.tab.E == nil {
		return 0, nil
	}
	L, rate, worst := k.tol.Length, k.tol.Rate, 0.0
	vel, acc, e := k.chosen(k.tab.E)
	lead := k.lead.acc[:6*len(k.start)]
	if err := k.allowTo(lead, e, vel, p); err != nil {
		return 0, err
	}
	for i := 0; i < len(lead); i += 6 {
		worst = max(worst, length(lead[i:i+3]), length(lead[i+3:i+6])/L)
	}
	if err := k.allowTo(lead, e, acc, p); err != nil {
		return 0, err
	}
	for i := 0; i < len(lead); i += 6 {
		w := (*[6]float64)(k.vel[0][i:])
		worst = max(worst, length(lead[i:i+3])/(rate+length(w[:3])), length(lead[i+3:i+6])/(L*rate+length(w[3:])))
	}
	return math.Abs(h) * k.all.largest(worst) / k.tol.Relative, nil
}

// allowTo stores in dst the part of the sum Σ wⱼ·kⱼ that the joints allow at the end.
func (k *RungeKutta) allowTo(dst, w []float64, stages [][]float64, p ExactProjector) error {
	for i := 0; i < len(dst); i += 6 {
		sumTo((*[6]float64)(dst[i:]), w, stages, i)
	}
	if err := p.AllowMotion(dst, &k.end); err != nil {
		return fault.Errorf("sim: step to t = %v: %w", k.t1, err)
	}
	return nil
}
