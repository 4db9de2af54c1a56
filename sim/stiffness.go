package sim

import (
	"math"

	"github.com/rung-mbd/rung/internal/algebra"
	"github.com/rung-mbd/rung/mechanism"
	"github.com/rung-mbd/rung/model"
)

const (
	stiffEvery = 8   // one of so many steps is examined
	stiffLeast = 200 // least number of steps of a run for which Stiffness is reported
	// stiffStep is the length of a step in units of 1/|λ| above which it does not follow a motion that decays or oscillates
	// with |λ|. Steps that follow all motions have a few tenths, and the pair of Dormand & Prince is unstable above 3.3.
	stiffStep = 1
)

// Stiffness reports that stability, and not accuracy, determines most steps of an explicit method: the steps
// are too long to follow the fastest motion of the mechanism, which has died out. Implicit methods, such as GeneralizedAlpha, take
// longer steps there.
type Stiffness struct {
	Share float64 // fraction of such steps
	Rate  float64 // |λ| of the fastest motion, 1/s, at the last of these steps
	Body  string  // body with most of this motion
	Force string  // the contact, or else the spring, bushing or cable, on the body; "" if there is none, or several of the same kind
}

// tell returns the Stiffness of a run, or nil if its steps follow all motions or there are too few of them.
func (v *stiff) tell(m *mechanism.Mechanism, stats *Stats) *Stiffness {
	looked := (stats.Steps + stiffEvery - 1) / stiffEvery
	if stats.Steps < stiffLeast || 2*stats.Stiff < looked || v.rate == 0 {
		return nil
	}
	return &Stiffness{Share: min(1, float64(stats.Stiff)/float64(looked)), Rate: v.rate, Body: m.BodyName(v.body), Force: holder(m, v.body)}
}

// holder returns the name of the contact on a body, or if there is none, of the other force element with stiffness; "" if there is
// none, or several.
func holder(m *mechanism.Mechanism, body int) string {
	var names [2]string
	var count [2]int
	for i := range m.Forces {
		f, kind := &m.Forces[i], 1
		switch f.Kind {
		case model.ContactForce:
			kind = 0
		case model.SpringDamper, model.BushingForce, model.CableForce:
		default:
			continue
		}
		if int(f.A.Body) == body || int(f.B.Body) == body {
			names[kind] = f.Name
			count[kind]++
		}
	}
	for kind, n := range count {
		if n == 1 {
			return names[kind]
		}
		if n > 1 {
			return ""
		}
	}
	return ""
}

// stiff has the fastest motion at the last stiff step: its |λ|, 1/s, and the body that most of these steps have named.
type stiff struct {
	rate  float64
	body  int
	votes int // majority of body
}

// stiffness returns h·|λ| of the fastest motion in the difference between the last two stages of the step last tried, and the body whose
// acceleration differs most. It returns 0 and −1 if the method has no two stages at the end of a step, and on ranks. The differences
// x and v of the stages' states, and a of their accelerations, determine |λ| (Hairer & Wanner 1996 §IV.2): a single motion has a =
// λ·v = λ²·x. Where two motions mix, the larger of the two ratios may belong to neither, so the smaller one counts.
//
// Cost: two sums over the stages, no evaluation and no allocation.
func (k *RungeKutta) stiffness() (hl float64, body int) {
	last := len(k.tab.B) - 1
	if !k.tab.FSAL || last < 2 || k.tab.C[last-1] != 1 || !k.tried || k.all.all != nil {
		return 0, -1
	}
	w := k.weights
	for j := range w {
		w[j] = 0
		if j < last {
			w[j] = k.tab.A[last][j]
		}
		if j < last-1 {
			w[j] -= k.tab.A[last-1][j]
		}
	}
	h, L := k.t1-k.t0, k.tol.Length
	var X, V, A float64
	most := algebra.NewPeak(0)
	vel, acc, w := k.chosen(w)
	for i := range k.start {
		var x, v [6]float64
		sumTo(&x, w, vel, 6*i)
		sumTo(&v, w, acc, 6*i)
		a, b := (*[6]float64)(k.acc[last][6*i:]), (*[6]float64)(k.acc[last-1][6*i:])
		for c := range v {
			v[c] *= h
			x[c] *= h
		}
		d := [6]float64{a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3], a[4] - b[4], a[5] - b[5]}
		X += square(&x, L)
		V += square(&v, L)
		own := square(&d, L)
		A += own
		most.Take(own, i)
	}
	if !(A > 0 && X > 0 && V > 0) {
		return 0, -1
	}
	return h * min(math.Sqrt(A/V), math.Sqrt(math.Sqrt(A/X))), most.At
}

// square returns the square of the length of x, with its linear part in units of L (m).
func square(x *[6]float64, L float64) float64 {
	return x[0]*x[0] + x[1]*x[1] + x[2]*x[2] + (x[3]*x[3]+x[4]*x[4]+x[5]*x[5])/(L*L)
}

// lookAt examines an accepted step h, if it is one of every stiffEvery steps, and counts it in stats.Stiff if it is stiff.
func (v *stiff) lookAt(stepper Stepper, stats *Stats, h float64) {
	k, ok := stepper.(stiffer)
	if !ok || stats.Steps%stiffEvery != 0 {
		return
	}
	hl, body := k.stiffness()
	if !(hl > stiffStep) {
		return
	}
	stats.Stiff++
	v.rate = hl / h
	switch { // majority vote of Boyer and Moore
	case v.votes == 0:
		v.body, v.votes = body, 1
	case v.body == body:
		v.votes++
	default:
		v.votes--
	}
}
